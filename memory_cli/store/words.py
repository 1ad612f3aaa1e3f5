"""The index of words: one row a statement, its analysed text and its agents' names."""

from collections.abc import Sequence

from memory_cli.store.connection import Store
from memory_cli.text.analysis import index_tokens

BATCH = 900


def put(store: Store, number: int, text: str, agents: Sequence[str]) -> None:
    """Index the words of the statement with this row number, in place of what was indexed for it."""
    names = " ".join(token for agent in agents for token in index_tokens(agent))
    store.db.execute(
        "insert or replace into words (rowid, text, agent) values (?, ?, ?)", (number, " ".join(index_tokens(text)), names)
    )


def drop(store: Store, number: int) -> None:
    """Take the statement with this row number out of the index."""
    store.db.execute("delete from words where rowid = ?", (number,))
