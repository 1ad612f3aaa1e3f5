"""Take links between two statements away."""

from dataclasses import replace
from typing import Annotated

from memory_cli.errors import NotFound
from memory_cli.memory import Memory
from memory_cli.models.links import SUPERSEDES, Link, Unlinked
from memory_cli.operations import edges, finding
from memory_cli.parameter import Described
from memory_cli.store import journal, links, statements


def unlink(
    memory: Memory,
    from_id: Annotated[str, Described("The statement that the link is from: its id, or a beginning of it.")],
    to_id: Annotated[str, Described("The statement that it is to.")],
    *,
    type: Annotated[str, Described("Only links of this type.")] = "",
) -> Unlinked:
    """Take away the links that somebody made from one statement to another.

    What was superseded by this link alone holds again. Links of likeness and of tags go with what they come from.
    """
    store, one = finding.by_id(memory, from_id)
    other = _other(memory, to_id)
    there = links.touching(store, [one.id])
    found = [each for each in there if (each.from_id, each.to_id) == (one.id, other) and type in ("", each.type)]
    if not found:
        back = any((each.from_id, each.to_id) == (other, one.id) for each in edges.made(memory, [one.id]))
        hint = f" There is one from {other} to {one.id}." if back else f" `memory links {one.id}` shows what there is."
        raise NotFound(f"Nobody made {f'a {type} link' if type else 'a link'} from {one.id} to {other}.{hint}")
    with journal.writing(store, "unlink", memory.who, memory.now) as made:
        links.remove(made, found)
    return Unlinked([edges.edge(each) for each in found], _current(memory, found))


def _other(memory: Memory, id: str) -> str:
    """Return the whole id of the other end, which may be gone."""
    try:
        return finding.by_id(memory, id)[1].id
    except NotFound:
        return id


def _current(memory: Memory, removed: list[Link]) -> list[str]:
    """Let what only these links superseded hold again, and return their ids."""
    held = []
    for id in (each.to_id for each in removed if each.type == SUPERSEDES):
        if any(each.type == SUPERSEDES and each.to_id == id for each in edges.made(memory, [id])):
            continue
        for store, one in edges.ends(memory, [id]).values():
            if one.superseded:
                with journal.writing(store, "unlink", memory.who, memory.now) as made:
                    now = statements.by_id(store, one.id)
                    if now is not None:
                        journal.change(made, now, replace(now, superseded=False, updated_at=memory.now))
                held.append(id)
    return held
