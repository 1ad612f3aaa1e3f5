"""A copy of a store as it is at one moment, while others go on writing."""

from pathlib import Path

from memory_cli.store import files
from memory_cli.store.connection import Store


def copy(store: Store, target: Path) -> None:
    """Write a store as it is now into a new file, without what was deleted; writers are not held up."""
    files.make_private(target)
    store.db.execute("vacuum into ?", (str(target),))
    files.sync_file(target)
