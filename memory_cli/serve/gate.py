"""What a request over HTTP must show before anything is read: host, origin, token, and room for one more."""

import asyncio
from collections.abc import Callable, Collection
from urllib.parse import SplitResult, urlsplit

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_cli.errors import MemoryCliError
from memory_cli.models.tokens import TOKEN, Token
from memory_cli.sockets import LOOPBACK

HEALTH = "/health"
BEARER = "bearer "
LONGEST_TOKEN = 512
# So many seconds a body may pause, and take as a whole.
LONGEST_PAUSE, LONGEST_BODY = 5.0, 120.0


class Gate:
    """Stands before the application; what it refuses has read nothing.

    `admitted` returns the token of a secret; it is asked for each request, so that a token that was revoked opens
    nothing. Requests whose answers are streams that stay open, all at one path, take no room.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str],
        admitted: Callable[[str], Token | None],
        needs_token: bool,
        at_once: int,
        largest: Callable[[str], int],
        streams: str,
    ) -> None:
        self._app = app
        self._hosts = {each.casefold() for each in hosts}
        self._admitted = admitted
        self._needs_token = needs_token
        self._free = at_once
        self._largest = largest
        self._streams = streams
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Let the streams that stay open end, so that nobody waits for them."""
        self._ending.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif refused := await self._refusal(scope):
            await refused(scope, receive, send)
        elif self._is_stream(scope):
            await self._app(scope, self._until_the_end(receive), send)
        elif not self._free:
            await _said(503, "The server has as many requests as it takes; try again.", {"Retry-After": "1"})(
                scope, receive, send
            )
        else:
            self._free -= 1
            try:
                await self._app(scope, _in_time(receive), send)
            finally:
                self._free += 1

    def _is_stream(self, scope: Scope) -> bool:
        wanted = Headers(scope=scope).get("accept", "")
        return scope["method"] == "GET" and scope["path"] == self._streams and "text/event-stream" in wanted

    async def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if _name(host) not in self._hosts:
            return _said(421, f"This server does not answer to the host {host[:100]!r}; runtime.http_hosts names more.")
        if not self._is_friend(headers.get("origin"), host):
            return _said(403, "Another page asked for this, and none may.")
        if scope["path"] == HEALTH:
            return None
        if refused := await self._stranger(scope, headers.get("authorization", "")):
            return refused
        # One that lies about its length is found out by who reads it.
        length, largest = headers.get("content-length", ""), self._largest(scope["path"])
        if length.isdecimal() and int(length[:20]) > largest:
            return _said(413, f"That is more than {largest} bytes, which is more than is taken here.")
        return None

    async def _stranger(self, scope: Scope, shown: str) -> Response | None:
        """Refuse who needs a token and has none, and who has one that is not ours."""
        challenge = {"WWW-Authenticate": 'Bearer realm="memory"'}
        if not shown:
            if not self._needs_token:
                return None
            return _said(401, "A token is needed; `memory token add NAME` makes one.", challenge)
        secret = shown[len(BEARER) :].strip() if shown.casefold().startswith(BEARER) else ""
        if not 0 < len(secret) <= LONGEST_TOKEN:
            return _said(401, "The token is not one of this memory's.", challenge)
        try:
            token = await run_in_threadpool(self._admitted, secret)
        except MemoryCliError as error:
            return _said(503, str(error))
        if token is None:
            return _said(401, "The token is not one of this memory's.", challenge)
        scope[TOKEN] = token
        # The SDK holds a session to whoever began it.
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=token.name, scopes=[]))
        return None

    def _is_friend(self, origin: str | None, host: str) -> bool:
        """Tell whether a page, if one asked, is of this very host; pages of this machine may ask what is on it."""
        if origin is None:
            return True
        parts = _parts(origin)
        if parts is None or parts.scheme not in ("http", "https"):
            return False
        return parts.netloc == host or (parts.hostname in LOOPBACK and _name(host) in LOOPBACK)

    def _until_the_end(self, receive: Receive) -> Receive:
        async def either() -> Message:
            coming, ending = asyncio.ensure_future(receive()), asyncio.ensure_future(self._ending.wait())
            done, left = await asyncio.wait({coming, ending}, return_when=asyncio.FIRST_COMPLETED)
            for each in left:
                each.cancel()
            return coming.result() if coming in done else {"type": "http.disconnect"}

        return either


def _in_time(receive: Receive) -> Receive:
    """Take a body that does not come for one that was broken off: others wait for the room."""
    clock = asyncio.get_running_loop().time
    end = clock() + LONGEST_BODY
    whole = False

    async def soon() -> Message:
        nonlocal whole
        if whole:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), max(0.0, min(LONGEST_PAUSE, end - clock())))
        except TimeoutError:
            return {"type": "http.disconnect"}
        whole = message["type"] != "http.request" or not message.get("more_body")
        return message

    return soon


def _said(code: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": sentence}, code, headers)


def _name(host: str) -> str:
    parts = _parts(f"//{host}")
    return "" if parts is None or parts.username or parts.path or parts.query else (parts.hostname or "").casefold()


def _parts(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - a port that is no number is found when it is asked for
    except ValueError:
        return None
    return parts
