"""Two states that did not know of each other, made one: by every device the same, whatever it met first."""

import json
from collections.abc import Mapping
from typing import Any

from memory_cli.models.categories import LOG
from memory_cli.models.frozen import Frozen
from memory_cli.sync.contents import Content, entry_order

LAST, LOCAL, REMOTE, BOTH = "last_write_wins", "local_wins", "remote_wins", "keep_both"
WORDS = ("kind", "text", "expires_at")
STRATEGIES = (LAST, LOCAL, REMOTE, BOTH)


class Merged(Frozen):
    """What two states came to, and the one of them that lost where they could not be joined."""

    content: Content
    lost: Content | None = None


def later(mine: Content, theirs: Content, mine_at: int, theirs_at: int, strategy: str) -> bool:
    """Tell whether mine is kept where only one can be: by time, and where that is the same by what it says."""
    if strategy in (LOCAL, REMOTE):
        return strategy == LOCAL
    return (mine_at, _said(mine)) >= (theirs_at, _said(theirs))


def statements(mine: Content, theirs: Content, strategy: str = LAST, base: Content | None = None) -> Merged:
    """Merge two states of a statement: where it came from, tags and metadata of both, of two wordings the later.

    With a base, what only one of the two changed is as that one has it.
    """
    kept = later(_words_first(mine), _words_first(theirs), mine["updated_at"], theirs["updated_at"], strategy)
    first, second = (mine, theirs) if kept else (theirs, mine)
    parts = [{name: each[name] for name in WORDS} if each else None for each in (mine, theirs, base)]
    words, contested = documents(parts[0] or {}, parts[1] or {}, parts[2], kept=kept)
    metadata, also = documents(mine["metadata"], theirs["metadata"], base["metadata"] if base else None, kept=kept)
    merged = {
        **words,
        "at": min(mine["at"], theirs["at"]),
        "updated_at": max(mine["updated_at"], theirs["updated_at"]),
        "metadata": metadata,
        "superseded": _superseded(mine, theirs, base),
        "origins": _origins(first["origins"], second["origins"]),
        "aliases": sorted({*mine["aliases"], *theirs["aliases"]}),
    }
    return Merged(merged, second if contested or also else None)


def _superseded(mine: Content, theirs: Content, base: Content | None) -> bool:
    either: bool = mine["superseded"] or theirs["superseded"]
    # Where one of them took the mark away, the other one left it.
    return either and not (base and base["superseded"] and mine["superseded"] != theirs["superseded"])


def _words_first(content: Content) -> Content:
    # Of two that were written at one moment the words decide, and then whatever else there is.
    return {"": [content[name] for name in WORDS], "also": content}


def links(mine: Content, theirs: Content) -> Merged:
    """Merge two states of a link: the later one, and nothing is lost that anybody would miss."""
    return Merged(mine if (mine["at"], _said(mine)) >= (theirs["at"], _said(theirs)) else theirs)


def logs(mine: Content, theirs: Content) -> Merged:
    """Merge two states of a log: every entry that one has and the other never saw.

    What one saw and has no more it let go of. As of an observed-remove set without tombstones (Bieniusa et al., "An
    optimized conflict-free replicated set", 2012), with the numbers of each device's entries for its vector.
    """
    there = {(each["maker"], each["number"]): each for each in (*mine["entries"], *theirs["entries"])}
    let_go = {
        name
        for state in (mine, theirs)
        for name in there.keys() - _names(state)
        if name[1] <= state["seen"].get(name[0], 0)
    }
    kept = [each for name, each in there.items() if name not in let_go]
    most = max(mine["max_entries"], theirs["max_entries"]) if mine["max_entries"] and theirs["max_entries"] else 0
    ordered = sorted(kept, key=entry_order)
    days = max(mine["max_age_days"], theirs["max_age_days"]) if mine["max_age_days"] and theirs["max_age_days"] else 0
    seen = {
        maker: max(mine["seen"].get(maker, 0), theirs["seen"].get(maker, 0))
        for maker in sorted({*mine["seen"], *theirs["seen"]})
    }
    bounds = {"max_entries": most, "max_age_days": days}
    return Merged({"kind": LOG, **bounds, "entries": ordered[-most:] if most else ordered, "seen": seen})


def documents(
    mine: Mapping[str, Any], theirs: Mapping[str, Any], base: Mapping[str, Any] | None, *, kept: bool
) -> tuple[dict[str, Any], list[str]]:
    """Merge two documents by top-level key; return the result and the keys that both changed to something else.

    Of those mine is taken when `kept`. With a base, what only one side changed or removed is as that side has it;
    without one every key of both is there.
    """
    merged: dict[str, Any] = {}
    contested = []
    for key in sorted({*mine, *theirs}):
        ours, other = mine.get(key, _GONE), theirs.get(key, _GONE)
        before = base.get(key, _GONE) if base is not None else _GONE
        if _equal(ours, other) or _equal(other, before):
            value = ours
        elif _equal(ours, before):
            value = other
        else:
            contested.append(key)
            # What somebody wrote is worth more than that somebody else took it away.
            value = ours if other is _GONE or (kept and ours is not _GONE) else other
        if value is not _GONE:
            merged[key] = value
    return merged, contested


_GONE = object()


def _equal(one: Any, other: Any) -> bool:
    # In JSON 1 and true are two values, and in Python they are equal.
    return one is other or (_GONE not in (one, other) and _said(one) == _said(other))


def _names(state: Content) -> set[tuple[str, int]]:
    return {(each["maker"], each["number"]) for each in state["entries"]}


def _origins(first: list[Any], second: list[Any]) -> list[Any]:
    found: dict[tuple[str, str], list[Any]] = {}
    for agent, source, tags in (*first, *second):
        key = (agent.casefold(), source.casefold())
        before = found.get(key, [agent, source, []])
        spelled = {each.casefold(): each for each in (*tags, *before[2])}
        found[key] = [*before[:2], sorted(spelled.values(), key=lambda each: (each.casefold(), each))]
    return [found[key] for key in sorted(found)]


def _said(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
