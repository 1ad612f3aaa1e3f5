"""The user's folder of models: a folder each, put there whole, with the hashes of its files beside them."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from memory_cli.embedding.models import PinnedFile, Scale
from memory_cli.embedding.protocol import ModelUnavailable
from memory_cli.models.frozen import Frozen
from memory_cli.private import make_folders, sync_folder, write_private
from memory_cli.settings.directories import user_directory

MANIFEST = "manifest.json"
# What a process that was killed left is nobody's any more after this long.
STALE_SECONDS = 6 * 3600


class Manifest(Frozen):
    """What is in a model's folder and where it came from; `scale` is there when it was measured here."""

    model: str
    source: str
    revision: str
    files: tuple[PinnedFile, ...]
    scale: Scale | None = None


def models_folder() -> Path:
    """Name the folder of all models, which every project and storage root of this user share."""
    return user_directory("data", os.environ) / "models"


def folder_of(name: str) -> Path:
    """Name the folder of one model."""
    return models_folder() / name.replace("/", "--")


@contextmanager
def staged(name: str) -> Iterator[Path]:
    """Give a new folder that becomes the model's when the block ends well, and goes when it does not."""
    final = folder_of(name)
    make_folders(final.parent)
    _sweep(final.parent)
    folder = final.with_name(f".{final.name}.{os.getpid()}.new")
    old = final.with_name(f".{final.name}.{os.getpid()}.old")
    make_folders(folder)
    try:
        yield folder
        sync_folder(folder)
        if final.exists():
            final.rename(old)
        folder.rename(final)
        sync_folder(final.parent)
    finally:
        if old.exists() and not final.exists():
            old.rename(final)
        for left in (folder, old):
            shutil.rmtree(left, ignore_errors=True)


def put_manifest(folder: Path, model: str, source: str, revision: str = "", scale: Scale | None = None) -> Manifest:
    """Write down the hashes of the files that folder holds."""
    import json  # needed by nobody who only starts

    files = tuple(pinned(path) for path in sorted(folder.iterdir()) if path.name != MANIFEST)
    made = Manifest(model, source, revision, files, scale)
    said: dict[str, Any] = {
        "model": model, "source": source, "revision": revision,
        "files": {each.name: {"size": each.size, "sha256": each.sha256} for each in files},
    }  # fmt: skip
    if scale:
        said["scale"] = {name: getattr(scale, name) for name in scale.__match_args__}
    write_private(folder / MANIFEST, json.dumps(said, indent=2) + "\n")
    return made


def stamp(name: str) -> int:
    """Return what changes whenever a model is put in place anew; 0 when it is not there."""
    try:
        return (folder_of(name) / MANIFEST).stat().st_mtime_ns
    except OSError:
        return 0


def manifest(name: str) -> Manifest | None:
    """Read what is known of an installed model, if it is installed."""
    import json

    file = folder_of(name) / MANIFEST
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
        files = tuple(PinnedFile(each, **facts) for each, facts in said["files"].items())
        scale = Scale(**said["scale"]) if "scale" in said else None
        return Manifest(said["model"], said["source"], said["revision"], files, scale)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelUnavailable(
            f"{file} cannot be read ({error}), so the model {name} is not trusted: `memory model remove {name}`, "
            "then get it again."
        ) from error


def remove(name: str) -> int:
    """Take a model's folder away and return how many bytes that were; none when it was not there."""
    folder = folder_of(name)
    if not folder.is_dir():
        return 0
    freed = sum(path.stat().st_size for path in folder.iterdir())
    # By a rename first: whoever loads it now has all of it or none.
    gone = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    folder.rename(gone)
    shutil.rmtree(gone)
    return freed


def pinned(file: Path) -> PinnedFile:
    """Measure a file."""
    return PinnedFile(file.name, file.stat().st_size, sha256(file))


def open_new(file: Path) -> BinaryIO:
    """Open a new file for writing that only its owner can read."""
    return os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600), "wb")


def sha256(file: Path) -> str:
    """Return the hash of a file."""
    # OpenSSL takes a while to load, and only who loads a model needs it.
    import hashlib

    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sweep(folder: Path) -> None:
    for left in (*folder.glob(".*.new"), *folder.glob(".*.old")):
        if time.time() - left.stat().st_mtime > STALE_SECONDS:
            shutil.rmtree(left, ignore_errors=True)
