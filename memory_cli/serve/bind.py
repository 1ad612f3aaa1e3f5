"""Turn an operation into an MCP tool."""

import inspect
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcp import types

from memory_cli.errors import Busy, MemoryCliError
from memory_cli.memory import Progress, Session, open_memory, silent
from memory_cli.models.document import document
from memory_cli.serve.arguments import Argument, arguments_of, read
from memory_cli.serve.schema import RESULT, input_schema, output_schema
from memory_cli.serve.seeds.tool import Tool
from memory_cli.surface import Effect, Operation
from memory_cli.text.fence import fenced

log = logging.getLogger("memory")

# A brief operation takes longer with a text of more characters.
BRIEF = 4000


@dataclass(frozen=True)
class Bound:
    """An operation, its arguments, and the tool that stands for it."""

    operation: Operation
    arguments: Mapping[str, Argument]
    tool: types.Tool


def bind(operation: Operation) -> Bound:
    """Return an operation as a tool."""
    arguments = arguments_of(operation)
    return Bound(operation, arguments, _tool(operation, arguments))


def answer(bound: Bound, session: Session, given: Mapping[str, Any], progress: Progress) -> types.CallToolResult:
    """Call an operation as its tool; whatever fails is an answer that says so.

    Raises Busy for a session in a hurry; nothing is done then.
    """
    name = bound.operation.tool
    try:
        values = read(name, bound.arguments, given)
        with open_memory(session, progress) as memory:
            found = document(bound.operation.function(memory, **values))
    except MemoryCliError as error:
        if session.hurried and isinstance(error, Busy):
            raise
        return failed(str(error))
    except Exception:
        # A server outlives its bugs; the traceback is for whoever mends them.
        log.exception("%s failed", name)
        return failed(
            f"{name} met an internal error, which is a bug in memory; see the server's log on its standard error."
        )
    if isinstance(bound.operation, Tool):
        return _as_there(found)
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    if _tells(found):
        text = fenced(text)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=found)


def answer_at_once(bound: Bound, session: Session, given: Mapping[str, Any]) -> types.CallToolResult | None:
    """Return the answer of a brief operation, or nothing where it would hold up whoever calls it.

    To hand a call to a thread and wait for that takes as long as to record a statement.
    """
    if not bound.operation.brief or sum(len(str(each)) for each in given.values()) > BRIEF:
        return None
    try:
        return answer(bound, replace(session, hurried=True), given, silent)
    except Busy:
        return None


def failed(sentence: str) -> types.CallToolResult:
    """Return a tool's error, which a model reads."""
    sendable = sentence.encode("utf-8", "backslashreplace").decode("utf-8")
    return types.CallToolResult(content=[types.TextContent(type="text", text=sendable)], is_error=True)


def _as_there(found: Any) -> types.CallToolResult:
    """Return a result in the form of the systems whose tools these are: a block an item, and no fence around it."""
    said = [
        each if isinstance(each, str) else json.dumps(each, ensure_ascii=False, indent=2)
        for each in (found if isinstance(found, list) else [found])
    ]
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=each) for each in said]
    structured = found if isinstance(found, dict) else {RESULT: found}
    return types.CallToolResult(content=content, structured_content=structured)


def _tells(value: Any) -> bool:
    """Tell whether an answer holds the words of a statement."""
    if isinstance(value, Mapping):
        return bool({"text", "before", "after"} & value.keys()) or any(map(_tells, value.values()))
    return isinstance(value, list) and any(map(_tells, value))


def _tool(operation: Operation, arguments: Mapping[str, Argument]) -> types.Tool:
    return types.Tool(
        name=operation.tool,
        description=inspect.getdoc(operation.function),
        input_schema=input_schema(arguments),
        output_schema=output_schema(operation),
        annotations=types.ToolAnnotations(
            read_only_hint=operation.effect is Effect.READS,
            destructive_hint=operation.effect not in (Effect.READS, Effect.ADDS),
            idempotent_hint=operation.idempotent or None,
            open_world_hint=False,
        ),
    )
