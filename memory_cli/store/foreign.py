"""Reading other programs' databases, by the names of their tables and columns; not a byte of them is changed."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from memory_cli.errors import UsageError
from memory_cli.store.readonly import connected, keeps_log, opened

MAGIC = b"SQLite format 3\0"


def tables(path: Path) -> dict[str, set[str]]:
    """Return the names of the tables of a database, each with those of its columns."""
    try:
        with _read(path) as db:
            # A virtual table may need a module that is not here, even to be asked for its columns.
            real = "type = 'table' and sql not like 'create virtual%'"
            names = [row[0] for row in db.execute(f"select name from sqlite_master where {real}")]
            return {name: {row["name"] for row in db.execute(f"pragma table_info({_quoted(name)})")} for name in names}
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{path} cannot be read as a database: {error}.") from error


def rows(path: Path, table: str, columns: set[str]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a table, in the order in which they came, with these columns."""
    named = ", ".join(map(_quoted, sorted(columns)))
    yield from _selected(path, f"select {named} from {_quoted(table)} order by rowid")


def chroma(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the records of a Chroma database: collection, id, time, and the metadata a row each key."""
    yield from _selected(
        path,
        """
        select c.name as collection, e.id as number, e.embedding_id as id, e.created_at as at, m.key as key,
            coalesce(m.string_value, m.int_value, m.float_value) as value, m.bool_value as truth
        from embeddings e join segments s on s.id = e.segment_id join collections c on c.id = s.collection
        left join embedding_metadata m on m.id = e.id order by e.id, m.key
        """,
    )


@contextmanager
def _read(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database to read, as those see it who have it open; nothing is made beside it."""
    if keeps_log(path):
        with opened(path) as db:
            yield db
    else:
        # Without a log of its own, readers and writers are kept apart by locks, which leave no trace.
        with closing(connected(path, "mode=ro")) as db:
            yield db


def _selected(path: Path, query: str) -> Iterator[Mapping[str, Any]]:
    try:
        with _read(path) as db:
            # A text that is not UTF-8 is kept with its odd bytes spelled out.
            db.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
            yield from map(dict, db.execute(query))
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{path} cannot be read as a database: {error}.") from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
