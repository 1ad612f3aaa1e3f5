"""What stands between the wire and the server: answers to lines that are no message, and a last moment at the end."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

Incoming = SessionMessage | Exception
Inward = MemoryObjectReceiveStream[Incoming]
Outward = MemoryObjectSendStream[SessionMessage]

# The server drops its calls when the input ends; a client that pipes its requests in still wants the answers.
GRACE = 1.5
NO_JSON = "The line is not a JSON-RPC message; send one JSON object a line, in UTF-8."


@asynccontextmanager
async def patient(read: Inward, write: Outward, grace: float = GRACE) -> AsyncIterator[tuple[Inward, Outward]]:
    """Pass messages on both ways; when the input ends, wait a moment for the answers that are due."""
    unanswered: set[str | int] = set()
    settled = anyio.Event()
    ended = False
    to_server, server_reads = anyio.create_memory_object_stream[Incoming](0)
    server_writes, from_server = anyio.create_memory_object_stream[SessionMessage](0)

    async def inward() -> None:
        nonlocal ended
        async with to_server:
            async for item in read:
                message = _mended(item)
                if isinstance(message, Exception):
                    await write.send(_refusal())
                    continue
                if isinstance(message.message, types.JSONRPCRequest):
                    unanswered.add(message.message.id)
                await to_server.send(message)
            ended = True
            if unanswered:
                with anyio.move_on_after(grace):
                    await settled.wait()

    async def outward() -> None:
        async with write, from_server:
            async for message in from_server:
                await write.send(message)
                if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
                    unanswered.discard(message.message.id or 0)
                if ended and not unanswered:
                    settled.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(inward)
        tasks.start_soon(outward)
        yield server_reads, server_writes


def _mended(item: Incoming) -> Incoming:
    """Return the message of a line that only the SDK's reader refuses: JSON may hold half of a surrogate pair.

    Clients that cut a text in the middle of an emoji send that; the operation then refuses the text by name.
    """
    if not isinstance(item, ValidationError):
        return item
    line = item.errors(include_url=False, include_context=False)[0]["input"]
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(json.loads(line), by_name=False))
    except (TypeError, ValueError, RecursionError):
        return item


def _refusal() -> SessionMessage:
    error = types.ErrorData(code=types.PARSE_ERROR, message=NO_JSON)
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
