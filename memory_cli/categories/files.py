"""The file of a category: written beside, put in place by one rename, read with care.

A text is staged beside its file and on the disk before the change is committed, and renamed after. So a staged file
that has the committed hash belongs in place, and any other, under the lock of a change, is of a change that never was.
"""

import os
import stat
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from memory_cli.errors import Refused
from memory_cli.store import files
from memory_cli.store.categories import hash_of
from memory_cli.store.connection import Store

FOLDER = "categories"
LARGEST = 64 << 20
# So many seconds after a write its file may get its place.
LATE = 10
GONE = ".gone"
NEW = ".new"


def folder(store: Store) -> Path:
    """Name the folder of the files."""
    return store.path.parent / FOLDER


def path(store: Store, name: str) -> Path:
    """Name the file of a category."""
    return folder(store) / f"{name}.json"


def is_link(store: Store) -> bool:
    """Tell whether the folder of the files leads elsewhere, where they would be somebody else's."""
    return folder(store).is_symlink()


def require_folder(store: Store) -> None:
    """Refuse a folder that is a link: it may have come with a clone, and lead into any folder of the user's."""
    if is_link(store):
        raise Refused(f"{folder(store)} is a link, which is not followed; remove it, and the folder is made again.")


def read(store: Store, name: str) -> bytes | None:
    """Return what the file of a category holds, nothing when there is none; a link is refused and not followed."""
    require_folder(store)
    place = path(store, name)
    try:
        kind = place.lstat()
        if not stat.S_ISREG(kind.st_mode):
            raise Refused(f"{place} is no file of its own, so it is not read; remove it, and it is written again.")
        if kind.st_size > LARGEST:
            raise Refused(f"{place} has {kind.st_size:,} bytes, more than a category can.")
        handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with open(handle, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def named(store: Store) -> list[str]:
    """Return the names that the files say there are."""
    if is_link(store) or not folder(store).is_dir():
        return []
    return sorted(each.name.removesuffix(".json") for each in folder(store).glob("*.json") if each.name[0] != ".")


def touched(store: Store, written: Mapping[str, tuple[datetime, int | None]]) -> list[str]:
    """Return the files that may be others than they were written, told by their time and size without reading them."""
    if is_link(store) or not folder(store).is_dir():
        return []
    with os.scandir(folder(store)) as found:
        there = {each.name.removesuffix(".json"): each.stat(follow_symlinks=False) for each in found if _is_file(each)}
    return sorted(name for name, told in there.items() if name not in written or _differs(told, *written[name]))


def _is_file(found: "os.DirEntry[str]") -> bool:
    return found.name.endswith(".json") and not found.name.startswith(".") and found.is_file(follow_symlinks=False)


def _differs(told: os.stat_result, at: datetime, size: int | None) -> bool:
    # That of a log is for reading alone.
    if size is None:
        return False
    return told.st_size != size or told.st_mtime > at.timestamp() + LATE


def everything(store: Store) -> list[Path]:
    """Return the folder and the files in it that are no links, if there are any."""
    there = folder(store)
    if is_link(store) or not there.is_dir():
        return []
    return [there, *(each for each in sorted(there.glob("*.json")) if each.is_file() and not each.is_symlink())]


def stage(store: Store, name: str, text: str | None) -> Path:
    """Put what the file is to become beside it, on the disk; nothing for one that is to go."""
    require_folder(store)
    files.make_folders(folder(store))
    suffix = NEW if text is not None else GONE
    staged = folder(store) / f".{name}.json.{os.urandom(8).hex()}{suffix}"
    handle = os.open(staged, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with open(handle, "wb") as out:
        os.chmod(staged, 0o600)
        out.write((text or "").encode())
        out.flush()
        os.fsync(out.fileno())
    return staged


def place(store: Store, name: str, staged: Path) -> None:
    """Put what was staged in place, unless another process did already."""
    target = path(store, name)
    try:
        if staged.name.endswith(GONE):
            target.unlink(missing_ok=True)
            staged.unlink()
        else:
            os.replace(staged, target)
    except FileNotFoundError:
        return
    files.sync_folder(folder(store))


def settle(store: Store, name: str, hash: str) -> None:
    """Finish or drop what a change that was killed left behind; the caller holds the lock, so none is at work."""
    require_folder(store)
    for staged in sorted(folder(store).glob(f".{name}.json.*")):
        finished = not hash if staged.name.endswith(GONE) else hash_of_file(staged) == hash
        if finished:
            place(store, name, staged)
        else:
            staged.unlink(missing_ok=True)


def hash_of_file(place: Path) -> str:
    """Return the hash of what a file holds, which may be a part of a text."""
    return hash_of(place.read_bytes().decode("utf-8", "replace"))
