"""The rows of sync: what is known of each thing, which device this store is, and what lost in conflicts."""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from memory_cli.models.frozen import Frozen
from memory_cli.models.sync import Row, Vector
from memory_cli.store.connection import Store
from memory_cli.store.moments import loaded, stored

# Up to which change of the history the rows tell, and how many writes of this device they have counted.
SETTLED, CLOCK = "sync settled", "sync clock"
# The hash of a row whose thing was purged, or cut, since.
PURGED = "?"


class Lost(Frozen):
    """What lost in a conflict, as it is kept."""

    number: int
    at: datetime
    family: str
    key: str
    device: str
    kept: str
    lost: Mapping[str, Any]
    resolved: str


def device(store: Store) -> str:
    """Return the id of this store among those that sync, empty before it ever did."""
    row = store.db.execute("select id from sync_device order by number desc limit 1").fetchone()
    return str(row["id"]) if row else ""


def make_device(store: Store) -> str:
    """Give the store a new id, in the caller's transaction; entries that it made stay those of its earlier one."""
    before = device(store)
    if before:
        store.db.execute(
            """
            insert or ignore into sync_entry (category, number, device, device_number)
            select distinct category, number, ?, number from category_entry
            """,
            (before,),
        )
        store.db.execute(
            """
            insert into sync_seen (category, device, number) select name, :before, last_entry from category
            where kind = 'log' on conflict (category, device) do update set number = max(number, excluded.number)
            """,
            {"before": before},
        )
    made = os.urandom(8).hex()
    store.db.execute("insert into sync_device (id) values (?)", (made,))
    return made


def bucket_of(family: str, key: str) -> str:
    """Return the bucket that a thing is told in."""
    return sha256(f"{family} {key}".encode()).hexdigest()[:2]


def row(store: Store, family: str, key: str) -> Row | None:
    """Return what is known of one thing."""
    found = store.db.execute("select * from sync_item where family = ? and key = ?", (family, key)).fetchone()
    return _row(found) if found else None


def rows(store: Store, buckets: Sequence[str] = ()) -> list[Row]:
    """Return what is known, of some buckets or of all, in order."""
    where = f"where bucket in ({', '.join('?' * len(buckets))})" if buckets else ""
    query = f"select * from sync_item {where} order by family, key"
    return [_row(each) for each in store.db.execute(query, tuple(buckets))]


def put(store: Store, one: Row) -> None:
    """Write what is known of a thing, in the caller's transaction."""
    store.db.execute(
        "insert or replace into sync_item (family, key, bucket, hash, vector) values (?, ?, ?, ?, ?)",
        (one.family, one.key, bucket_of(*one.name), one.hash, json.dumps(dict(one.vector), sort_keys=True)),
    )


def purged(store: Store, ids: Sequence[str], texts: Iterable[str]) -> None:
    """Note that statements are not as they were, of which the history tells nothing any more; keep nothing that lost.

    Their rows get a hash that no content has, so that the next settling finds them: as deleted, or as they are then.
    """
    for id in ids:
        store.db.execute(
            """
            update sync_item set hash = :mark
            where hash <> '' and (family = 'statement' and key = :id or family = 'link' and
            (substr(key, 1, length(:id) + 1) = :id || ' ' or substr(key, -length(:id) - 1) = ' ' || :id))
            """,
            {"id": id, "mark": PURGED},
        )
        store.db.execute("delete from sync_conflict where family = 'statement' and key = ?", (id,))
    # The same words may have lost under the id of another.
    store.db.executemany(
        "delete from sync_conflict where json_extract(lost, '$.text') = ?", [(each,) for each in texts]
    )
    store.db.execute("update counter set value = value - 1 where name = ?", (SETTLED,))


def tick(store: Store, known: Vector) -> int:
    """Count one more write of this device, above what others say that they know of it."""
    # A file that somebody put back knows of less than was told already, and what comes from elsewhere may be a lie.
    number = max(counted(store, CLOCK), known.get(device(store), 0)) + 1
    store.db.execute("insert or replace into counter (name, value) values (?, ?)", (CLOCK, number))
    return number


def counted(store: Store, name: str) -> int:
    """Return a counter, 0 before it was ever set."""
    found = store.db.execute("select value from counter where name = ?", (name,)).fetchone()
    return int(found[0]) if found else 0


def settled(store: Store, change: int) -> None:
    """Note up to which change the rows tell, in the caller's transaction."""
    store.db.execute("insert or replace into counter (name, value) values (?, ?)", (SETTLED, change))


def newest_change(store: Store) -> int:
    """Return the number of the newest change."""
    return int(store.db.execute("select coalesce(max(number), 0) from change").fetchone()[0])


def next_change(store: Store) -> int:
    """Return the number that the next change will have."""
    row = store.db.execute("select seq from sqlite_sequence where name = 'change'").fetchone()
    return int(row[0]) + 1 if row else 1


