"""The list of what a snapshot holds, with the hash of each file, and whether it still does."""

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from memory_cli.errors import MemoryCliError
from memory_cli.models.frozen import Frozen
from memory_cli.store import files, readonly
from memory_cli.store.connection import NAME

MANIFEST = "manifest.json"
FORMAT = 1
CHUNK = 1 << 20
LARGEST = 16 << 20


class Listed(Frozen):
    """What the manifest of a snapshot says: when it was made, and by name the hash and size of each file."""

    made_at: str
    scopes: tuple[str, ...]
    files: Mapping[str, tuple[str, int]]


def write(folder: Path, head: Mapping[str, Any], scopes: Mapping[str, Any]) -> None:
    """List every file below folder in its manifest."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    listed = {
        path.relative_to(folder).as_posix(): {"sha256": _sha256(path), "bytes": path.stat().st_size} for path in found
    }
    told = {"format": FORMAT, **head, "scopes": scopes, "files": listed}
    files.write_private(folder / MANIFEST, json.dumps(told, indent=2, ensure_ascii=False))


def read(folder: Path) -> Listed:
    """Return what a manifest says, or refuse what is no snapshot of ours."""
    try:
        with open(folder / MANIFEST, "rb") as file:
            said = json.loads(file.read(LARGEST))
        if said["format"] != FORMAT:
            raise MemoryCliError(f"{folder} is a snapshot of format {said['format']}, and this memory knows {FORMAT}.")
        listed = {str(name): (str(each["sha256"]), int(each["bytes"])) for name, each in said["files"].items()}
        return Listed(str(said["made_at"]), tuple(map(str, said["scopes"])), listed)
    except FileNotFoundError as error:
        raise MemoryCliError(f"{folder} is no snapshot: it has no {MANIFEST}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MemoryCliError(f"{folder / MANIFEST} is damaged: {error!r}.") from error


def problems(folder: Path, listed: Listed) -> list[str]:
    """Return what disagrees with the manifest of a snapshot, and what is wrong with its databases."""
    found = [each for name, (sha256, size) in listed.files.items() for each in _of_file(folder, name, sha256, size)]
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    found += [f"{name} is not in the manifest" for name in sorted(there - listed.files.keys() - {MANIFEST})]
    for scope in listed.scopes:
        name = f"{scope}/{NAME}"
        if name not in listed.files:
            found.append(f"{name} is not in the manifest, which names the scope {scope}")
        elif not any(each.startswith(name) for each in found):
            found += [f"{name}: {each}" for each in readonly.problems(folder / name)]
    return found


def _of_file(folder: Path, name: str, sha256: str, size: int) -> list[str]:
    parts = PurePosixPath(name).parts
    path = folder.joinpath(*parts)
    if ".." in parts or PurePosixPath(name).is_absolute() or path.is_symlink():
        return [f"{name} leads out of the snapshot"]
    if not path.is_file():
        return [f"{name} is missing"]
    if path.stat().st_size != size:
        return [f"{name} has {path.stat().st_size} bytes and should have {size}"]
    return [] if _sha256(path) == sha256 else [f"{name} is not what it was: its SHA-256 is another"]


def _sha256(path: Path) -> str:
    # Few starts need it, and it takes OpenSSL along.
    from hashlib import sha256

    found = sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            found.update(chunk)
    return found.hexdigest()
