"""Forgetting for good: no trace in the tables, the index, the history, free pages or the write-ahead log."""

import json
import sqlite3
from collections.abc import Sequence

from memory_cli.errors import Busy
from memory_cli.models.statement import Statement
from memory_cli.store import journal, links, sidefiles, sync, words
from memory_cli.store.connection import Store
from memory_cli.text.identity import folded

# Set with the deletion and cleared when the file is clean, so that a purge that was killed is not forgotten.
UNCLEAN = "unclean"


def purge(store: Store, found: Sequence[Statement], ids: Sequence[str]) -> None:
    """Delete statements, and the history of the ids, in the caller's transaction; `clean` does the rest."""
    store.db.execute("pragma secure_delete = on")
    # Before the history forgets them.
    sync.purged(store, ids, {text for each in ids for text in texts(store, each)})
    for one in found:
        words.drop(store, one.number)
        store.db.execute("delete from statement where number = ?", (one.number,))
    store.db.executemany(
        "delete from change_item where statement = ? and family = 'statement'", [(each,) for each in ids]
    )
    links.purge(store, ids)
    store.db.execute("insert or replace into counter (name, value) values (?, 1)", (UNCLEAN,))
    # Codes that another process is making of what was there are refused by whoever opens them.
    journal.next_number(store, sidefiles.PURGES)


def put_origins(store: Store, kept: Statement) -> None:
    """Give a statement the origins that it keeps, in the caller's transaction, without a word in the history."""
    journal.put_origins(store, kept)
    words.put(store, kept.number, kept.text, kept.agents)


def texts(store: Store, id: str) -> set[str]:
    """Return every text that the statement with this id has or had, as far as the history knows."""
    query = "select before from change_item where statement = ? and family = 'statement' and before is not null"
    had = {json.loads(row["before"]).get("text", "") for row in store.db.execute(query, (id,))}
    has = {row["text"] for row in store.db.execute("select text from statement where id = ?", (id,))}
    return {each for each in had | has if each}


def clean(store: Store) -> str:
    """Write the file anew without what was deleted; return why the text may still stand in it, nothing when clean.

    The log cannot be emptied while another process reads the store.
    """
    sidefiles.drop(store)
    store.db.execute("pragma temp_store = memory")
    try:
        with store.transaction():
            store.db.execute("insert into words (words) values ('optimize')")
        store.db.execute("vacuum")
        busy, _pages, _moved = store.db.execute("pragma wal_checkpoint(truncate)").fetchone()
        if busy:
            return "another process is reading the store"
        with store.transaction():
            store.db.execute("delete from counter where name = ?", (UNCLEAN,))
    except Busy:
        return "another process is writing to the store"
    except sqlite3.OperationalError as error:
        # A full disk, a file that became read-only, a lock: what was deleted stays deleted in any case.
        return f"the file could not be written anew ({error})"
    return ""


def is_unclean(store: Store) -> bool:
    """Tell whether a purge was cut short, or could not empty the log."""
    return store.db.execute("select 1 from counter where name = ?", (UNCLEAN,)).fetchone() is not None


def forgotten_by_words(store: Store, key: bytes) -> list[str]:
    """Return the ids of forgotten statements that had exactly these words."""
    query = "select statement, before from change_item where effect = 'remove' and family = 'statement'"
    rows = store.db.execute(query)
    found = {row["statement"] for row in rows if folded(json.loads(row["before"])["text"]) == key}
    return sorted(found)
