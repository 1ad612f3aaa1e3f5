"""Find values in categories."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated

from memory_cli.categories import leaves
from memory_cli.categories.leaves import Value
from memory_cli.embedding import ModelUnavailable
from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.categories import CategoriesFound, Category, Leaf
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.parameter import Described
from memory_cli.store import categories
from memory_cli.store.connection import Store
from memory_cli.text.times import parse_moment, parse_until

USUAL = 10
# So many values are compared by meaning: those that words find first, then the newest.
EMBEDDED = 256
LEAST = 0.3
EVEN = 0.5


def search(
    memory: Memory,
    query: Annotated[str, Described("A question or some words, as they come.")],
    *,
    category: Annotated[str, Described("Only in this category.")] = "",
    updated_after: Annotated[str, Described("Only in categories written since: 7d, yesterday, ISO 8601.")] = "",
    updated_before: Annotated[str, Described("Only in categories not written since.")] = "",
    actor: Annotated[str, Described("Only in categories that this agent wrote last.")] = "",
    hybrid: Annotated[bool, Described("By meaning, too.")] = False,
    limit: given.Limit = USUAL,
    scope: given.Scope = "",
) -> CategoriesFound:
    """Find values in categories, best first.

    Each comes with the path of keys that leads to it.
    """
    zone = memory.session.zone
    after = parse_moment(updated_after, now=memory.now, zone=zone) if updated_after else None
    before = parse_until(updated_before, now=memory.now, zone=zone) if updated_before else None
    meant = list(_meant(memory, category, scope, after, before, actor))
    return ranked(memory, query, meant, weight=EVEN if hybrid else 0.0, limit=limit)


def ranked(
    memory: Memory, query: str, meant: Sequence[tuple[Store, Category]], *, weight: float, limit: int
) -> CategoriesFound:
    """Find values in these categories; a weight from 0 to 1 says how much meaning counts against words."""
    if not query.strip():
        raise UsageError("The query is empty; ask a question or give some words.")
    found, total = _found(meant, leaves.beginnings(query) if not weight else frozenset())
    scored = leaves.scores(query, [value for _store, _one, value in found], total)
    semantic = ""
    if weight:
        scored, semantic = _with_meaning(memory, query, [value for _store, _one, value in found], scored, weight)
    order = sorted((place for place, score in enumerate(scored) if score > 0), key=lambda place: -scored[place])
    hits = [_leaf(memory, query, *found[place], scored[place]) for place in order[:limit]]
    return CategoriesFound(hits, len(meant), len(order), truncated=len(order) > limit, semantic=semantic)


def _meant(
    memory: Memory, category: str, scope: str, after: datetime | None, before: datetime | None, actor: str
) -> Iterator[tuple[Store, Category]]:
    if category:
        store, one, _note = places.found(memory, category, scope)
        yield store, one
        return
    for store, each in places.everywhere(memory, scope):
        if not (after or before or actor) or _passes(store, each, after, before, actor):
            yield store, each


def _passes(store: Store, one: Category, after: datetime | None, before: datetime | None, actor: str) -> bool:
    newest = categories.newest(store, one)
    late = (after is None or newest.at >= after) and (before is None or newest.at < before)
    return late and actor.casefold() in ("", newest.agent.casefold())


def _found(
    meant: Sequence[tuple[Store, Category]], begun: frozenset[str]
) -> tuple[list[tuple[Store, Category, Value]], int]:
    """Return the values that may answer, all where there is no telling, and about how many there are altogether."""
    found, total = [], 0
    for store, one in meant:
        text = places.text(store, one)
        # Each value has a line of its own.
        total += text.count("\n")
        if begun and not leaves.may_answer(text, begun):
            continue
        # What is stored was checked when it came in.
        for value in leaves.values(json.loads(text)):
            if not begun or leaves.may_answer(f"{value.path} {value.text}", begun):
                found.append((store, one, value))
    return found, total


def _with_meaning(
    memory: Memory, query: str, found: list[Value], scored: list[float], weight: float
) -> tuple[list[float], str]:
    """Add likeness to the scores of the values that are compared by meaning, and say why it could not be."""
    embedder, why_not = memory.embedder(hurried=True)
    if embedder is None or not found:
        return scored, why_not
    first = sorted(range(len(found)), key=lambda place: -scored[place])[:EMBEDDED]
    try:
        cosines = embedder.embed(leaves.texts(found[place] for place in first)) @ embedder.embed_query(query)
    except ModelUnavailable as error:
        return scored, str(error)
    best = max(scored) or 1.0
    joined = [2 * (1 - weight) * score / best for score in scored]
    for place, cosine in zip(first, cosines.tolist(), strict=True):
        joined[place] += 2 * weight * cosine if cosine >= LEAST else 0.0
    return joined, ""


def _leaf(memory: Memory, query: str, store: Store, one: Category, value: Value, score: float) -> Leaf:
    foreign = memory.is_foreign(store.scope)
    told = Leaf(one.name, value.path, leaves.snippet(value.text, query), store.scope, round(score, 4))
    return replace(told, foreign=foreign)
