"""Making the records of an import ready to be written: all that needs no store, and so can be done in any process."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from memory_cli.errors import MemoryCliError, Refused, UsageError
from memory_cli.memory import GLOBAL, Memory
from memory_cli.models.links import Link
from memory_cli.models.statement import HANDOFF, Origin
from memory_cli.operations import chronicles, intake, link_lines
from memory_cli.operations.intake import Cleaner
from memory_cli.operations.jsonl import FIELDS, Reader, parsed
from memory_cli.store import words
from memory_cli.store.moments import stored
from memory_cli.store.ready import Ready, metadata_column
from memory_cli.text.identity import folded, identity
from memory_cli.text.kinds import DEFAULT_KIND, kind_named
from memory_cli.text.tags import tags_in

SOURCE = "import"
# So many different origins are remembered.
ORIGINS = 500


class Failed(NamedTuple):
    """Why a record cannot be taken in."""

    told: str


class Entry(NamedTuple):
    """A record as it can be handed to another process: its line, or its fields, or why those could not be read."""

    where: str
    source: str | Mapping[str, Any] | Failed


class Placed(NamedTuple):
    """A statement, its scope, and the place in the order of an export that its record gives, if it does."""

    ready: Ready
    scope: str
    sequence: Any


class Linked(NamedTuple):
    """A link, and whether what it is to is marked as superseded."""

    link: Link
    marks: bool


class Changed(NamedTuple):
    """A change of an exported history."""

    fields: Mapping[str, Any]
    scope: str


Outcome = Placed | Linked | Changed | Failed


@dataclass
class Prepared:
    """What became of some records in their order, with what was blotted out of them and passed over."""

    size: int
    outcomes: list[tuple[str, Outcome]] = field(default_factory=list)
    redacted: Counter[str] = field(default_factory=Counter)
    ignored: set[str] = field(default_factory=set)

    def with_next(self, more: "Prepared") -> "Prepared":
        """Return this with what became of the records after these."""
        return Prepared(
            self.size + more.size, self.outcomes + more.outcomes, self.redacted + more.redacted,
            self.ignored | more.ignored,
        )  # fmt: skip


class Preparer:
    """Makes records ready as the settings and the session of a memory want it; its stores stay closed."""

    def __init__(self, memory: Memory, scope: str) -> None:
        self._memory, self._scope = memory, scope
        # Finding the zone takes longer than reading a record, and most records of an import come from the same place.
        self._zone = memory.session.zone
        self._origins: dict[tuple[str, str, tuple[str, ...]], tuple[Origin, ...]] = {}

    def prepared(self, entries: Sequence[Entry], size: int) -> Prepared:
        """Make records ready, or say of each why it cannot be taken in."""
        made = Prepared(size)
        for where, source in entries:
            try:
                fields = parsed(source) if isinstance(source, str) else source
                outcome = fields if isinstance(fields, Failed) else self._outcome(fields, made)
            except MemoryCliError as error:
                outcome = Failed(str(error))
            made.outcomes.append((where, outcome))
        return made

    def _outcome(self, fields: Mapping[str, Any], made: Prepared) -> Outcome:
        if "text" not in fields:
            if chronicles.is_change(fields):
                return Changed(fields, self._scope or _scope(self._reader(fields)))
            if link_lines.is_link(fields):
                return Linked(link_lines.read(self._memory, fields), fields.get("marks") is True)
        if not fields.keys() <= FIELDS:
            made.ignored |= fields.keys() - FIELDS
        clean = Cleaner(self._memory)
        placed = self._placed(fields, clean)
        made.redacted.update(clean.kinds)
        return placed

    def _reader(self, fields: Mapping[str, Any]) -> Reader:
        return Reader(fields, now=self._memory.now, zone=self._zone)

    def _placed(self, fields: Mapping[str, Any], clean: Cleaner) -> Placed:
        read = self._reader(fields)
        if not isinstance(fields.get("text"), str):
            raise UsageError("there is no `text`")
        at = read.moment("at") or self._memory.now
        scope = self._memory.scope_to_write(self._scope or _scope(read))
        id = clean.id(name) if (name := read.text("id")) else ""
        kind = kind_named(read.text("kind", DEFAULT_KIND))
        text = clean.text(fields["text"])
        updated_at = read.moment("updated_at") or at
        origins = self._from(read, fields, clean)
        aliases = tuple(sorted(map(clean.id, read.texts("aliases"))))
        expires_at = read.moment("expires_at")
        metadata = clean.metadata(read.object("metadata"))
        superseded, recalls, recalled = read.flag("superseded"), read.number("recalls"), read.moment("last_recalled_at")
        if kind == HANDOFF and scope == GLOBAL:
            raise Refused("a handoff belongs to a project, and this would go to the global memory")
        ready = Ready(
            id, identity(kind, text), folded(text), kind, text, stored(at), stored(updated_at),
            _column(expires_at), metadata_column(metadata), superseded, recalls,
            _column(recalled), origins, aliases,
            *words.analysed(text, tuple(dict.fromkeys(each.agent for each in origins))),
        )  # fmt: skip
        return Placed(ready, scope, fields.get("sequence"))

    def _from(self, read: Reader, fields: Mapping[str, Any], clean: Cleaner) -> tuple[Origin, ...]:
        """Return where a record comes from; what an export wrote has all its tags already."""
        if "origins" in fields:
            return intake.merged((), [self._origin(each, clean) for each in read.origins()])
        marked = tags_in(fields["text"])
        key = (read.text("agent"), read.text("source"), (*read.texts("tags"), *marked))
        if key in self._origins:
            return self._origins[key]
        own = Cleaner(self._memory)
        origins = (self._origin(Origin(*key), own),)
        clean.kinds |= own.kinds
        # What was blotted out is counted each time.
        if len(self._origins) < ORIGINS and not own.kinds:
            self._origins[key] = origins
        return origins

    def _origin(self, given: Origin, clean: Cleaner) -> Origin:
        return Origin(
            clean.text(given.agent or self._memory.session.agent, "agent"),
            clean.text(given.source or SOURCE, "source"),
            clean.names(given.tags, "tag"),
        )


def _column(moment: datetime | None) -> int | None:
    return None if moment is None else stored(moment)


def _scope(read: Reader) -> str:
    scope = read.text("scope")
    if scope not in ("", "local", "global"):
        raise UsageError(f"`scope` is neither local nor global: {scope!r}")
    return scope
