"""Links as answers show them, and the statements at their ends."""

from collections.abc import Iterable, Sequence

from memory_cli.memory import Memory
from memory_cli.models.links import TAG, Edge, Link, LinkShown, Node
from memory_cli.models.statement import Statement
from memory_cli.operations import shown
from memory_cli.operations.finding import Place
from memory_cli.store import links, statements
from memory_cli.store.connection import Store

EXCERPT = 160


def made(memory: Memory, ids: Sequence[str]) -> list[Link]:
    """Return the links from or to these ids that somebody made, in either memory."""
    return [link for store in memory.stores() for link in links.touching(store, ids)]


def derived(memory: Memory, store: Store, one: Statement) -> list[Link]:
    """Return the links of a statement to those that are like it and those that share a tag, of the same memory."""
    most = memory.settings.links.tag
    shared = links.sharing(store, one.number, most) if most else {}
    there = statements.numbered(store, shared)
    tagged = [
        Link(one.id, there[number].id, TAG, 1.0, there[number].at, tags=tags)
        for number, tags in shared.items()
        if number in there
    ]
    return [*links.similar(store, [one.number]), *tagged]


def edge(link: Link) -> Edge:
    """Return a link as an answer shows it."""
    at = shown.moment(link.at)
    return Edge(link.from_id, link.to_id, link.type, round(link.score, 4), at, link.agent, list(link.tags))


def ends(memory: Memory, ids: Iterable[str], first: Store | None = None) -> dict[str, Place]:
    """Return the statements with these ids, those of one store before those of the other."""
    stores = memory.stores()
    if first is not None:
        stores.sort(key=lambda each: each.scope != first.scope)
    found: dict[str, Place] = {}
    for id in ids:
        for store in stores:
            if id not in found and (one := statements.by_id(store, id)):
                found[id] = (store, one)
    return found


def link_shown(memory: Memory, link: Link, id: str, there: dict[str, Place]) -> LinkShown:
    """Return a link of the statement with this id, with its other end."""
    told = edge(link)
    other = link.to_id if link.from_id == id else link.from_id
    place = there.get(other)
    head = (told.from_id, told.to_id, told.type, told.score, told.created_at, told.agent, told.tags)
    if place is None:
        return LinkShown(*head, missing=True)
    store, one = place
    return LinkShown(*head, store.scope, shown.excerpt(one.text, EXCERPT), foreign=memory.is_foreign(store.scope))


def node(memory: Memory, place: Place) -> Node:
    """Return a statement as a node of a graph."""
    store, one = place
    return Node(
        one.id, store.scope, shown.excerpt(one.text, EXCERPT), one.kind, list(one.agents), list(one.tags),
        superseded=one.superseded, foreign=memory.is_foreign(store.scope),
    )  # fmt: skip
