"""One sync after another, with each remote that is meant."""

from memory_cli.errors import MemoryCliError
from memory_cli.memory import Memory
from memory_cli.models.sync import SyncedAll
from memory_cli.operations.sync import sides
from memory_cli.sync import running


def moved(memory: Memory, remote: str, scope: str, direction: str) -> SyncedAll:
    """Sync with the remotes that are meant; one that fails does not keep the others back."""
    there = sides.peers(memory, scope, remote)
    here = sides.side(memory, scope)
    done = SyncedAll([], [])
    for place, peer in enumerate(there):
        memory.progress(place, len(there), f"syncing with {peer.name}")
        try:
            done.synced.append(running.run(here, peer, direction=direction, batch=memory.settings.sync.batch_items))
        except MemoryCliError as error:
            if len(there) == 1:
                raise
            done.failed.append(f"{peer.name}: {error}")
    return done
