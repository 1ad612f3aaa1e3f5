"""Take a change back."""

from typing import Annotated

from memory_cli.errors import NotFound, Refused, UsageError
from memory_cli.memory import Memory
from memory_cli.models.history import Change
from memory_cli.models.results import Undone
from memory_cli.operations import parameters as given
from memory_cli.parameter import Described
from memory_cli.store import history, journal
from memory_cli.store.connection import Store


def undo(
    memory: Memory,
    change: Annotated[
        str, Described("A number that history shows, such as local:12; the newest change by default.")
    ] = "",
    *,
    scope: given.Scope = "",
) -> Undone:
    """Take a change back: whatever it added, changed or removed is as before.

    An undo is a change of its own and can be taken back too. It is refused when a newer change of the same
    statement stands in the way.
    """
    store, number = _meant(memory, change, scope)
    with journal.writing(store, "undo", memory.who, memory.now, undoes=number) as made:
        target = history.change(store, number)
        if target is None:
            raise NotFound(f"There is no change {store.scope}:{number}; `memory history` shows them.")
        history.undo(made, target)
    ids = list(dict.fromkeys(each.statement for each in made.items))
    return Undone(f"{store.scope}:{number}", target.operation, f"{store.scope}:{made.number}", ids)


def _meant(memory: Memory, change: str, scope: str) -> tuple[Store, int]:
    named, colon, digits = change.rpartition(":")
    if (change and not digits.isdecimal()) or (colon and named not in ("local", "global")):
        raise UsageError(f"{change!r} is not the number of a change; `memory history` shows numbers such as local:12.")
    stores = memory.stores(named or scope)
    if digits:
        if len(stores) > 1:
            raise Refused(f"Both memories have changes; say local:{digits} or global:{digits}.")
        if not stores:
            raise NotFound(f"There is no change {change}; `memory history` shows them.")
        return stores[0], int(digits)
    found = [(store, target) for store in stores if (target := _newest(store))]
    if not found:
        raise NotFound("There is no change to take back.")
    store, target = max(found, key=lambda each: each[1].at)
    return store, target.number


def _newest(store: Store) -> Change | None:
    number = history.newest(store)
    return None if number is None else history.change(store, number)
