"""Putting another database in the place of a store, in one step, while nobody uses it.

Whoever has a store open holds a lock on its file, in SQLite's write-ahead mode for as long as it is open. So a change
of the journal's mode, which needs the file alone, tells whether there is anybody, and an exclusive lock keeps others
out until the new file is in place. Who opened the old file meanwhile and waited for it notices that it is not the one
that its name leads to any more (`Store.transaction`).
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from memory_cli.errors import Busy
from memory_cli.settings.sections import Storage
from memory_cli.store import files, sync
from memory_cli.store.connection import NAME, connected

CATEGORIES = "categories"
BESIDE = ("-wal", "-shm", "-journal")


def stage(source: Path, folder: Path, storage: Storage) -> Path:
    """Copy a database into the folder of a store, ready to take its place, and return the copy."""
    staged = folder / f".{NAME}.{os.urandom(8).hex()}.new"
    files.make_private(staged)
    shutil.copyfile(source, staged)
    store = connected(staged, "", storage)
    try:
        with store.transaction():
            if sync.device(store):
                # What the other devices know of this one goes on where it was, and the copy is behind it.
                sync.make_device(store)
    finally:
        store.db.close()
    files.sync_file(staged)
    return staged


def swap(folder: Path, staged: Path, stamp: str) -> Path | None:
    """Put the staged database in the place of the one in folder; return where that was parked, if there was one.

    Raises Busy when another process has it open. A crash leaves the one or the other in place, whole.
    """
    target = folder / NAME
    if not target.exists():
        _place(staged, target)
        return None
    with _alone(target):
        parked = _new_folder(folder / f"parked-{stamp}")
        for each in (target, *(target.with_name(f"{NAME}{suffix}") for suffix in BESIDE)):
            if each.exists():
                _keep(each, parked / each.name)
        if (folder / CATEGORIES).is_dir():
            # They are written again from what the new database says of them.
            os.rename(folder / CATEGORIES, parked / CATEGORIES)
        for codes in folder.glob(files.CODES):
            codes.unlink(missing_ok=True)
        files.sync_folder(parked)
        # A log belongs to the database that it lies beside.
        for suffix in BESIDE:
            target.with_name(f"{NAME}{suffix}").unlink(missing_ok=True)
        os.replace(staged, target)
        files.sync_folder(folder)
    return parked


def require_alone(path: Path) -> None:
    """Raise Busy when another process has the database at path open."""
    if path.exists():
        with _alone(path):
            pass


def users(path: Path) -> list[int]:
    """Return the processes that hold a lock on a file, where the system tells."""
    try:
        number = path.stat().st_ino
        with open("/proc/locks", encoding="ascii") as table:
            rows = [line.split() for line in table]
    except OSError:
        return []
    # 1: POSIX ADVISORY READ 1234 fe:00:5678 0 EOF
    held = {int(row[4]) for row in rows if len(row) > 6 and row[5].rpartition(":")[2] == str(number)}
    return sorted(held - {os.getpid(), -1})


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Have a database to oneself while the block runs; one that is damaged is kept from others as far as that goes."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)) as db:
        try:
            db.execute("pragma busy_timeout = 200")
            if db.execute("pragma journal_mode = delete").fetchone()[0] != "delete":
                raise _in_use(path)
            db.execute("begin exclusive")
        except sqlite3.OperationalError as error:
            if (error.sqlite_errorcode & 0xFF) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise _in_use(path) from error
            if not _is_damage(error):
                raise
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
        if not db.in_transaction and users(path):
            raise _in_use(path)
        yield
        if db.in_transaction:
            db.execute("rollback")


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    return (error.sqlite_errorcode & 0xFF) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR)


def _in_use(path: Path) -> Busy:
    found = ", ".join(map(str, users(path)))
    named = f" (process {found})" if found else ""
    return Busy(f"Another process{named} has {path} open; end what uses this memory, such as `memory serve`, first.")


def _new_folder(wanted: Path) -> Path:
    """Make a folder that was not there, with a number at its end if its name is taken."""
    for number in count(2):
        try:
            wanted.mkdir(mode=0o700)
            return wanted
        except FileExistsError:
            wanted = wanted.with_name(f"{wanted.name.partition('.')[0]}.{number}")
    raise AssertionError("numbers do not end")


def _place(staged: Path, target: Path) -> None:
    """Give the first database of a folder its name, unless another process made one meanwhile."""
    try:
        os.link(staged, target)
        staged.unlink()
    except FileExistsError as error:
        raise Busy(f"{target} was made by another process meanwhile; try again.") from error
    except OSError:
        # A file system without links.
        os.rename(staged, target)
    files.sync_folder(target.parent)


def _keep(source: Path, target: Path) -> None:
    """Keep a file under a second name, so that there is no moment without it; as a copy where there are no links."""
    try:
        os.link(source, target)
    except OSError:
        # Closed, the source would be given free to others before the new file is in its place.
        files.make_private(target)
        with open(target, "wb") as out:
            out.writelines(files.chunks(source))
        files.sync_file(target)
