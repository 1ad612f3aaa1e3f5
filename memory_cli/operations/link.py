"""Link two statements."""

from dataclasses import replace
from typing import Annotated, Literal

from memory_cli.errors import NotFound, UsageError
from memory_cli.memory import Memory
from memory_cli.models.links import SUPERSEDES, Link, Linked
from memory_cli.operations import finding
from memory_cli.parameter import Described
from memory_cli.store import journal, links, statements
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal

Made = Literal["supersedes", "contradicts", "supports", "related"]


def link(
    memory: Memory,
    from_id: Annotated[str, Described("The statement that the link is from: its id, or a beginning of it.")],
    to_id: Annotated[str, Described("The statement that it is to.")],
    *,
    type: Annotated[Made, Described("What the first is to the second.")] = "related",
) -> Linked:
    """Link two statements, of one memory or of both.

    With supersedes the second is marked superseded, so that a recall shows the first before it. Links of likeness and
    of shared tags come by themselves.
    """
    store, one = finding.by_id(memory, from_id)
    there, other = finding.by_id(memory, to_id)
    if (store.scope, one.number) == (there.scope, other.number):
        raise UsageError(f"Both are statement {one.id}; a link is between two.")
    made_link = Link(one.id, other.id, type, 1.0, memory.now, memory.who.agent)
    with journal.writing(store, "link", memory.who, memory.now) as made:
        if statements.by_id(store, one.id) is None:
            raise NotFound(f"Statement {one.id} was forgotten meanwhile.")
        already = links.found(store, made_link.key) is not None
        if not already:
            links.put(made, made_link)
        marked = type == SUPERSEDES and there.scope == store.scope and _mark(made, other.id)
    if type == SUPERSEDES and there.scope != store.scope:
        marked = _mark_there(memory, there, other.id)
    return Linked(one.id, other.id, type, store.scope, already_linked=already, superseded=marked)


def _mark_there(memory: Memory, store: Store, id: str) -> bool:
    with journal.writing(store, "link", memory.who, memory.now) as made:
        return _mark(made, id)


def _mark(made: Journal, id: str) -> bool:
    """Mark a statement as superseded; tell whether it was not."""
    found = statements.by_id(made.store, id)
    if found is None or found.superseded:
        return False
    journal.change(made, found, replace(found, superseded=True, updated_at=made.at))
    return True
