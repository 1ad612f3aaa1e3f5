"""What mem0 answers to `get_all`, or exports: a list of memories."""

from collections.abc import Iterator
from typing import Any

from memory_cli.errors import UsageError
from memory_cli.operations.importing.record import Found, failure, fit_id, holds, statement, tags_of
from memory_cli.operations.importing.source import Source

NAME = "mem0"
OWNERS = ("user_id", "agent_id", "run_id", "app_id", "actor_id", "role")


def recognises(source: Source) -> bool:
    """Tell by a list of objects with a `memory`."""
    return source.is_document and holds(_listed(source.document), "memory")


def records(source: Source) -> Iterator[Found]:
    """Yield a statement for each memory."""
    for number, item in enumerate(_listed(source.document) or [], 1):
        where = f"memory {number}"
        if not isinstance(item, dict) or not isinstance(item.get("metadata") or {}, dict):
            yield failure(where, UsageError("this is not an object with a `memory`"))
            continue
        owners = {key: item[key] for key in OWNERS if item.get(key)}
        yield statement(
            where, item.get("memory"), id=fit_id(NAME, item["id"]) if item.get("id") else "", source=NAME,
            agent=item.get("agent_id"), tags=tags_of(item.get("categories")), at=item.get("created_at"),
            updated_at=item.get("updated_at"), metadata=owners | (item.get("metadata") or {}),
        )  # fmt: skip


def _listed(document: Any) -> Any:
    for key in ("results", "memories"):
        if isinstance(document, dict) and key in document:
            return document[key]
    return document
