"""Asking a server of the same memory that runs already, which need not load what this process would.

The server says who it is, gets one request as a line of JSON, and answers with the result's document. Whatever goes
amiss means that nobody answered, and the operation is done here.
"""

import os
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memory_cli import __version__
from memory_cli.memory import Session
from memory_cli.models.document import restored
from memory_cli.settings import user_directory

if TYPE_CHECKING:
    from socket import socket

T = TypeVar("T")

OPERATIONS = frozenset({"recall", "context"})
FOLDER = "memory-cli"
# What the name of a helper's socket ends in, and what only a helper does.
HELPER = ".helper"
STOP = "stop"
# What a server that hangs may cost, all told, and how long one that is at work may take.
GREETING_SECONDS = 0.05
ANSWER_SECONDS = 30.0
STOP_SECONDS = 2.0
LONGEST_REQUEST = 1_000_000


def ask(session: Session, operation: str, arguments: Mapping[str, Any], returns: type[T]) -> T | None:
    """Return a running server's answer, or nothing where none answers."""
    if operation not in OPERATIONS or not (there := list(listening(session))):
        return None
    import json

    asked = {
        "operation": operation, "arguments": arguments, "agent": session.agent, "device": session.device,
        "zone": session.environ.get("TZ"),
    }  # fmt: skip
    request = json.dumps(asked).encode() + b"\n"
    if len(request) > LONGEST_REQUEST:
        return None
    deadline = time.monotonic() + GREETING_SECONDS
    for path in there:
        try:
            found = _asked(path, key(session), request, deadline)
            return restored(returns, json.loads(found)) if found else None
        except _NotGreeted:
            continue
        except (OSError, ValueError, TypeError, LookupError):
            return None
    return None


def listening(session: Session) -> Iterator[Path]:
    """Yield the sockets of the servers of this memory, found by name alone."""
    there = list(sockets(session.environ))
    if there:
        start = f"{key(session)[:16]}."
        yield from (each for each in there if each.name.startswith(start))


def sockets(environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield the sockets of all of this user's servers."""
    for folder in folders(environ):
        try:
            names = os.listdir(folder) if is_private(folder) else []
        except OSError:
            continue
        yield from (folder / each for each in sorted(names) if not each.startswith("."))


def stop(helper: Path) -> bool:
    """Ask a helper to end; tell whether it was there and will."""
    import json
    import socket

    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire, wire.makefile("rb") as lines:
            wire.settimeout(STOP_SECONDS)
            wire.connect(str(helper))
            if not lines.readline().startswith(b"memory ") or not is_own(wire):
                return False
            wire.sendall(json.dumps({"operation": STOP}).encode() + b"\n")
            return bool(lines.readline())
    except OSError:
        return False


def folders(environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield where servers listen, the first that can be used being theirs; none where there are no such sockets."""
    if os.name == "nt":
        return
    user = os.getuid()
    # A client that starts a server may keep the variable from it.
    for runtime in dict.fromkeys((environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{user}")):
        if os.path.isabs(runtime):
            yield Path(runtime, FOLDER)
    yield Path(environ.get("TMPDIR") or "/tmp", f"{FOLDER}-{user}")  # noqa: S108 - and nobody else can enter it


def is_private(folder: Path) -> bool:
    """Tell whether a folder is this user's alone; raises when there is none."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def key(session: Session) -> str:
    """Return what is the same for two processes whose answers are the same."""
    import hashlib

    roots, data = session.roots, user_directory("data", session.environ)
    parts = (__version__, __file__, roots.project, roots.storage, data, session.loaded.settings)
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def greeting(session: Session) -> bytes:
    """Return what a server says first."""
    return f"memory {__version__} {key(session)}\n".encode()


def is_own(wire: "socket") -> bool:
    """Tell whether the process at the other end is this user's."""
    import socket
    import struct

    if hasattr(socket, "SO_PEERCRED"):
        _process, user, _group = struct.unpack("3i", wire.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return bool(user == os.getuid())
    if hasattr(socket, "LOCAL_PEERCRED"):
        # The structure xucred begins with its version and the user; its level is SOL_LOCAL.
        _version, user = struct.unpack_from("2I", wire.getsockopt(0, socket.LOCAL_PEERCRED, 76))
        return bool(user == os.getuid())
    return False


class _NotGreeted(Exception):
    """Nobody is there, or somebody else, or who is there hangs; the next may do."""


def _asked(path: Path, key: str, request: bytes, deadline: float) -> bytes:
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire, wire.makefile("rb") as lines:
        try:
            wire.settimeout(max(deadline - time.monotonic(), 0.001))
            wire.connect(str(path))
            said = lines.readline(len(key) + 100)
            if not is_own(wire) or said != f"memory {__version__} {key}\n".encode():
                raise _NotGreeted
        except OSError as error:
            raise _NotGreeted from error
        wire.settimeout(ANSWER_SECONDS)
        wire.sendall(request)
        return lines.readline()
