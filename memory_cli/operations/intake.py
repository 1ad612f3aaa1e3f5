"""Taking a statement in: what is stored of it, and what becomes of one that is there already."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memory_cli.errors import Refused, UsageError
from memory_cli.memory import Memory
from memory_cli.models.frozen import Frozen, replace
from memory_cli.models.statement import HANDOFF, Origin, Statement
from memory_cli.store import journal, statements
from memory_cli.store.journal import Journal
from memory_cli.text.identity import identity, new_id, stored
from memory_cli.text.kinds import checked_id
from memory_cli.text.tags import tags_in

# What is deeper could be stored and, from deeper in the program, not be read again.
DEEPEST = 50


class Draft(Frozen):
    """A statement that is to be remembered, checked and with its secrets blotted out; an empty id means any."""

    statement: Statement
    redacted: tuple[str, ...]


class Taken(Frozen):
    """What became of a draft: the statement as stored, what it was, and the handoff that it replaced."""

    statement: Statement
    already: bool = False
    updated: bool = False
    replaced: Statement | None = None


class Cleaner:
    """Blots secrets out of every text of one record and remembers which kinds it met."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.most = memory.settings.record.max_characters
        self.kinds: set[str] = set()

    def text(self, text: str, name: str = "text") -> str:
        """Return text fit to be stored, or refuse it by name."""
        given = stored(text, most=self.most, name=name)
        blotted = self._redacted(given)
        return given if blotted == given else stored(blotted, most=self.most, name=name)

    def id(self, id: str) -> str:
        """Return an id that a caller gave; a secret can be blotted out of a text and not out of a name."""
        if found := self.memory.redacted(checked_id(id)).kinds:
            raise UsageError(f"The id holds a secret ({', '.join(found)}) and would be stored as it is; give another.")
        return id

    def names(self, names: Iterable[str], name: str) -> tuple[str, ...]:
        """Return the names, each once, in order."""
        return tuple(dict.fromkeys(self.text(each, name) for each in names))

    def metadata(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return metadata whose every text is fit to be stored."""
        if not value:
            return {}
        if _is_deep(value):
            raise UsageError(f"The metadata is nested too deep; {DEEPEST} levels are taken.")
        try:
            json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        except (TypeError, ValueError) as error:
            raise UsageError(f"The metadata cannot be kept as JSON: {error}.") from error
        return {self._redacted(key): self._within(key, each) for key, each in value.items()}

    def _within(self, key: str, value: Any) -> Any:
        if isinstance(value, str):
            blotted, name = self._redacted(value), f"{key}="
            # A password is known by the name before it alone.
            named = self._redacted(name + blotted)
            return named.removeprefix(name) if named.startswith(name) else blotted
        if isinstance(value, Mapping):
            return self.metadata(value)
        return [self._within(key, each) for each in value] if isinstance(value, list | tuple) else value

    def _redacted(self, text: str) -> str:
        found = self.memory.redacted(text)
        self.kinds.update(found.kinds)
        return found.text


def draft(
    memory: Memory,
    text: str,
    *,
    kind: str,
    agent: str = "",
    source: str = "",
    tags: Sequence[str] = (),
    at: datetime | None = None,
    expires_at: datetime | None = None,
    metadata: Mapping[str, Any] | None = None,
    id: str = "",
) -> Draft:
    """Check a statement and blot out its secrets; nothing is written."""
    clean = Cleaner(memory)
    words = clean.text(text)
    given = (each.removeprefix("#") for each in tags)
    origin = Origin(
        clean.text(agent or memory.session.agent, "agent"),
        clean.text(source or memory.session.source, "source"),
        clean.names(_united((), (*given, *tags_in(words))), "tag"),
    )
    statement = Statement(
        number=0,
        id=clean.id(id) if id else "",
        scope="",
        sequence=0,
        kind=kind,
        text=words,
        at=at or memory.now,
        updated_at=memory.now,
        origins=(origin,),
        expires_at=expires_at,
        metadata=clean.metadata(metadata or {}),
    )
    return Draft(statement, tuple(sorted(clean.kinds)))


def take(made: Journal, statement: Statement) -> Taken:
    """Store a statement; the same words and kind move to the top, a known id is updated, a handoff replaces."""
    known = statements.by_id(made.store, statement.id) if statement.id else None
    same = statements.by_identity(made.store, identity(statement.kind, statement.text))
    if same is not None:
        return _again(made, same, statement, known)
    if statement.kind == HANDOFF:
        return _handoff(made, statement, known)
    if known is not None:
        return Taken(_renewed(made, known, statement), updated=True)
    return Taken(journal.add(made, replace(statement, id=statement.id or new_id())))


def merged(origins: Sequence[Origin], more: Sequence[Origin]) -> tuple[Origin, ...]:
    """Return the origins of both, those of one agent and source as one with the tags of both."""
    if len(origins) + len(more) == 1:
        return (*origins, *more)
    found: dict[tuple[str, str], Origin] = {}
    for each in (*origins, *more):
        key = (each.agent.casefold(), each.source.casefold())
        before = found.get(key)
        found[key] = replace(before, tags=_united(before.tags, each.tags)) if before else each
    return tuple(found.values())


def with_id(statement: Statement, id: str) -> Statement:
    """Return statement answering for id too."""
    if not id or id == statement.id or id in statement.aliases:
        return statement
    return replace(statement, aliases=tuple(sorted((*statement.aliases, id))))


def _again(made: Journal, same: Statement, new: Statement, known: Statement | None) -> Taken:
    if known is not None and known.number != same.number:
        raise Refused(
            f"Statement {same.id} has these words already, so {known.id} cannot take them; forget one of the two first."
        )
    after = replace(
        with_id(same, new.id),
        sequence=journal.next_sequence(made),
        updated_at=made.at,
        origins=merged(same.origins, new.origins),
        expires_at=new.expires_at,
        metadata={**same.metadata, **new.metadata},
        superseded=False,
    )
    return Taken(journal.change(made, same, after), already=True)


def _handoff(made: Journal, new: Statement, known: Statement | None) -> Taken:
    replaced = statements.handoff(made.store)
    if known is not None and known != replaced:
        raise Refused(f"The id {new.id} belongs to another statement, so the handoff cannot have it.")
    if replaced is not None:
        journal.remove(made, replaced)
    return Taken(journal.add(made, replace(new, id=new.id or new_id())), replaced=replaced)


def _renewed(made: Journal, known: Statement, new: Statement) -> Statement:
    if known.kind == HANDOFF:
        raise Refused(f"Statement {known.id} is the handoff; set a new one with `memory handoff`.")
    after = replace(
        known,
        kind=new.kind,
        text=new.text,
        sequence=journal.next_sequence(made),
        updated_at=made.at,
        origins=merged(known.origins, new.origins),
        expires_at=new.expires_at,
        metadata={**known.metadata, **new.metadata},
        superseded=False,
    )
    return journal.change(made, known, after)


def _is_deep(value: Any, left: int = DEEPEST) -> bool:
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return left < 0 or any(_is_deep(each, left - 1) for each in inner)


def _united(tags: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    return tuple({each.casefold(): each for each in (*more, *tags)}.values())
