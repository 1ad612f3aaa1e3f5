"""Bring an earlier version of a category back."""

from typing import Annotated

from memory_cli.errors import NotFound, Refused
from memory_cli.memory import Memory
from memory_cli.models.categories import LOG, Category, CategoryWritten, Version
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.operations.category.places import Expected, Name, Reason
from memory_cli.parameter import Described
from memory_cli.store import categories
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal


def restore(
    memory: Memory,
    category: Name,
    *,
    version: Annotated[int, Described("The version; 0: the newest that was no deletion.", at_least=0)] = 0,
    expected_hash: Expected = "",
    reason: Reason = "",
    scope: given.Scope = "",
) -> CategoryWritten:
    """Make an earlier version of a category the newest.

    Also of one that was deleted.
    """
    places.require(memory, category)
    store, one, _note = places.found(memory, category, scope, deleted=True)
    why = memory.redacted(reason).text
    seen: list[Category] = []

    def work(made: Journal, before: Category | None) -> Category | None:
        if before is None:
            raise NotFound(f"There was never a category {category}.")
        places.check_expected(store, before, expected_hash, str)
        seen.append(before)
        wanted = _wanted(store, before, version)
        if before.kind != LOG and wanted.hash == before.hash:
            return before
        return categories.restore(made, before, wanted, reason=why)

    after = places.change(memory, store, "restore", one.name, work)
    return places.written(store, seen[0], after)


def _wanted(store: Store, before: Category, number: int) -> Version:
    if number:
        found = categories.version(store, before.name, number)
    else:
        found = next((each for each in categories.versions(store, before.name) if each.hash), None)
    if found is None or not found.hash:
        raise NotFound(f"{before.name} has no version {number} that was no deletion; its history shows them.")
    if before.kind != LOG and categories.payload(store, found.hash) is None:
        raise Refused(f"The payload of version {found.version} of {before.name} was compacted away.")
    return found
