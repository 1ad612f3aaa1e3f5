"""Folders and files that only their owner can read, whatever the umask."""

import os
from pathlib import Path


def make_private(path: Path) -> None:
    """Make an empty file that only its owner can read, when there is none."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    except FileExistsError:
        return
    os.close(handle)
    os.chmod(path, 0o600)


def write_private(path: Path, content: str | bytes) -> None:
    """Write content into path at once: whoever reads it sees the old file or the new one, never a part."""
    raw = content.encode("utf-8") if isinstance(content, str) else content
    # A name that nobody can guess: a link that came with a clone would lead the text into a file of the user's.
    staged = path.with_name(f".{path.name}.{os.urandom(8).hex()}.new")
    handle = os.open(staged, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with open(handle, "wb") as out:
            os.chmod(staged, 0o600)
            out.write(raw)
            out.flush()
            os.fsync(out.fileno())
        os.replace(staged, path)
    except BaseException:
        staged.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def make_folders(folder: Path) -> None:
    """Make folder and what leads to it; what is new only its owner can enter."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
        os.chmod(each, 0o700)


def sync_file(path: Path) -> None:
    """Make what was written into a file survive a power loss."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Make a rename in folder survive a power loss, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
