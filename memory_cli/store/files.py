"""Folders and files that only their owner can read, whatever the umask."""

import os
from pathlib import Path

from memory_cli.settings.directories import STORE_FOLDER


def make_store_folder(folder: Path) -> None:
    """Make a scope's folder, private, and what leads to it; a project's own is hidden from git."""
    if folder.is_dir():
        return
    if folder.name != STORE_FOLDER:
        make_folders(folder)
        return
    # Deleting the .gitignore is how a project chooses to commit its memory, so it is written only with the folder;
    # the two come by one rename, so that no crash leaves a folder that git would show.
    staged = folder.with_name(f"{STORE_FOLDER}.{os.getpid()}.new")
    make_folders(staged)
    write_private(staged / ".gitignore", "*\n")
    try:
        os.rename(staged, folder)
    except OSError:
        # Another process was quicker.
        (staged / ".gitignore").unlink()
        staged.rmdir()
        if not folder.is_dir():
            raise


def make_private(path: Path) -> None:
    """Make an empty file that only its owner can read, when there is none."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    except FileExistsError:
        return
    os.close(handle)
    os.chmod(path, 0o600)


def write_private(path: Path, text: str) -> None:
    """Write text into path at once: whoever reads it sees the old file or the new one, never a part."""
    staged = path.with_name(f".{path.name}.{os.getpid()}.new")
    handle = os.open(staged, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as out:
            os.chmod(staged, 0o600)
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.replace(staged, path)
    except BaseException:
        staged.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def of_store(database: Path) -> list[Path]:
    """Return the folder of a store and the files that hold its statements."""
    kept = sorted(path for path in database.parent.glob(f"{database.name}*") if path.is_file())
    return [database.parent, *kept]


def sync_folder(folder: Path) -> None:
    """Make a rename in folder survive a power loss, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folders(folder: Path) -> None:
    """Make folder and what leads to it; what is new only its owner can enter."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
        os.chmod(each, 0o700)
