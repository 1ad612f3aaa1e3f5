"""Settle a conflict."""

from typing import Annotated, Literal

from memory_cli.categories import changing
from memory_cli.errors import NotFound, Refused
from memory_cli.memory import GLOBAL, Memory
from memory_cli.models.sync import Resolved
from memory_cli.operations.category import places
from memory_cli.operations.sync.sides import Scope
from memory_cli.parameter import Described
from memory_cli.store import categories, journal, sync
from memory_cli.store.sync import Lost
from memory_cli.sync import putting
from memory_cli.sync.contents import hash_of

LOST = "lost"
Keep = Annotated[
    Literal["kept", "lost"], Described("kept leaves what there is; lost brings back what lost in its place.")
]


def resolve(
    memory: Memory,
    number: Annotated[int, Described("The number that `sync conflicts` shows.", at_least=1)],
    *,
    keep: Keep = "kept",
    scope: Scope = "",
) -> Resolved:
    """Settle a conflict by choosing which of the two states holds.

    The choice goes to the other devices with the next sync, and an undo takes it back.
    """
    store = memory.store(scope or GLOBAL)
    found = next(iter(sync.conflicts(store, number=number)), None)
    if found is None or found.resolved:
        numbers = ", ".join(str(each.number) for each in sync.conflicts(store)) or "none"
        raise NotFound(f"There is no conflict {number} left to settle; there is {numbers}.")
    if found.family == categories.FAMILY:
        places.require(memory, found.key)
    with journal.writing(store, "resolve", memory.who, memory.now) as made:
        changed = keep == LOST and _bring_back(made, found)
        sync.resolve(store, number, keep)
    if changed and found.family == categories.FAMILY:
        changing.look(store, memory.who, memory.now, found.key)
    return Resolved(number, found.family, found.key, keep, changed)


def _bring_back(made: journal.Journal, found: Lost) -> bool:
    content = None if found.lost.get("deleted") is True else found.lost
    try:
        putting.check_place(made, found.family, found.key, content)
    except Refused as error:
        raise Refused(f"{found.family} {found.key} cannot be so: {error}.") from error
    putting.put(made, found.family, found.key, content, {})
    return bool(made.items) and hash_of(content) != found.kept
