"""Statements as lines of JSON: all there is of each, in one fixed form, and back again."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from typing import Any

from memory_cli.errors import UsageError
from memory_cli.models.statement import Filters, Origin, Statement
from memory_cli.store import statements
from memory_cli.store.connection import Store
from memory_cli.text.times import format_moment, parse_moment

PAGE = 500
FIELDS = frozenset({
    "id", "scope", "kind", "text", "at", "updated_at", "agent", "source", "tags", "origins", "aliases", "expires_at",
    "metadata", "superseded", "recalls", "last_recalled_at", "sequence",
})  # fmt: skip


def lines(store: Store, wanted: Filters, *, placed: bool = False, ids: set[str]) -> Iterator[str]:
    """Yield a line for each statement that passes the filters, oldest first, and note its id among ids.

    A history needs its place too.
    """
    with store.snapshot():
        offset = 0
        while found := statements.page(store, wanted, limit=PAGE, offset=offset, order="oldest"):
            ids.update(each.id for each in found)
            places = ({"sequence": each.sequence} if placed else {} for each in found)
            yield from (
                json.dumps(record(each) | place, ensure_ascii=False) for each, place in zip(found, places, strict=True)
            )
            offset += len(found)


def record(one: Statement) -> dict[str, Any]:
    """Return all there is of a statement; what says nothing is left out."""
    whole = {
        "id": one.id,
        "scope": one.scope,
        "kind": one.kind,
        "text": one.text,
        "at": format_moment(one.at),
        "updated_at": format_moment(one.updated_at),
        "origins": [
            {"agent": each.agent, "source": each.source} | ({"tags": list(each.tags)} if each.tags else {})
            for each in one.origins
        ],
        "aliases": list(one.aliases),
        "expires_at": format_moment(one.expires_at) if one.expires_at else "",
        "metadata": dict(one.metadata),
        "superseded": one.superseded,
        "recalls": one.recalls,
        "last_recalled_at": format_moment(one.last_recalled_at) if one.last_recalled_at else "",
    }
    return {name: value for name, value in whole.items() if value or name == "text"}


def parsed(line: str) -> Mapping[str, Any]:
    """Return the object that a line holds, or refuse the line."""
    try:
        read = json.loads(line)
    except ValueError as error:
        raise UsageError(f"this is not JSON: {error}") from error
    except RecursionError as error:
        raise UsageError("this is nested too deep") from error
    if not isinstance(read, dict):
        raise UsageError("this is not a JSON object with a `text`")
    return read


class Reader:
    """Reads the fields of one record and refuses by name what has the wrong type."""

    def __init__(self, fields: Mapping[str, Any], *, now: datetime, zone: tzinfo) -> None:
        self.fields, self.now, self.zone = fields, now, zone

    def text(self, name: str, default: str = "") -> str:
        """Return a text, or the default where there is none."""
        value = self.fields.get(name)
        return default if value is None else self._typed(name, str, "a text") or default

    def moment(self, name: str) -> datetime | None:
        """Return a time, or nothing."""
        value = self.fields.get(name)
        if value in (None, ""):
            return None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise UsageError(f"`{name}` is not a time: {value!r}")
        return parse_moment(str(value), now=self.now, zone=self.zone)

    def number(self, name: str) -> int:
        """Return a whole number that is not negative; none is 0."""
        return counted(name, self.fields.get(name))

    def flag(self, name: str) -> bool:
        """Return a truth value; none is false."""
        return self.fields.get(name) is not None and bool(self._typed(name, bool, "true or false"))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; one text is a list of one."""
        value = self.fields.get(name)
        if value is None:
            return ()
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise UsageError(f"`{name}` is not a list of texts")
        return tuple(values)

    def object(self, name: str) -> Mapping[str, Any]:
        """Return an object; none is an empty one."""
        return {} if self.fields.get(name) is None else self._typed(name, dict, "an object")

    def origins(self) -> tuple[Origin, ...]:
        """Return where the record says that it came from, `agent`, `source` and `tags` standing for one origin."""
        listed = self._typed("origins", list, "a list")
        if listed is None:
            return (Origin(self.text("agent"), self.text("source"), self.texts("tags")),)
        if not listed or not all(isinstance(each, dict) for each in listed):
            raise UsageError("`origins` is not a list of objects with `agent` and `source`")
        inner = [Reader(each, now=self.now, zone=self.zone) for each in listed]
        return tuple(Origin(each.text("agent"), each.text("source"), each.texts("tags")) for each in inner)

    def _typed(self, name: str, type_: type, called: str) -> Any:
        value = self.fields.get(name)
        if value is not None and not isinstance(value, type_):
            raise UsageError(f"`{name}` is not {called}: {value!r}")
        return value


def counted(name: str, value: object) -> int:
    """Return a whole number that is not negative, or refuse it by name; none is 0."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise UsageError(f"`{name}` is not a count: {value!r}")
    return value
