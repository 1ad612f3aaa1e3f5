"""Delete a category."""

from memory_cli.categories.canonical import missing
from memory_cli.memory import Memory
from memory_cli.models.categories import Category, CategoryWritten
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.operations.category.places import Expected, Name, Reason
from memory_cli.store import categories
from memory_cli.store.journal import Journal


def delete(
    memory: Memory, category: Name, *, expected_hash: Expected = "", reason: Reason = "", scope: given.Scope = ""
) -> CategoryWritten:
    """Delete a category.

    Every version of it stays, and restore brings any back.
    """
    places.require(memory, category)
    store, one, _note = places.found(memory, category, scope)
    why = memory.redacted(reason).text
    seen: list[Category] = []

    def work(made: Journal, before: Category | None) -> Category | None:
        if before is None or not before.there:
            raise missing(category, places.names(memory, scope))
        places.check_expected(store, before, expected_hash, str)
        seen.append(before)
        return categories.delete(made, before, reason=why)

    after = places.change(memory, store, "delete", one.name, work)
    return places.written(store, seen[0], after)
