"""Reading MEMORY.md as older servers kept it, and finding in it what a record lacks."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from memory_cli.store.legacy.old import DOCUMENT, Old, without_prefix
from memory_cli.store.legacy.signs import DOCUMENT as NAME
from memory_cli.text.identity import folded
from memory_cli.text.kinds import DEFAULT_KIND

HEADING = re.compile(r"#{1,6}(\s|$)")
# What a server wrote into each document that it made; nobody ever said it.
SEED = "i am jack. i like LLMs."
BLANK = re.compile(r"\n(?:[^\S\n]*\n)+")

Words = tuple[bytes, ...]
T = TypeVar("T")


def read(folder: Path) -> bytes | None:
    """Return a folder's document, or nothing; a link is not followed, since it could lead to any file."""
    path = folder / NAME
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


def blocks(document: bytes) -> list[str]:
    """Return the blocks of a document as they stand there, without its heading and its seed line."""
    text = document.decode("utf-8-sig", "backslashreplace").replace("\r\n", "\n").replace("\r", "\n")
    first, _, rest = text.partition("\n")
    if HEADING.match(first):
        text = rest
    seed, _, rest = text.lstrip().partition("\n")
    if seed.strip() == SEED:
        text = rest
    return [each.strip() for each in BLANK.split(text) if each.strip()]


def statement(block: str) -> Old:
    """Return the statement that a block is."""
    kind, text = without_prefix(block)
    return Old(text, kind or DEFAULT_KIND, source=DOCUMENT)


def words(text: str) -> Words:
    """Return what is equal for a text and for the blocks that it makes in a document."""
    return tuple(folded(each) for each in BLANK.split(text.replace("\r\n", "\n").replace("\r", "\n")) if each.strip())


def known_as(kind: str, text: str) -> tuple[Words, Words]:
    """Return both ways in which a document may write a statement: newer servers leave the kind out."""
    return words(text), words(f"{kind}: {text}")


def compared(found: Iterable[str], known: Mapping[Words, T]) -> Iterator[Old | T]:
    """Yield what is known of the blocks, and a statement for each that is not; several blocks may be one text."""
    left = list(found)
    prints = list(map(folded, left))
    longest = max(map(len, known), default=1)
    place = 0
    while place < len(left):
        sizes = range(min(longest, len(left) - place), 0, -1)
        size = next((each for each in sizes if tuple(prints[place : place + each]) in known), 0)
        yield known[tuple(prints[place : place + size])] if size else statement(left[place])
        place += size or 1
