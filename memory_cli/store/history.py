"""The history: reading the changes of a store, and taking one back."""

import json
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memory_cli.errors import Refused
from memory_cli.models.frozen import Frozen
from memory_cli.models.history import Change, Item
from memory_cli.store.connection import Store
from memory_cli.store.families import FAMILIES, STATEMENT, State
from memory_cli.store.journal import Journal
from memory_cli.store.moments import loaded, stored

SHOWN_ITEMS = 5
COLUMNS = "statement, effect, before, family"


class Selection(Frozen):
    """Which changes are meant: those of one thing of a family, by any of some agents, within a half-open time."""

    statement: str = ""
    agents: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    family: str = STATEMENT


EVERY = Selection()


def changes(store: Store, selected: Selection = EVERY, *, limit: int, offset: int = 0) -> list[Change]:
    """Return the changes that are meant, newest first."""
    where, parameters = _selecting(selected)
    rows = store.db.execute(
        f"""
        select c.*, d.name as device_name from change c join device d on d.number = c.device
        where {where} order by c.number desc limit :limit offset :offset
        """,
        parameters | {"limit": limit, "offset": offset},
    ).fetchall()
    return [_change(store, row, selected) for row in rows]


def count(store: Store, selected: Selection = EVERY) -> int:
    """Return how many changes are meant."""
    where, parameters = _selecting(selected)
    return int(store.db.execute(f"select count(*) from change c where {where}", parameters).fetchone()[0])


def knows(store: Store, statement: str, family: str = STATEMENT) -> bool:
    """Tell whether a thing of a family with exactly this id was ever changed, although it may be gone."""
    query = "select 1 from change_item where statement = ? and family = ? limit 1"
    return store.db.execute(query, (statement, family)).fetchone() is not None


def change(store: Store, number: int) -> Change | None:
    """Return one change."""
    row = store.db.execute(
        "select c.*, d.name as device_name from change c join device d on d.number = c.device where c.number = ?",
        (number,),
    ).fetchone()
    return _change(store, row, EVERY) if row else None


def newest(store: Store, *, statement: str = "", family: str = STATEMENT) -> int | None:
    """Return the number of the newest change, of one thing or at all, that there is to take back.

    That is one which was not taken back, is not itself an undo, and did something that was not purged.
    """
    rows = store.db.execute(
        """
        select c.number from change c where c.undoes is null and exists (
            select 1 from change_item i where i.change = c.number
            and (:statement = '' or i.statement = :statement and i.family = :family)
        ) order by c.number desc
        """,
        {"statement": statement, "family": family},
    )
    return next((row["number"] for row in rows if undone_by(store, row["number"]) is None), None)


def undone_by(store: Store, number: int) -> int | None:
    """Return the change that took this one back, unless that was taken back in turn."""
    # A change is taken back again only after its last undo was, so the last one of each tells.
    query = "select max(number) from change where undoes = ?"
    chain = [number]
    while (later := store.db.execute(query, (chain[-1],)).fetchone()[0]) is not None:
        chain.append(int(later))
    return chain[1] if len(chain) % 2 == 0 else None


def items(store: Store, number: int, *, limit: int = -1) -> Iterator[Item]:
    """Yield what a change did, in order; with a limit only so much of it."""
    query = f"select {COLUMNS} from change_item where change = ? order by position limit ?"
    return map(_item, store.db.execute(query, (number, limit)).fetchall())


def count_items(store: Store, number: int, family: str) -> int:
    """Return how many things of a family a change touched."""
    query = "select count(*) from change_item where change = ? and family = ?"
    return int(store.db.execute(query, (number, family)).fetchone()[0])


def undo(made: Journal, target: Change) -> None:
    """Give what target touched the state that it had before, as part of the change made."""
    if (by := undone_by(made.store, target.number)) is not None:
        raise Refused(f"Change {target.scope}:{target.number} was taken back already, by change {target.scope}:{by}.")
    if not target.count:
        raise Refused(f"What change {target.scope}:{target.number} did was purged; there is nothing left to take back.")
    for item in reversed(list(items(made.store, target.number))):
        family = FAMILIES[item.family]
        if (later := _in_the_way(made.store, item, target.number)) is not None:
            raise Refused(
                f"{family.noun} {item.statement} was changed again by change {target.scope}:{later}; "
                "undo that one first."
            )
        family.take_back(made, item)


def before_and_after(store: Store, item: Item, number: int) -> tuple[State | None, State | None]:
    """Return a thing by field as it was before and after the item of the change with this number."""
    after = FAMILIES[item.family].now(store, item.statement)
    query = f"""
        select {COLUMNS} from change_item where statement = ? and family = ? and change > ? order by change desc
    """
    rows = store.db.execute(query, (item.statement, item.family, number))
    for later in map(_item, rows.fetchall()):
        after = _earlier(later, after)
    return _earlier(item, after), after


def _earlier(item: Item, after: State | None) -> State | None:
    if item.effect == "add":
        return None
    return {**(after or {}), **(item.before or {})} if item.effect == "change" else item.before or {}


def _in_the_way(store: Store, item: Item, number: int) -> int | None:
    """Return the newest change after number, of what the item is of, that still stands.

    A change and its undo that are both newer cancel each other out; the undo of an older one does not.
    """
    rows = store.db.execute(
        """
        select c.number, c.undoes from change_item i join change c on c.number = i.change
        where i.statement = ? and i.family = ? and i.change > ? order by c.number desc
        """,
        (item.statement, item.family, number),
    ).fetchall()
    for row in rows:
        cancelled = row["undoes"] is not None and row["undoes"] > number
        if not cancelled and undone_by(store, row["number"]) is None:
            return int(row["number"])
    return None


def _selecting(selected: Selection) -> tuple[str, dict[str, Any]]:
    parts: list[str] = []
    parameters: dict[str, Any] = {f"agent{place}": each for place, each in enumerate(selected.agents)}
    if parameters:
        parts.append(f"c.agent collate nocase in ({', '.join(f':{each}' for each in parameters)})")
    if selected.statement:
        parts.append(
            "c.number in (select i.change from change_item i where i.statement = :statement and i.family = :family)"
        )
        parameters |= {"statement": selected.statement, "family": selected.family}
    for bound, sign, moment in (("since", ">=", selected.since), ("until", "<", selected.until)):
        if moment is not None:
            parts.append(f"c.at {sign} :{bound}")
            parameters[bound] = stored(moment)
    return " and ".join(parts) or "1", parameters


def _change(store: Store, row: sqlite3.Row, selected: Selection) -> Change:
    count = store.db.execute("select count(*) from change_item where change = ?", (row["number"],)).fetchone()[0]
    wanted = (selected.statement, selected.family)
    shown = [one for one in items(store, row["number"]) if (one.statement, one.family) == wanted] if wanted[0] else ()
    return Change(
        number=row["number"],
        scope=store.scope,
        at=loaded(row["at"]),
        operation=row["operation"],
        agent=row["agent"],
        device=row["device_name"],
        device_number=row["device_number"],
        undoes=row["undoes"],
        undone_by=undone_by(store, row["number"]),
        count=count,
        items=tuple(shown or items(store, row["number"], limit=SHOWN_ITEMS)),
    )


def _item(row: sqlite3.Row) -> Item:
    before = None if row["before"] is None else json.loads(row["before"])
    return Item(row["statement"], row["effect"], before, row["family"])
