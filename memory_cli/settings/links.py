"""The settings of the links that are derived: how many, and how near."""

from typing import Annotated

from memory_cli.models.frozen import Frozen
from memory_cli.settings.setting import Setting


class Links(Frozen):
    """Which statements are linked without anybody doing it."""

    similar: Annotated[
        int, Setting("How many similar statements one is linked to; 0: none.", kind="retrieval", at_least=0, at_most=50)
    ] = 5
    threshold: Annotated[
        float, Setting("The likeness from which two statements are linked.", kind="retrieval", at_least=0, at_most=1)
    ] = 0.75
    tag: Annotated[
        int,
        Setting("How many statements with the same tag one is linked to.", kind="retrieval", at_least=0, at_most=200),
    ] = 20
