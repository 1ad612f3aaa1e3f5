"""mcp-memory-service: its export, and its SQLite file."""

from collections.abc import Iterator, Mapping
from typing import Any

from memory_cli.errors import UsageError
from memory_cli.operations.importing.chunk import chunk, chunk_of_row
from memory_cli.operations.importing.record import Found, failure, holds, tags_of
from memory_cli.operations.importing.source import Source
from memory_cli.store import foreign
from memory_cli.text.kinds import KIND

NAME = "mcp-memory-service"
COLUMNS = {"content", "content_hash", "tags", "memory_type", "metadata", "created_at", "updated_at", "deleted_at"}


def recognises(source: Source) -> bool:
    """Tell by its table, or by the memories of its export."""
    if {"content", "content_hash"} <= source.tables.get("memories", set()):
        return True
    found = source.document.get("memories") if source.is_document and isinstance(source.document, dict) else None
    return holds(found, "content")


def records(source: Source) -> Iterator[Found]:
    """Yield a statement for each memory that was not deleted."""
    if source.tables:
        assert source.path is not None
        for row in foreign.rows(source.path, "memories", source.tables["memories"] & COLUMNS):
            if not row.get("deleted_at"):
                named = dict(row) | {"id": row["content_hash"]}
                yield chunk_of_row(f"memory {row['content_hash']}", NAME, named, "content", **_more(row))
        return
    for number, item in enumerate(source.document["memories"], 1):
        where = f"memory {number}"
        if not isinstance(item, dict) or not isinstance(item.get("metadata") or {}, dict):
            yield failure(where, UsageError("this is not a memory with content and an object of metadata"))
            continue
        id, metadata = item.get("content_hash") or item.get("content"), item.get("metadata") or {}
        yield chunk(where, NAME, id, item.get("content"), metadata, **_more(item))


def _more(item: Mapping[str, Any]) -> dict[str, Any]:
    type = item.get("memory_type")
    return {
        "kind": type if isinstance(type, str) and KIND.fullmatch(type) else "",
        "tags": tags_of(item.get("tags")),
        "at": item.get("created_at"),
        "updated_at": item.get("updated_at"),
    }
