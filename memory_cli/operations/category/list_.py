"""List the categories."""

from typing import Annotated

from memory_cli.categories import files
from memory_cli.memory import Memory
from memory_cli.models.categories import CategoriesListed
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.parameter import Described
from memory_cli.store import categories
from memory_cli.store.connection import Store


def list_(
    memory: Memory,
    *,
    deleted: Annotated[bool, Described("Also those that were deleted.")] = False,
    scope: given.Scope = "",
) -> CategoriesListed:
    """List the categories with hash, version, size and writer."""
    notes: list[str] = []
    told = []
    for store in memory.stores(scope):
        for name in _names(store):
            one, note = places.look(memory, store, name)
            notes += [note] if note else []
            if one is not None and (one.there or deleted):
                told.append(places.meta(memory, store, one))
    return CategoriesListed(sorted(told, key=lambda each: (each.category, each.scope)), notes)


def _names(store: Store) -> list[str]:
    """Return the names that the record and the files know, each once."""
    known = [each.name for each in categories.everything(store, deleted=True)]
    folded = {each.casefold() for each in known}
    return [*known, *(each for each in files.named(store) if each.casefold() not in folded)]
