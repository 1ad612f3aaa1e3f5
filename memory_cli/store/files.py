"""The folder of a store, and the files that hold its statements."""

import os
from collections.abc import Iterator
from pathlib import Path

from memory_cli.errors import Refused
from memory_cli.private import make_folders, make_private, sync_file, sync_folder, write_private
from memory_cli.settings.directories import STORE_FOLDER

__all__ = [
    "backups", "chunks", "head", "is_held", "make_folders", "make_private", "make_store_folder", "of_store",
    "refuse_journal_of_many", "remove_database", "sync_file", "sync_folder", "write_private",
]  # fmt: skip

# Codes of vectors lie beside a store, finished or not.
CODES = "vectors-*.codes*"
# What a rollback journal ends in when it names the journal of a change of several databases.
JOURNAL_OF_MANY = bytes.fromhex("d9d505f920a163d7")
CHUNK = 1 << 20


def make_store_folder(folder: Path) -> None:
    """Make a scope's folder, private, and what leads to it; a project's own is hidden from git."""
    if folder.is_dir():
        return
    if folder.name != STORE_FOLDER:
        make_folders(folder)
        return
    # Deleting the .gitignore is how a project chooses to commit its memory, so it is written only with the folder;
    # the two come by one rename, so that no crash leaves a folder that git would show.
    staged = folder.with_name(f"{STORE_FOLDER}.{os.getpid()}-{os.urandom(4).hex()}.new")
    make_folders(staged)
    write_private(staged / ".gitignore", "*\n")
    try:
        os.rename(staged, folder)
    except OSError:
        # Another process or thread was quicker.
        (staged / ".gitignore").unlink()
        staged.rmdir()
        if not folder.is_dir():
            raise


def refuse_journal_of_many(database: Path) -> None:
    """Refuse a journal that names another file: SQLite would delete that.

    No change of ours spans databases, so such a journal came with a clone, and it may name any file of the user's.
    """
    database = database.resolve()
    journal = database.with_name(f"{database.name}-journal")
    try:
        ends = journal.read_bytes().endswith(JOURNAL_OF_MANY) if journal.is_file() else False
    except OSError:
        # SQLite, which cannot read it either, says so in its own words.
        return
    if ends:
        raise Refused(
            f"{journal} names another file, which opening the store would delete; nothing here writes such a journal. "
            "It came from elsewhere: look at it, and remove it."
        )


def backups(folder: Path) -> list[Path]:
    """Return the files of older servers that are kept in the folder of a store."""
    beside = ("-wal", "-shm", "-journal")
    return sorted(path for path in folder.glob("*.sqlite3.bak*") if not path.name.endswith(beside))


def remove_database(path: Path) -> None:
    """Remove a database with what SQLite keeps beside it."""
    for suffix in ("-wal", "-shm", "-journal", ""):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)


def of_store(database: Path) -> list[Path]:
    """Return the folder of a store and the files that hold its statements or tell of them."""
    found = (database.parent.glob(pattern) for pattern in (f"{database.name}*", CODES))
    kept = sorted(path for each in found for path in each if path.is_file())
    return [database.parent, *kept]


# Whoever closes a file gives up every lock that its process has on it, those of SQLite's connections too (SQLite, "How
# To Corrupt An SQLite Database File", 2.2), and another process then takes a log that is in use for a leftover. So the
# file of a database that is read here beside SQLite stays open as long as the process runs.
_open: dict[tuple[int, int], int] = {}


def is_held(path: Path) -> bool:
    """Tell whether a file is open here already, as every store is that this process looked at."""
    there = os.stat(path)
    return (there.st_dev, there.st_ino) in _open


def head(path: Path, size: int) -> bytes:
    """Return the first bytes of a file that SQLite may have open here."""
    return _read(path, 0, size)


def chunks(path: Path) -> Iterator[bytes]:
    """Yield the whole of a file that SQLite may have open here."""
    offset = 0
    while found := _read(path, offset, CHUNK):
        yield found
        offset += len(found)


def _read(path: Path, offset: int, size: int) -> bytes:
    if os.name == "nt":
        # There a lock is of its handle, and a file that is open could not be replaced.
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(size)
    return os.pread(_handle(path), size, offset)


def _handle(path: Path) -> int:
    there = os.stat(path)
    handle = _open.get((there.st_dev, there.st_ino))
    if handle is not None:
        return handle
    handle = os.open(path, os.O_RDONLY)
    made = os.fstat(handle)
    # Of two threads that come here at once neither closes its own.
    return _open.setdefault((made.st_dev, made.st_ino), handle)
