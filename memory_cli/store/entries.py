"""The entries of logs: those of now and of every version."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from memory_cli.models.categories import Category, Entry
from memory_cli.store.connection import Store
from memory_cli.store.moments import loaded, stored


def of(store: Store, name: str, *, at: int = 0, limit: int = -1) -> list[Entry]:
    """Return the entries of a log, oldest first: those of now, or of a version; with a limit the newest of them."""
    where = "added <= :at and (gone is null or gone > :at)" if at else "gone is null"
    rows = store.db.execute(
        # Of what came from other devices the number says when it came, and not when it was written.
        f"select * from category_entry where category = :name and {where} order by at desc, number desc limit :limit",
        {"name": name, "at": at, "limit": limit},
    )
    return [_entry(row) for row in reversed(rows.fetchall())]


def ever(store: Store, name: str) -> list[Entry]:
    """Return every entry that a log has or had, once each."""
    rows = store.db.execute("select * from category_entry where category = ? group by number order by number", (name,))
    return list(map(_entry, rows))


def count(store: Store, name: str) -> int:
    """Count the entries of a log that are there."""
    query = "select count(*) from category_entry where category = ? and gone is null"
    return int(store.db.execute(query, (name,)).fetchone()[0])


def size(store: Store, name: str) -> int:
    """Return how many bytes the entries of a log have."""
    query = (
        "select coalesce(sum(length(cast(body as blob))), 0) from category_entry where category = ? and gone is null"
    )
    return int(store.db.execute(query, (name,)).fetchone()[0])


def insert(store: Store, name: str, entry: Entry, added: int) -> None:
    """Write an entry that is there from a version on, in the caller's transaction."""
    store.db.execute(
        """
        insert into category_entry (category, number, added, at, agent, device, device_number, body)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (name, entry.number, added, stored(entry.at), entry.agent, entry.device, entry.device_number, entry.body),
    )


def let_go(store: Store, name: str, at: int, where: str = "1") -> int:
    """Let go of the entries that a condition selects, from a version on; return how many there were."""
    query = f"update category_entry set gone = ? where category = ? and gone is null and {where}"
    return store.db.execute(query, (at, name)).rowcount


def let_go_beyond(store: Store, after: Category, now: datetime) -> int:
    """Let go of the entries beyond a log's bounds; return how many there were."""
    count = 0
    if after.max_entries:
        count += let_go(store, after.name, after.version, f"number <= {after.last_entry - after.max_entries}")
    if after.max_age_days:
        oldest = stored(now - timedelta(after.max_age_days))
        count += let_go(store, after.name, after.version, f"at < {oldest} and number < {after.last_entry}")
    return count


def drop(store: Store, name: str, before_version: int) -> tuple[int, int]:
    """Drop entries that are in no version from this one on; return how many and their bytes."""
    where = "category = ? and gone is not null and gone <= ?"
    row = store.db.execute(
        f"select count(*), coalesce(sum(length(body)), 0) from category_entry where {where}", (name, before_version)
    ).fetchone()
    store.db.execute(f"delete from category_entry where {where}", (name, before_version))
    return int(row[0]), int(row[1])


def document(found_entries: Iterable[Entry]) -> dict[str, Any]:
    """Return the entries of a log as its data."""
    from memory_cli.text.times import format_moment  # not for those who only append

    return {
        "entries": [
            {"at": format_moment(each.at), "by": each.agent, "data": json.loads(each.body), "id": each.number}
            for each in found_entries
        ]
    }


def _entry(row: sqlite3.Row) -> Entry:
    return Entry(row["number"], loaded(row["at"]), row["agent"], row["device"], row["device_number"], row["body"])
