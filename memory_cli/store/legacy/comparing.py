"""What a document or a kept file of an older server holds that neither the record nor its history knows."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from memory_cli.models.statement import HANDOFF, Statement
from memory_cli.store import connection, journal, statements
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal
from memory_cli.store.legacy import databases, documents
from memory_cli.store.legacy.arranging import Taking, arranged
from memory_cli.store.legacy.documents import Words, known_as, words
from memory_cli.store.legacy.old import Old
from memory_cli.store.legacy.signs import VECTORS
from memory_cli.text.identity import identity


def lacking(store: Store, blocks: Iterable[str], taking: Taking) -> list[Old]:
    """Return the statements of a document, newest first, that the store does not have and never forgot."""
    found = documents.compared(map(taking.redacted, blocks), dict.fromkeys(_known(store), None))
    return [each for each in found if each is not None]


def late(store: Store, path: Path, since: datetime, taking: Taking) -> list[Old]:
    """Return what an older server that ran on recorded in a file after it was taken in, newest first."""
    if path.name.startswith(VECTORS):
        return []
    limit = store.storage
    db = connection.patiently(lambda: databases.open_alone(path, limit.busy_timeout_ms), path, limit.lock_deadline_ms)
    try:
        found = databases.statements(db)
    finally:
        db.close()
    known = set(_known(store))
    return [
        each
        for each in found
        if each.at and each.at > since and not known & set(known_as(each.kind, taking.redacted(each.text)))
    ]


def add(made: Journal, found: Iterable[Old], taking: Taking, undated: datetime) -> list[Statement]:
    """Store what was found to be lacking, the newest last, and return it."""
    store = made.store
    handoff = store.scope == "local" and statements.handoff(store) is None
    return [
        journal.add(made, each)
        for each in arranged(found, taking, handoff=handoff, undated=undated)
        if statements.by_identity(store, identity(each.kind, each.text)) is None
    ]


def _known(store: Store) -> Iterator[Words]:
    """Yield what the store has, and what its history knows that it had, as a document may write it."""
    for row in store.db.execute("select kind, text from statement"):
        yield from known_as(row["kind"], row["text"])
    query = "select before from change_item where before is not null and family = 'statement'"
    for row in store.db.execute(query):
        before = json.loads(row["before"])
        if "text" in before:
            yield words(before["text"])
            yield from known_as(before.get("kind", HANDOFF), before["text"])
