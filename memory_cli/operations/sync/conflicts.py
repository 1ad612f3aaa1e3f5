"""Show the conflicts that nobody settled."""

from memory_cli.memory import GLOBAL, Memory
from memory_cli.models.sync import Conflict, Conflicts
from memory_cli.operations import shown
from memory_cli.operations.sync.sides import Scope
from memory_cli.store import sync


def conflicts(memory: Memory, *, scope: Scope = "") -> Conflicts:
    """Show what two devices changed in ways that cannot be joined.

    The newest is first. Each has a number, what is kept now, and what lost; `sync resolve` chooses.
    """
    return Conflicts(
        scope or GLOBAL,
        [
            Conflict(each.number, shown.moment(each.at), each.family, each.key, each.device, each.kept, each.lost)
            for store in memory.stores(scope or GLOBAL)
            for each in sync.conflicts(store)
        ],
    )
