"""A statement as a program hands it in."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any

from memory_cli.models.frozen import Frozen


class Entry(Frozen):
    """A statement to be remembered; with an id of yours it is an upsert, and a vector is one that was made already."""

    text: str
    id: str = ""
    kind: str = "ITEM"
    agent: str = ""
    source: str = ""
    tags: Sequence[str] = ()
    at: datetime | None = None
    expires_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    vector: Sequence[float] = ()
