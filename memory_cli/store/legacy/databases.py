"""Telling an older server's database from others, and reading its statements, by name and not by place."""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from memory_cli.errors import Refused
from memory_cli.store import files
from memory_cli.store.legacy.old import Old, is_kind, kind_by_key, moment, unit_key, without_prefix
from memory_cli.store.legacy.signs import is_marked_ours
from memory_cli.store.schema import APPLICATION_ID
from memory_cli.text.kinds import DEFAULT_KIND

NEWEST = 8
# From this schema on the database is the record, and a document beside it a rendering.
RECORD = 6
# Before this one the column `kind` held the same word in every row.
KINDS = 3
COLUMNS = ("text", "unit_key", "kind", "type", "stamp", "added_at", "recalls", "last_recalled_at")
HISTORY = ("added_at", "recalls", "last_recalled_at")

Row = Mapping[str, object]


def schema(path: Path) -> int | None:
    """Return the schema of an older server's database, or nothing for any other file; refuse a newer one by name.

    The file is not changed, nor is anything made beside it.
    """
    if is_marked_ours(path) or not path.is_file() or path.stat().st_size == 0:
        return None
    # Without a look at the log: to read that, SQLite would make files.
    found = _schema(path, "immutable=1&mode=ro")
    return found if found is not None or not _has_log(path) else _schema_of_copy(path)


def open_alone(path: Path, timeout_ms: int) -> sqlite3.Connection:
    """Open an older server's database with its log taken in, and keep everybody else out until it is closed."""
    files.refuse_journal_of_many(path)
    uri = f"{path.absolute().as_uri()}?mode=rw"
    db = sqlite3.connect(uri, uri=True, timeout=timeout_ms / 1000, isolation_level=None)
    try:
        _readable(db)
        # The log would be taken for that of the new store, which gets the same name.
        db.execute("pragma locking_mode = exclusive")
        db.execute("pragma journal_mode = delete")
        db.execute("begin exclusive")
        _known(path, _version(db))
    except BaseException:
        db.close()
        raise
    return db


def statements(db: sqlite3.Connection) -> list[Old]:
    """Return the statements of an older server's database, newest first."""
    version = _version(db)
    names = [each for each in COLUMNS if each in _columns(db, "unit")]
    history = _history(db)
    rows = []
    for row in db.execute(f"select rowid as place, {', '.join(names)} from unit"):
        fields = dict(row)
        fields |= {name: value for name, value in history.get(str(fields.get("unit_key")), {}).items() if value}
        rows.append(fields)
    return [_statement(row, version) for row in sorted(rows, key=_place)]


def _schema_of_copy(path: Path) -> int | None:
    """Look at a store that is so young that all of it stands in its log, or that a kill left half-way."""
    files.refuse_journal_of_many(path)
    with TemporaryDirectory() as folder:
        for each in files_of(path):
            if not each.name.endswith("-shm"):
                shutil.copy(each, folder)
        return _schema(Path(folder) / path.name, "mode=rw")


def _schema(path: Path, mode: str) -> int | None:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None)
    try:
        _readable(db)
        application = db.execute("pragma application_id").fetchone()[0]
        if application == APPLICATION_ID or "text" not in _columns(db, "unit"):
            return None
        return _known(path, _version(db))
    except sqlite3.DatabaseError:
        # What is no database, or damaged, is for whoever opens it to name.
        return None
    finally:
        db.close()


def _known(path: Path, version: int) -> int:
    if version > NEWEST:
        raise Refused(
            f"{path} has schema version {version} of memory-ultra-rag-mcp, and this memory takes in versions up to "
            f"{NEWEST}; it was left as it is. Install a newer memory-cli to open it."
        )
    return version


def _readable(db: sqlite3.Connection) -> None:
    db.row_factory = sqlite3.Row
    # A text that is not UTF-8 is kept with its odd bytes spelled out.
    db.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")


def _has_log(path: Path) -> bool:
    logs = (path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-journal"))
    return any(each.exists() and each.stat().st_size > 0 for each in logs)


def _version(db: sqlite3.Connection) -> int:
    """Return the schema's number, 0 where none is written; one that is no number is one that we do not know."""
    if not {"key", "value"} <= _columns(db, "meta"):
        return 0
    row = db.execute("select value from meta where key = 'schema_version'").fetchone()
    text = str(row["value"]) if row else "0"
    return int(text) if text.isdecimal() else NEWEST + 1


def _columns(db: sqlite3.Connection, table: str) -> set[str]:
    return {row["name"] for row in db.execute(f"pragma table_info({table})")}


def _history(db: sqlite3.Connection) -> dict[str, Row]:
    """Return dates and counts by key, where they have a table of their own."""
    tables = [row["name"] for row in db.execute("select name from sqlite_master where type = 'table'")]
    found: dict[str, Row] = {}
    for table in tables:
        names = _columns(db, table) & set(HISTORY) if table != "unit" else set()
        if names and "unit_key" in _columns(db, table):
            rows = db.execute(f'select unit_key, {", ".join(sorted(names))} from "{table}"')
            found |= {str(row["unit_key"]): {name: row[name] for name in names} for row in rows}
    return found


def _place(row: Row) -> tuple[int, int]:
    """Return what orders rows, newest first: 0 stood for the newest, and what has no place comes last."""
    stamp, place = str(row.get("stamp")), row["place"]
    assert isinstance(place, int)
    return (int(stamp) if stamp.isdecimal() else 2**63, place)


def _statement(row: Row, version: int) -> Old:
    text, key = _text(row.get("text")), _text(row.get("unit_key"))
    kind = _text(row.get("kind", row.get("type"))).strip()
    prefix, rest = without_prefix(text)
    if prefix and _stands_for_kind(text, prefix, "" if version < KINDS else kind, key, version):
        text, kind = rest, prefix
    elif version < KINDS:
        kind = ""
    recalls = _text(row.get("recalls"))
    old = Old(
        text, kind.upper(), moment(row.get("added_at")), int(recalls) if recalls.isdecimal() else 0,
        moment(row.get("last_recalled_at")), key,
    )  # fmt: skip
    return old if is_kind(kind) else _refiled(old, kind)


def _stands_for_kind(text: str, prefix: str, kind: str, key: str, version: int) -> bool:
    """Tell whether the word before a text is its kind, as in older documents, or belongs to it."""
    if key == unit_key(text):
        return True
    if key == unit_key(f"{kind}: {text}") or version >= RECORD:
        return False
    return prefix == kind.upper() or not is_kind(kind)


def _refiled(old: Old, kind: str) -> Old:
    """Give a statement a kind that it can have: an upgrade once read columns by place, and dates became kinds."""
    at = moment(kind)
    found = kind_by_key(old.text, old.key)
    odd = "" if at or found or kind.isdecimal() else kind
    return replace(old, kind=found or DEFAULT_KIND, at=old.at or at, filed_as=odd)


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return "" if value is None else str(value)


def files_of(path: Path) -> Iterator[Path]:
    """Yield a database and what SQLite keeps beside it, of that which is there."""
    names = (path.name, f"{path.name}-wal", f"{path.name}-shm", f"{path.name}-journal")
    yield from (each for each in map(path.with_name, names) if each.exists())
