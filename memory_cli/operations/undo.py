"""Take a change back."""

import re
from dataclasses import replace
from typing import Annotated

from memory_cli.errors import NotFound, Refused
from memory_cli.memory import Memory
from memory_cli.models.history import Change
from memory_cli.models.results import Undone
from memory_cli.operations import finding
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.parameter import Described
from memory_cli.store import categories, history, journal
from memory_cli.store.connection import Store
from memory_cli.store.families import STATEMENT

NUMBER = re.compile(r"(?:(?:local|global):)?[0-9]{1,18}")


def undo(
    memory: Memory,
    change: Annotated[
        str,
        Described("A number that history shows, such as local:12, or the id of a statement; the newest by default."),
    ] = "",
    *,
    scope: given.Scope = "",
) -> Undone:
    """Take a change back: whatever it added, changed or removed is as before.

    An undo is a change of its own and can be taken back too. It is refused when a newer change of the same
    statement stands in the way. Without a change named, what one call did to both memories comes back in both.
    """
    if change:
        return _undone(memory, *_meant(memory, change, scope))
    first, *rest = [_undone(memory, store, number) for store, number in _newest_of(memory, scope)]
    ids = [id for each in (first, *rest) for id in each.ids]
    return replace(first, ids=ids, also=[each.undone for each in rest])


def _undone(memory: Memory, store: Store, number: int) -> Undone:
    with journal.writing(store, "undo", memory.who, memory.now, undoes=number) as made:
        target = history.change(store, number)
        if target is None:
            raise NotFound(f"There is no change {store.scope}:{number}; the history shows them.")
        for item in history.items(store, number):
            if item.family == categories.FAMILY:
                places.require(memory, item.statement)
        history.undo(made, target)
    for name in {each.statement for each in made.items if each.family == categories.FAMILY}:
        # Its file follows at once, and not only when somebody reads it.
        places.look(memory, store, name)
    ids = list(dict.fromkeys(each.statement for each in made.items))
    return Undone(f"{store.scope}:{number}", target.operation, f"{store.scope}:{made.number}", ids)


def _meant(memory: Memory, change: str, scope: str) -> tuple[Store, int]:
    named, _, digits = change.rpartition(":")
    if NUMBER.fullmatch(change):
        return _numbered(memory, change, named or scope, int(digits))
    return _of_statement(memory, change, scope)


def _newest_of(memory: Memory, scope: str) -> list[tuple[Store, int]]:
    """Return the newest change that there is to take back, and what the same call did to the other memory."""
    found = [(store, target) for store in memory.stores(scope) if (target := _newest(store))]
    if not found:
        raise NotFound("There is no change to take back.")
    _store, newest = max(found, key=lambda each: each[1].at)
    # One call has one time, to the microsecond.
    call = (newest.at, newest.operation, newest.agent)
    return [(store, each.number) for store, each in found if (each.at, each.operation, each.agent) == call]


def _numbered(memory: Memory, change: str, scope: str, number: int) -> tuple[Store, int]:
    stores = memory.stores(scope)
    if ":" not in change and any(history.knows(store, change) for store in stores):
        raise Refused(f"{change} is also the id of a statement; say local:{change} or global:{change} for a change.")
    if len(stores) > 1:
        raise Refused(f"Both memories have changes; say local:{number} or global:{number}.")
    if not stores:
        raise NotFound(f"There is no change {change}; the history shows them.")
    return stores[0], number


def _of_statement(memory: Memory, id: str, scope: str) -> tuple[Store, int]:
    """Return the newest change that there is to take back of the statement with this id, forgotten or not."""
    known = [(store, id) for store in memory.stores(scope) if history.knows(store, id)]
    if len(known) > 1:
        raise Refused(f"Both memories know a statement {id}; name its scope.")
    store, whole = known[0] if known else _there(memory, id, scope)
    number = history.newest(store, statement=whole)
    target = None if number is None else history.change(store, number)
    if target is None:
        raise NotFound(f"There is no change of statement {whole} to take back.")
    if (touched := history.count_items(store, target.number, STATEMENT)) > 1:
        told = f"{store.scope}:{target.number}"
        raise Refused(
            f"The newest change of {whole} is {told}, which touched {touched} statements; "
            f"`memory undo {told}` takes all of it back."
        )
    return store, target.number


def _there(memory: Memory, id: str, scope: str) -> tuple[Store, str]:
    store, found = finding.by_id(memory, id, scope)
    return store, found.id


def _newest(store: Store) -> Change | None:
    number = history.newest(store)
    return None if number is None else history.change(store, number)
