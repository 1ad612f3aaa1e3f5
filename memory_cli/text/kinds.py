"""The names of kinds and ids: what they may look like."""

import re
import unicodedata
from functools import lru_cache

from memory_cli.errors import UsageError

DEFAULT_KIND = "ITEM"
SUGGESTED = ("RULE", "PLAN", "PREFERENCE", "CORRECTION", "DECISION", "FACT")
KIND = re.compile(r"[A-Za-z]{1,64}")
LONGEST_ID = 128


@lru_cache(maxsize=256)
def kind_named(name: str) -> str:
    """Return a kind as it is stored, or refuse what cannot be one."""
    if not KIND.fullmatch(name.strip()):
        raise UsageError(f"{name!r} cannot be a kind: a kind is 1 to 64 ASCII letters, such as {', '.join(SUGGESTED)}.")
    return name.strip().upper()


def _is_printable(name: str) -> bool:
    return not any(unicodedata.category(each)[0] in "CZ" for each in name)


def checked_id(name: str) -> str:
    """Return an id that a caller gave, or refuse what cannot be one."""
    plain = name.isascii() and name.isprintable() and " " not in name
    if not 1 <= len(name) <= LONGEST_ID or not (plain or _is_printable(name)):
        raise UsageError(
            f"{name!r} cannot be an id: an id is 1 to {LONGEST_ID} printable characters without white space."
        )
    return name
