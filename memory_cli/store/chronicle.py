"""The history of a store as a whole: read for an export, and given to a store that has none."""

import json
from collections.abc import Iterator

from memory_cli.errors import Refused
from memory_cli.models.frozen import Frozen
from memory_cli.models.history import Item
from memory_cli.store import history
from memory_cli.store.connection import Store
from memory_cli.store.families import STATEMENT
from memory_cli.store.journal import SEQUENCE


class Entry(Frozen):
    """One change as it is stored; its time in microseconds."""

    number: int
    at: int
    operation: str
    agent: str
    device: str
    device_number: int
    undoes: int | None
    items: tuple[Item, ...]


def entries(store: Store) -> Iterator[Entry]:
    """Yield every change, oldest first."""
    rows = store.db.execute("select c.*, d.name from change c join device d on d.number = c.device order by c.number")
    for row in rows:
        yield Entry(
            row["number"], row["at"], row["operation"], row["agent"], row["name"], row["device_number"], row["undoes"],
            tuple(history.items(store, row["number"])),
        )  # fmt: skip


def is_blank(store: Store) -> bool:
    """Tell whether nothing ever happened in a store."""
    query = "select exists (select 1 from change) or exists (select 1 from statement)"
    return not store.db.execute(query).fetchone()[0]


def restore(store: Store, entry: Entry) -> None:
    """Write a change as it was, with its number, in the caller's transaction; each number once, in order."""
    db = store.db
    newest = db.execute("select coalesce(max(number), 0) from change").fetchone()[0]
    if entry.number <= newest or (entry.undoes or 0) > newest:
        raise Refused(f"change {entry.number} does not follow change {newest}")
    db.execute("insert or ignore into device (name) values (?)", (entry.device,))
    device = db.execute("select number from device where name = ?", (entry.device,)).fetchone()["number"]
    db.execute(
        """
        insert into change (number, at, operation, agent, device, device_number, undoes)
        values (?, ?, ?, ?, ?, ?, ?)
        """,
        (entry.number, entry.at, entry.operation, entry.agent, device, entry.device_number, entry.undoes),
    )
    db.executemany(
        "insert into change_item (change, position, statement, effect, before, family) values (?, ?, ?, ?, ?, ?)",
        [
            (
                entry.number,
                place,
                item.statement,
                item.effect,
                item.before and json.dumps(item.before, ensure_ascii=False),
                item.family,
            )
            for place, item in enumerate(entry.items)
        ],
    )
    count_from(store, f"changes of device {device}", entry.device_number)
    count_from(store, SEQUENCE, *map(_sequence, entry.items))


def _sequence(item: Item) -> int:
    return item.before.get("sequence", 0) if item.before and item.family == STATEMENT else 0


def has_place(store: Store, sequence: int) -> bool:
    """Tell whether a statement has this place in the order already."""
    return store.db.execute("select 1 from statement where sequence = ?", (sequence,)).fetchone() is not None


def count_from(store: Store, counter: str, *numbers: int) -> None:
    """Let a counter go on above these numbers, in the caller's transaction."""
    store.db.execute(
        """
        insert into counter (name, value) values (?, ?)
        on conflict (name) do update set value = max(value, excluded.value)
        """,
        (counter, max(numbers, default=0)),
    )
