"""Documents that statements were taken from."""

import sqlite3

TABLES = """
-- A document that was taken in: how it was when it was read, and of each of its pieces the statement's id and a hash.
-- What somebody forgot or changed since stays so as long as the piece does.
create table document (
    path text primary key,
    size integer not null,
    mtime integer not null,
    hash text not null,
    source text not null,
    pieces text not null
) without rowid;
"""


def m003_documents(db: sqlite3.Connection) -> None:
    """Make the table of documents."""
    for statement in filter(str.strip, TABLES.split(";\n")):
        db.execute(statement)
