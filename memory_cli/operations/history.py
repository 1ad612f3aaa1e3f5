"""What was changed, by whom."""

from collections.abc import Sequence
from typing import Annotated, Any

from memory_cli.memory import Memory
from memory_cli.models.history import Change, Item
from memory_cli.models.results import ChangeShown, Difference, History
from memory_cli.operations import finding, shown
from memory_cli.operations import parameters as given
from memory_cli.parameter import Described
from memory_cli.store import history as changes
from memory_cli.store.connection import Store
from memory_cli.store.families import FAMILIES, Family, State
from memory_cli.store.history import Selection
from memory_cli.store.moments import loaded

EXCERPT = 300
USUAL = 20


def history(
    memory: Memory,
    id: Annotated[str, Described("Only the changes of this statement, which may be forgotten by now.")] = "",
    *,
    scope: given.Scope = "",
    agent: Annotated[Sequence[str], Described("Only what these agents changed.")] = (),
    since: Annotated[str, Described("Only changes from this time on: 7d, yesterday, 2026-10, ISO 8601.")] = "",
    until: Annotated[str, Described("Only changes up to this time; a day or month is included whole.")] = "",
    limit: given.Limit = USUAL,
    offset: given.Offset = 0,
    budget: given.Budget = -1,
) -> History:
    """Show what was changed, when and by whom, newest first.

    Each change has a number, such as local:12, that undo takes.
    """
    asked = given.filters(memory, agent=agent, since=since, until=until)
    selected = Selection(_statement(memory, id, scope), asked.agents, asked.since, asked.until)
    total, found = 0, list[tuple[Change, ChangeShown]]()
    for store in memory.stores(scope):
        with store.snapshot():
            total += changes.count(store, selected)
            found += [
                (each, change_shown(memory, store, each))
                for each in changes.changes(store, selected, limit=limit + offset)
            ]
    # Shown to the second, which would leave changes of both stores in one second in no order.
    found.sort(key=lambda each: each[0].at, reverse=True)
    room = shown.room(memory, budget, limit / USUAL)
    page = shown.leading([each for _change, each in found[offset : offset + limit]], room)
    reached = offset + len(page)
    return History(page, total, truncated=reached < total, next=reached if reached < total else 0)


def change_shown(memory: Memory, store: Store, change: Change) -> ChangeShown:
    """Return a change as an answer shows it."""
    return ChangeShown(
        change=f"{store.scope}:{change.number}",
        at=shown.moment(change.at),
        operation=change.operation,
        agent=change.agent,
        device=change.device,
        count=change.count,
        items=[_difference(store, change, item) for item in change.items],
        undoes=f"{store.scope}:{change.undoes}" if change.undoes else "",
        undone_by=f"{store.scope}:{change.undone_by}" if change.undone_by else "",
        foreign=memory.is_foreign(store.scope),
    )


def _statement(memory: Memory, id: str, scope: str) -> str:
    """Return the whole id that id means; a forgotten one must be given whole."""
    if not id or any(changes.knows(store, id) for store in memory.stores(scope)):
        return id
    _store, found = finding.by_id(memory, id, scope)
    return found.id


def _difference(store: Store, change: Change, item: Item) -> Difference:
    family = FAMILIES[item.family]
    before, after = changes.before_and_after(store, item, change.number)
    names: Sequence[str] = family.told
    if before and after:
        names = [each for each in {**before, **after} if before.get(each) != after.get(each)]
    names = [each for each in names if each not in family.quiet]
    was, is_now = (_fields(family, state or {}, names) for state in (before, after))
    return Difference(item.statement, item.effect, was, is_now, item.family)


def _fields(family: Family, state: State, names: Sequence[str]) -> dict[str, Any]:
    return {name: _readable(state[name], moment=name in family.moments) for name in names if name in state}


def _readable(value: Any, *, moment: bool) -> Any:
    if moment and value is not None:
        return shown.moment(loaded(value))
    return shown.excerpt(value, EXCERPT) if isinstance(value, str) else value
