"""Listening on this machine alone: the socket, the printed address, and the server behind it."""

import socket
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn

from memory_cli.errors import UsageError
from memory_cli.memory import Session
from memory_cli.sockets import LOOPBACK, listening
from memory_cli.web.app import make_app, nobody
from memory_cli.web.guard import Keys


@dataclass(frozen=True)
class View:
    """A browser view that is ready to be served, and its address with the token."""

    address: str
    listening: socket.socket
    server: uvicorn.Server

    def run(self) -> None:
        """Serve until the process is told to end; on another thread than the main one, until the process ends."""
        self.server.run(sockets=[self.listening])


def prepare(
    session: Session, *, host: str, port: int, option: str = "--port", written: Callable[[], None] = nobody
) -> View:
    """Take the port and return the view that will answer there; a port of 0 is any that is free.

    `option` is what chooses another one when it is taken.
    """
    listening = _listening(host, port, option)
    port = listening.getsockname()[1]
    keys = Keys(port)
    config = uvicorn.Config(
        make_app(session, keys, written=written),
        # A log of addresses would keep the token.
        access_log=False, log_config=None, server_header=False, proxy_headers=False, lifespan="off", ws="none",
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    name = f"[{host}]" if ":" in host else host
    return View(f"http://{name}:{port}/?token={keys.token}", listening, uvicorn.Server(config))


def _listening(host: str, port: int, option: str) -> socket.socket:
    if host not in LOOPBACK:
        raise UsageError(f"The browser view stays on this machine: {host} is not 127.0.0.1 or ::1.")
    return listening(host, port, option)
