"""Give the remotes what they lack."""

from memory_cli.memory import Memory
from memory_cli.models.sync import SyncedAll
from memory_cli.operations.sync import moving
from memory_cli.operations.sync.sides import RemoteName, Scope
from memory_cli.sync.running import PUSH


def push(memory: Memory, remote: RemoteName = "", *, scope: Scope = "") -> SyncedAll:
    """Give the remotes what they lack.

    What they refuse stays here to be given again, and is named.
    """
    return moving.moved(memory, remote, scope, PUSH)
