"""Sync: what is known of each thing that syncs, and what lost in a conflict."""

import sqlite3

TABLES = """
-- Who this store is among those that sync with it: the newest row. Earlier ones are of the store that a restore brought
-- back, whose counts must not go on here as if they were its own.
create table sync_device (
    number integer primary key autoincrement,
    id text not null unique
);

-- Written when a sync begins, and not by every write: what changed since then is in the history. Without a hash the
-- thing is deleted. `vector` says by device which of its writes are known, `bucket` is what digests are told by.
create table sync_item (
    family text not null,
    key text not null,
    bucket text not null,
    hash text not null,
    vector text not null,
    primary key (family, key)
) without rowid;
create index sync_item_bucket on sync_item(bucket);

-- The entries of logs that other devices made, as those know them.
create table sync_entry (
    category text not null collate nocase,
    number integer not null,
    device text not null,
    device_number integer not null,
    primary key (category, number)
) without rowid;
create table sync_seen (
    category text not null collate nocase,
    device text not null,
    number integer not null,
    primary key (category, device)
) without rowid;

create table sync_conflict (
    number integer primary key autoincrement,
    at integer not null,
    family text not null,
    key text not null,
    device text not null,
    kept text not null,
    lost text not null,
    resolved text not null default ''
);
create table sync_peer (
    name text primary key,
    at integer not null,
    device text not null,
    root text not null
) without rowid;
"""


def m005_sync(db: sqlite3.Connection) -> None:
    """Make the tables of sync."""
    for statement in filter(str.strip, TABLES.split(";\n")):
        db.execute(statement)
