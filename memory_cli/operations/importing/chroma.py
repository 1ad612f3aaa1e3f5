"""A Chroma folder: the documents and metadata of its collections, read from its SQLite file."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from memory_cli.operations.importing.chunk import chunk
from memory_cli.operations.importing.record import Found
from memory_cli.operations.importing.source import Source
from memory_cli.store import foreign

NAME = "chroma"
FILE = "chroma.sqlite3"
DOCUMENT = "chroma:document"


def recognises(source: Source) -> bool:
    """Tell by the file in the folder, or its tables."""
    if source.folder:
        return (source.folder / FILE).is_file()
    return {"embeddings", "embedding_metadata", "segments", "collections"} <= source.tables.keys()


def records(source: Source) -> Iterator[Found]:
    """Yield a statement for each document of each collection."""
    path = _file(source)
    for _number, rows in groupby(foreign.chroma(path), key=lambda row: row["number"]):
        keys = list(rows)
        metadata = {str(row["key"]): _value(row) for row in keys if row["key"] is not None}
        text, first = metadata.pop(DOCUMENT, None), keys[0]
        # SQLite's clock, which is UTC.
        metadata.setdefault("timestamp", f"{first['at']}Z")
        yield chunk(
            f"{first['collection']} {first['id']}", NAME, first["id"], text,
            {key: value for key, value in metadata.items() if not key.startswith("chroma:")} | {
                "collection": first["collection"]
            },
        )  # fmt: skip


def _file(source: Source) -> Path:
    assert source.path is not None
    return source.folder / FILE if source.folder else source.path


def _value(row: Mapping[str, Any]) -> Any:
    return row["value"] if row["truth"] is None else bool(row["truth"])
