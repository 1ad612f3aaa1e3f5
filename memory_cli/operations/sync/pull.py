"""Take what the remotes have."""

from memory_cli.memory import Memory
from memory_cli.models.sync import SyncedAll
from memory_cli.operations.sync import moving
from memory_cli.operations.sync.sides import RemoteName, Scope
from memory_cli.sync.running import PULL


def pull(memory: Memory, remote: RemoteName = "", *, scope: Scope = "") -> SyncedAll:
    """Take what the remotes have and this device lacks.

    Nothing is given to them.
    """
    return moving.moved(memory, remote, scope, PULL)
