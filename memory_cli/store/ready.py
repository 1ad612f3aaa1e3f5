"""New statements as the tables take them, made ready before the store is locked, and by another process perhaps."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from memory_cli.models.statement import Origin, Statement
from memory_cli.store.moments import loaded


class Ready(NamedTuple):
    """A statement whose times, metadata and words are in the form of their columns; an empty id means any.

    Of plain values and origins alone, so that it costs little to hand from process to process.
    """

    id: str
    identity: bytes
    folded: bytes
    kind: str
    text: str
    at: int
    updated_at: int
    expires_at: int | None
    metadata: str | None
    superseded: bool
    recalls: int
    last_recalled_at: int | None
    origins: tuple[Origin, ...]
    aliases: tuple[str, ...]
    words: str
    agents: str

    def statement(self, scope: str, sequence: int = 0) -> Statement:
        """Return the statement that this is, not yet stored, in a scope and at a place in its order."""
        return Statement(
            number=0,
            id=self.id,
            scope=scope,
            sequence=sequence,
            kind=self.kind,
            text=self.text,
            at=loaded(self.at),
            updated_at=loaded(self.updated_at),
            origins=self.origins,
            aliases=self.aliases,
            expires_at=None if self.expires_at is None else loaded(self.expires_at),
            metadata=json.loads(self.metadata) if self.metadata else {},
            superseded=self.superseded,
            recalls=self.recalls,
            last_recalled_at=None if self.last_recalled_at is None else loaded(self.last_recalled_at),
        )


def metadata_column(metadata: Mapping[str, Any]) -> str | None:
    """Return metadata as its column holds them; none are nothing."""
    return json.dumps(metadata, ensure_ascii=False) if metadata else None
