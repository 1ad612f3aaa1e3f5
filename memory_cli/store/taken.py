"""What was taken in from the files of older servers, and which documents we wrote ourselves."""

from datetime import datetime

from memory_cli.models.frozen import Frozen
from memory_cli.store.connection import Store
from memory_cli.store.moments import loaded, stored


class Taken(Frozen):
    """A file of an older server whose statements were taken in; a copied one was left where it is."""

    path: str
    at: datetime
    statements: int
    copied: bool = False
    others: bool = False


def note(store: Store, taken: Taken) -> None:
    """Remember that a file was taken in, in the caller's transaction."""
    store.db.execute(
        "insert or replace into taken (path, at, statements, copied, others) values (?, ?, ?, ?, ?)",
        (taken.path, stored(taken.at), taken.statements, taken.copied, taken.others),
    )


def everything(store: Store) -> list[Taken]:
    """Return what was taken in, in the order in which it was."""
    rows = store.db.execute("select * from taken order by at, path").fetchall()
    return [
        Taken(each["path"], loaded(each["at"]), each["statements"], bool(each["copied"]), bool(each["others"]))
        for each in rows
    ]


def has_others(store: Store) -> bool:
    """Tell whether something was taken in that was somebody else's."""
    return store.db.execute("select 1 from taken where others limit 1").fetchone() is not None


def note_rendering(store: Store, text: str, at: datetime) -> None:
    """Remember a document that is written, so that it is not taken for memory."""
    with store.transaction():
        store.db.execute("insert or ignore into rendering (hash, at) values (?, ?)", (_hash(text.encode()), stored(at)))


def is_rendering(store: Store, document: bytes) -> bool:
    """Tell whether a document is one that we wrote, unchanged."""
    return store.db.execute("select 1 from rendering where hash = ?", (_hash(document),)).fetchone() is not None


def _hash(document: bytes) -> bytes:
    # OpenSSL takes a while to load, and what only reads needs none of it.
    import hashlib

    return hashlib.sha256(document).digest()
