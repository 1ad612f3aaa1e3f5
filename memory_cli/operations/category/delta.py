"""What changed in a category since a version."""

from typing import Annotated

from memory_cli.categories.canonical import differences, document_of
from memory_cli.memory import Memory
from memory_cli.models.categories import CategoryDelta
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.operations.category.places import Name
from memory_cli.parameter import Described
from memory_cli.store import categories


def delta(
    memory: Memory,
    category: Name,
    *,
    since_hash: Annotated[str, Described("The hash that a read told; none: everything is new.")] = "",
    scope: given.Scope = "",
) -> CategoryDelta:
    """Show the top-level keys of a category that changed since a version.

    It costs little when nothing did, so that it can be asked again and again.
    """
    store, one, _note = places.found(memory, category, scope, deleted=True)
    head = (one.name, store.scope, one.hash, one.version)
    if since_hash == one.hash:
        return CategoryDelta(*head, unchanged=True)
    with store.snapshot():
        old = categories.with_hash(store, one.name, since_hash) if since_hash else None
        before = categories.payload(store, old.hash) if old else None
        if not one.there:
            return CategoryDelta(*head, unchanged=False, known=old is not None, deleted=True)
        now = document_of(places.text(store, one), one.name)
    known = before is not None or not since_hash
    added, changed, removed = differences(document_of(before, one.name) if before else {}, now)
    return CategoryDelta(*head, unchanged=False, known=known, added=added, changed=changed, removed=removed)
