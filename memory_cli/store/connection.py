"""Open the database of a scope, bring its schema up to date, and close it again."""

import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

from memory_cli.errors import Busy, MemoryCliError, Refused, UsageError
from memory_cli.models.frozen import Frozen
from memory_cli.settings.sections import Storage
from memory_cli.store import files
from memory_cli.store.schema import APPLICATION_ID, MIGRATIONS

NAME = "memory.sqlite3"
# Twice what SQLite itself lets the log grow to before it tries to write it back.
LONGEST_LOG = 8_000_000
T = TypeVar("T")

_turns: dict[str, threading.Lock] = {}


class Store(Frozen):
    """The open database of one scope; one call of an operation owns it, so threads never share one."""

    db: sqlite3.Connection
    path: Path
    scope: str
    storage: Storage
    inode: int = 0

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let every read of the block see the same state of the store."""
        self.db.execute("begin")
        try:
            yield
        finally:
            self.db.execute("rollback")

    @contextmanager
    def transaction(self, *, deadline_ms: int | None = None) -> Iterator[None]:
        """Commit what the block wrote, or undo all of it when the block raises.

        Raises Busy when another process held the write lock past the deadline; one of 0 does not wait at all.
        """
        limit = self.storage.lock_deadline_ms if deadline_ms is None else deadline_ms
        with _turn(self.path, limit):
            with self._waiting_at_most(limit):
                patiently(lambda: self.db.execute("begin immediate"), self.path, limit)
            try:
                self._require_place()
                yield
                self.db.execute("commit")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("rollback")
                raise
            if limit:
                self._shorten_log()

    @contextmanager
    def _waiting_at_most(self, limit_ms: int) -> Iterator[None]:
        """Let SQLite itself wait no longer for a lock than whoever asked does."""
        usual = self.storage.busy_timeout_ms
        if limit_ms >= usual:
            yield
            return
        self.db.execute(f"pragma busy_timeout = {limit_ms}")
        try:
            yield
        finally:
            self.db.execute(f"pragma busy_timeout = {usual}")

    def _require_place(self) -> None:
        """Refuse to write into a file that another one took the place of while this waited for its lock."""
        if self.inode and os.stat(self.path).st_ino != self.inode:
            raise Busy(f"{self.path} was replaced by a restore meanwhile; try again.")

    def _shorten_log(self) -> None:
        """Write a long log back into the database and empty it.

        SQLite does so by itself only when nobody reads, which beside busy readers never comes, so that the log grows
        without end; this waits a moment for them. The change is on the disk already, so a lock is no failure.
        """
        try:
            if os.stat(f"{self.path}-wal").st_size > LONGEST_LOG:
                self.db.execute("pragma wal_checkpoint(truncate)").fetchone()
        except FileNotFoundError:
            return
        except sqlite3.OperationalError as error:
            if not _is_busy(error):
                raise


@contextmanager
def open_store(folder: Path, scope: str, storage: Storage, *, create: bool = False) -> Iterator[Store | None]:
    """Open the store in folder, or yield nothing when there is none and none is to be made."""
    path = place(folder, create=create)
    if path is None:
        yield None
        return
    store = connected(path, scope, storage)
    try:
        yield store
    finally:
        store.db.close()


def place(folder: Path, *, create: bool) -> Path | None:
    """Return where the store in folder is, or nothing when there is none and none is to be made."""
    require_fts5()
    path = folder / NAME
    if create:
        files.make_store_folder(folder)
        files.make_private(path)
        return path
    return path if path.exists() else None


def connected(path: Path, scope: str, storage: Storage, *, travels: bool = False) -> Store:
    """Return the store at path, open; one that travels is used by one thread after another."""
    # Before SQLite opens it: a file that took its place in between is noticed at the first write.
    inode = path.stat().st_ino
    db = _connect(path, storage, travels=travels)
    try:
        with translated(path):
            _prepare(db, path, storage)
    except BaseException:
        db.close()
        raise
    return Store(db, path, scope, storage, inode)


def data_version(store: Store) -> int:
    """Return what is another number after another connection has written."""
    return int(store.db.execute("pragma data_version").fetchone()[0])


def reopened(store: Store, version: int) -> int | None:
    """Return the `data_version` of what was kept open since it was this, or nothing if it can be used no more."""
    try:
        if os.stat(store.path).st_ino != store.inode:
            return None
    except FileNotFoundError:
        return None
    # In its other mode SQLite looks for such a journal at the opening alone.
    if store.storage.journal_mode != "wal":
        files.refuse_journal_of_many(store.path)
    deadline = store.storage.lock_deadline_ms
    try:
        now = patiently(lambda: data_version(store), store.path, deadline)
    except sqlite3.Error:
        # Whatever it is, opening it anew tells.
        return None
    with translated(store.path):
        # Where somebody wrote, it may be a newer program, or one that is none of ours.
        if now != version and patiently(lambda: _version(store.db, store.path), store.path, deadline) != len(
            MIGRATIONS
        ):
            return None
    return now


@contextmanager
def new_store(path: Path, scope: str, storage: Storage) -> Iterator[Store]:
    """Make a store in a file that nobody else knows yet; when the block ends it is whole and on the disk."""
    files.make_private(path)
    db = _connect(path, storage)
    try:
        # A crash leaves a file that nobody uses, so nothing is waited for but the end.
        db.execute("pragma synchronous = off")
        db.execute("pragma journal_mode = memory")
        db.execute("pragma foreign_keys = on")
        _migrate(db, path)
        yield Store(db, path, scope, storage)
        db.execute(f"pragma journal_mode = {storage.journal_mode}")
    finally:
        db.close()
    files.sync_file(path)


@contextmanager
def _turn(path: Path, deadline_ms: int) -> Iterator[None]:
    """Let the threads of this process write one after the other; SQLite would have each sleep and look again."""
    turn = _turns.setdefault(str(path), threading.Lock())
    if not turn.acquire(timeout=deadline_ms / 1000):
        raise _locked(path, deadline_ms)
    try:
        yield
    finally:
        turn.release()


def _locked(path: Path, deadline_ms: int) -> Busy:
    return Busy(f"{path} was locked by another process for {deadline_ms} ms; try again.")


def patiently(step: Callable[[], T], path: Path, deadline_ms: int) -> T:
    """Return what step returns, trying again for a time while another process holds the lock."""
    end = time.monotonic() + deadline_ms / 1000
    while True:
        try:
            return step()
        except sqlite3.OperationalError as error:
            if not _is_busy(error):
                raise
            if time.monotonic() >= end:
                raise _locked(path, deadline_ms) from error
            # Up to 20 ms, and random, so that writers that met once do not meet again and again.
            time.sleep(0.001 + os.urandom(1)[0] / 256 * 0.019)


@contextmanager
def translated(path: Path | None = None) -> Iterator[None]:
    """Turn what SQLite says of a store that cannot be used into our errors; its bugs stay bugs."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _is_busy(error):
            raise Busy("The store is busy; try again.") from error
        if "readonly" in str(error) or "unable to open" in str(error) or "disk" in str(error):
            raise MemoryCliError(
                f"The store cannot be written: {error}. Check its folder's permissions and space."
            ) from error
        raise
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError | sqlite3.InterfaceError):
            raise
        named = f"{path} is" if path else "The store is"
        raise MemoryCliError(
            f"{named} damaged ({error}); nothing was changed. Move the file away to begin a new one: SQLite's own "
            "program reads what is left of it (`sqlite3 FILE .recover`)."
        ) from error


