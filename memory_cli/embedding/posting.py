"""Posting JSON to a service and reading its answer: bounded in time and size, again where that may help."""

import json
import random
import time
import urllib.error
import urllib.request
from email.message import Message
from http.client import HTTPException
from typing import IO, Any

from memory_cli import __version__

AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 20.0
MOST_TRIES = 6
MOST_BYTES = 256 << 20


class Failed(Exception):
    """Why a service gave no answer, as a part of a sentence that names the service."""


class _Wait(Exception):
    """A failure that may pass; seconds is how long the service asks to be left alone."""

    def __init__(self, reason: str, seconds: float = 0) -> None:
        super().__init__(reason)
        self.seconds = seconds


def post(url: str, body: Any, *, key: str, seconds: float) -> Any:
    """Post body as JSON and return the answer's, trying again within so many seconds in all.

    Back-off doubles, with jitter over its whole length, so that many clients do not come back together (Brooker,
    "Exponential Backoff And Jitter", 2015); a `Retry-After` of the service is kept to.
    """
    until = time.monotonic() + seconds
    pause = FIRST_PAUSE
    for left in reversed(range(MOST_TRIES)):
        try:
            return _once(url, body, key, max(0.001, until - time.monotonic()))
        except _Wait as error:
            waits = max(error.seconds, random.uniform(0, pause))  # noqa: S311 - no secret
            if not left or time.monotonic() + waits >= until:
                raise Failed(str(error)) from error
            time.sleep(waits)
            pause = min(LONGEST_PAUSE, 2 * pause)
    raise AssertionError("the last try answers or fails")


def _once(url: str, body: Any, key: str, seconds: float) -> Any:
    headers = {"Content-Type": "application/json", "User-Agent": f"memory-cli/{__version__}"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    raw = json.dumps(body).encode()
    asked = urllib.request.Request(url, raw, headers)  # noqa: S310 - the scheme was checked with the setting
    until = time.monotonic() + seconds
    try:
        with urllib.request.build_opener(_Straight).open(asked, timeout=seconds) as answer:
            return json.loads(_read(answer, until))
    except urllib.error.HTTPError as error:
        error.close()
        reason = f"{error.code} {error.reason}"
        raise (_Wait(reason, _asked_to_wait(error.headers)) if error.code in AGAIN else Failed(reason)) from error
    except TimeoutError as error:
        raise Failed("it takes too long") from error
    except (OSError, HTTPException) as error:
        raise _Wait(str(getattr(error, "reason", "") or error)) from error
    except ValueError as error:
        raise Failed("its answer is no JSON") from error


def _read(answer: IO[bytes], until: float) -> bytes:
    """Read an answer that is neither endless nor endlessly slow."""
    parts, size = [], 0
    # read1 returns what came with one look at the socket; read would wait for all of a slow answer.
    while part := answer.read1(1 << 16):  # type: ignore[attr-defined]
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise Failed(f"its answer is larger than {MOST_BYTES:,} bytes")
        if time.monotonic() > until:
            raise Failed("it takes too long")
    return b"".join(parts)


def _asked_to_wait(headers: "Message[str, str]") -> float:
    said = headers.get("Retry-After", "")
    return float(said) if said.isascii() and said.isdecimal() else 0


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: what it leads to was not chosen, and it would get the texts and the key."""

    def redirect_request(self, *given: Any) -> None:
        """Return nothing, which makes the redirection the failure that it is."""
