"""Two versions of a category, line by line."""

from difflib import unified_diff
from typing import Annotated

from memory_cli.memory import Memory
from memory_cli.models.categories import CategoryDifference
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.operations.category.places import Name
from memory_cli.parameter import Described


def diff(
    memory: Memory,
    category: Name,
    old: Annotated[int, Described("The earlier version; 0: the one before the newest.", at_least=0)] = 0,
    new: Annotated[int, Described("The later version; 0: the newest.", at_least=0)] = 0,
    *,
    scope: given.Scope = "",
) -> CategoryDifference:
    """Show what differs between two versions of a category, line by line."""
    store, one, _note = places.found(memory, category, scope, deleted=True)
    later = new or one.version
    earlier = old or max(later - 1, 1)
    with store.snapshot():
        was, is_now = (places.text(store, one, each).splitlines() for each in (earlier, later))
    lines = unified_diff(was, is_now, f"{one.name} {earlier}", f"{one.name} {later}", lineterm="")
    return CategoryDifference(one.name, store.scope, earlier, later, list(lines))
