"""The history as lines of JSON, and back again into a store that has none."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.history import Item
from memory_cli.operations.intake import Cleaner
from memory_cli.operations.jsonl import Reader
from memory_cli.store import chronicle
from memory_cli.store.chronicle import Entry
from memory_cli.store.connection import Store
from memory_cli.store.families import FAMILIES, STATEMENT
from memory_cli.store.moments import loaded, stored
from memory_cli.text.times import format_moment

EFFECTS = ("add", "change", "remove")


def lines(store: Store) -> Iterator[str]:
    """Yield a line for each change, oldest first; they come before the statements of their scope."""
    with store.snapshot():
        yield from (json.dumps(_record(store, each), ensure_ascii=False) for each in chronicle.entries(store))


def is_change(fields: Mapping[str, Any]) -> bool:
    """Tell whether a record is a change and not a statement."""
    return "change" in fields and "text" not in fields


def entry(memory: Memory, fields: Mapping[str, Any]) -> Entry:
    """Return the change that a record is, with secrets blotted out, or refuse it by name."""
    read, clean = Reader(fields, now=memory.now, zone=memory.session.zone), Cleaner(memory)
    at, listed = read.moment("at"), fields.get("items")
    if at is None or not read.number("change") or not isinstance(listed, list):
        raise UsageError("this change lacks its number, its time or its items")
    return Entry(
        read.number("change"), stored(at), clean.text(read.text("operation"), "operation"),
        clean.text(read.text("agent"), "agent"), clean.text(read.text("device"), "device"),
        read.number("device_number"), read.number("undoes") or None, tuple(_item(each, clean) for each in listed),
    )  # fmt: skip


def _record(store: Store, one: Entry) -> dict[str, Any]:
    items = [
        {"statement": each.statement}
        | ({"family": each.family} if each.family != STATEMENT else {})
        | {"effect": each.effect}
        | ({"before": each.before} if each.before else {})
        for each in one.items
    ]
    head = {"change": one.number, "scope": store.scope, "at": format_moment(loaded(one.at))}
    told = {"operation": one.operation, "agent": one.agent, "device": one.device, "device_number": one.device_number}
    return head | told | ({"undoes": one.undoes} if one.undoes else {}) | {"items": items}


def _item(fields: object, clean: Cleaner) -> Item:
    if (
        not isinstance(fields, dict)
        or fields.get("effect") not in EFFECTS
        or not isinstance(fields.get("statement"), str)
    ):
        raise UsageError("an item of this change is not a statement's id with add, change or remove")
    before, family = fields.get("before"), fields.get("family", STATEMENT)
    if before is not None and not isinstance(before, dict):
        raise UsageError("what was before an item of this change is not an object")
    if family not in FAMILIES:
        raise UsageError(f"an item of this change is of the family {family!r}, which is not known here")
    if family != STATEMENT:
        named = clean.text(fields["statement"], f"the name of a {family}")
        return Item(named, fields["effect"], before and clean.metadata(before), family)
    if before and isinstance(before.get("text"), str):
        before = before | {"text": clean.text(before["text"])}
    if before and isinstance(before.get("metadata"), dict):
        before = before | {"metadata": clean.metadata(before["metadata"])}
    return Item(clean.id(fields["statement"]), fields["effect"], before)
