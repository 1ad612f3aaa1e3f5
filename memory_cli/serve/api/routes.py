"""The routes of the API."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from memory_cli.errors import Denied
from memory_cli.memory import Memory, Session
from memory_cli.models.tokens import TOKEN, Token
from memory_cli.serve.api import openapi, syncing
from memory_cli.serve.api.answers import answered, as_json, failed
from memory_cli.serve.api.requests import given, packed
from memory_cli.serve.api.table import Row, admits, rows
from memory_cli.serve.arguments import arguments_of, read
from memory_cli.serve.bearer import borne
from memory_cli.sync.asking import IMPORT, PREFIX

SOURCE = "http"
Endpoint = Callable[[Request], Awaitable[Response]]
Work = Callable[[Memory], object]
# Reads a request and returns what is to be done.
Prepare = Callable[[Request], Awaitable[Work]]


def routes(session: Session, *, scope: str = "", called: Callable[[], None]) -> list[BaseRoute]:
    """Return the routes, which reach one scope where one is named; they say after each call that there was one."""
    asked = replace(session, source=SOURCE, scopes=(scope,) if scope else session.scopes)
    largest = session.loaded.settings.runtime.http_max_bytes

    def route(path: str, methods: tuple[str, ...], tools: str, prepare: Prepare) -> Route:
        return Route(f"{PREFIX}/{path}", _endpoint(path, tools, asked, called, prepare), methods=list(methods))

    return [
        Route(f"{PREFIX}/openapi.json", _described, methods=["GET"]),
        route(IMPORT, ("POST",), syncing.SYNC, _taking(largest_envelope(session))),
        *(route(each.name, each.methods, each.tools, _calling(each, largest)) for each in rows()),
    ]


def largest_envelope(session: Session) -> int:
    """Return how large a request with an envelope may be: no smaller than what may be unpacked from it."""
    return max(session.loaded.settings.sync.max_bytes, session.loaded.settings.runtime.http_max_bytes)


def _endpoint(path: str, tools: str, session: Session, called: Callable[[], None], prepare: Prepare) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        token: Token = request.scope[TOKEN]
        if not admits(token.tools, tools):
            return failed(Denied(f"The token of {token.name} does not open {path}, which is of {tools}."))
        work = await prepare(request)
        try:
            return await run_in_threadpool(answered, borne(session, token), work)
        finally:
            called()

    return endpoint


def _calling(row: Row, largest: int) -> Prepare:
    async def prepare(request: Request) -> Work:
        arguments = await given(request, largest)
        return lambda memory: row.operation.function(memory, **read(row.name, row.arguments, arguments))

    return prepare


def _taking(largest: int) -> Prepare:
    arguments = arguments_of(syncing.DIGEST)

    async def prepare(request: Request) -> Work:
        raw = await packed(request, largest)
        where = dict(request.query_params)
        return lambda memory: syncing.take(memory, raw, **read(IMPORT, arguments, where))

    return prepare


async def _described(request: Request) -> Response:
    return as_json(openapi.described())
