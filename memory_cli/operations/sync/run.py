"""Sync with the remotes, in both directions."""

from memory_cli.memory import Memory
from memory_cli.models.sync import SyncedAll
from memory_cli.operations.sync import moving
from memory_cli.operations.sync.sides import RemoteName, Scope
from memory_cli.sync.running import RUN


def run(memory: Memory, remote: RemoteName = "", *, scope: Scope = "") -> SyncedAll:
    """Sync with the remotes: take what they have, then give what they lack.

    Only what differs is moved. What was changed on both sides is joined where it can be; what loses stays in the
    history, and `sync conflicts` shows it. Cut off anywhere, the next sync goes on.
    """
    return moving.moved(memory, remote, scope, RUN)
