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
from memory_cli.serve.api import openapi
from memory_cli.serve.api.answers import answered, as_json, failed
from memory_cli.serve.api.requests import given
from memory_cli.serve.api.table import PREFIX, Row, rows
from memory_cli.serve.arguments import read
from memory_cli.serve.bearer import borne

SOURCE = "http"
Endpoint = Callable[[Request], Awaitable[Response]]


def routes(session: Session, *, scope: str = "", called: Callable[[], None]) -> list[BaseRoute]:
    """Return the routes, which reach one scope where one is named; they say after each call that there was one."""
    asked = replace(session, source=SOURCE, scopes=(scope,) if scope else session.scopes)
    found: list[BaseRoute] = [
        Route(each.path, _endpoint(each, asked, called), methods=list(each.methods)) for each in rows()
    ]
    return [Route(f"{PREFIX}/openapi.json", _described, methods=["GET"]), *found]


def _endpoint(row: Row, session: Session, called: Callable[[], None]) -> Endpoint:
    largest = session.loaded.settings.runtime.http_max_bytes

    async def endpoint(request: Request) -> Response:
        token: Token = request.scope[TOKEN]
        if not row.admits(token.tools):
            return failed(Denied(f"The token of {token.name} does not open {row.name}, which is of {row.tools}."))
        arguments = await given(request, largest)

        def work(memory: Memory) -> object:
            return row.operation.function(memory, **read(row.name, row.arguments, arguments))

        try:
            return await run_in_threadpool(answered, borne(session, token), work)
        finally:
            called()

    return endpoint


async def _described(request: Request) -> Response:
    return as_json(openapi.described())
