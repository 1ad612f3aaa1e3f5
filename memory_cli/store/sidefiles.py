"""The files of codes beside a store: disposable, rebuilt from the vectors whenever one is missing or wrong."""

import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from memory_cli.store import files
from memory_cli.store.connection import Store

# Counted on by every purge: what was built before it may know what is gone.
PURGES = "purges"


def path(store: Store, model: str, first: int, last: int) -> Path:
    """Name the file for the vectors of model whose numbers lie between first and last."""
    return store.path.with_name(f"vectors-{zlib.crc32(model.encode()):08x}-{first}-{last}.codes")


def listed(store: Store) -> list[Path]:
    """Return the files of codes that are there, finished or not."""
    return sorted(store.path.parent.glob(files.CODES))


def drop(store: Store) -> None:
    """Delete every file of codes; whoever needs one builds it anew."""
    for each in listed(store):
        each.unlink(missing_ok=True)


def size(store: Store) -> int:
    """Return how many bytes the files of codes take."""
    return sum(each.stat().st_size for each in listed(store))


def generation(store: Store) -> int:
    """Return how many purges there were."""
    return _purges(store.db)


def write(store: Store, target: Path, parts: Iterable[bytes]) -> None:
    """Put a whole file into place by one rename; what a power cut tears is noticed by its checksums.

    It does not stay when a purge ended since the caller began to read the store.
    """
    staged = target.with_name(f"{target.name}.{os.getpid()}.{threading.get_ident()}.new")
    try:
        # A link that came with a clone is not followed.
        staged.unlink(missing_ok=True)
        handle = os.open(staged, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(handle, "wb") as out:
            os.chmod(staged, 0o600)
            out.writelines(parts)
        os.replace(staged, target)
    except BaseException:
        staged.unlink(missing_ok=True)
        raise
    with closing(sqlite3.connect(store.path)) as db:
        if _purges(db) != generation(store):
            target.unlink(missing_ok=True)


def _purges(db: sqlite3.Connection) -> int:
    row = db.execute("select value from counter where name = ?", (PURGES,)).fetchone()
    return int(row[0]) if row else 0
