"""What a device of the random syncs holds: all that is to become the same, and each text that can be lost."""

import json
import re
from collections.abc import Mapping
from typing import Any

from memory_cli.categories import changing
from memory_cli.memory import Memory
from memory_cli.models.categories import LOG
from memory_cli.models.links import MADE
from memory_cli.models.statement import Filters, Statement
from memory_cli.store import categories, entries, links, statements, sync
from memory_cli.store.connection import Store

SHARED = ("the shared words one", "the shared words two")


def key_now(store: Store, piece: str) -> str:
    """Return the key of a link between what its ends are by now, empty where it cannot be any more."""
    one, _, rest = piece.partition(" ")
    type, _, other = rest.partition(" ")
    if type not in MADE:
        return piece
    ends = [statements.by_id(store, each) for each in (one, other)]
    ids = {each.id for each in ends if each}
    return f"{ends[0].id} {type} {ends[1].id}" if ends[0] and ends[1] and len(ids) == 2 else ""


def state(memory: Memory, scope: str) -> tuple[Mapping[str, Any], ...]:
    """Return all that syncs; how often something was recalled, and in which order it came, is a device's own."""
    store = memory.store(scope)
    told = {
        each.id: (each.kind, each.text, each.at, each.updated_at, each.expires_at, each.aliases, dict(each.metadata),
                  each.superseded, sorted((one.agent, one.source, one.tags) for one in each.origins))
        for each in all_statements(memory, scope)
    }  # fmt: skip
    linked = {each.key: (each.score, each.at, each.agent) for each in links.newest(store, -1)}
    return told, linked, documents(memory, scope)


def documents(memory: Memory, scope: str) -> dict[str, Any]:
    """Return the data of each category; of a log what was appended when, since each device numbers it for itself."""
    store = memory.store(scope)
    found: dict[str, Any] = {}
    for each in categories.everything(store):
        if each.kind == LOG:
            found[each.name] = sorted((one.at, one.agent, one.body) for one in entries.of(store, each.name))
        else:
            found[each.name] = json.loads(changing.text_at(store, each) or "")
    return found


def pieces(memory: Memory, scope: str) -> set[str]:
    """Return each text that can be lost, and the keys of links."""
    found = {text for one in all_statements(memory, scope) for text in (one.text, *one.metadata.values())}
    for each in documents(memory, scope).values():
        found |= {json.loads(body)["did"] for _at, _agent, body in each} if isinstance(each, list) else {*each.values()}
    return found - {*SHARED} | {each.key for each in links.newest(memory.store(scope), -1)}


def lost(memory: Memory, scope: str) -> set[str]:
    """Return each text in what lost in conflicts and is kept."""
    found = sync.conflicts(memory.store(scope), resolved=True)
    return set(re.findall(r"[a-z]+ \d{6}", json.dumps([dict(each.lost) for each in found])))


def all_statements(memory: Memory, scope: str) -> list[Statement]:
    """Return the statements of a scope."""
    wanted = Filters(now=memory.now, include_expired=True)
    # By their words: ids are random, and a seed is to do the same again.
    return sorted(statements.page(memory.store(scope), wanted, limit=10**9), key=lambda each: (each.text, each.kind))


def differing(one: tuple[Mapping[str, Any], ...], other: tuple[Mapping[str, Any], ...]) -> list[Any]:
    """Return what two states do not have in common."""
    return [
        (name, first.get(name), second.get(name))
        for first, second in zip(one, other, strict=True)
        for name in sorted({*first, *second})
        if first.get(name) != second.get(name)
    ]
