"""Statements as answers show them, within a budget of tokens."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from memory_cli.memory import Memory
from memory_cli.models.document import document
from memory_cli.models.results import Unit
from memory_cli.models.statement import Statement

# Measured on English and on JSON, where a token is about four bytes; other scripts take fewer bytes a token.
BYTES_A_TOKEN = 3.5
SHORTEST = 60
SEPARATOR = 4
METADATA = 400
# What `truncated`, `next` and a hint may add to a frame.
TAIL = 40

T = TypeVar("T")


def unit(
    memory: Memory,
    statement: Statement,
    *,
    score: float = 0.0,
    explain: Mapping[str, float] | None = None,
    whole: bool = False,
    superseded_by: str = "",
) -> Unit:
    """Return a statement as an answer shows it; large metadata only where the whole is asked for."""
    fits = whole or not statement.metadata or _bytes(statement.metadata) <= METADATA
    return Unit(
        id=statement.id,
        scope=statement.scope,
        text=statement.text,
        kind=statement.kind,
        recalls=statement.recalls,
        at=moment(statement.at),
        agents=list(statement.agents),
        sources=list(statement.sources),
        tags=list(statement.tags),
        metadata=statement.metadata if fits else {},
        cut=not fits,
        expires_at=moment(statement.expires_at),
        superseded=statement.superseded,
        superseded_by=superseded_by,
        foreign=memory.is_foreign(statement.scope),
        score=round(score, 4),
        explain=explain or {},
    )


def moment(at: datetime | None) -> str:
    """Return a time to the second in UTC, and nothing for none."""
    return "" if at is None else at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def tokens(value: object) -> int:
    """Estimate how many tokens a result takes as JSON: one for each three and a half bytes."""
    return int(_bytes(value) / BYTES_A_TOKEN) + 1


def fitting(units: Sequence[Unit], budget: int, passages: Sequence[int] = ()) -> list[Unit]:
    """Return the first units that fit into budget tokens, long texts shortened before any is dropped.

    Each text may take as much as is left when the shorter ones have what they need; a text that is shortened
    has an ellipsis where something is missing and says `cut`. What is kept are the beginnings, or from where passages
    say that the answer begins. A budget of 0 is none.
    """
    if not budget:
        return list(units)
    room = int(budget * BYTES_A_TOKEN)
    frames = [_bytes(replace(each, text="", cut=True)) + SEPARATOR for each in units]
    sizes = [_bytes(each.text) for each in units]
    for count in range(len(units), 0, -1):
        share = _share(sizes[:count], room - sum(frames[:count]))
        if share >= SHORTEST or share < 0:
            starts = [*passages, *(0 for _ in units)]
            return [_cut(each, share, start) for each, start in zip(units[:count], starts, strict=False)]
    return []


def room(memory: Memory, budget: int, pages: float) -> int:
    """Return the tokens meant: those named, else the setting's, and more where more than a usual page was asked for."""
    return int(memory.settings.retrieval.budget * max(pages, 1.0)) if budget < 0 else budget


def within(units: Sequence[Unit], frame: object, budget: int, passages: Sequence[int] = ()) -> list[Unit]:
    """Return the first units that fit into budget tokens together with the rest of the answer."""
    left = budget - tokens(frame) - TAIL
    return fitting(units, max(left, 1) if budget else 0, passages)


def leading(items: Sequence[T], budget: int) -> list[T]:
    """Return the first items that fit into budget tokens, and the first one in any case."""
    room = int(budget * BYTES_A_TOKEN)
    kept: list[T] = []
    for each in items:
        room -= _bytes(each) + SEPARATOR
        if budget and kept and room < 0:
            break
        kept.append(each)
    return kept


def excerpt(text: str, most: int) -> str:
    """Return text, or its beginning when it is longer than most characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _share(sizes: Sequence[int], room: int) -> int:
    """Return how many bytes the longest text may take so that all fit into room; -1 when all fit whole."""
    if sum(sizes) <= room:
        return -1
    left = room
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return max(share, 0)
        left -= size
    return -1


def _cut(unit: Unit, share: int, start: int = 0) -> Unit:
    if share < 0 or _bytes(unit.text) <= share:
        return unit
    # What fits whole from its passage on is shown up to its end, and begins earlier.
    room = share - (6 if start else 3)
    start = min(start, len(unit.text) - _longest(unit.text[::-1], room))
    text = ("…" if start else "") + unit.text[start:]
    end = _longest(text, share - 3)
    if end == len(text):
        return replace(unit, text=text, cut=True)
    # A cut at a space reads better, where one is near.
    space = text.rfind(" ", max(end - 20, 0), end)
    return replace(unit, text=text[: space if space > 0 else end].rstrip() + "…", cut=True)


def _longest(text: str, room: int) -> int:
    """Return how many of the first characters of text fit into room bytes."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _bytes(text[:middle]) <= room else (low, middle - 1)
    return low


def _bytes(value: object) -> int:
    """Return the length of the JSON of value in UTF-8; escapes, such as those of quotes, are counted."""
    return len(json.dumps(document(value), ensure_ascii=False).encode())
