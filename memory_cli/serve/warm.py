"""Answering the command line's recalls and contexts over a Unix socket, with what this server has loaded already."""

import json
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from memory_cli import warm
from memory_cli.errors import MemoryCliError
from memory_cli.memory import Session, open_memory
from memory_cli.models.document import document
from memory_cli.surface import OPERATIONS

log = logging.getLogger("memory")

AT_ONCE = 16
# How long a client may take to send what it wants, or to take what it gets.
PATIENCE = 5.0
_OPERATIONS = {each.name: each for each in OPERATIONS if each.name in warm.OPERATIONS}


class Listener:
    """A socket of this server's own, and a thread that answers who comes; it is gone with the server.

    It says after each call that there was one. A helper, and nothing else, can be told to end.
    """

    def __init__(self, session: Session, called: Callable[[], None], *, end: Callable[[], None] | None = None) -> None:
        self._session = session
        self._called = called
        self._end = end
        self._greeting = warm.greeting(session)
        self._name = f"{warm.key(session)[:16]}.{os.getpid()}{warm.HELPER if end else ''}"
        self._places = threading.BoundedSemaphore(AT_ONCE)
        self._socket: socket.socket | None = None
        self._path: Path | None = None

    def start(self) -> None:
        """Begin to listen, in the first folder that can be used."""
        failures = []
        for folder in warm.folders(self._session.environ):
            try:
                self._socket, self._path = _listening(folder, self._name), folder / self._name
            except OSError as error:
                failures.append(f"{folder}: {error.strerror or error}")
                continue
            threading.Thread(target=self._accept, args=(self._socket,), name="warm", daemon=True).start()
            return
        if failures:
            log.warning("The command line gets no answers from this server: %s", "; ".join(failures))

    @property
    def listens(self) -> bool:
        """Whether it was started and could be."""
        return self._socket is not None

    def close(self) -> None:
        """Take no more calls and leave nothing behind."""
        if self._socket is None or self._path is None:
            return
        with suppress(OSError):
            self._path.unlink()
            # Others may listen there too.
            self._path.parent.rmdir()
        self._socket.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                wire, _ = listener.accept()
            except OSError:
                return
            # Who is sent away at once does the work itself.
            if warm.is_own(wire) and self._places.acquire(blocking=False):
                threading.Thread(target=self._serve, args=(wire,), name="warm call", daemon=True).start()
            else:
                wire.close()

    def _serve(self, wire: socket.socket) -> None:
        # A client may go at any moment, and be no client of ours at all: neither is this server's trouble.
        try:
            with wire, suppress(OSError, ValueError), wire.makefile("rb") as lines:
                wire.settimeout(PATIENCE)
                wire.sendall(self._greeting)
                request = lines.readline(warm.LONGEST_REQUEST + 1)
                if request.endswith(b"\n") and (answer := self._answer(json.loads(request))) is not None:
                    wire.sendall(json.dumps(answer).encode() + b"\n")
        finally:
            self._places.release()
            self._called()

    def _answer(self, asked: Any) -> Any:
        """Return the document of a result; nothing for what fails, which then fails where it is shown."""
        if isinstance(asked, dict) and asked.get("operation") == warm.STOP and self._end:
            self._end()
            return {}
        operation = _OPERATIONS.get(str(asked.get("operation"))) if isinstance(asked, dict) else None
        if operation is None:
            return None
        try:
            with open_memory(self._asked_by(asked)) as memory:
                return document(operation.function(memory, **asked["arguments"]))
        except MemoryCliError:
            return None
        except Exception:
            # A server outlives its bugs; the traceback is for whoever mends them.
            log.exception("A call of the command line failed")
            return None

    def _asked_by(self, asked: Mapping[str, Any]) -> Session:
        environ = {name: value for name, value in self._session.environ.items() if name != "TZ"}
        if asked["zone"] is not None:
            environ["TZ"] = asked["zone"]
        return replace(self._session, agent=asked["agent"], device=asked["device"], environ=environ)


def end_by_signal(listener: Listener) -> None:
    """Let signals end the process at once, though a reader waits in a thread, and leave nothing behind."""

    def end(number: int, frame: FrameType | None) -> None:
        listener.close()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)


def _listening(folder: Path, name: str) -> socket.socket:
    """Return a socket in folder that listens; its name appears when it does, so one that refuses is dead."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if not warm.is_private(folder):
        raise PermissionError(None, "others can enter it")
    _sweep(folder)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    staged = folder / f".{name}"
    try:
        staged.unlink(missing_ok=True)
        listener.bind(str(staged))
        staged.chmod(0o600)
        listener.listen()
        staged.rename(folder / name)
    except BaseException:
        listener.close()
        staged.unlink(missing_ok=True)
        raise
    return listener


def _sweep(folder: Path) -> None:
    """Remove what servers left that were killed."""
    for path in folder.iterdir():
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
            wire.settimeout(warm.GREETING_SECONDS)
            try:
                wire.connect(str(path))
            except ConnectionRefusedError:
                # One that another server is just making has a dot before its name.
                if path.is_socket() and not path.name.startswith("."):
                    path.unlink(missing_ok=True)
            except OSError:
                continue
