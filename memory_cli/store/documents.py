"""Rows of the table of documents that statements were taken from."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from memory_cli.models.documents import Document
from memory_cli.models.history import Item
from memory_cli.store.connection import Store

if TYPE_CHECKING:
    from memory_cli.store.journal import Journal

FAMILY = "document"
COLUMNS = ("path", "size", "mtime", "hash", "source", "pieces")


def found(store: Store, path: str) -> Document | None:
    """Return what is known of a document."""
    row = store.db.execute("select * from document where path = ?", (path,)).fetchone()
    return unpacked(dict(row) | {"pieces": json.loads(row["pieces"])}) if row else None


def below(store: Store, folder: str) -> Iterator[str]:
    """Yield the paths of the documents that are or were in a folder."""
    prefix = "" if folder in ("", ".") else folder.rstrip("/") + "/"
    rows = store.db.execute(
        "select path from document where path >= :low and path < :high order by path",
        {"low": prefix, "high": prefix + "\U0010ffff"},
    )
    # Below the project's root a path from the root of the disk is none of them.
    yield from [row["path"] for row in rows if prefix or not row["path"].startswith("/")]


def put(journal: "Journal", document: Document) -> None:
    """Write what is known of a document now."""
    before = found(journal.store, document.path)
    _write(journal.store, document)
    if before != document:
        effect = "change" if before else "add"
        journal.items.append(Item(document.path, effect, packed(before) if before else None, FAMILY))


def remove(journal: "Journal", document: Document) -> None:
    """Forget that there was a document."""
    journal.store.db.execute("delete from document where path = ?", (document.path,))
    journal.items.append(Item(document.path, "remove", packed(document), FAMILY))


def touch(store: Store, document: Document) -> None:
    """Write when a document was read, which is no change of a memory; the caller holds the transaction."""
    _write(store, document)


def packed(document: Document) -> dict[str, Any]:
    """Return a document as JSON values by field."""
    return {name: getattr(document, name) for name in COLUMNS}


def unpacked(fields: Mapping[str, Any]) -> Document:
    """Return the document that packed fields are of."""
    return Document(**{name: fields[name] for name in COLUMNS})


def _write(store: Store, document: Document) -> None:
    row = packed(document) | {"pieces": json.dumps(document.pieces)}
    store.db.execute(
        f"insert or replace into document ({', '.join(COLUMNS)}) values ({', '.join(f':{each}' for each in COLUMNS)})",
        row,
    )
