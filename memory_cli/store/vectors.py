"""Vectors by model, and the queue of what has none yet."""

from memory_cli.store.connection import Store


def enqueue(store: Store, number: int) -> None:
    """Note that the statement with this row number wants a vector; what it had is of other words."""
    store.db.execute("delete from vector where statement = ?", (number,))
    store.db.execute("insert or ignore into pending (statement) values (?)", (number,))
