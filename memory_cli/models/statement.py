"""One remembered statement, where it came from, and the filters that select statements."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from memory_cli.models.frozen import Frozen

HANDOFF = "HANDOFF"


class Origin(Frozen):
    """Who recorded a statement, through which source, under which tags, which are kept in order."""

    agent: str
    source: str
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tags", tuple(sorted(self.tags, key=lambda each: (each.casefold(), each))))


class Statement(Frozen):
    """One row of a store: a statement as it was recorded.

    `number` is the row's own and never leaves the process; `sequence` grows with each recording, so the
    highest is the newest. Times are aware and in UTC. `scope` is `local` or `global`; `aliases` are further ids
    under which the same words were recorded.
    """

    number: int
    id: str
    scope: str
    sequence: int
    kind: str
    text: str
    at: datetime
    updated_at: datetime
    origins: tuple[Origin, ...] = ()
    aliases: tuple[str, ...] = ()
    expires_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    superseded: bool = False
    recalls: int = 0
    last_recalled_at: datetime | None = None

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that recorded it, each once, in the order in which they came."""
        return tuple(dict.fromkeys(each.agent for each in self.origins))

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources it came from, each once."""
        return tuple(dict.fromkeys(each.source for each in self.origins))

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of all its origins, each once."""
        return tuple(dict.fromkeys(tag for each in self.origins for tag in each.tags))


class Filters(Frozen):
    """What selects statements, for recall, list, forget, stats and export alike.

    Within a field any value may match; all fields must. Agent, source and tag are asked of one origin together.
    `since` and `until` are half-open bounds on `at`, and `now` decides what has expired.
    """

    now: datetime
    kinds: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    metadata: tuple[tuple[str, Any], ...] = ()
    include_expired: bool = False
    superseded: bool | None = None

    @property
    def selects_origins(self) -> bool:
        """Whether a part of a statement's origins, rather than the statement, may be meant."""
        return bool(self.agents or self.sources or self.tags)

    @property
    def empty(self) -> bool:
        """Whether every statement that has not expired passes."""
        return self == Filters(now=self.now)
