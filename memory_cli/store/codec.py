"""A statement as plain JSON values by field, the form in which the history keeps what was there before."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_cli.models.statement import Origin, Statement
from memory_cli.store.moments import loaded, stored

MOMENTS = ("at", "updated_at", "expires_at", "last_recalled_at")
CHANGING = (
    "sequence", "kind", "text", "at", "updated_at", "expires_at", "metadata", "superseded", "origins", "aliases",
)  # fmt: skip
WHOLE = ("id", *CHANGING, "recalls", "last_recalled_at")


def packed(statement: Statement, names: Iterable[str] = WHOLE) -> dict[str, Any]:
    """Return the named fields of statement as JSON values."""
    return {name: _packed(getattr(statement, name)) for name in names}


def differing(before: Statement, after: Statement) -> tuple[str, ...]:
    """Return the fields that a change from before to after touches."""
    return tuple(name for name in CHANGING if getattr(before, name) != getattr(after, name))


def version(statement: Statement) -> str:
    """Return what tells this state of a statement from every other; being recalled is no change."""
    # Few starts need it, and it takes OpenSSL along.
    from hashlib import sha256

    state = json.dumps(packed(statement, ("id", *CHANGING)), ensure_ascii=False, sort_keys=True)
    return sha256(state.encode()).hexdigest()[:16]


def unpacked(statement: Statement, fields: Mapping[str, Any]) -> Statement:
    """Return statement with the packed fields in place of its own."""
    return replace(statement, **{name: _unpacked(name, value) for name, value in fields.items()})


def _packed(value: Any) -> Any:
    if isinstance(value, datetime):
        return stored(value)
    if isinstance(value, tuple):
        return [[each.agent, each.source, list(each.tags)] if isinstance(each, Origin) else each for each in value]
    return dict(value) if isinstance(value, Mapping) else value


def _unpacked(name: str, value: Any) -> Any:
    if name in MOMENTS:
        return None if value is None else loaded(value)
    if name == "origins":
        return tuple(Origin(agent, source, tuple(tags)) for agent, source, tags in value)
    return tuple(value) if name == "aliases" else value
