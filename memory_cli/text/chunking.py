"""Cutting long texts into pieces of whole paragraphs, lines or sentences, none longer than so much."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

# Where a text may be cut, best places first; each cut comes after what separates.
_CUTS = tuple(
    map(
        re.compile,
        (
            r"\n[^\S\n]*\n\s*",
            r"\n",
            r"(?<=[.!?…])[\"'”’)\]]*\s+|[。！？．]+[」』）]*",
            r"\s+",
        ),
    )
)


class Span(NamedTuple):
    """Where a piece of a text begins and ends."""

    start: int
    end: int


def characters(text: str) -> int:
    """Return how long text is."""
    return len(text)


def octets(text: str) -> int:
    """Return how many bytes text takes, which tokens follow in every script."""
    return len(text.encode("utf-8", "replace"))


def spans(text: str, most: int, size: Callable[[str], int] = characters) -> list[Span]:
    """Return the pieces of text, each of at most that size, which together are all of it but white space.

    A paragraph is cut only where it is too long by itself, a sentence likewise, and a word only when nothing else is
    left. Small neighbours share a piece.
    """
    if size(text) <= most:
        return [_stripped(text, Span(0, len(text)))] if text.strip() else []
    pieces: list[Span] = []
    room = 0
    for atom in _atoms(text, Span(0, len(text)), most, size, 0):
        length = size(text[atom.start : atom.end])
        if pieces and length <= room:
            pieces[-1] = Span(pieces[-1].start, atom.end)
            room -= length
        else:
            pieces.append(atom)
            room = most - length
    return [_stripped(text, each) for each in pieces if text[each.start : each.end].strip()]


def _atoms(text: str, span: Span, most: int, size: Callable[[str], int], level: int) -> Iterator[Span]:
    """Yield the pieces between the best cuts that make them small enough."""
    if size(text[span.start : span.end].strip()) <= most:
        yield span
    elif level == len(_CUTS):
        yield from _hard(text, span, most, size)
    else:
        start = span.start
        for found in _CUTS[level].finditer(text, span.start, span.end):
            yield from _atoms(text, Span(start, found.end()), most, size, level + 1)
            start = found.end()
        if start < span.end:
            yield from _atoms(text, Span(start, span.end), most, size, level + 1)


def _hard(text: str, span: Span, most: int, size: Callable[[str], int]) -> Iterator[Span]:
    """Yield pieces of a run without any white space."""
    # No character is larger than this, so none of these pieces is.
    step = max(most // max(map(size, set(text[span.start : span.end]))), 1)
    for start in range(span.start, span.end, step):
        yield Span(start, min(start + step, span.end))


def _stripped(text: str, span: Span) -> Span:
    piece = text[span.start : span.end]
    return Span(span.start + len(piece) - len(piece.lstrip()), span.start + len(piece.rstrip()))
