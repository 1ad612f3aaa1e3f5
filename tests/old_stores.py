"""The stores of memory-ultra-rag-mcp, each schema with the tables, columns and files that its version had.

`build(folder, schema)` makes one; `expected(schema)` says what must come of it, newest first.
"""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memory_cli.store.legacy.old import unit_key

SCHEMAS = (3, 4, 5, 6, 7, 8)
RECORD, INDEX, VECTORS, DOCUMENT = "memory.sqlite3", "index.sqlite3", "index-vectors.sqlite3", "MEMORY.md"
# From 5 on one file had it all; before, the document was the record and the database its word index.
FILES = {3: INDEX, 4: INDEX, 5: RECORD, 6: RECORD, 7: RECORD, 8: RECORD}
UNIT = {
    3: "text, unit_key unindexed, type unindexed, source unindexed, stamp unindexed",
    4: "text, unit_key unindexed, type unindexed, source unindexed, stamp unindexed",
    5: "text, unit_key unindexed, type unindexed, source unindexed, stamp unindexed",
    6: "text, unit_key unindexed, type unindexed, stamp unindexed, normalized unindexed, added_at, recalls, "
    "last_recalled_at",
    7: "text, unit_key unindexed, kind unindexed, stamp unindexed, normalized unindexed, added_at, recalls, "
    "last_recalled_at",
    8: "text, unit_key unindexed, kind unindexed, stamp unindexed, added_at, recalls",
}
VECTOR = """
create table vector(
    unit_key text primary key, {source} stamp text not null, {kind} text not null, model text not null,
    dimension integer not null, components blob not null
)
"""
HISTORY = "create table history(unit_key text primary key, added_at text, recalls integer, last_recalled_at text)"
SOURCE = "create table source(path text primary key, size integer, mtime_ns integer, head text)"
SEED = "# MEMORY\ni am jack. i like LLMs.\n"
UNDATED = datetime(2026, 5, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Kept:
    """A statement of an old store, and what becomes of it where that is something else."""

    text: str
    kind: str = "ITEM"
    added_at: str = "2026-01-02T03:04:05.678+00:00"
    recalls: int = 0
    recalled_at: str = ""
    becomes: tuple[str, str] | None = None
    stored_kind: str | None = None
    document: bool = True


# Newest first. What no document could hold as one block is not in the older ones.
STATEMENTS = (
    Kept("Parser done; next: error messages.", "HANDOFF", "2026-03-09T00:00:00.001+00:00", 3),
    Kept("Always cite the commit that introduced a change.", "RULE", "2026-03-08T10:00:00.500+00:00", 50,
         "2026-04-01T00:00:00+00:00"),
    Kept("use tabs", "RULE", "2026-03-07T10:00:00.000+00:00", 1),
    Kept("use tabs", "PREFERENCE", "2026-03-06T10:00:00.000+00:00", 2),
    Kept("Use Tabs", "PLAN"),
    Kept("TODO: call Ann", "NOTE", recalls=7),
    Kept("RULE: is a word that begins this text", "RULE", document=False),
    Kept("first paragraph\n\nsecond paragraph\n\n    and code", "ITEM", document=False),
    Kept("a\0b", "ITEM", becomes=("ITEM", "a␀b"), document=False),
    Kept("naïve 日本 🧵 \u202eright to left\u202c zero\u200dwidth \x1b[31m", "FACT"),
    Kept("port 80", "FACT"),
    Kept("port 8080", "FACT"),
    Kept("Sessions live 15 minutes.", "DECISION", "", 4, stored_kind="2026-02-02T00:00:00+00:00", document=False),
    Kept("An old next step.", "HANDOFF", "2026-01-01T00:00:00+00:00", becomes=("ITEM", "An old next step.")),
    Kept("filed under something odd", "API2", becomes=("ITEM", "filed under something odd"), document=False),
)  # fmt: skip


def kept(schema: int) -> list[Kept]:
    """Return the statements of the store of a schema, newest first."""
    return [each for each in STATEMENTS if schema >= 6 or each.document]


def expected(schema: int) -> list[tuple[str, str, str, int]]:
    """Return kind, text, time and recalls of what must be there after, newest first."""
    return [_expected(schema, each) for each in kept(schema)]


def _expected(schema: int, one: Kept) -> tuple[str, str, str, int]:
    kind, text = one.becomes or (one.kind, one.text)
    added = one.added_at or one.stored_kind or ""
    at = UNDATED if schema == 3 else datetime.fromisoformat(added)
    return kind, text, at.isoformat(), 0 if schema == 3 else one.recalls


def build(folder: Path, schema: int, *, name: str = "", rows: list[Kept] | None = None, wal: bool = False) -> Path:
    """Make the store of a schema in folder and return its database."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name or FILES[schema])
    found = kept(schema) if rows is None else rows
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode = wal")
    db.execute("pragma wal_autocheckpoint = 0")
    db.execute("pragma synchronous = off")
    db.execute("begin")
    db.execute(f"create virtual table unit using fts5({UNIT[schema]})")
    db.execute("create table meta(key text primary key, value text)")
    db.execute("insert into meta values ('schema_version', ?)", (str(schema),))
    if schema < 6:
        db.execute(SOURCE)
        (folder / DOCUMENT).write_text(document(found), encoding="utf-8")
    if schema in (4, 5):
        db.execute(HISTORY)
    if schema >= 5:
        db.execute(VECTOR.format(source="source text not null," * (schema == 5), kind=kind_column(schema)))
    for place, each in enumerate(found):
        _insert(db, schema, place, each)
    db.execute("commit")
    if wal:
        # As a server leaves it that was killed: what it wrote stands in the log alone.
        log, shared = path.with_name(f"{path.name}-wal").read_bytes(), path.read_bytes()
    db.close()
    if wal:
        path.write_bytes(shared)
        path.with_name(f"{path.name}-wal").write_bytes(log)
    if schema < 5:
        _vectors(folder, schema, found)
    return path


def document(found: list[Kept]) -> str:
    """Return the document of an older server, with its seed line and a kind before each statement."""
    return SEED + "".join(f"\n{each.kind}: {each.text}\n" for each in found)


def kind_column(schema: int) -> str:
    return "type" if schema < 7 else "kind"


def statements(path: Path) -> list[tuple[str, str]]:
    """Return kind and text of the rows of an old database, newest first."""
    db = sqlite3.connect(path)
    db.execute("pragma synchronous = off")
    columns = [row[1] for row in db.execute("pragma table_info(unit)")]
    kind = "kind" if "kind" in columns else "type"
    found = db.execute(f"select {kind}, text from unit order by cast(stamp as integer)").fetchall()
    db.close()
    return found


def _insert(db: sqlite3.Connection, schema: int, place: int, one: Kept) -> None:
    key = unit_key(f"{one.kind}: {one.text}")
    values: dict[str, object] = {
        "text": one.text, "unit_key": key, kind_column(schema): one.stored_kind or one.kind, "stamp": str(place),
    }  # fmt: skip
    if schema < 6:
        values["source"] = DOCUMENT
    else:
        values |= {"added_at": one.added_at or None, "recalls": one.recalls}
    if schema in (6, 7):
        values |= {"normalized": one.text.casefold(), "last_recalled_at": one.recalled_at or None}
    marks = ", ".join("?" * len(values))
    db.execute(f"insert into unit({', '.join(values)}) values ({marks})", list(values.values()))
    if schema in (4, 5):
        history = (key, one.added_at, one.recalls, one.recalled_at or None)
        db.execute("insert or replace into history values (?, ?, ?, ?)", history)
    if schema >= 5:
        source = (DOCUMENT,) if schema == 5 else ()
        vector = (key, *source, str(place), one.kind, "BAAI/bge-small-en-v1.5", 2, bytes(8))
        db.execute(f"insert or replace into vector values ({', '.join('?' * len(vector))})", vector)


def _vectors(folder: Path, schema: int, found: list[Kept]) -> None:
    db = sqlite3.connect(folder / VECTORS)
    db.execute("pragma synchronous = off")
    db.execute(VECTOR.format(source="source text not null,", kind="type"))
    db.execute("create table meta(key text primary key, value text)")
    db.execute("insert into meta values ('embedding_model', 'BAAI/bge-small-en-v1.5')")
    if schema == 4:
        db.execute("insert into meta values ('dimension', '2')")
    for place, each in enumerate(found):
        row = (unit_key(f"{each.kind}: {each.text}"), DOCUMENT, str(place), each.kind, "BAAI/bge-small-en-v1.5", 2)
        db.execute("insert into vector values (?, ?, ?, ?, ?, ?, ?)", (*row, bytes(8)))
    db.commit()
    db.close()
