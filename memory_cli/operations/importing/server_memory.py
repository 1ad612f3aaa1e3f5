"""The knowledge graph of the official MCP memory server: a line of JSON for each entity and relation."""

from collections.abc import Iterator, Mapping
from typing import Any

from memory_cli.errors import MemoryCliError, UsageError
from memory_cli.operations.importing.record import Found, failure, link, statement
from memory_cli.operations.importing.source import Source
from memory_cli.operations.jsonl import parsed
from memory_cli.text.identity import derived_id

NAME = "server-memory"
KIND = "FACT"


def recognises(source: Source) -> bool:
    """Tell by the first line."""
    try:
        first = parsed(source.head.partition(b"\n")[0].decode("utf-8-sig", "replace"))
    except MemoryCliError:
        return False
    return first.get("type") in ("entity", "relation") and "text" not in first


def records(source: Source) -> Iterator[Found]:
    """Yield a statement for each observation and relation, then the links between what they are about."""
    first: dict[str, str] = {}
    relations: list[tuple[str, str, str]] = []
    for number, line in enumerate(source.lines(), 1):
        where = f"line {number}"
        if not line.strip():
            continue
        try:
            item = parsed(line)
            if item.get("type") == "entity":
                yield from _entity(where, item, first)
            else:
                yield _relation(where, item, relations)
        except MemoryCliError as error:
            yield failure(where, error)
    for where, one, other in relations:
        if one in first and other in first:
            yield link(where, first[one], first[other])


def _entity(where: str, item: Mapping[str, Any], first: dict[str, str]) -> Iterator[Found]:
    name, type, observations = item.get("name"), item.get("entityType") or "", item.get("observations") or []
    if not isinstance(name, str) or not isinstance(type, str) or not isinstance(observations, list):
        raise UsageError("this entity lacks its name, its type or its list of observations")
    # One that nothing was observed of is remembered by its name.
    texts = [(f"{name}: {each}" if isinstance(each, str) else each) for each in observations] or [
        f"{name} ({type})" if type else name
    ]
    for place, text in enumerate(texts, 1):
        id = derived_id(NAME, text) if isinstance(text, str) else ""
        first.setdefault(name, id)
        yield statement(
            f"{where}, observation {place}", text, id=id, kind=KIND, source=NAME, tags=[name],
            metadata={"entity": name, "entity_type": type},
        )  # fmt: skip


def _relation(where: str, item: Mapping[str, Any], relations: list[tuple[str, str, str]]) -> Found:
    one, other, type = (item.get(key) for key in ("from", "to", "relationType"))
    if item.get("type") != "relation" or not all(isinstance(each, str) and each for each in (one, other, type)):
        raise UsageError("this is neither an entity nor a relation with both its ends and its type")
    relations.append((where, str(one), str(other)))
    return statement(
        where, f"{one} {type} {other}", kind=KIND, source=NAME, tags=[one, other],
        metadata={"from": one, "relation": type, "to": other},
    )  # fmt: skip
