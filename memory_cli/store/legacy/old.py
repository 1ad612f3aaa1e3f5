"""A statement as an older server kept it, and what made two of theirs the same."""

import hashlib
import re
from datetime import UTC, datetime

from memory_cli.models.frozen import Frozen
from memory_cli.models.statement import HANDOFF
from memory_cli.text.kinds import DEFAULT_KIND, KIND, SUGGESTED

PREFIX = re.compile(r"([A-Z]{1,64}): (?=.*\S)", re.DOTALL)
DATABASE, DOCUMENT = "memory-ultra-rag-mcp", "markdown"


class Old(Frozen):
    """One statement; the order of a list of them is newest first.

    `key` is the older server's own identity of it. `filed_as` is a kind that ours cannot have.
    """

    text: str
    kind: str = DEFAULT_KIND
    at: datetime | None = None
    recalls: int = 0
    last_recalled_at: datetime | None = None
    key: str = ""
    filed_as: str = ""
    source: str = DATABASE


def unit_key(text: str) -> str:
    """Return what identified a text there: letters of either case, and any white space, were the same."""
    return hashlib.sha256(" ".join(text.casefold().split()).encode()).hexdigest()


def without_prefix(text: str) -> tuple[str, str]:
    """Return the kind that stands before a text, and the text after it; no kind where none stands there."""
    found = PREFIX.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def moment(value: object) -> datetime | None:
    """Read a time as older servers wrote it; what is none is nothing."""
    try:
        read = datetime.fromisoformat(str(value))
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def kind_by_key(text: str, key: str) -> str:
    """Return the kind under which a text has this key; nothing where no usual one does."""
    kinds = (DEFAULT_KIND, HANDOFF, *SUGGESTED)
    return next((each for each in kinds if unit_key(f"{each}: {text}") == key), "")


def is_kind(name: str) -> bool:
    """Tell whether a kind can stay what it is."""
    return KIND.fullmatch(name.strip()) is not None
