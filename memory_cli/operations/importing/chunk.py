"""A chunk as shared-memory keeps it: a text and metadata, some of which mean something to us too."""

import json
from collections.abc import Mapping
from typing import Any

from memory_cli.errors import MemoryCliError, UsageError
from memory_cli.operations.importing.record import Found, failure, fit_id, statement, tags_of
from memory_cli.text.kinds import KIND


def chunk(where: str, program: str, id: object, text: object, metadata: Mapping[str, Any], **more: Any) -> Found:
    """Return the record of a chunk; its metadata is kept whole, and what we have a place for is put there too."""
    kind, at, known = metadata.get("kind"), metadata.get("timestamp"), fit_id(program, id)
    fields = {
        "agent": _text(metadata.get("agent")),
        "source": _text(metadata.get("source")) or program,
        "kind": kind if isinstance(kind, str) and KIND.fullmatch(kind) else "",
        "at": at if isinstance(at, str | int | float) and not isinstance(at, bool) else "",
        "superseded": metadata.get("superseded") is True,
        "tags": tags_of(metadata.get("tags")),
        "metadata": dict(metadata) | ({"original_id": str(id)} if known != str(id) else {}),
    }
    return statement(where, text, id=known, **(fields | {name: value for name, value in more.items() if value}))


def chunk_of_row(where: str, program: str, row: Mapping[str, Any], text: str, **more: Any) -> Found:
    """Return the record of a row whose metadata is JSON in one column, or columns of their own."""
    try:
        metadata = json.loads(row.get("metadata") or "{}")
    except (ValueError, TypeError) as error:
        return failure(where, UsageError(f"its metadata is not JSON: {error}"))
    if not isinstance(metadata, dict):
        return failure(where, UsageError("its metadata is not an object"))
    columns = {name: row[name] for name in ("agent", "source", "kind", "timestamp") if row.get(name)}
    try:
        return chunk(where, program, row.get("id"), row.get(text), columns | metadata, **more)
    except MemoryCliError as error:
        return failure(where, error)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
