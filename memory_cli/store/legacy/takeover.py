"""Putting a store of ours in the place of what an older server left, so that a kill at any point loses nothing.

The new store is made whole in a folder of its own beside the old files. The old database gets its second name, `.bak`,
before the new one takes its first by one rename: there is no moment without a record, and until that rename the next
start begins anew. What is left to do after it, the next start finishes.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from memory_cli.errors import Busy, MemoryCliError
from memory_cli.locks import locked
from memory_cli.models.frozen import Frozen
from memory_cli.models.statement import Statement
from memory_cli.settings.directories import STORE_FOLDER
from memory_cli.settings.sections import Storage
from memory_cli.store import connection, files, journal, taken
from memory_cli.store.legacy import databases, documents
from memory_cli.store.legacy.arranging import Taking, arranged, united
from memory_cli.store.legacy.old import Old
from memory_cli.store.legacy.signs import DOCUMENT, INDEX, RECORD, STAGING, VECTORS, is_marked_ours
from memory_cli.store.taken import Taken

BACKUP = ".bak"
OPERATION = "take in"


class Place(Frozen):
    """A scope's folder and how it is opened; `former` is where the first seed kept the same scope by default."""

    folder: Path
    scope: str
    storage: Storage
    former: Path | None = None


class _Found(Frozen):
    """What an older server left in a folder: databases, the record first, and a document that counts."""

    databases: tuple[Path, ...]
    document: Path | None

    @property
    def paths(self) -> tuple[Path, ...]:
        """What statements are read from."""
        return (*self.databases, self.document) if self.document else self.databases


class _Read(Frozen):
    """What was read: statements, oldest first, and of each file how many it held."""

    statements: list[Statement]
    counts: dict[Path, int]


def settle(place: Place, taking: Taking, is_others: Callable[[Path], bool]) -> None:
    """Take in what an older server left where this scope's store is or would be, or finish what was begun."""
    try:
        if not _is_due(place):
            return
        connection.require_fts5()
        files.make_store_folder(place.folder)
        busy = f"Another process is taking in what an older server left in {place.folder}; try again."
        with locked(place.folder, place.storage.lock_deadline_ms, busy):
            _finish(place.folder)
            if found := _find(place.folder):
                _take_in(place, found, taking, is_others)
            elif place.former and not _is_there(place.folder) and (found := _find(place.former)):
                _take_in(place, found, taking, is_others, copied=True)
    except OSError as error:
        raise MemoryCliError(
            f"What an older server left cannot be taken into {place.folder}: {error}. Nothing was lost; mend that and "
            "try again."
        ) from error


def _is_due(place: Place) -> bool:
    folder = place.folder
    if is_marked_ours(folder / RECORD):
        return os.path.lexists(folder / STAGING) or os.path.lexists(folder / VECTORS) or _is_kept(folder / INDEX)
    if os.path.lexists(folder / STAGING) or _find(folder):
        return True
    return place.former is not None and not _is_there(folder) and _find(place.former) is not None


def _is_there(folder: Path) -> bool:
    record = folder / RECORD
    return record.exists() and record.stat().st_size > 0


def _find(folder: Path) -> _Found | None:
    record, index = folder / RECORD, folder / INDEX
    version = databases.schema(record)
    if version is None and _is_there(folder):
        return None
    # An index was never more than a copy, so a link in its place, which could lead to any file, is not followed.
    old = [record] if version is not None else []
    old += [index] if not index.is_symlink() and databases.schema(index) is not None else []
    read = documents.read(folder) if (version or 0) < databases.RECORD else None
    document = folder / DOCUMENT if read and documents.blocks(read) else None
    return _Found(tuple(old), document) if old or document else None


def _take_in(
    place: Place, found: _Found, taking: Taking, is_others: Callable[[Path], bool], *, copied: bool = False
) -> None:
    """Put a store of ours in its place; nobody else can write to the old one meanwhile, or a copy is read."""
    others, undated = any(map(is_others, found.paths)), _written(found.paths)
    staging = place.folder / STAGING
    files.make_folders(staging / "former")
    os.chmod(place.folder, 0o700)
    with ExitStack() as stack:
        from_ = {path: _copied(path, staging / "former") if copied else path for path in found.databases}
        opened = {path: stack.enter_context(_alone(each, place.storage)) for path, each in from_.items()}
        read = _read(place, opened, found.document, taking, undated)
        new = _stage(staging / RECORD, place, read, taking, copied=copied, others=others)
        for path in () if copied else found.databases:
            os.chmod(path, 0o600)
            _keep(path)
        files.sync_folder(place.folder)
        if os.name == "nt":
            # There no file that is open gives way to another.
            stack.close()
        os.replace(new, place.folder / RECORD)
        files.sync_folder(place.folder)
    _finish(place.folder)


