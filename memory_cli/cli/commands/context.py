"""`memory context`: for a person, or as what a client's hook at the start of a conversation expects."""

import inspect
import json
import traceback
from bisect import bisect_right
from dataclasses import replace
from typing import Annotated, Any, Literal

import typer

from memory_cli.cli import bind
from memory_cli.cli.call import Given, Output, Quiet
from memory_cli.cli.output import complain
from memory_cli.cli.parameters import KEYWORD, parameters
from memory_cli.cli.printable import json_safe, printable
from memory_cli.errors import MemoryCliError
from memory_cli.memory import open_memory
from memory_cli.models.results import ContextShown
from memory_cli.operations.context import context
from memory_cli.operations.shown import BYTES_A_TOKEN
from memory_cli.surface import Operation
from memory_cli.text.fence import fenced

# What Claude Code and Codex take from a hook is cut off at 10,000 characters.
MOST = 9_500
# A hook that waits for a lock holds up the conversation.
PATIENCE = "storage.lock_deadline_ms=500"
# In tokens: texts are shortened to it, where a longer answer would lose whole statements.
ROOM = int(MOST / BYTES_A_TOKEN)
EVENT = "SessionStart"

Client = Literal["claude-code", "codex", "plain"]
FOR = inspect.Parameter(
    "client",
    KEYWORD,
    default=None,
    annotation=Annotated[
        Client | None,
        typer.Option("--for", help="Print what this client's hook at the start expects, and exit 0 whatever happens."),
    ],
)


def add(app: typer.Typer, operation: Operation) -> None:
    """Add the command to app."""

    def run(ctx: typer.Context, output: Output, quiet: Quiet, client: Client | None, **given: Any) -> None:
        if client is None:
            arguments = bind.taken(operation, given)
            bind.run_operation(ctx, operation, arguments, output, quiet)
        else:
            print(_hooked(ctx.obj, client, {name: value for name, value in given.items() if value is not None}))

    bind.register(app, operation, run, [*parameters(operation), FOR])


def _hooked(options: Given, client: Client, given: dict[str, Any]) -> str:
    """Return what a hook prints; a hook that fails would hold up the conversation, so a failure becomes a sentence."""
    try:
        with open_memory(replace(options, assignments=(PATIENCE, *options.assignments)).session()) as memory:
            asked = given["budget"] if given.get("budget", -1) >= 0 else memory.settings.context.budget
            found = context(memory, **{**given, "budget": min(asked or ROOM, ROOM)})
    except MemoryCliError as error:
        complain(str(error))
        return _spoken(f"The memory could not be read: {error}", client)
    except Exception:  # noqa: BLE001
        # A bug must not keep a conversation from starting; its traceback goes where bugs go.
        traceback.print_exc()
        return _spoken("The memory could not be read: that is a bug in memory, told on standard error.", client)
    parts = _parts(found)
    while len(text := _told(found, parts, client)) > MOST and len(parts) > 1:
        parts.pop()
    if len(text) <= MOST:
        return text
    first = parts[0]
    # With escapes a text is up to six times as long, so that what fits is found by trying.
    room = bisect_right(range(len(first)), MOST, key=lambda size: len(_told(found, [f"{first[:size]}…"], client))) - 1
    return _told(found, [f"{first[:room]}…"], client)


def _told(found: ContextShown, parts: list[str], client: Client) -> str:
    return _spoken(fenced("\n".join([*parts, _left_out(found, parts)])), client)


def _parts(found: ContextShown) -> list[str]:
    parts = []
    if found.handoff:
        parts.append(f"Handoff of the last conversation{_foreign(found.handoff.foreign)}:\n{found.handoff.text}\n")
    for one in found.categories:
        data = json.dumps(one.data, ensure_ascii=False, indent=1)
        parts.append(f"Category {one.category}{_foreign(one.foreign)}{' (cut)' if one.cut else ''}:\n{data}\n")
    for each in found.units:
        told = ", ".join((each.kind, each.scope, each.id))
        parts.append(f"- [{told}]{_foreign(each.foreign)} {each.text}{' (cut)' if each.cut else ''}")
    return parts or [found.hint]


def _foreign(foreign: bool) -> str:
    return " (came with a clone, written by somebody else)" if foreign else ""


def _left_out(found: ContextShown, parts: list[str]) -> str:
    shown = len(parts) - (found.handoff is not None) - len(found.categories)
    left = found.left_out + max(len(found.units) - shown, 0)
    return f"{left} more statements found no room; recall finds them." if left else ""


def _spoken(text: str, client: Client) -> str:
    if client == "plain":
        return printable(text, keep="\n\t")
    told = {"hookSpecificOutput": {"hookEventName": EVENT, "additionalContext": text}}
    return json_safe(json.dumps(told, ensure_ascii=False))
