"""Show what syncs."""

from memory_cli.memory import GLOBAL, Memory
from memory_cli.models.sync import Manifest, ManifestRow
from memory_cli.operations import parameters as given
from memory_cli.operations import shown
from memory_cli.operations.sync.sides import Scope
from memory_cli.store import sync
from memory_cli.sync.exchange import root_of
from memory_cli.sync.settling import current

USUAL = 100


def manifest(memory: Memory, *, scope: Scope = "", limit: given.Limit = USUAL, offset: given.Offset = 0) -> Manifest:
    """Show all that syncs: hashes, and which writes of each device are known.

    Two devices with the same root hold the same. Nothing is written.
    """
    found = next(iter(memory.stores(scope or GLOBAL)), None)
    rows = []
    if found is not None:
        with found.snapshot():
            rows = current(found)
    reached = offset + limit
    return Manifest(
        sync.device(found) if found else "", memory.who.device, scope or GLOBAL, shown.moment(memory.now),
        root_of(rows), len(rows),
        [ManifestRow(*each.name, each.hash, each.vector, deleted=not each.hash) for each in rows[offset:reached]],
        truncated=reached < len(rows), next=reached if reached < len(rows) else 0,
    )  # fmt: skip
