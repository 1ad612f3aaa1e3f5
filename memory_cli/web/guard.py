"""What a request must show before anything is read, and what every answer tells the browser."""

import secrets
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_cli.sockets import LOOPBACK

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        # No text becomes markup, even by mistake: the page has no way to make any.
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
WRONG_HOST = "This page answers to 127.0.0.1, localhost and [::1] alone."
WRONG_ORIGIN = "Another page asked for this, and only this one may."
UNKNOWN = "Open the address with its token, as `memory ui` or `memory serve --ui` printed it."
NO_JSON = "What changes the memory comes as application/json."


class Keys:
    """The token in the printed address, and the cookie that it is exchanged for; both are made anew at each start."""

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(32)
        self.session = secrets.token_urlsafe(32)
        # Browsers keep one jar for all ports of a host.
        self.cookie = f"memory_{port}"

    def admits(self, headers: Headers) -> bool:
        """Tell whether a request carries the cookie."""
        # Not http.cookies: what another program of this host put into the jar may be no cookie to it, and then none is.
        return _same(cookie_parser(headers.get("cookie", "")).get(self.cookie, ""), self.session)

    def exchange(self, token: str) -> Response:
        """Return the page's address with the cookie, for the token."""
        if not _same(token, self.token):
            return PlainTextResponse(UNKNOWN, 401)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, self.session, httponly=True, samesite="strict", path="/")
        return answer


class Guard:
    """Stands before the application; what it refuses has read nothing."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer = self._answer(scope) or self._app
        await answer(scope, receive, sealed)

    def _answer(self, scope: Scope) -> Response | None:
        """Return the answer to a request that does not reach the application."""
        headers = Headers(scope=scope)
        query = QueryParams(scope["query_string"])
        if refused := _stranger(headers, api=scope["path"].startswith("/api/")):
            return refused
        if scope["path"] == "/" and scope["method"] == "GET" and "token" in query:
            return self._keys.exchange(query["token"])
        if not self._keys.admits(headers):
            return PlainTextResponse(UNKNOWN, 401)
        if scope["method"] not in ("GET", "HEAD") and not _is_json(headers):
            return PlainTextResponse(NO_JSON, 415)
        return None


def _stranger(headers: Headers, *, api: bool) -> Response | None:
    """Refuse a name that is not this machine's own, and a request that another page made."""
    host = headers.get("host", "")
    if _name(host) not in LOOPBACK:
        return PlainTextResponse(WRONG_HOST, 421)
    origin = headers.get("origin")
    # A page of another port is another origin, yet the same site to a cookie.
    others = api and headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    if others or (origin is not None and origin != f"http://{host}"):
        return PlainTextResponse(WRONG_ORIGIN, 403)
    return None


def _name(host: str) -> str:
    try:
        parts = urlsplit(f"//{host}")
        return "" if parts.username or parts.path or parts.query else parts.hostname or ""
    except ValueError:
        return ""


def _is_json(headers: Headers) -> bool:
    return headers.get("content-type", "").partition(";")[0].strip().casefold() == "application/json"


def _same(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode(), wanted.encode())