@cache
def require_fts5() -> None:
    """Refuse to go on, before any file is made, where SQLite lacks its full-text index."""
    with sqlite3.connect(":memory:") as db:
        options = {row[0] for row in db.execute("pragma compile_options")}
        modules = {row[0] for row in db.execute("select name from pragma_module_list")} if not options else set()
    db.close()
    if "ENABLE_FTS5" not in options and "fts5" not in modules:
        raise UsageError(
            f"The sqlite3 module of {sys.executable} was built without FTS5, which finding words needs. "
            "Install a Python whose SQLite has it, such as one from python.org, Debian or uv (`uv python install`)."
        )


def _connect(path: Path, storage: Storage, *, travels: bool = False) -> sqlite3.Connection:
    files.refuse_journal_of_many(path)
    # mode=rw: a file that vanished between the look and the opening is not made anew as an empty one.
    uri = f"{path.absolute().as_uri()}?mode=rw"
    db = sqlite3.connect(
        uri, uri=True, timeout=storage.busy_timeout_ms / 1000, isolation_level=None, check_same_thread=not travels
    )
    db.row_factory = sqlite3.Row
    # A file that came with a clone may not run anything of its own.
    db.execute("pragma trusted_schema = off")
    return db


def _prepare(db: sqlite3.Connection, path: Path, storage: Storage) -> None:
    version = patiently(lambda: _version(db, path), path, storage.lock_deadline_ms)
    db.execute(f"pragma busy_timeout = {storage.busy_timeout_ms}")
    db.execute(f"pragma synchronous = {storage.synchronous}")
    db.execute("pragma foreign_keys = on")
    # Ten times SQLite's own 2 MB: one query of a large store reads more than that.
    db.execute("pragma cache_size = -20000")
    if version < len(MIGRATIONS):
        patiently(lambda: db.execute(f"pragma journal_mode = {storage.journal_mode}"), path, storage.lock_deadline_ms)
        patiently(lambda: _migrate(db, path), path, storage.lock_deadline_ms)
        # Until the log is written back nobody can tell by the header of the file that it is one of ours.
        db.execute("pragma wal_checkpoint(passive)").fetchone()
    elif db.execute("pragma journal_mode").fetchone()[0] != storage.journal_mode:
        _change_journal(db, storage)


