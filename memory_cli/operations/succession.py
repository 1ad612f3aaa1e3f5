"""What took the place of a superseded statement comes before it in an answer."""

from dataclasses import replace

from memory_cli.memory import Memory
from memory_cli.models.statement import Filters, Statement
from memory_cli.retrieval.search import Found, Hit
from memory_cli.store import links, statements, words


def successors(memory: Memory, found: Found) -> dict[str, str]:
    """Return by id what somebody linked as superseding the superseded statements among the hits."""
    old = [hit.statement.id for hit in found.hits if hit.statement.superseded]
    return {id: new for store in memory.stores() for id, new in links.successors(store, old).items()} if old else {}


def with_successors(memory: Memory, found: Found, newer: dict[str, str], wanted: Filters, limit: int) -> Found:
    """Return the hits with the successors of the superseded ones before them, where they pass the filters."""
    there = {hit.statement.id for hit in found.hits}
    hits: list[Hit] = []
    for hit in found.hits:
        id = newer.get(hit.statement.id, "")
        if id and id not in there and (new := _passing(memory, id, wanted)):
            there.add(id)
            hits.append(Hit(new, hit.score, {"succeeds": hit.score}))
        hits.append(hit)
    return replace(found, hits=hits[:limit], truncated=found.truncated or len(hits) > limit)


def _passing(memory: Memory, id: str, wanted: Filters) -> Statement | None:
    for store in memory.stores():
        one = statements.by_id(store, id)
        if one and one.number in words.passing(store, wanted, [one.number]):
            return one
    return None
