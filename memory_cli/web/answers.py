"""What an operation returned, or why it failed, as the page reads it."""

import json
import logging
from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from memory_cli.errors import Busy, MemoryCliError, NotFound, Refused, UsageError
from memory_cli.memory import Memory, Session, open_memory
from memory_cli.models.document import document

log = logging.getLogger("memory")

STATUS = {UsageError: 400, NotFound: 404, Refused: 409, Busy: 503}
BUG = "That met an internal error, which is a bug in memory; its traceback is where the server was started."


class Conflict(Refused):
    """A statement is not what the page saw, or would collide with another; `current` is what it is now."""

    def __init__(self, sentence: str, current: object) -> None:
        super().__init__(sentence)
        self.current = current


class TooLarge(UsageError):
    """The page sent more than is taken."""


def answered(session: Session, work: Callable[[Memory], object]) -> Response:
    """Do some work with the memory and return what came of it."""
    try:
        with open_memory(session) as memory:
            return as_json(document(work(memory)))
    except MemoryCliError as error:
        return failed(error)
    except Exception:
        # A server outlives its bugs; the traceback is for whoever mends them.
        log.exception("The browser view failed.")
        return as_json({"error": BUG}, 500)


def failed(error: MemoryCliError) -> Response:
    """Return a failure with its sentence."""
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    said: dict[str, Any] = {"error": str(error)}
    if isinstance(error, Conflict):
        said["current"] = document(error.current)
    return as_json(said, 413 if isinstance(error, TooLarge) else status)


def as_json(value: object, status: int = 200) -> Response:
    """Return JSON in ASCII: what a store holds may be no valid text in any encoding."""
    return Response(json.dumps(value, separators=(",", ":")), status, media_type="application/json")
