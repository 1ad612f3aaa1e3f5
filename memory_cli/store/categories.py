"""The rows of categories: documents by name, their versions, and the entries of logs."""

import sqlite3
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from memory_cli.errors import Refused
from memory_cli.models.categories import LOG, Category, Entry, Version
from memory_cli.models.history import Item
from memory_cli.store import entries
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal
from memory_cli.store.moments import loaded, stored

FAMILY = "category"
COLUMNS = ("name", "kind", "version", "hash", "last_entry", "max_entries", "max_age_days", "file_hash")
MEND = "`memory restore` brings back a snapshot; what its file says can be written again."
# Above this a payload is packed; below it, packing saves nothing.
PACKED_FROM = 512


def hash_of(text: str) -> str:
    """Return the hash of a document's text."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def found(store: Store, name: str) -> Category | None:
    """Return the category of this name, deleted or not."""
    row = store.db.execute("select * from category where name = ?", (name,)).fetchone()
    return of_row(row) if row else None


def everything(store: Store, *, deleted: bool = False) -> list[Category]:
    """Return the categories by name."""
    rows = store.db.execute("select * from category order by name").fetchall()
    return [each for each in map(of_row, rows) if deleted or each.there]


def written(store: Store) -> dict[str, tuple[datetime, int | None]]:
    """Return by name when each category was written last, and how many bytes its text has, if it is no log."""
    rows = store.db.execute(
        """
        select c.name, v.at, p.size from category c
        join category_version v on v.category = c.name and v.version = c.version
        left join category_payload p on p.hash = c.hash where c.hash is not null
        """
    )
    return {row["name"]: (loaded(row["at"]), row["size"]) for row in rows}


def version(store: Store, name: str, number: int) -> Version | None:
    """Return one version of a category."""
    return next(iter(_versions(store, "v.category = ? and v.version = ?", (name, number))), None)


def newest(store: Store, one: Category) -> Version:
    """Return the newest version of a category."""
    found = version(store, one.name, one.version)
    if found is None:
        raise Refused(f"{store.path} is damaged: version {one.version} of {one.name} is missing. {MEND}")
    return found


def versions(store: Store, name: str, *, limit: int = -1, offset: int = 0) -> list[Version]:
    """Return the versions of a category, newest first."""
    return _versions(store, "v.category = ?", (name,), limit, offset)


def with_hash(store: Store, name: str, hash: str) -> Version | None:
    """Return the newest version of a category that had this hash."""
    return next(iter(_versions(store, "v.category = ? and v.hash = ?", (name, hash), 1)), None)


def count_versions(store: Store, name: str) -> int:
    """Count the versions of a category."""
    return int(store.db.execute("select count(*) from category_version where category = ?", (name,)).fetchone()[0])


def payload(store: Store, hash: str) -> str | None:
    """Return the text with this hash, unless it was compacted away; refuse one that is another by now."""
    row = store.db.execute("select size, content from category_payload where hash = ?", (hash,)).fetchone()
    if row is None:
        return None
    raw = _unpacked(row)
    if raw is None or sha256(raw).hexdigest() != hash:
        raise Refused(f"{store.path} is damaged: a text of a category is not what its hash {hash[:12]} says. {MEND}")
    return raw.decode()


def sound(db: sqlite3.Connection) -> Iterator[bool]:
    """Tell of each payload whether it is what its hash says."""
    for row in db.execute("select hash, size, content from category_payload"):
        raw = _unpacked(row)
        yield raw is not None and sha256(raw).hexdigest() == row["hash"]


def write(
    made: Journal, before: Category | None, name: str, text: str, *, operation: str, reason: str = "", agent: str = "",
    at: datetime | None = None,
) -> Category:  # fmt: skip
    """Make text the newest version of a plain category."""
    hash = hash_of(text)
    _put_payload(made.store, hash, text)
    after = _next(before, name, "memory", hash)
    return _put(made, before, after, operation, reason, agent, at)


def delete(
    made: Journal, before: Category, *, reason: str = "", agent: str = "", at: datetime | None = None
) -> Category:
    """Make a deletion the newest version; every version before it stays."""
    after = replace(before, version=before.version + 1, hash="")
    if before.kind == LOG:
        entries.let_go(made.store, before.name, after.version)
    return _put(made, before, after, "delete", reason, agent, at)


def append(
    made: Journal, before: Category | None, name: str, body: str, *, max_entries: int, max_age_days: int,
    agent: str = "", at: datetime | None = None,
) -> tuple[Category, int]:  # fmt: skip
    """Add an entry to a log and let go of those beyond its bounds; return the log and how many went.

    It costs the same however long the log is.
    """
    moment = at or made.at
    number = (before.last_entry if before else 0) + 1
    chained = hash_of(f"{before.hash if before else ''}\n{number}\n{body}")
    after = replace(
        _next(before, name, LOG, chained), last_entry=number, max_entries=max_entries, max_age_days=max_age_days
    )
    if before is not None and not before.there:
        # What was there before a deletion stays away.
        after = replace(after, last_entry=number)
    after = _put(made, before, after, "append", "", agent)
    who = agent or made.who.agent
    entries.insert(made.store, name, Entry(number, moment, who, made.who.device, after.version, body), after.version)
    return after, entries.let_go_beyond(made.store, after, made.at)


def merge_log(
    made: Journal, before: Category | None, name: str, added: Sequence[Entry], gone: Iterable[int], max_entries: int,
    max_age_days: int,
) -> tuple[Category, list[int]]:  # fmt: skip
    """Make entries of other devices, without those that are gone, the newest version; return their numbers here."""
    first = (before.last_entry if before else 0) + 1
    numbers = list(range(first, first + len(added)))
    chained = hash_of("\n".join([before.hash if before else "", *(each.body for each in added), *map(str, gone)]))
    after = replace(
        _next(before, name, LOG, chained), last_entry=first - 1 + len(added), max_entries=max_entries,
        max_age_days=max_age_days,
    )  # fmt: skip
    after = _put(made, before, after, "sync", "")
    for number in gone:
        entries.let_go(made.store, name, after.version, f"number = {number}")
    for number, entry in zip(numbers, added, strict=True):
        entries.insert(made.store, name, replace(entry, number=number, device_number=after.version), after.version)
    return after, numbers


def restore(made: Journal, before: Category, to: Version, *, operation: str = "restore", reason: str = "") -> Category:
    """Make an earlier version the newest one."""
    number = before.version + 1
    if before.kind != LOG:
        return _put(made, before, replace(before, version=number, hash=to.hash), operation, reason)
    wanted = {each.number: each for each in entries.of(made.store, before.name, at=to.version)}
    there = {each.number for each in entries.of(made.store, before.name)}
    for each in there - wanted.keys():
        entries.let_go(made.store, before.name, number, f"number = {each}")
    for each in wanted.keys() - there:
        entries.insert(made.store, before.name, wanted[each], number)
    hash = hash_of(f"{before.hash}\n{operation} {to.version}") if to.hash else ""
    return _put(made, before, replace(before, version=number, hash=hash), operation, reason)


def note_file(store: Store, name: str, hash: str) -> None:
    """Note which text the file of a category is given, in the caller's transaction."""
    store.db.execute("update category set file_hash = ? where name = ?", (hash or None, name))


