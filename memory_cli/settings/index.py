"""The settings of folders of documents that are taken in."""

from typing import Annotated

from memory_cli.models.frozen import Frozen
from memory_cli.settings.setting import Setting


class Index(Frozen):
    """How documents become statements."""

    chunk_characters: Annotated[
        int, Setting("About how long a piece of a document may be.", at_least=200, at_most=100_000)
    ] = 2000
    max_bytes: Annotated[int, Setting("The largest document that is taken in.", at_least=1, at_most=1_000_000_000)] = (
        10_000_000
    )
