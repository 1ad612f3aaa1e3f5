"""What the page changes: each write names its fields, and the version of the statement that it was made from."""

import json
from collections.abc import Callable, Mapping
from typing import Any, get_args

from memory_cli.errors import Refused, UsageError
from memory_cli.memory import LOCAL, Memory
from memory_cli.models.frozen import Frozen
from memory_cli.operations import forget as forgetting
from memory_cli.operations import handoff as handing
from memory_cli.operations import parameters as given
from memory_cli.operations import record as recording
from memory_cli.operations import undo as undoing
from memory_cli.operations import update as updating
from memory_cli.operations.show import show
from memory_cli.store import statements
from memory_cli.web.answers import Conflict

SCOPES = get_args(given.ScopeName)
NAMES = {str: "a text", bool: "true or false", list: "a list of texts"}


class Write(Frozen):
    """One thing that the page may do: a function, the fields that it takes, and which of them must be there."""

    work: Callable[..., object]
    fields: Mapping[str, type]
    needed: tuple[str, ...]


def read(write: Write, raw: bytes) -> dict[str, Any]:
    """Return the fields in the body of a request; refuse by name what is not one of them or of another type."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise UsageError("The body is not JSON.") from error
    if not isinstance(body, dict):
        raise UsageError("The body is not a JSON object.")
    for name, value in body.items():
        if name not in write.fields:
            raise UsageError(f"There is no field {name!r}; there is {', '.join(write.fields)}.")
        if not _fits(value, write.fields[name]):
            raise UsageError(f"The field {name} wants {NAMES[write.fields[name]]}.")
    if missing := [name for name in write.needed if not body.get(name)]:
        raise UsageError(f"The field {missing[0]} is missing or empty.")
    if body.get("scope", "") not in SCOPES:
        raise UsageError("The scope is local or global.")
    return body


def record(memory: Memory, **fields: Any) -> object:
    """Remember a statement."""
    return recording.record(memory, **fields)


def update(memory: Memory, id: str, if_version: str, scope: given.ScopeName = "", **fields: Any) -> object:
    """Change the statement that the page saw."""
    try:
        return updating.update(memory, id, if_version=if_version, scope=scope, **fields)
    except Refused as error:
        raise Conflict(str(error), show(memory, id, scope=scope)) from error


def forget(memory: Memory, id: str, if_version: str, scope: given.ScopeName = "") -> object:
    """Forget the statement that the page saw."""
    try:
        return forgetting.forget(memory, id=[id], if_version=if_version, scope=scope)
    except Refused as error:
        raise Conflict(str(error), show(memory, id, scope=scope)) from error


def undo(memory: Memory, change: str) -> object:
    """Take a change back."""
    return undoing.undo(memory, change)


def handoff(memory: Memory, text: str) -> object:
    """Set the handoff of a project that has none; one that is there is changed as the statement that it is."""
    found = next((one for store in memory.stores(LOCAL) if (one := statements.handoff(store))), None)
    if found:
        raise Conflict("A handoff was set meanwhile.", show(memory, found.id, scope="local"))
    return handing.handoff(memory, text)


PLACE = {"id": str, "scope": str, "if_version": str}
WRITES = {
    "record": Write(record, {"text": str, "kind": str, "scope": str, "tag": list, "expires": str}, ("text",)),
    "update": Write(
        update,
        {**PLACE, "text": str, "kind": str, "tag": list, "untag": list, "expires": str, "superseded": bool},
        ("id", "if_version"),
    ),
    "forget": Write(forget, PLACE, ("id", "if_version")),
    "undo": Write(undo, {"change": str}, ("change",)),
    "handoff": Write(handoff, {"text": str}, ("text",)),
}


def _fits(value: object, wanted: type) -> bool:
    if wanted is list:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    return isinstance(value, wanted)
