"""Read a category."""

from typing import Annotated

from memory_cli.categories.canonical import document_of, fields_of
from memory_cli.memory import Memory
from memory_cli.models.categories import LOG, CategoryRead
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.operations.category.places import Name
from memory_cli.parameter import Described
from memory_cli.store import categories


def read(
    memory: Memory,
    category: Name,
    *,
    fields: Annotated[str, Described("Only these top-level keys, comma-separated.")] = "",
    version: Annotated[int, Described("An earlier version; 0: the newest.", at_least=0)] = 0,
    scope: given.Scope = "",
) -> CategoryRead:
    """Read a category: its data, and beside it hash, version, time and writer.

    The account's memory is looked at first, then the project's.
    """
    store, one, note = places.found(memory, category, scope, deleted=bool(version))
    with store.snapshot():
        if one.kind == LOG:
            # It may have grown since: its entries and its hash are of one moment.
            one = categories.found(store, one.name) or one
        data = document_of(places.text(store, one, version), f"The category {one.name}")
        told = places.meta(memory, store, one)
    kept, missing = fields_of(data, fields)
    return CategoryRead(told, kept, missing, note)
