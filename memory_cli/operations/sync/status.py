"""Show how this device stands with the others."""

from collections import Counter

from memory_cli.memory import GLOBAL, Memory
from memory_cli.models.sync import Remote, SyncStatus
from memory_cli.operations import shown
from memory_cli.operations.sync import sides
from memory_cli.operations.sync.sides import Scope
from memory_cli.store import sync
from memory_cli.store.connection import Store
from memory_cli.sync.exchange import root_of
from memory_cli.sync.settling import current, unsettled

NEVER = "This memory was never synced; `memory sync folder DIR` or `memory sync run` begins."


def status(memory: Memory, *, scope: Scope = "") -> SyncStatus:
    """Show what syncs, when it was last synced with whom, and what waits.

    Nothing is written and nobody is asked.
    """
    found = next(iter(memory.stores(scope or GLOBAL)), None)
    if found is None:
        return SyncStatus(scope or GLOBAL, "", memory.who.device, "", {}, 0, 0, 0, _remotes(memory, None, ""), NEVER)
    with found.snapshot():
        rows = current(found)
        waiting = len(unsettled(found))
    root, device = root_of(rows), sync.device(found)
    return SyncStatus(
        found.scope, device, memory.who.device, root, dict(Counter(each.family for each in rows if each.hash)),
        sum(not each.hash for each in rows), waiting, sync.count_conflicts(found), _remotes(memory, found, root),
        "" if device else NEVER,
    )  # fmt: skip


def _remotes(memory: Memory, store: Store | None, root: str) -> list[Remote]:
    met = sync.peers(store) if store else {}
    addresses = sides.remotes(memory)
    found = []
    for name in sorted({*addresses, *met}):
        at, device, then = met.get(name, (None, "", ""))
        found.append(
            Remote(name, addresses.get(name, ""), shown.moment(at) if at else "", device, bool(root) and then == root)
        )
    return found
