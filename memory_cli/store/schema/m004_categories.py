"""Categories: named documents, every version of each, and the entries of logs."""

import sqlite3

TABLES = """
-- A version counts deletions too; without a hash the category is deleted. `file_hash` is of the text that its file was
-- given last: a file that is neither that nor the newest version was changed by somebody.
create table category (
    name text primary key collate nocase,
    kind text not null,
    version integer not null,
    hash text,
    last_entry integer not null default 0,
    max_entries integer,
    max_age_days integer,
    file_hash text
) without rowid;

-- Of each device the versions that it made are counted, which says what a copy elsewhere knows of.
create table category_version (
    category text not null collate nocase references category(name) on delete cascade,
    version integer not null,
    hash text,
    operation text not null,
    at integer not null,
    agent text not null,
    device text not null,
    device_number integer not null,
    reason text not null,
    primary key (category, version)
) without rowid;

create table category_payload (
    hash text primary key,
    size integer not null,
    content blob not null
) without rowid;

-- An entry is in the versions from `added` up to that before `gone`; one that comes back is a row of its own.
create table category_entry (
    category text not null collate nocase references category(name) on delete cascade,
    number integer not null,
    added integer not null,
    gone integer,
    at integer not null,
    agent text not null,
    device text not null,
    device_number integer not null,
    body text not null,
    primary key (category, number, added)
) without rowid;
create index category_entry_there on category_entry(category, number) where gone is null;
create index category_entry_of on category_entry(category, device, device_number);
"""


def m004_categories(db: sqlite3.Connection) -> None:
    """Make the tables of categories."""
    for statement in filter(str.strip, TABLES.split(";\n")):
        db.execute(statement)
