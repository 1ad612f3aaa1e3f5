"""The settings of sync: with whom, how conflicts end, and how much at a time."""

from typing import Annotated

from memory_cli.models.frozen import Frozen
from memory_cli.settings.setting import Setting


class Sync(Frozen):
    """How several devices come to hold the same."""

    remotes: Annotated[
        tuple[str, ...], Setting("The remotes to sync with, as NAME=ADDRESS.", project=False, empty_ok=True)
    ] = ()
    token_variable: Annotated[
        str,
        Setting(
            "The variable that holds the token for the remotes; empty: MEMORY_SYNC_TOKEN.", project=False, empty_ok=True
        ),
    ] = ""
    token_file: Annotated[
        str,
        Setting("A file of mode 0600 that holds the token for the remotes; empty: none.", project=False, empty_ok=True),
    ] = ""
    conflict_strategy: Annotated[
        str,
        Setting(
            "Which of two states is kept that cannot be joined, as seen from who receives.",
            choices=("last_write_wins", "local_wins", "remote_wins", "keep_both"),
            project=False,
        ),
    ] = "last_write_wins"
    batch_items: Annotated[
        int, Setting("How many things travel at a time.", at_least=1, at_most=10_000, project=False)
    ] = 500
    max_bytes: Annotated[
        int,
        Setting("The largest envelope that is taken, unpacked.", at_least=10_000, at_most=4_000_000_000, project=False),
    ] = 256_000_000
    timeout_ms: Annotated[
        int, Setting("How long a remote may take to answer.", at_least=100, at_most=3_600_000, project=False)
    ] = 30_000