def _copied(path: Path, folder: Path) -> Path:
    """Copy a file with its log; again when somebody wrote to it meanwhile."""
    while True:
        parts = [each for each in databases.files_of(path) if not each.name.endswith("-shm")]
        before = [(each.name, each.stat().st_size, each.stat().st_mtime_ns) for each in parts]
        for each in parts:
            files.write_private(folder / each.name, b"".join(files.chunks(each)))
        left = [each for each in databases.files_of(path) if not each.name.endswith("-shm")]
        if [(each.name, each.stat().st_size, each.stat().st_mtime_ns) for each in left] == before:
            return folder / path.name


@contextmanager
def _alone(path: Path, storage: Storage) -> Iterator[sqlite3.Connection]:
    try:
        db = connection.patiently(
            lambda: databases.open_alone(path, storage.busy_timeout_ms), path, storage.lock_deadline_ms
        )
    except Busy as error:
        raise Busy(
            f"An older server has {path} open, so its statements cannot be taken in yet; stop it and try again."
        ) from error
    try:
        yield db
    finally:
        db.close()


def _written(paths: Iterable[Path]) -> datetime:
    """Return when a statement without a date was there at the latest, before the files are opened."""
    return datetime.fromtimestamp(min(path.stat().st_mtime for path in paths), UTC)


def _read(
    place: Place, opened: dict[Path, sqlite3.Connection], document: Path | None, taking: Taking, undated: datetime
) -> _Read:
    rows: list[Old] = []
    counts: dict[Path, int] = {}
    for path, db in opened.items():
        found = databases.statements(db)
        known = {(each.kind, documents.words(each.text)) for each in rows}
        rows += [each for each in found if (each.kind, documents.words(each.text)) not in known]
        counts[path] = len(found)
    text = document.read_bytes() if document else None
    if document and text:
        counts[document] = len(documents.blocks(text))
    handoff = place.scope == "local"
    return _Read(arranged(united(rows, text), taking, handoff=handoff, undated=undated), counts)


def _stage(path: Path, place: Place, read: _Read, taking: Taking, *, copied: bool, others: bool) -> Path:
    """Make the new store in a file that nobody else knows, whole and on the disk."""
    with (
        connection.new_store(path, place.scope, place.storage) as store,
        journal.writing(store, OPERATION, taking.who, taking.at) as made,
    ):
        for each in read.statements:
            journal.add(made, each)
        for source, count in read.counts.items():
            taken.note(store, Taken(str(source), taking.at, count, copied=copied, others=others))
    return path


def _keep(path: Path) -> None:
    """Give an old database its second name, under which it stays."""
    kept = next(each for each in _second_names(path) if not each.exists() or each.samefile(path))
    if kept.exists():
        return
    try:
        os.link(path, kept)
    except OSError:
        # Some file systems know no second names.
        files.write_private(kept, b"".join(files.chunks(path)))
        shutil.copystat(path, kept)


def _is_kept(path: Path) -> bool:
    """Tell whether a file has its second name already, beside the first."""
    return path.exists() and any(each.samefile(path) for each in path.parent.glob(f"{path.name}{BACKUP}*"))


def _second_names(path: Path) -> Iterator[Path]:
    yield path.with_name(f"{path.name}{BACKUP}")
    number = 2
    while True:
        yield path.with_name(f"{path.name}{BACKUP}.{number}")
        number += 1


def _finish(folder: Path) -> None:
    """Do what is left to do: away with what was begun, and with the first names of what has a second one."""
    if (folder / STAGING).exists():
        shutil.rmtree(folder / STAGING)
    if not is_marked_ours(folder / RECORD):
        return
    if _is_kept(folder / INDEX):
        (folder / INDEX).unlink()
    for path in list(databases.files_of(folder / VECTORS)):
        # Vectors of another model's are of no use, but they are kept as everything is.
        os.replace(path, path.with_name(path.name.replace(VECTORS, f"{VECTORS}{BACKUP}", 1)))
    if folder.name == STORE_FOLDER and not (folder / ".gitignore").exists():
        files.write_private(folder / ".gitignore", "*\n")
    files.sync_folder(folder)
