"""Splitting Markdown and plain text at headings, so that each piece knows what it stands under."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memory_cli.text.chunking import spans

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_FRONT = re.compile(r"---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")


class Piece(NamedTuple):
    """A piece of a document: the headings that it stands under, its words and the line where its section begins."""

    headings: tuple[str, ...]
    text: str
    line: int


def pieces(document: str, most: int, *, headings: bool = True) -> Iterator[Piece]:
    """Yield the pieces of a document, each of whole paragraphs and about so many characters at most.

    What stands before the first heading has none. Front matter is left out. A plain text has no headings.
    """
    document = document.replace("\r\n", "\n").replace("\r", "\n")
    for each in _sections(document) if headings else [Piece((), document, 1)]:
        for span in spans(each.text, most):
            yield each._replace(text=each.text[span.start : span.end])


def _sections(document: str) -> Iterator[Piece]:
    """Yield what stands below each heading."""
    front = _FRONT.match(document)
    skipped = document[: front.end()].count("\n") if front else 0
    lines = document[front.end() if front else 0 :].split("\n")
    under: list[tuple[int, str]] = []
    body: list[str] = []
    fence, first = "", skipped + 1
    for number, line in enumerate(lines, skipped + 1):
        heading = None if fence else _heading(line, body)
        if heading is None:
            fence = _fenced(fence, line)
            body.append(line)
            continue
        level, title, underlined = heading
        yield Piece(tuple(each for _, each in under), "\n".join(body[: -1 if underlined else None]), first)
        under = [each for each in under if each[0] < level] + ([(level, title)] if title else [])
        body, first = [], number + 1
    yield Piece(tuple(each for _, each in under), "\n".join(body), first)


def _heading(line: str, body: list[str]) -> tuple[int, str, bool] | None:
    """Return the level and the words of a heading, and whether those stand in the line above."""
    if found := _HEADING.match(line):
        return len(found[1]), (found[2] or "").strip(), False
    above = body[-1].strip() if body else ""
    # A line below several lines, a list or a table is a rule and no heading.
    alone = len(body) < 2 or not body[-2].strip()
    if above and alone and above[0] not in "-*+>|#" and (found := _UNDERLINE.match(line)):
        return (1 if found[1][0] == "=" else 2), above, True
    return None


def _fenced(fence: str, line: str) -> str:
    """Return the fence of the code that the next line stands in, if it does."""
    found = _FENCE.match(line)
    if not found:
        return fence
    if not fence:
        return found[1]
    return "" if found[1].startswith(fence) else fence
