"""Markdown as blocks: paragraphs, items of lists with what hangs on them, each under its headings."""

import re
from collections.abc import Iterator
from typing import NamedTuple

HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*")
ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
FENCE = re.compile(r"\s*(`{3,}|~{3,})")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A paragraph or an item of a list: where it begins, what it says, the headings above it, whether it is an item."""

    line: int
    text: str
    headings: tuple[str, ...]
    item: bool


def front_matter(text: str) -> tuple[dict[str, str | list[str]], str]:
    """Return what the head of a document says of it, by name, and the document without that."""
    found = FRONT.match(text)
    if not found:
        return {}, text
    fields: dict[str, str | list[str]] = {}
    name = ""
    for line in found[1].splitlines():
        key, colon, value = line.partition(":")
        listed = fields.get(name)
        if line.lstrip().startswith("- ") and name:
            added = _plain(line.lstrip()[2:])
            fields[name] = [*listed, added] if isinstance(listed, list) else [added]
        elif colon and not line[:1].isspace():
            name = key.strip()
            inner = value.strip()
            fields[name] = (
                [_plain(each) for each in inner[1:-1].split(",") if each.strip()]
                if inner.startswith("[") and inner.endswith("]")
                else _plain(inner)
            )
    # Lines are counted from the top of the file.
    return fields, "\n" * found[0].count("\n") + text[found.end() :]


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a document without its comments."""
    text = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    headings: list[tuple[int, str]] = []
    held: list[str] = []
    start, item, fence = 0, False, ""

    def block() -> Iterator[Block]:
        said = "\n".join(held).strip()
        if said:
            yield Block(start, said, tuple(name for _level, name in headings), item)
        held.clear()

    written = text.splitlines()
    for number, line in enumerate(written, 1):
        if fence or FENCE.match(line):
            # A block of code belongs to what it stands below.
            held.append(line.rstrip())
            fence = "" if fence and line.strip().startswith(fence) else fence or FENCE.match(line)[1]  # type: ignore[index]
            continue
        heading, bullet = HEADING.fullmatch(line), ITEM.match(line)
        if heading:
            yield from block()
            level = len(heading[1])
            headings[:] = [each for each in headings if each[0] < level] + [(level, heading[2])]
        elif bullet or (not line.strip() and not _goes_on(held, item, written, number)):
            yield from block()
            start, item = number, bool(bullet)
            held += [line[bullet.end() :].rstrip()] if bullet else []
        elif line.strip():
            if item and held and not held[-1].strip() and not line[0].isspace():
                yield from block()
                item = False
            start = start if held else number
            item = item and bool(held)
            held.append(line.rstrip())
        else:
            held.append("")
    yield from block()


def _goes_on(held: list[str], item: bool, written: list[str], number: int) -> bool:
    """Tell whether a blank line may stand within what is held.

    A list's item goes on where it is indented, and code belongs to what it stands below.
    """
    if not held or item:
        return bool(held)
    following = next((written[place] for place in range(number, len(written)) if written[place].strip()), "")
    return FENCE.match(following) is not None


def _plain(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
