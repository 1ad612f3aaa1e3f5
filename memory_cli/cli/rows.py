"""Results as headings and rows of cells, the id first."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any, NamedTuple

from memory_cli.models.document import document
from memory_cli.models.results import (
    ChangeShown,
    ContextShown,
    Diagnosis,
    Difference,
    Exported,
    Forgotten,
    Handoff,
    History,
    Imported,
    Listed,
    Recalled,
    Recorded,
    RecordedLines,
    Similar,
    Stats,
    Status,
    Undone,
    Unit,
    Updated,
)
from memory_cli.models.statement import HANDOFF

FOREIGN = "foreign"
# Stands where the kind of a statement does.
CATEGORY = "CATEGORY"
UNIT = ("id", "scope", "kind", "at", "text")


class Lines(NamedTuple):
    """What a result says, a row a record."""

    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]


@singledispatch
def lines(result: object) -> Lines:
    """Return the headings and the rows that show a result; without a form of its own, a row a field."""
    return Lines(("field", "value"), list(_fields(document(result))))


def _fields(value: object, name: str = "") -> Iterator[tuple[str, ...]]:
    inner: Iterator[tuple[str, object]] | None = None
    if isinstance(value, Mapping):
        inner = ((str(key), each) for key, each in value.items())
    elif isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        inner = ((str(place), each) for place, each in enumerate(value, 1))
    if inner is None:
        yield name, spelled(value)
        return
    for key, each in inner:
        yield from _fields(each, f"{name}.{key}" if name else key)


def spelled(value: object) -> str:
    """Return how a cell shows a JSON value."""
    if isinstance(value, list | tuple):
        return ", ".join(map(spelled, value))
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def _unit(unit: Unit | Handoff) -> tuple[str, ...]:
    return unit.id, unit.scope, getattr(unit, "kind", HANDOFF), unit.at, unit.text


def _marked(found: Lines, told: Sequence[Unit | Handoff | Similar | ChangeShown]) -> Lines:
    """Return lines with a last cell that marks what somebody else wrote, where there is such."""
    if not any(each.foreign for each in told):
        return found
    rows = [(*row, FOREIGN if each.foreign else "") for row, each in zip(found.rows, told, strict=True)]
    return Lines((*found.headings, FOREIGN), rows)


@lines.register
def _(result: Recalled) -> Lines:
    found = answers(result)
    rows = [(*_unit(each), f"{each.score:.4f}", parts(each)) for each in found]
    if any(each.explain for each in found):
        return _marked(Lines((*UNIT, "score", "parts"), rows), found)
    return _marked(Lines((*UNIT, "score"), [row[:-1] for row in rows]), found)


def answers(result: Recalled | ContextShown) -> list[Unit]:
    """Return what an answer holds, what it has of categories as if they were statements, below the others."""
    if isinstance(result, Recalled):
        values = [
            Unit(each.category, each.scope, f"{each.key_path}: {each.snippet}", CATEGORY, foreign=each.foreign,
                 score=each.score)
            for each in result.categories
        ]  # fmt: skip
    else:
        values = [
            Unit(each.category, each.scope, json.dumps(each.data, ensure_ascii=False), CATEGORY, foreign=each.foreign,
                 cut=each.cut)
            for each in result.categories
        ]  # fmt: skip
    return [*result.units, *values]


def parts(unit: Unit) -> str:
    """Return the parts of a score."""
    return " ".join(f"{name}={value:.4g}" for name, value in unit.explain.items())


@lines.register
def _(result: Listed) -> Lines:
    return _marked(Lines(UNIT, [_unit(each) for each in result.units]), result.units)


@lines.register
def _(result: ContextShown) -> Lines:
    told: list[Unit | Handoff] = [*([result.handoff] if result.handoff else []), *answers(result)]
    return _marked(Lines(UNIT, [_unit(each) for each in told]), told)


@lines.register
def _(result: Handoff) -> Lines:
    return _marked(Lines(UNIT, [_unit(result)]), [result])


@lines.register
def _(result: Recorded) -> Lines:
    did = "already recorded" if result.already_recorded else "updated" if result.updated else "recorded"
    return Lines(("id", "scope", "kind", "did"), [(result.id, result.scope, result.kind, did)])


@lines.register
def _(result: RecordedLines) -> Lines:
    found = [lines(each) for each in result.recorded]
    return Lines(("id", "scope", "kind", "did"), [row for each in found for row in each.rows])


@lines.register
def _(result: Updated) -> Lines:
    return Lines(("id", "scope", "changed"), [(result.id, result.scope, ", ".join(result.changed))])


@lines.register
def _(result: Forgotten) -> Lines:
    if result.dry_run:
        found = Lines(("id", "scope", "text"), [(each.id, each.scope, each.text) for each in result.sample])
        return _marked(found, result.sample)
    return Lines(("id",), [(each,) for each in result.ids])


@lines.register
def _(result: History) -> Lines:
    found = Lines(
        ("change", "at", "operation", "agent", "device", "count", "statements", "did"),
        [
            (each.change, each.at, each.operation, each.agent, each.device, str(each.count),
             ", ".join(item.statement for item in each.items), "; ".join(map(difference, each.items)))
            for each in result.changes
        ],
    )  # fmt: skip
    return _marked(found, result.changes)


def difference(item: Difference) -> str:
    """Return what a change did to one statement: each field before and after, or the words that came or went."""
    if item.effect == "change":
        names = dict.fromkeys((*item.before, *item.after))
        told = (f"{name}: {_told(item.before, name)} → {_told(item.after, name)}" for name in names)
        return ", ".join(told)
    words = (item.after or item.before).get("text", "")
    return f"{item.effect} {words}"


def _told(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return spelled(value) if value not in (None, "", [], {}) else "nothing"


@lines.register
def _(result: Undone) -> Lines:
    return Lines(
        ("change", "undone", "operation", "statements"),
        [(result.change, ", ".join([result.undone, *result.also]), result.operation, ", ".join(result.ids))],
    )


@lines.register
def _(result: Stats) -> Lines:
    groups = {
        "scope": result.by_scope, "kind": result.by_kind, "agent": result.by_agent, "source": result.by_source,
        "tag": result.by_tag, "month": result.by_month, "last": result.growth,
    }  # fmt: skip
    counted = [(group, name, str(count)) for group, counts in groups.items() for name, count in counts.items()]
    counted += [("categories", "", str(result.categories))] if result.categories else []
    return Lines(("by", "name", "count"), [("total", "", str(result.total)), *counted])


@lines.register
def _(result: Imported) -> Lines:
    counts = {"new": result.new, "already recorded": result.already_recorded, "failed": len(result.failed)}
    counts |= {"links": result.links} if result.links else {}
    counts |= {"categories": result.categories} if result.categories else {}
    return Lines(("what", "count"), [(name, str(count)) for name, count in counts.items()])


@lines.register
def _(result: Status) -> Lines:
    # The notes are said beside the answer.
    return Lines(("field", "value"), list(_fields(document(replace(result, notes=[])))))


@lines.register
def _(result: Diagnosis) -> Lines:
    return Lines(
        ("scope", "problem", "remedy"),
        [(each.scope, each.problem, "mended" if each.mended else each.remedy) for each in result.findings],
    )


@lines.register
def _(result: Exported) -> Lines:
    return Lines(("file",), [(each,) for each in result.files])
