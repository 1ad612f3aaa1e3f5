"""The MCP server over HTTP: the port, what stands before it, and how it ends."""

import asyncio
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from memory_cli import __version__, tokens
from memory_cli.errors import Refused
from memory_cli.memory import Session
from memory_cli.serve.api import answers
from memory_cli.serve.api.routes import largest_envelope, routes
from memory_cli.serve.background import Background
from memory_cli.serve.gate import HEALTH, Gate
from memory_cli.serve.server import alone, make_server
from memory_cli.serve.toolsets import CORE
from memory_cli.serve.warm import Listener
from memory_cli.sockets import LOOPBACK, listening
from memory_cli.sync.asking import IMPORT, PREFIX

MCP = "/mcp"
ENVELOPES = f"{PREFIX}/{IMPORT}"
ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - refused without a token
# How long a request that runs may take to finish once the server is told to end.
LAST_WORDS = 10


@dataclass(frozen=True)
class Place:
    """Where a server listens: its address, and the open socket."""

    address: str
    socket: socket.socket


def serve(
    session: Session,
    tools: str = CORE,
    *,
    host: str,
    port: int,
    scope: str = "",
    api: bool = False,
    beside: Callable[[Callable[[], None]], None] = alone,
    told: Callable[[str], None],
) -> None:
    """Serve over HTTP until the process is told to end; requests that run then are finished first.

    With the API everything needs a token, wherever it is asked from: what is behind a proxy is asked from here.
    """
    place = take(session, host, port, api=api)
    background = Background(session)
    listener = Listener(session, background.wake)
    app = make_app(session, tools, host=host, scope=scope, called=background.wake, api=api)
    background.start()
    beside(background.wake)
    listener.start()
    try:
        also = f", and the API at {place.address}{PREFIX}" if api else ""
        _run(app, place, lambda: told(f"Serving MCP at {place.address}{MCP}{also}"))
    finally:
        listener.close()
        background.stop()
        if session.kept:
            session.kept.close()


def take(session: Session, host: str, port: int, *, api: bool = False) -> Place:
    """Take the port, unless it would be open to others without a token; nothing was made before that is sure."""
    if (host not in LOOPBACK or api) and not tokens.tokens(session.roots):
        what = f"{host} can be reached from other machines" if host not in LOOPBACK else "The API needs a token"
        raise Refused(f"{what}, and there is no token yet: `memory token add NAME` makes one.")
    taken = listening(host, port, "--port")
    name = f"[{host}]" if ":" in host else host
    return Place(f"http://{name}:{taken.getsockname()[1]}", taken)


def make_app(
    session: Session,
    tools: str = CORE,
    *,
    host: str,
    scope: str = "",
    called: Callable[[], None],
    api: bool = False,
) -> Gate:
    """Return the application behind its gate."""
    runtime = session.loaded.settings.runtime
    manager = StreamableHTTPSessionManager(
        make_server(session, tools, scope=scope, called=called), max_request_body_size=runtime.http_max_bytes
    )
    further = routes(session, scope=scope, called=called) if api else []
    inner = Starlette(
        routes=[Route(HEALTH, _health), Route(MCP, endpoint=_Mcp(manager)), *further],
        exception_handlers={HTTPException: answers.said, ClientDisconnect: answers.said},
        lifespan=lambda app: manager.run(),
    )
    return Gate(
        inner,
        hosts={*LOOPBACK, *runtime.http_hosts, *(() if host in ANYWHERE else (host,))},
        admitted=lambda secret: tokens.admitted(session.roots, secret),
        needs_token=api or host not in LOOPBACK,
        at_once=runtime.http_concurrency,
        largest=lambda path: largest_envelope(session) if path == ENVELOPES else runtime.http_max_bytes,
        streams=MCP,
    )


class _Mcp:
    """An application of its own: a plain function would be called with a request."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__})


def _run(app: Gate, place: Place, ready: Callable[[], None]) -> None:
    config = uvicorn.Config(
        app, access_log=False, log_config=None, server_header=False, proxy_headers=False, lifespan="on", ws="none",
        timeout_graceful_shutdown=LAST_WORDS,
    )  # fmt: skip
    server = _Server(config, app, ready)

    def end(number: int, frame: FrameType | None) -> None:
        server.should_exit = True

    # Before uvicorn listens to signals; it raises the one that ended it once more when it is done, which is no failure.
    signal.signal(signal.SIGTERM, end)
    server.run(sockets=[place.socket])
    sys.stderr.flush()


class _Server(uvicorn.Server):
    """Says when it is ready, and lets go of the streams that stay open as soon as it is told to end."""

    def __init__(self, config: uvicorn.Config, gate: Gate, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._gate = gate
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish what runs, and end."""
        self._gate.end()
        await asyncio.sleep(0)
        await super().shutdown(sockets)
