"""The folder of a store, and the files that hold its statements."""

import os
from pathlib import Path

from memory_cli.errors import Refused
from memory_cli.private import make_folders, make_private, sync_file, sync_folder, write_private
from memory_cli.settings.directories import STORE_FOLDER

__all__ = [
    "backups", "make_folders", "make_private", "make_store_folder", "of_store", "refuse_journal_of_many",
    "remove_database", "sync_file", "sync_folder", "write_private",
]  # fmt: skip

# Codes of vectors lie beside a store, finished or not.
CODES = "vectors-*.codes*"
# What a rollback journal ends in when it names the journal of a change of several databases.
JOURNAL_OF_MANY = bytes.fromhex("d9d505f920a163d7")


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
