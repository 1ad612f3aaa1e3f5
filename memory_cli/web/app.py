"""The application: the page, its files, and the routes that it asks."""

from collections.abc import Callable
from dataclasses import replace
from importlib import resources

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from memory_cli.errors import UsageError
from memory_cli.memory import Memory, Session
from memory_cli.web import reading
from memory_cli.web.answers import TooLarge, answered, failed
from memory_cli.web.guard import Guard, Keys
from memory_cli.web.writing import WRITES, Write, read

SOURCE = "ui"
# The longest statement that is taken by default, four bytes a character, twice over for escapes.
LARGEST = 8_000_000
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
READS: dict[str, Callable[[Memory, QueryParams], object]] = {
    "overview": reading.overview,
    "statements": reading.statements,
    "statement": reading.statement,
    "handoff": reading.handoff,
    "history": reading.changes,
    "graph": reading.linked,
    "markdown": reading.document,
    "health": reading.health,
}


def nobody() -> None:
    """Tell nobody that something was written."""


def make_app(session: Session, keys: Keys, *, written: Callable[[], None] = nobody) -> Guard:
    """Return the application; it says after each write that there was one."""
    asked = _through_this_door(session)
    routes = [Route(f"/api/{name}", _reading(asked, work), methods=["GET"]) for name, work in READS.items()]
    routes += [Route(f"/api/{name}", _writing(asked, work, written), methods=["POST"]) for name, work in WRITES.items()]
    routes += [
        Route("/" if name == "index.html" else f"/{name}", _file(name, held)) for name, held in _static().items()
    ]
    return Guard(Starlette(routes=routes), keys)


def _reading(session: Session, work: Callable[[Memory, QueryParams], object]) -> Callable[[Request], Response]:
    # A plain function: Starlette runs it on a thread of its own.
    def endpoint(request: Request) -> Response:
        return answered(session, lambda memory: work(memory, request.query_params))

    return endpoint


def _writing(session: Session, write: Write, written: Callable[[], None]) -> Callable[[Request], object]:
    async def endpoint(request: Request) -> Response:
        try:
            fields = read(write, await _body(request))
        except UsageError as error:
            return failed(error)
        done = await run_in_threadpool(answered, session, lambda memory: write.work(memory, **fields))
        written()
        return done

    return endpoint


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            raise TooLarge(f"That is more than {LARGEST} bytes, which is more than is taken here.")
    return bytes(body)


def _static() -> dict[str, bytes]:
    folder = resources.files("memory_cli.web") / "static"
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.name.rpartition(".")[2] in TYPES}


def _file(name: str, held: bytes) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        return Response(held, media_type=TYPES[name.rpartition(".")[2]])

    return endpoint


def _through_this_door(session: Session) -> Session:
    """Return a session whose records come from here."""
    named = session.agent if session.agent != session.source else SOURCE
    return replace(session, source=SOURCE, agent=named)