def take_back(made: Journal, item: Item) -> None:
    """Give a category the state that it had before an item of the history."""
    before = found(made.store, item.statement)
    assert before is not None
    if item.effect == "add":
        delete(made, before)
        return
    earlier = version(made.store, before.name, int((item.before or {})["version"]))
    assert earlier is not None
    restore(made, before, earlier, operation="undo")


def state(store: Store, name: str) -> Mapping[str, Any] | None:
    """Return a category as JSON values by field, for the history."""
    one = found(store, name)
    return _state(one) if one and one.there else None


def compact(store: Store, name: str, numbers: Iterable[int]) -> int:
    """Drop the payloads that only these versions have, in the caller's transaction; return how many bytes went."""
    gone = 0
    for number in numbers:
        store.db.execute("delete from category_version where category = ? and version = ?", (name, number))
    rows = store.db.execute(
        """
        select hash, length(content) as size from category_payload p
        where not exists (select 1 from category_version v where v.hash = p.hash)
        """
    ).fetchall()
    for row in rows:
        store.db.execute("delete from category_payload where hash = ?", (row["hash"],))
        gone += row["size"]
    return gone


def _next(before: Category | None, name: str, kind: str, hash: str) -> Category:
    if before is None:
        return Category(name, kind, 1, hash)
    return replace(before, kind=kind, version=before.version + 1, hash=hash)


