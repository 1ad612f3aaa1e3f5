"""Forgetting for good: no trace in the tables, the index, the history, free pages or the write-ahead log."""

import json
from collections.abc import Sequence

from memory_cli.models.statement import Statement
from memory_cli.store import words
from memory_cli.store.connection import Store
from memory_cli.text.identity import folded

# Set with the deletion and cleared when the file is clean, so that a purge that was killed is not forgotten.
UNCLEAN = "unclean"


def purge(store: Store, found: Sequence[Statement], ids: Sequence[str]) -> None:
    """Delete statements, and the history of the ids, in the caller's transaction; `clean` does the rest."""
    store.db.execute("pragma secure_delete = on")
    for one in found:
        words.drop(store, one.number)
        store.db.execute("delete from statement where number = ?", (one.number,))
    store.db.executemany("delete from change_item where statement = ?", [(each,) for each in ids])
    store.db.execute("insert or replace into counter (name, value) values (?, 1)", (UNCLEAN,))


def clean(store: Store) -> bool:
    """Write the file anew without what was deleted; tell whether the log could be emptied too.

    It cannot while another process reads the store; then the deleted text may still stand in the log.
    """
    store.db.execute("pragma temp_store = memory")
    with store.transaction():
        store.db.execute("insert into words (words) values ('optimize')")
    store.db.execute("vacuum")
    busy, _pages, _moved = store.db.execute("pragma wal_checkpoint(truncate)").fetchone()
    if busy:
        return False
    with store.transaction():
        store.db.execute("delete from counter where name = ?", (UNCLEAN,))
    return True


def is_unclean(store: Store) -> bool:
    """Tell whether a purge was cut short, or could not empty the log."""
    return store.db.execute("select 1 from counter where name = ?", (UNCLEAN,)).fetchone() is not None


def forgotten_by_id(store: Store, id: str) -> list[str]:
    """Return the id if the history knows a statement by it, although it may be forgotten."""
    row = store.db.execute("select 1 from change_item where statement = ? limit 1", (id,)).fetchone()
    return [id] if row else []


def forgotten_by_words(store: Store, key: bytes) -> list[str]:
    """Return the ids of forgotten statements that had exactly these words."""
    rows = store.db.execute("select statement, before from change_item where effect = 'remove'")
    found = {row["statement"] for row in rows if folded(json.loads(row["before"])["text"]) == key}
    return sorted(found)
