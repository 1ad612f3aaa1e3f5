"""What a statement is linked to."""

from typing import Annotated, Literal

from memory_cli.memory import Memory
from memory_cli.models.links import SIMILAR, TAG, Link, Links
from memory_cli.operations import edges, finding
from memory_cli.operations import parameters as given
from memory_cli.parameter import Described

Type = Literal["", "similar", "tag", "supersedes", "contradicts", "supports", "related"]
USUAL = 40


def links(
    memory: Memory,
    id: Annotated[str, Described("The id, or an unambiguous beginning of it.")],
    *,
    type: Annotated[Type, Described("Only links of this type.")] = "",
    scope: given.Scope = "",
    limit: given.Limit = USUAL,
) -> Links:
    """Show what a statement is linked to, in either direction.

    First what somebody linked, then the most similar statements, then those that share a tag.
    """
    store, one = finding.by_id(memory, id, scope)
    with store.snapshot():
        derived = edges.derived(memory, store, one) if type in ("", SIMILAR, TAG) else []
    found: list[Link] = [each for each in (*edges.made(memory, [one.id]), *derived) if type in ("", each.type)]
    page = found[:limit]
    there = edges.ends(memory, {end for each in page for end in (each.from_id, each.to_id)} - {one.id}, store)
    told = [edges.link_shown(memory, each, one.id, there) for each in page]
    return Links(one.id, store.scope, told, truncated=len(found) > limit)
