"""Reading what is left of a damaged database into a new one."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from memory_cli.models.frozen import Frozen
from memory_cli.settings.sections import Storage
from memory_cli.store import vectors, words
from memory_cli.store.connection import Store, new_store
from memory_cli.store.journal import SEQUENCE

# The word index is built anew from the statements, and so is the queue.
REBUILT = ("words", "pending", "sqlite_")
AGENT, SOURCE = "unknown", "salvage"
BATCH = 200
# So many rows in turn that cannot be read end the search for further ones.
PATIENCE = 100_000
Row = tuple[object, ...]


class Unreadable(Exception):
    """Nothing of a file can be read; its text says why."""


class Salvaged(Frozen):
    """How many rows were read into the new database, by table, and which tables could not be read to their end."""

    rows: dict[str, int]
    broken: tuple[str, ...]


def salvage(source: Path, target: Path, scope: str, storage: Storage) -> Salvaged:
    """Make a new store in target of all that can still be read in source, which is only read."""
    rows: dict[str, int] = {}
    broken: list[str] = []
    with closing(_connected(source)) as old, new_store(target, scope, storage) as store:
        store.db.execute("pragma foreign_keys = off")
        known = _known(old)
        with store.transaction():
            for table in sorted(_tables(store.db) & known):
                reader = _Reader(old, table, _shared(old, store.db, table))
                rows[table] = _write(store.db, table, reader)
                if reader.broken:
                    broken.append(table)
            _settle(store)
        words.rebuild(store)
        vectors.requeue(store)
    return Salvaged(rows, tuple(broken))


class _Reader:
    """Reads a table from its beginning and, past what cannot be read, row by row or from its end."""

    def __init__(self, db: sqlite3.Connection, table: str, columns: list[str]) -> None:
        self._db, self._table = db, table
        self.columns = columns
        self.broken = False

    def rows(self) -> Iterator[Row]:
        """Yield every row that can be read."""
        names = ", ".join(self.columns)
        try:
            self._db.execute(f"select rowid from {self._table} limit 1")
        except sqlite3.OperationalError:
            yield from self._both_ways(names)
        except sqlite3.DatabaseError:
            self.broken = True
        else:
            yield from self._by_number(names)

    def _by_number(self, names: str) -> Iterator[Row]:
        last, misses = -1, 0
        while misses < PATIENCE:
            query = f"select rowid, {names} from {self._table} where rowid > ? order by rowid limit {BATCH}"
            try:
                found = self._db.execute(query, (last,)).fetchall()
            except sqlite3.DatabaseError:
                self.broken = True
                last, misses = last + 1, misses + 1
                for row in self._one(names, last):
                    misses = 0
                    yield row
                continue
            if not found:
                return
            misses = 0
            yield from (row[1:] for row in found)
            last = found[-1][0]

    def _one(self, names: str, number: int) -> list[Row]:
        try:
            return self._db.execute(f"select {names} from {self._table} where rowid = ?", (number,)).fetchall()
        except sqlite3.DatabaseError:
            return []

    def _both_ways(self, names: str) -> Iterator[Row]:
        """Yield the rows of a table without numbers, from both of its ends as far as they can be read."""
        order = ", ".join(row[1] for row in self._db.execute(f"pragma table_info({self._table})") if row[5])
        backwards = ", ".join(f"{each} desc" for each in order.split(", "))
        for each in (order, backwards):
            try:
                yield from self._db.execute(f"select {names} from {self._table} order by {each}")
                return
            except sqlite3.DatabaseError:
                self.broken = True


def _connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    db.execute("pragma trusted_schema = off")
    return db


def _known(old: sqlite3.Connection) -> set[str]:
    try:
        return _tables(old)
    except sqlite3.DatabaseError as error:
        raise Unreadable(f"Not even its list of tables can be read ({error}).") from error


def _tables(db: sqlite3.Connection) -> set[str]:
    made = db.execute("select name from sqlite_master where type = 'table' and sql not like 'create virtual%'")
    return {name for (name,) in map(tuple, made) if not name.startswith(REBUILT)}


def _shared(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> list[str]:
    there, wanted = ([row[1] for row in db.execute(f"pragma table_info({table})")] for db in (old, new))
    return [each for each in wanted if each in there]


def _write(db: sqlite3.Connection, table: str, reader: _Reader) -> int:
    names, places = ", ".join(reader.columns), ", ".join("?" * len(reader.columns))
    before = db.total_changes
    for row in reader.rows():
        db.execute(f"insert or ignore into {table} ({names}) values ({places})", tuple(row))
    return db.total_changes - before


def _settle(store: Store) -> None:
    """Drop what belongs to rows that are lost, and give what is left all that a statement has."""
    db = store.db
    for table in _tables(db):
        for key in db.execute(f"pragma foreign_key_list({table})").fetchall():
            target, column, wanted = key["table"], key["from"], key["to"] or "number"
            db.execute(
                f"delete from {table} where {column} is not null and {column} not in (select {wanted} from {target})"
            )
    db.execute(
        f"insert into origin (statement, agent, source) select s.number, '{AGENT}', '{SOURCE}' from statement s "
        "where not exists (select 1 from origin o where o.statement = s.number)"
    )
    db.execute(
        "insert into counter (name, value) select ?, coalesce(max(sequence), 0) from statement where true "
        "on conflict (name) do update set value = max(value, excluded.value)",
        (SEQUENCE,),
    )
    db.execute(
        "insert into counter (name, value) select 'changes of device ' || device, max(device_number) from change "
        "group by device on conflict (name) do update set value = max(value, excluded.value)"
    )
