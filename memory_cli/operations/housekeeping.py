"""What a check of the files of a store finds, beside what is in its database."""

import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from memory_cli.categories import checking
from memory_cli.categories import files as category_files
from memory_cli.errors import Busy, MemoryCliError
from memory_cli.memory import Memory
from memory_cli.models.results import Finding
from memory_cli.operations.category import places
from memory_cli.store import categories, connection, files, readonly, salvage, swapping
from memory_cli.store.connection import LONGEST_LOG, NAME, Store

# Long enough for whoever is making a file to have finished.
STALE = 3600
SYNCED = (
    "dropbox", "onedrive", "google drive", "googledrive", "my drive", "icloud", "mobile documents", "cloudstorage",
    "nextcloud", "owncloud", "pcloud", "syncthing", "megasync",
)  # fmt: skip
REMOTE = ("nfs", "cifs", "smb", "afp", "9p", "fuse.sshfs", "fuse.rclone", "fuse.gcsfuse", "fuse.s3fs", "ceph", "afs")
FIX = "`memory doctor --fix` "


def mended(memory: Memory, scope: str, folder: Path, *, fix: bool) -> Iterator[Finding]:
    """Find a database that cannot be read whole, and read what is left of it into a new one."""
    path = folder / NAME
    if not path.exists() or not (damage := readonly.damage(path)):
        return
    problem = f"{path} is damaged: {damage}."
    if not fix:
        yield Finding(problem, scope, remedy=f"{FIX}reads what is left into a new one and keeps the old one beside.")
        return
    staged = folder / f".{NAME}.salvaged.new"
    try:
        files.remove_database(staged)
        found = salvage.salvage(path, staged, scope, memory.settings.storage)
        parked = swapping.swap(folder, staged, memory.now.strftime("%Y%m%dT%H%M%SZ"))
    except (Busy, MemoryCliError, salvage.Unreadable) as error:
        yield Finding(f"{problem} {error}", scope, remedy="`memory restore` brings back a snapshot, if there is one.")
        return
    finally:
        files.remove_database(staged)
    kept = f"{found.rows.get('statement', 0)} statements were read into a new one"
    lost = f"; not all could be read of {', '.join(found.broken)}" if found.broken else ""
    yield Finding(f"{problem} {kept}{lost}. The old one is kept in {parked}.", scope, mended=True)


def of_files(store: Store, *, fix: bool) -> Iterator[Finding]:
    """Find what is wrong with the files of a store, and mend what can be mended."""
    yield from _permissions(store, fix=fix)
    yield from _leftovers(store, fix=fix)
    yield from _long_log(store, fix=fix)
    yield from _place(store)


def of_categories(memory: Memory, store: Store, *, fix: bool) -> Iterator[Finding]:
    """Find the files of categories that are not as their record says, and settle each as a read would."""

    def wrong() -> list[str]:
        return list(checking.problems(store.path.parent, categories.everything(store, deleted=True)))

    before = wrong()
    if before and fix:
        for one in categories.everything(store, deleted=True):
            places.look(memory, store, one.name)
    left = wrong() if before and fix else before
    for each in before:
        remedy = "Mend or remove the file; the record answers until then." if fix else f"{FIX}takes it in."
        yield Finding(f"{each}.", store.scope, mended=each not in left, remedy=remedy if each in left else "")


def _permissions(store: Store, *, fix: bool) -> Iterator[Finding]:
    for path in (*files.of_store(store.path), *category_files.everything(store)):
        wanted = 0o700 if path.is_dir() else 0o600
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & ~wanted:
            if fix:
                path.chmod(wanted)
            problem = f"Others can read {path}: its mode is {mode:o}, and it should be {wanted:o}."
            yield Finding(problem, store.scope, mended=fix, remedy="" if fix else f"{FIX}sets it.")


def _leftovers(store: Store, *, fix: bool) -> Iterator[Finding]:
    folders = [store.path.parent]
    if not category_files.is_link(store):
        folders.append(category_files.folder(store))
    for path in sorted(path for folder in folders for mark in ("new", "gone") for path in folder.glob(f".*.{mark}")):
        if path.is_dir() or time.time() - path.stat().st_mtime < STALE:
            continue
        if fix:
            files.remove_database(path)
        problem = f"{path} was begun and never finished."
        yield Finding(problem, store.scope, mended=fix, remedy="" if fix else f"{FIX}removes it.")


def _long_log(store: Store, *, fix: bool) -> Iterator[Finding]:
    size = connection.sizes(store).wal
    if size <= LONGEST_LOG:
        return
    done = fix and connection.empty_log(store)
    remedy = "" if done else "It is written back when no other process reads the store."
    yield Finding(f"The log of {store.path} has grown to {size:,} bytes.", store.scope, mended=done, remedy=remedy)


def _place(store: Store) -> Iterator[Finding]:
    path = store.path.resolve()
    told = "which several machines may change at once, and then it is damaged"
    if name := next((part for part in path.parts if part.lower().startswith(SYNCED)), ""):
        remedy = "Name another folder with --storage-root, and share it by `memory sync folder`."
        yield Finding(f"{path} lies in {name}, {told}.", store.scope, remedy=remedy, warning=True)
    elif kind := _file_system(path):
        remedy = "Set storage.journal_mode to delete, or keep it on a disk of this machine."
        yield Finding(
            f"{path} lies on a network file system ({kind}), {told}.", store.scope, remedy=remedy, warning=True
        )


def _file_system(path: Path) -> str:
    try:
        with open("/proc/mounts", encoding="utf-8", errors="replace") as table:
            return remote_kind(path, table)
    except OSError:
        # Other systems do not tell.
        return ""


def remote_kind(path: Path, mounts: Iterable[str]) -> str:
    """Return the kind of the file system that path lies on by the lines of a table of mounts, if it is a remote one."""
    best, kind = "", ""
    for line in mounts:
        _device, point, found, *_rest = line.split(" ")
        place = point.replace("\\040", " ").rstrip("/")
        if len(place) >= len(best) and f"{path}/".startswith(f"{place}/"):
            best, kind = place, found
    return kind if kind.startswith(REMOTE) else ""
