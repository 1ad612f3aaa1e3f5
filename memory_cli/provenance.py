"""Whether a project's memory is somebody else's: it came with a clone, or another user owns it.

Git's index is read, and git is not run; its format is that of gitformat-index: versions 2 to 4, SHA-1 and SHA-256.
"""

import os
import struct
from collections.abc import Set
from pathlib import Path

ENTRY = 40
FLAGS = 2
# What SQLite takes the newest of a store from, if it is there.
LOGS = ("", "-wal", "-journal")
EXTENDED = 0x4000
LENGTH = 0x0FFF


def is_others(store: Path) -> bool:
    """Tell whether git tracks a store's file or its log, or another user owns it."""
    owned = not hasattr(os, "getuid") or store.stat().st_uid == os.getuid()
    return not owned or tracks(store.resolve())


def link_of_others(store: Path) -> Path | None:
    """Return the link on the way to a store that git tracks, if there is one."""
    links = (each for each in (store.parent, store) if each.is_symlink())
    return next((each for each in links if tracks(each.parent.resolve() / each.name)), None)


def tracks(file: Path) -> bool:
    """Tell whether the repository that holds file has it, or its log, in its index."""
    for folder in file.parents:
        if directory := _git_directory(folder / ".git"):
            name = file.relative_to(folder).as_posix()
            return _holds(directory / "index", {f"{name}{each}".encode() for each in LOGS})
    return False


def _git_directory(dot_git: Path) -> Path | None:
    if os.path.isdir(dot_git):
        return dot_git
    try:
        pointer = dot_git.read_text(encoding="utf-8") if os.path.isfile(dot_git) else ""
    except (OSError, UnicodeDecodeError):
        return None
    return (dot_git.parent / pointer.removeprefix("gitdir:").strip()) if pointer.startswith("gitdir:") else None


def _holds(index: Path, names: Set[bytes]) -> bool:
    try:
        data = index.read_bytes()
    except OSError:
        return False
    if data[:4] != b"DIRC" or len(data) < 12:
        return False
    version, entries = struct.unpack(">II", data[4:12])
    if version == 4:
        return _holds_shortened(data, entries, names)
    return any(_holds_whole(data, name) for name in names)


def _holds_whole(data: bytes, name: bytes) -> bool:
    """Look for a whole name: it follows its flags, whose low bits are its length."""
    place = data.find(name + b"\0")
    while place > 0:
        # A name may also be the end of a longer one, with another length; further flags may stand between.
        for back in (FLAGS, 2 * FLAGS):
            (flags,) = struct.unpack_from(">H", data, max(place - back, 0))
            if flags & LENGTH == min(len(name), LENGTH) and bool(flags & EXTENDED) == (back > FLAGS):
                return True
        place = data.find(name + b"\0", place + 1)
    return False


def _holds_shortened(data: bytes, entries: int, names: Set[bytes]) -> bool:
    """Read the names one after the other: each says how much of the end of the last one it replaces."""
    return any(_holds_in(data, entries, names, hash_size) for hash_size in (20, 32))


def _holds_in(data: bytes, entries: int, names: Set[bytes], hash_size: int) -> bool:
    place, last = 12, b""
    for _ in range(entries):
        flags_at = place + ENTRY + hash_size
        if flags_at + FLAGS > len(data):
            return False
        extended = struct.unpack(">H", data[flags_at : flags_at + FLAGS])[0] & EXTENDED
        dropped, place = _offset(data, flags_at + FLAGS * (2 if extended else 1))
        end = data.find(b"\0", place)
        if end < 0 or dropped > len(last):
            return False
        last = last[: len(last) - dropped] + data[place:end]
        if last in names:
            return True
        place = end + 1
    return False


def _offset(data: bytes, place: int) -> tuple[int, int]:
    """Read the variable-width number at place; return it and the place after it."""
    value = -1
    while place < len(data):
        byte = data[place]
        value, place = ((value + 1) << 7) | (byte & 0x7F), place + 1
        if not byte & 0x80:
            break
    return value, place
