"""Every write of statements: the rows, their words, their place in the queue and their history, in one transaction."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any

from memory_cli.models.frozen import replace
from memory_cli.models.history import Item, Who
from memory_cli.models.statement import Origin, Statement
from memory_cli.store import links, vectors, words
from memory_cli.store.codec import differing, packed
from memory_cli.store.connection import Store
from memory_cli.store.moments import stored
from memory_cli.store.ready import Ready, metadata_column
from memory_cli.text.identity import folded, identity, new_ids

COLUMNS = (
    "id", "identity", "folded", "sequence", "kind", "text", "at", "updated_at", "expires_at", "metadata", "superseded",
    "recalls", "last_recalled_at",
)  # fmt: skip
INSERT = f"insert into statement ({', '.join(COLUMNS)}) values ({', '.join(f':{each}' for each in COLUMNS)})"
INSERT_READY = f"insert into statement (number, {', '.join(COLUMNS)}) values ({', '.join('?' * (len(COLUMNS) + 1))})"
# The counter of the order of statements.
SEQUENCE = "sequence"
UPDATE = f"update statement set {', '.join(f'{each} = :{each}' for each in COLUMNS)} where number = :number"


@dataclass
class Journal:
    """A change that is being made: what it did so far is written to the history when its transaction ends."""

    store: Store
    operation: str
    who: Who
    at: datetime
    undoes: int | None = None
    number: int = 0
    items: list[Item] = field(default_factory=list)
    sequence: int = 0


@contextmanager
def writing(
    store: Store, operation: str, who: Who, at: datetime, *, undoes: int | None = None, continues: int = 0,
    deadline_ms: int | None = None,
) -> Iterator[Journal]:  # fmt: skip
    """Make one change of the store: all that the block does through the journal, or nothing.

    With `continues` what it does becomes part of that earlier change, if that is still the newest one. The deadline is
    that of the store's settings unless one is given.
    """
    journal = Journal(store, operation, who, at, undoes)
    with store.transaction(deadline_ms=deadline_ms):
        yield journal
        if journal.items:
            goes_on = continues and continues == store.db.execute("select max(number) from change").fetchone()[0]
            journal.number = continues if goes_on else _begin(journal)
            _write(journal, _next_position(journal) if goes_on else 0)
        if journal.sequence:
            store.db.execute("insert or replace into counter values (?, ?)", (SEQUENCE, journal.sequence))


def add(journal: Journal, statement: Statement) -> Statement:
    """Insert a statement and return it as stored; a sequence of 0 makes it the newest."""
    store = journal.store
    sequence = statement.sequence or next_sequence(journal)
    cursor = store.db.execute(INSERT, _row(statement) | {"sequence": sequence})
    added = replace(statement, sequence=sequence, number=int(cursor.lastrowid or 0), scope=store.scope)
    _add_origins(store, added)
    if added.aliases:
        _put_aliases(store, added)
    words.add(store, added.number, added.text, added.agents)
    vectors.want(store, added.number)
    journal.items.append(Item(added.id, "add", None))
    return added


def add_all(journal: Journal, new: Sequence[Ready]) -> None:
    """Insert statements as the newest, in this order; no other has their words or their ids. Who has none gets one."""
    if not new:
        return
    db, made = journal.store.db, iter(new_ids(sum(not each.id for each in new)))
    ids = [each.id or next(made) for each in new]
    grown = db.execute("select seq from sqlite_sequence where name = 'statement'").fetchone()
    first = int(grown[0]) + 1 if grown else 1
    sequence = next_sequence(journal)
    journal.sequence += len(new) - 1
    # From the kind on a Ready holds what the columns do, in their order.
    db.executemany(
        INSERT_READY,
        [
            (number, id, each.identity, each.folded, place, *each[3:12])
            for number, place, id, each in zip(count(first), count(sequence), ids, new, strict=False)
        ],
    )
    _add_all_origins(journal.store, new, first)
    words.add_all(journal.store, [(number, each.words, each.agents) for number, each in enumerate(new, first)])
    vectors.want(journal.store, *range(first, first + len(new)))
    journal.items += [Item(each, "add", None) for each in ids]


def change(journal: Journal, before: Statement, after: Statement) -> Statement:
    """Make the statement before into after, which keeps its id; where nothing differs nothing is written."""
    names = differing(before, after)
    if not names:
        return before
    store = journal.store
    store.db.execute(UPDATE, _row(after) | {"number": before.number})
    if "origins" in names:
        put_origins(store, after)
    if "aliases" in names:
        store.db.execute("delete from alias where statement = ?", (before.number,))
        _put_aliases(store, after)
    if "text" in names or before.agents != after.agents:
        words.put(store, before.number, after.text, after.agents)
    if "text" in names:
        vectors.enqueue(store, before.number)
        links.drop_likenesses(store, before.number)
    journal.items.append(Item(before.id, "change", packed(before, names)))
    return after


def remove(journal: Journal, statement: Statement) -> None:
    """Delete a statement with its words, vectors and links; the history keeps all that it takes to bring it back."""
    links.remove(journal, links.touching(journal.store, [statement.id]))
    words.drop(journal.store, statement.number)
    journal.store.db.execute("delete from statement where number = ?", (statement.number,))
    journal.items.append(Item(statement.id, "remove", packed(statement)))


def put_origins(store: Store, statement: Statement) -> None:
    """Write where a statement came from, in place of what was written before."""
    store.db.execute("delete from origin where statement = ?", (statement.number,))
    _add_origins(store, statement)


def next_sequence(journal: Journal) -> int:
    """Return the next place in the order of statements; it is counted in the store when the change ends."""
    if not journal.sequence:
        row = journal.store.db.execute("select value from counter where name = ?", (SEQUENCE,)).fetchone()
        journal.sequence = int(row["value"]) if row else 0
    journal.sequence += 1
    return journal.sequence


def _add_origins(store: Store, statement: Statement) -> None:
    for origin in statement.origins:
        cursor = store.db.execute(
            "insert into origin (statement, agent, source) values (?, ?, ?)",
            (statement.number, origin.agent, origin.source),
        )
        if origin.tags:
            _put_tags(store, int(cursor.lastrowid or 0), origin)


def _add_all_origins(store: Store, new: Sequence[Ready], first: int) -> None:
    highest = store.db.execute("select max(number) from origin").fetchone()[0] or 0
    of_all = ((number, origin) for number, each in enumerate(new, first) for origin in each.origins)
    rows, tags = [], []
    for place, (number, origin) in enumerate(of_all, highest + 1):
        rows.append((place, number, origin.agent, origin.source))
        if origin.tags:
            tags += [(place, tag) for tag in origin.tags]
    store.db.executemany("insert into origin (number, statement, agent, source) values (?, ?, ?, ?)", rows)
    store.db.executemany("insert into origin_tag (origin, tag) values (?, ?)", tags)
    store.db.executemany(
        "insert into alias (id, statement) values (?, ?)",
        [(alias, number) for number, each in enumerate(new, first) for alias in each.aliases],
    )


def next_number(store: Store, counter: str) -> int:
    """Count one on and return the number, which is never given again."""
    store.db.execute(
        "insert into counter (name, value) values (?, 1) on conflict (name) do update set value = value + 1", (counter,)
    )
    return int(store.db.execute("select value from counter where name = ?", (counter,)).fetchone()[0])


def _row(statement: Statement) -> dict[str, Any]:
    expires, recalled = statement.expires_at, statement.last_recalled_at
    return {
        "id": statement.id,
        "identity": identity(statement.kind, statement.text),
        "folded": folded(statement.text),
        "sequence": statement.sequence,
        "kind": statement.kind,
        "text": statement.text,
        "at": stored(statement.at),
        "updated_at": stored(statement.updated_at),
        "expires_at": None if expires is None else stored(expires),
        "metadata": metadata_column(statement.metadata),
        "superseded": int(statement.superseded),
        "recalls": statement.recalls,
        "last_recalled_at": None if recalled is None else stored(recalled),
    }


def _put_tags(store: Store, number: int, origin: Origin) -> None:
    store.db.executemany("insert into origin_tag (origin, tag) values (?, ?)", [(number, tag) for tag in origin.tags])


def _put_aliases(store: Store, statement: Statement) -> None:
    store.db.executemany(
        "insert into alias (id, statement) values (?, ?)", [(each, statement.number) for each in statement.aliases]
    )


def _begin(journal: Journal) -> int:
    db = journal.store.db
    device = _device(journal)
    cursor = db.execute(
        """
        insert into change (at, operation, agent, device, device_number, undoes)
        values (:at, :operation, :agent, :device, :device_number, :undoes)
        """,
        {
            "at": stored(journal.at),
            "operation": journal.operation,
            "agent": journal.who.agent,
            "device": device,
            "device_number": next_number(journal.store, f"changes of device {device}"),
            "undoes": journal.undoes,
        },
    )
    return int(cursor.lastrowid or 0)


def _device(journal: Journal) -> int:
    db, name = journal.store.db, (journal.who.device,)
    known = db.execute("select number from device where name = ?", name).fetchone()
    return int(known[0] if known else db.execute("insert into device (name) values (?)", name).lastrowid or 0)


def _next_position(journal: Journal) -> int:
    query = "select coalesce(max(position), -1) + 1 from change_item where change = ?"
    return int(journal.store.db.execute(query, (journal.number,)).fetchone()[0])


def _write(journal: Journal, first: int) -> None:
    journal.store.db.executemany(
        "insert into change_item (change, position, statement, effect, before, family) values (?, ?, ?, ?, ?, ?)",
        [
            (journal.number, position, item.statement, item.effect, _json(item.before), item.family)
            for position, item in enumerate(journal.items, first)
        ],
    )


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