def take_entries(
    made: Journal, before: Category | None, name: str, taken: Sequence[Entry], there: Container[int], *,
    max_entries: int, max_age_days: int,
) -> Category:  # fmt: skip
    """Add entries with the numbers and times that they had elsewhere, then let go of those no longer there."""
    numbers = [each.number for each in taken]
    joined = "\n".join([before.hash if before else "", *(f"{each.number}\n{each.body}" for each in taken)])
    after = replace(
        _next(before, name, LOG, hash_of(joined)), last_entry=max(numbers), max_entries=max_entries,
        max_age_days=max_age_days,
    )  # fmt: skip
    newest = taken[-1]
    after = _put(made, before, after, "append", "", newest.agent, newest.at)
    for each in taken:
        entries.insert(made.store, name, each, after.version)
    gone = [each.number for each in entries.of(made.store, name) if each.number not in there]
    if not gone:
        return after
    pruned = replace(after, version=after.version + 1, hash=hash_of(f"{after.hash}\nlet go of {gone}"))
    for number in gone:
        entries.let_go(made.store, name, pruned.version, f"number = {number}")
    return _put(made, after, pruned, "append", "", newest.agent, newest.at)


def _put(
    made: Journal, before: Category | None, after: Category, operation: str, reason: str, agent: str = "",
    at: datetime | None = None,
) -> Category:  # fmt: skip
    db = made.store.db
    db.execute(
        f"""
        insert into category ({", ".join(COLUMNS)}) values ({", ".join(f":{each}" for each in COLUMNS)})
        on conflict (name) do update set {", ".join(f"{each} = excluded.{each}" for each in COLUMNS[1:])}
        """,
        {name: getattr(after, name) for name in COLUMNS} | {"hash": after.hash or None},
    )
    device = made.who.device
    query = "select coalesce(max(device_number), 0) + 1 from category_version where category = ? and device = ?"
    db.execute(
        """
        insert into category_version (category, version, hash, operation, at, agent, device, device_number, reason)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (after.name, after.version, after.hash or None, operation, stored(at or made.at), agent or made.who.agent,
         device, db.execute(query, (after.name, device)).fetchone()[0], reason),
    )  # fmt: skip
    made.items.append(_item(before, after))
    return after


def _item(before: Category | None, after: Category) -> Item:
    if before is None or not before.there:
        # Taking it back is a deletion, whatever there was before the last one.
        return Item(after.name, "add", None, FAMILY)
    if not after.there:
        return Item(after.name, "remove", _state(before), FAMILY)
    return Item(after.name, "change", {"hash": before.hash, "version": before.version}, FAMILY)


def _state(one: Category) -> dict[str, Any]:
    return {"hash": one.hash, "version": one.version, "kind": one.kind}


def _unpacked(row: sqlite3.Row) -> bytes | None:
    raw = bytes(row["content"])
    try:
        return raw if len(raw) == row["size"] else zlib.decompress(raw)
    except zlib.error:
        return None


def _put_payload(store: Store, hash: str, text: str) -> None:
    raw = text.encode()
    packed = zlib.compress(raw) if len(raw) >= PACKED_FROM else raw
    store.db.execute(
        "insert or ignore into category_payload (hash, size, content) values (?, ?, ?)",
        (hash, len(raw), packed if len(packed) < len(raw) else raw),
    )


def _versions(
    store: Store, where: str, parameters: tuple[object, ...], limit: int = -1, offset: int = 0
) -> list[Version]:
    rows = store.db.execute(
        f"""
        select v.*, p.size from category_version v left join category_payload p on p.hash = v.hash
        where {where} order by v.version desc limit ? offset ?
        """,
        (*parameters, limit, offset),
    )
    return [
        Version(
            row["version"], row["hash"] or "", row["operation"], loaded(row["at"]), row["agent"], row["device"],
            row["device_number"], row["reason"], row["size"] or 0,
        )
        for row in rows
    ]  # fmt: skip


def of_row(row: sqlite3.Row) -> Category:
    """Return the category that a row is of."""
    return Category(
        row["name"], row["kind"], row["version"], row["hash"] or "", row["last_entry"], row["max_entries"] or 0,
        row["max_age_days"] or 0, row["file_hash"] or "",
    )  # fmt: skip