def _change_journal(db: sqlite3.Connection, storage: Storage) -> None:
    """Use the journal that the settings want, which takes having the file alone; the next one may."""
    try:
        db.execute(f"pragma journal_mode = {storage.journal_mode}").fetchone()
    except sqlite3.OperationalError as error:
        if not _is_busy(error) and "readonly" not in str(error):
            raise


def _version(db: sqlite3.Connection, path: Path) -> int:
    """Return the schema's version, 0 for a file that is still empty; refuse what is not ours to open."""
    version = int(db.execute("pragma user_version").fetchone()[0])
    application = int(db.execute("pragma application_id").fetchone()[0])
    if version == 0 and not db.execute("select 1 from sqlite_master limit 1").fetchone():
        return 0
    if application != APPLICATION_ID and not version > len(MIGRATIONS):
        raise Refused(
            f"{path} is a database of another program; it was left as it is. Move it away to begin a new one."
        )
    if made := db.execute("select type, name from sqlite_master where type in ('trigger', 'view') limit 1").fetchone():
        raise Refused(
            f"{path} has a {made['type']} {made['name']}, which nothing here makes and which could undo a write; "
            "it was left as it is. Move it away to begin a new one."
        )
    if version > len(MIGRATIONS):
        raise Refused(
            f"{path} has schema version {version}, and this memory knows versions up to {len(MIGRATIONS)}; "
            "it was left as it is. Install a newer memory-cli to open it."
        )
    return version


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    db.execute("begin immediate")
    try:
        # Asked again under the lock: another process may have made the same step meanwhile.
        for number in range(_version(db, path), len(MIGRATIONS)):
            MIGRATIONS[number](db)
            db.execute(f"pragma user_version = {number + 1}")
        db.execute("commit")
    except BaseException:
        if db.in_transaction:
            db.execute("rollback")
        raise


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return (error.sqlite_errorcode & 0xFF) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def empty_log(store: Store) -> bool:
    """Write the log back into the database, and tell whether nobody kept that from being done."""
    try:
        return not store.db.execute("pragma wal_checkpoint(truncate)").fetchone()[0]
    except sqlite3.OperationalError as error:
        if not _is_busy(error):
            raise
        return False


class Sizes(Frozen):
    """How many bytes the files of a store take, and its schema's version."""

    database: int
    wal: int
    schema: int


def sizes(store: Store) -> Sizes:
    """Return how large the files of a store are."""
    wal = store.path.with_name(f"{NAME}-wal")
    return Sizes(
        store.path.stat().st_size,
        wal.stat().st_size if wal.exists() else 0,
        int(store.db.execute("pragma user_version").fetchone()[0]),
    )
