"""What the SDK's server reads and writes over the standard streams: a message a line, each passed on at once.

The SDK has a transport of its own, whose two tasks hand every message on through queues; with another two that answer
what is no message and wait for the last answers, they took longer than the call of a tool.
"""

import json
from types import TracebackType
from typing import Self

import anyio
from mcp import types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from memory_cli.serve.standard_streams import Answers, Lines

# The server drops its calls when the input ends; a client that pipes its requests in still wants the answers.
GRACE = 1.5
NO_JSON = "The line is not a JSON-RPC message; send one JSON object a line, in UTF-8."


class _Stream:
    """What both directions have in common: the SDK closes them, and their descriptors stay open until the end."""

    async def aclose(self) -> None:
        """Do nothing: whoever took the descriptors ends the process."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class Outward(_Stream):
    """Answers on their way to the client, and which are still due."""

    def __init__(self, lines: Lines, answers: Answers) -> None:
        self._lines = lines
        self._answers = answers
        self._due: set[str | int | None] = set()
        self._settled = anyio.Event()

    async def send(self, item: SessionMessage) -> None:
        """Write a message as a line."""
        message = item.message
        try:
            await self._answers.write(f"{message.model_dump_json(by_alias=True, exclude_unset=True)}\n")
        except BrokenPipeError as error:
            # The client has gone without a word, which is an end like another.
            self._lines.end()
            raise anyio.BrokenResourceError from error
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._due.discard(message.id)
            if not self._due:
                self._settled.set()

    def expect(self, id: str | int) -> None:
        """Say that a request came, which is to be answered."""
        self._due.add(id)

    async def settle(self, grace: float = GRACE) -> None:
        """Wait a moment for the answers that are due."""
        if self._due:
            self._settled = anyio.Event()
            with anyio.move_on_after(grace):
                await self._settled.wait()


class Inward(_Stream):
    """Messages as they come; a line that is none is answered here, and the end waits for the answers that are due."""

    def __init__(self, lines: Lines, outward: Outward) -> None:
        self._lines = lines
        self._outward = outward

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        async for line in self._lines:
            message = _message(line)
            if message is None:
                await self._outward.send(_refusal())
                continue
            if isinstance(message, types.JSONRPCRequest):
                self._outward.expect(message.id)
            return SessionMessage(message)
        await self._outward.settle()
        raise StopAsyncIteration

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message."""
        try:
            return await anext(self)
        except StopAsyncIteration as end:
            raise anyio.EndOfStream from end


def _message(line: str) -> types.JSONRPCMessage | None:
    """Return the message of a line, if it is one.

    JSON may hold half of a surrogate pair, which the SDK's reader refuses: clients that cut a text in the middle of an
    emoji send that. The operation then refuses the text by name.
    """
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        pass
    try:
        return types.jsonrpc_message_adapter.validate_python(json.loads(line), by_name=False)
    except (TypeError, ValueError, RecursionError):
        return None


def _refusal() -> SessionMessage:
    error = types.ErrorData(code=types.PARSE_ERROR, message=NO_JSON)
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