def touched(store: Store, families: Sequence[str]) -> list[tuple[str, str]]:
    """Return the things that changes since the last settling touched."""
    marks = ", ".join("?" * len(families))
    query = f"""
        select family, statement from change_item where change > ? and family in ({marks})
        union select family, key from sync_item where hash = ?
        """
    found = store.db.execute(query, (counted(store, SETTLED), *families, PURGED))
    return [(each["family"], each["statement"]) for each in found]


def steps(store: Store, id: str, limit: int) -> list[tuple[str, Mapping[str, Any] | None]]:
    """Return what the newest changes did to a statement and what was there before each, newest first."""
    found = store.db.execute(
        """
        select effect, before from change_item where statement = ? and family = 'statement'
        order by change desc, position desc limit ?
        """,
        (id, limit),
    )
    return [(each["effect"], json.loads(each["before"]) if each["before"] else None) for each in found]


def ids(store: Store) -> Iterator[str]:
    """Yield the id of every statement."""
    yield from (each["id"] for each in store.db.execute("select id from statement order by number").fetchall())


def link_keys(store: Store) -> list[str]:
    """Return the key of every link that somebody made."""
    found = store.db.execute("select from_id || ' ' || type || ' ' || to_id as key from link")
    return [each["key"] for each in found]


def makers(store: Store, category: str) -> dict[int, tuple[str, int]]:
    """Return by number the device and its own number of the entries of a log that others made."""
    found = store.db.execute("select * from sync_entry where category = ?", (category,))
    return {each["number"]: (each["device"], each["device_number"]) for each in found}


def put_makers(store: Store, category: str, made: Mapping[int, tuple[str, int]]) -> None:
    """Note which device made the entries with these numbers, in the caller's transaction."""
    store.db.executemany(
        "insert or replace into sync_entry (category, number, device, device_number) values (?, ?, ?, ?)",
        [(category, number, device, own) for number, (device, own) in made.items()],
    )


def seen(store: Store, category: str) -> dict[str, int]:
    """Return by device up to which number the entries of a log that it made were seen."""
    found = store.db.execute("select device, number from sync_seen where category = ?", (category,))
    return {each["device"]: each["number"] for each in found}


def put_seen(store: Store, category: str, numbers: Mapping[str, int]) -> None:
    """Note up to which number the entries of a log were seen, in the caller's transaction."""
    store.db.executemany(
        """
        insert into sync_seen (category, device, number) values (?, ?, ?)
        on conflict (category, device) do update set number = max(number, excluded.number)
        """,
        [(category, device, number) for device, number in numbers.items()],
    )


def keep_lost(store: Store, at: datetime, one: Row, device: str, lost: Mapping[str, Any]) -> None:
    """Keep what lost in a conflict, in the caller's transaction; the same once."""
    said = json.dumps(lost, ensure_ascii=False, sort_keys=True)
    query = "select 1 from sync_conflict where family = ? and key = ? and lost = ?"
    if store.db.execute(query, (*one.name, said)).fetchone():
        return
    store.db.execute(
        "insert into sync_conflict (at, family, key, device, kept, lost) values (?, ?, ?, ?, ?, ?)",
        (stored(at), one.family, one.key, device, one.hash, said),
    )


def conflicts(store: Store, *, number: int = 0, resolved: bool = False) -> list[Lost]:
    """Return what lost in conflicts, newest first; by default what nobody settled."""
    where = "number = :number" if number else ("1" if resolved else "resolved = ''")
    query = f"select * from sync_conflict where {where} order by number desc"
    return [
        Lost(each["number"], loaded(each["at"]), each["family"], each["key"], each["device"], each["kept"],
             json.loads(each["lost"]), each["resolved"])
        for each in store.db.execute(query, {"number": number})
    ]  # fmt: skip


def count_conflicts(store: Store) -> int:
    """Count the conflicts that nobody settled."""
    return int(store.db.execute("select count(*) from sync_conflict where resolved = ''").fetchone()[0])


def resolve(store: Store, number: int, chosen: str) -> None:
    """Note how a conflict was settled, in the caller's transaction."""
    store.db.execute("update sync_conflict set resolved = ? where number = ?", (chosen, number))


def note_peer(store: Store, name: str, at: datetime, device: str, root: str) -> None:
    """Note that a remote was synced with, in the caller's transaction."""
    values = (name, stored(at), device, root)
    store.db.execute("insert or replace into sync_peer (name, at, device, root) values (?, ?, ?, ?)", values)


def last_met(store: Store) -> datetime | None:
    """Return when a remote or a folder was last synced with."""
    at = store.db.execute("select max(at) from sync_peer").fetchone()[0]
    return None if at is None else loaded(at)


def peers(store: Store) -> dict[str, tuple[datetime, str, str]]:
    """Return by name when each remote was last synced with, its device, and the root that it had then."""
    found = store.db.execute("select * from sync_peer order by name")
    return {each["name"]: (loaded(each["at"]), each["device"], each["root"]) for each in found}


def vector_of(text: str) -> Vector:
    """Return the version vector that a column holds."""
    found: dict[str, int] = json.loads(text)
    return found


def _row(found: sqlite3.Row) -> Row:
    return Row(found["family"], found["key"], found["hash"], vector_of(found["vector"]))
