"""What was said once of a store and need not be said again."""

from memory_cli.store.connection import Store


def was(store: Store, what: str) -> bool:
    """Tell whether this was said."""
    return store.db.execute("select 1 from counter where name = ?", (f"told {what}",)).fetchone() is not None


def remember(store: Store, what: str) -> None:
    """Note that this is said now; the caller holds the transaction."""
    store.db.execute("insert or replace into counter (name, value) values (?, 1)", (f"told {what}",))
