"""From what older servers kept to statements of ours: one handoff, fit texts, the same words once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from memory_cli.models.frozen import Frozen
from memory_cli.models.history import Who
from memory_cli.models.statement import HANDOFF, Origin, Statement
from memory_cli.store.legacy import documents
from memory_cli.store.legacy.old import Old
from memory_cli.text.identity import identity, new_id
from memory_cli.text.kinds import DEFAULT_KIND

# Older servers did not note who recorded.
AGENT = "ultrarag"
# Ours takes no NUL; this is the character that shows one.
NUL = "\N{SYMBOL FOR NULL}"


class Taking(Frozen):
    """Who takes in and when, and how secrets are blotted out of a text."""

    who: Who
    at: datetime
    redacted: Callable[[str], str]


def united(rows: Sequence[Old], document: bytes | None) -> list[Old]:
    """Return the statements of a database and of the document beside it, in the document's order, newest first."""
    if document is None:
        return list(rows)
    by_words = {key: place for place, each in enumerate(rows) for key in documents.known_as(each.kind, each.text)}
    met: set[int] = set()
    found: list[Old] = []
    for each in documents.compared(documents.blocks(document), by_words):
        if isinstance(each, Old):
            found.append(each)
        elif each not in met:
            met.add(each)
            found.append(rows[each])
    return [*found, *(each for place, each in enumerate(rows) if place not in met)]


def arranged(found: Iterable[Old], taking: Taking, *, handoff: bool, undated: datetime) -> list[Statement]:
    """Return what is to be stored, oldest first; `handoff` says whether one may be among it.

    Nothing goes: a handoff too many becomes a statement with a tag, the same words of one kind become one statement.
    """
    by_identity: dict[bytes, tuple[Statement, str]] = {}
    for old in found:
        one = _statement(old, taking, undated, handoff=handoff)
        if not one.text:
            continue
        handoff = handoff and one.kind != HANDOFF
        key = identity(one.kind, one.text)
        if key in by_identity:
            known, known_key = by_identity[key]
            one = _joined(known, one, twice=bool(old.key) and old.key == known_key)
        by_identity[key] = (one, old.key)
    return [one for one, _key in reversed(by_identity.values())]


def _statement(old: Old, taking: Taking, undated: datetime, *, handoff: bool) -> Statement:
    spare = old.kind == HANDOFF and not handoff
    return Statement(
        number=0,
        id=new_id(),
        scope="",
        sequence=0,
        kind=DEFAULT_KIND if spare else old.kind,
        text=taking.redacted(old.text.replace("\0", NUL).strip()).strip(),
        at=old.at or undated,
        updated_at=old.at or undated,
        origins=(Origin(AGENT, old.source, ("handoff",) if spare else ()),),
        metadata={"kind": old.filed_as} if old.filed_as else {},
        recalls=old.recalls,
        last_recalled_at=old.last_recalled_at,
    )


def _joined(known: Statement, same: Statement, *, twice: bool) -> Statement:
    """Return one statement for two; a row that stood there twice was counted twice."""
    recalled = [each for each in (known.last_recalled_at, same.last_recalled_at) if each]
    return replace(
        known,
        at=min(known.at, same.at),
        origins=_origins(known.origins, same.origins),
        metadata={**same.metadata, **known.metadata},
        recalls=max(known.recalls, same.recalls) if twice else known.recalls + same.recalls,
        last_recalled_at=max(recalled, default=None),
    )


def _origins(some: Sequence[Origin], more: Sequence[Origin]) -> tuple[Origin, ...]:
    tags: dict[tuple[str, str], dict[str, None]] = {}
    for each in (*some, *more):
        tags.setdefault((each.agent, each.source), {}).update(dict.fromkeys(each.tags))
    return tuple(Origin(agent, source, tuple(found)) for (agent, source), found in tags.items())
