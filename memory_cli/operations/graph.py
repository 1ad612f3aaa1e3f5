"""The graph of statements and the links between them."""

from collections.abc import Sequence
from typing import Annotated

from memory_cli.memory import Memory
from memory_cli.models.frozen import replace
from memory_cli.models.links import TAG, Edge, Graph, Link, Node
from memory_cli.models.statement import Statement
from memory_cli.operations import edges, shown
from memory_cli.operations import parameters as given
from memory_cli.operations.finding import Place
from memory_cli.parameter import Described
from memory_cli.store import links, statements
from memory_cli.store.connection import Store

USUAL, MOST_NODES, MOST_EDGES = 100, 200, 500
NOTHING = "Nothing is linked yet. `memory link A B` links two statements; likeness and shared tags link by themselves."
NO_MATCH = "No statement has that in its id, its text or the name of its agent."

Key = tuple[str, int]


def graph(
    memory: Memory,
    filter: Annotated[str, Described("A part of an id, of a text or of an agent's name; all that is linked.")] = "",
    *,
    scope: given.Scope = "",
    limit: Annotated[int, Described("At most this many statements.", at_least=1, at_most=MOST_NODES)] = USUAL,
    budget: given.Budget = -1,
) -> Graph:
    """Show statements, and the links between them and their neighbours.

    At most 200 statements and 500 links, the newest first, as far as they fit into a budget of tokens.
    """
    nodes: dict[Key, Place] = {}
    more = False
    for store in memory.stores(scope):
        seeds = _seeds(store, filter, limit + 1)
        more |= len(seeds) > limit
        for number, one in _read(store, seeds[:limit]).items():
            nodes.setdefault((store.scope, number), (store, one))
    nodes = dict(list(nodes.items())[:limit])
    found = _links(memory, nodes)
    more |= _grown(memory, nodes, found, limit)
    ids = {one.id for _store, one in nodes.values()}
    kept = [each for each in found if each.from_id in ids and each.to_id in ids]
    linked = {end for each in kept for end in (each.from_id, each.to_id)}
    told = [edges.node(memory, place) for place in nodes.values() if filter or place[1].id in linked]
    drawn = [edges.edge(each) for each in kept[:MOST_EDGES]]
    room = shown.room(memory, budget, limit / USUAL)
    fitted = _within(told, drawn, room) if room else Graph(told, drawn)
    return replace(
        fitted,
        truncated=more or len(kept) > MOST_EDGES or len(fitted.nodes) < len(told),
        hint="" if told else NO_MATCH if filter else NOTHING,
    )


def _within(nodes: Sequence[Node], drawn: Sequence[Edge], room: int) -> Graph:
    """Return the first nodes that fit into so many tokens with the links between them, the first one in any case."""
    ids: set[str] = set()
    for each in nodes:
        more = [edge for edge in drawn if each.id in (edge.from_id, edge.to_id)]
        more = [edge for edge in more if {edge.from_id, edge.to_id} <= ids | {each.id}]
        room -= shown.tokens(each) + sum(map(shown.tokens, more))
        if room < 0 and ids:
            break
        ids.add(each.id)
    return Graph(
        [each for each in nodes if each.id in ids],
        [each for each in drawn if {each.from_id, each.to_id} <= ids],
    )


def _seeds(store: Store, filter: str, most: int) -> list[int]:
    """Return the row numbers of the statements to begin with, the newest first."""
    if filter:
        return links.matching(store, filter, most)
    made = [one.number for link in links.newest(store, most) for one in _ends(store, link)]
    found = [*made, *links.newest_similar(store, most), *links.newest_tagged(store, most)]
    return list(dict.fromkeys(found))[:most]


def _ends(store: Store, link: Link) -> list[Statement]:
    return [one for id in (link.from_id, link.to_id) if (one := statements.by_id(store, id))]


def _read(store: Store, numbers: list[int]) -> dict[int, Statement]:
    there = statements.numbered(store, numbers)
    return {number: there[number] for number in numbers if number in there}


def _links(memory: Memory, nodes: dict[Key, Place]) -> list[Link]:
    """Return the links of some statements, those that somebody made first, each once."""
    found = edges.made(memory, [one.id for _store, one in nodes.values()])
    for store, one in nodes.values():
        found += edges.derived(memory, store, one)
    once: dict[tuple[str, frozenset[str]], Link] = {}
    for each in found:
        once.setdefault((each.type, frozenset((each.from_id, each.to_id))), each)
    # Shared tags say least, and there are most of them.
    return sorted(once.values(), key=lambda each: each.type == TAG)


def _grown(memory: Memory, nodes: dict[Key, Place], found: list[Link], limit: int) -> bool:
    """Add the neighbours while there is room, and tell whether some found none."""
    ids = {one.id for _store, one in nodes.values()}
    wanted = dict.fromkeys(end for each in found for end in (each.from_id, each.to_id) if end not in ids)
    for store, one in edges.ends(memory, wanted).values():
        if len(nodes) >= limit:
            return True
        nodes.setdefault((store.scope, one.number), (store, one))
    return False
