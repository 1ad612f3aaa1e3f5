"""What an operation returned, or why it failed, as HTTP says it."""

import json
import logging
from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from memory_cli.errors import Busy, Denied, MemoryCliError, NotFound, Refused, UsageError
from memory_cli.memory import Memory, Session, open_memory
from memory_cli.models.document import document
from memory_cli.serve.schema import RESULT
from memory_cli.sync.asking import PACKED
from memory_cli.sync.envelope import TooMuch

log = logging.getLogger("memory")

HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
# The first that fits counts.
STATUS: dict[type[MemoryCliError], int] = {
    TooMuch: 413, UsageError: 422, NotFound: 404, Denied: 403, Refused: 409, Busy: 503,
    # A store that cannot be used, whatever is asked of it.
    MemoryCliError: 503,
}  # fmt: skip
AGAIN = {"Retry-After": "1"}
BUG = "That met an internal error, which is a bug in memory; its traceback is where the server was started."


def answered(session: Session, work: Callable[[Memory], object]) -> Response:
    """Do some work with the memory and return what came of it."""
    try:
        with open_memory(session) as memory:
            found = document(work(memory))
    except MemoryCliError as error:
        return failed(error)
    except Exception:
        # A server outlives its bugs; the traceback is for whoever mends them.
        log.exception("The API failed.")
        return as_json({"error": BUG}, 500)
    if isinstance(found, bytes):
        return Response(found, 200, HEADERS, media_type=PACKED)
    return as_json(found if isinstance(found, dict) else {RESULT: found})


def failed(error: MemoryCliError) -> Response:
    """Return a failure with its sentence."""
    status = next(code for kind, code in STATUS.items() if isinstance(error, kind))
    return as_json({"error": str(error)}, status, AGAIN if isinstance(error, Busy) else {})


def said(request: Request, error: Exception) -> Response:
    """Return what HTTP itself has to say of a request, in the form of every other failure."""
    status = getattr(error, "status_code", 400)
    sentence = getattr(error, "detail", "The request ended before it was whole.")
    if status == 404:
        sentence = f"There is nothing at {request.url.path[:100]}."
    elif status == 405:
        sentence = f"{request.method[:20]} is not for {request.url.path[:100]}; the header Allow names what is."
    return as_json({"error": sentence}, status, getattr(error, "headers", None) or {})


def as_json(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return JSON in ASCII: what a store holds may be no valid text in any encoding."""
    body = json.dumps(value, separators=(",", ":"))
    return Response(body, status, {**HEADERS, **(headers or {})}, media_type="application/json")
