"""Asking another server over HTTP: bounded in time and size, straight to it alone, again where that may help."""

import random
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Mapping
from email.message import Message
from http.client import HTTPException, IncompleteRead
from typing import IO, Any
from urllib.parse import urlsplit

from memory_cli import __version__
from memory_cli.sockets import LOOPBACK

AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 20.0
MOST_TRIES = 6
MOST_BYTES = 256 << 20
# So much of what a server says of its failure is read.
MOST_SAID = 1 << 16


class Failed(Exception):
    """Why a server gave no answer, as a part of a sentence that names it; with its status and what it said, if any."""

    def __init__(self, reason: str, status: int = 0, said: bytes = b"") -> None:
        super().__init__(reason)
        self.status, self.said = status, said


class _Wait(Exception):
    """A failure that may pass; seconds is how long the server asks to be left alone."""

    def __init__(self, failed: Failed, seconds: float = 0) -> None:
        super().__init__(str(failed))
        self.failed, self.seconds = failed, seconds


def exchange(
    url: str,
    body: bytes | None,
    headers: Mapping[str, str],
    *,
    seconds: float,
    most: int = MOST_BYTES,
    again: Collection[int] = AGAIN,
    tries: int = MOST_TRIES,
) -> bytes:
    """Send a request, a POST where there is a body, and return the answer.

    It is tried again within so many seconds in all. Back-off doubles, with jitter over its whole length, so that many
    clients do not come back together (Brooker, "Exponential Backoff And Jitter", 2015); a `Retry-After` is kept to.
    """
    until = time.monotonic() + seconds
    pause = FIRST_PAUSE
    request = urllib.request.Request(url, body, {"User-Agent": f"memory-cli/{__version__}", **headers})  # noqa: S310 - the scheme was checked with the setting
    for left in reversed(range(tries)):
        try:
            return _once(request, max(0.001, until - time.monotonic()), most, again)
        except _Wait as error:
            waits = max(error.seconds, random.uniform(0, pause))  # noqa: S311 - no secret
            if not left or time.monotonic() + waits >= until:
                raise error.failed from error
            time.sleep(waits)
            pause = min(LONGEST_PAUSE, 2 * pause)
    raise AssertionError("the last try answers or fails")


def _once(request: urllib.request.Request, seconds: float, most: int, again: Collection[int]) -> bytes:
    until = time.monotonic() + seconds
    try:
        with _opener(request).open(request, timeout=seconds) as answer:
            return _read(answer, until, most)
    except urllib.error.HTTPError as error:
        with error:
            failed = Failed(f"{error.code} {error.reason}", error.code, _said(error))
        raise (_Wait(failed, _asked_to_wait(error.headers)) if error.code in again else failed) from error
    except TimeoutError as error:
        raise Failed("it takes too long") from error
    except (OSError, HTTPException) as error:
        why = getattr(error, "reason", "") or error
        raise _Wait(Failed(getattr(why, "strerror", "") or str(why))) from error


def _opener(request: urllib.request.Request) -> urllib.request.OpenerDirector:
    # A proxy of the environment is for what is elsewhere; what is on this machine it would look for on its own.
    here = urlsplit(request.full_url).hostname in LOOPBACK
    return urllib.request.build_opener(_Straight, *([urllib.request.ProxyHandler({})] if here else []))


def _said(error: urllib.error.HTTPError) -> bytes:
    try:
        return error.read(MOST_SAID)
    except (OSError, HTTPException):
        return b""


def _read(answer: IO[bytes], until: float, most: int) -> bytes:
    """Read an answer that is neither endless nor endlessly slow."""
    parts, size = [], 0
    # read1 returns what came with one look at the socket; read would wait for all of a slow answer.
    while part := answer.read1(1 << 16):  # type: ignore[attr-defined]
        parts.append(part)
        size += len(part)
        if size > most:
            raise Failed(f"its answer is larger than {most:,} bytes")
        if time.monotonic() > until:
            raise Failed("it takes too long")
    if getattr(answer, "length", None):
        raise IncompleteRead(b"")
    return b"".join(parts)


def _asked_to_wait(headers: "Message[str, str]") -> float:
    said = headers.get("Retry-After", "")
    return float(said) if said.isascii() and said.isdecimal() else 0


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: what it leads to was not chosen, and it would get the texts and the key."""

    def redirect_request(self, *given: Any) -> None:
        """Return nothing, which makes the redirection the failure that it is."""
