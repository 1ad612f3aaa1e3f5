"""The one text that a document has, and the names that a category may have."""

import json
import re
from collections.abc import Mapping
from typing import Any

from memory_cli.errors import NotFound, UsageError

NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")
# What some systems take for a device, whatever comes after its dot.
DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(10))}
)
LARGEST_NUMBER = 2**63
DEEPEST = 50
Document = Mapping[str, Any]


def checked_name(name: str) -> str:
    """Return a category's name, or refuse what is none, whatever door it came through."""
    if not NAME.fullmatch(name) or name.split(".")[0].casefold() in DEVICES:
        raise UsageError(
            f"{name[:140]!r} is no name for a category: 1 to 128 letters, digits, dots, dashes and underscores, "
            "not beginning with a dot."
        )
    return name


def text_of(data: Document) -> str:
    """Return the text of a document: UTF-8, two spaces, sorted keys, no line end at the end."""
    return json.dumps(data, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False)


def document_of(text: str, place: str) -> dict[str, Any]:
    """Return the document that a text is, or say what is wrong with it; `place` says where it came from."""
    try:
        # A number of any length would be taken to pieces digit by digit.
        found = json.loads(text, parse_int=_whole, parse_float=_real, parse_constant=_constant)
    except ValueError as error:
        raise UsageError(f"{place} is not JSON that can be kept: {error}.") from error
    except RecursionError as error:
        raise UsageError(f"{place} is nested too deep.") from error
    if not isinstance(found, dict):
        raise UsageError(f"{place} is no JSON object, which a category is.")
    return checked(found, place)


def checked(data: Document, place: str) -> dict[str, Any]:
    """Return a document that can be kept, or refuse it by name."""
    if problem := _problem(data, DEEPEST):
        raise UsageError(f"{place} holds {problem}.")
    return dict(data)


def patched(data: Document, patch: Document) -> dict[str, Any]:
    """Return a document with the top-level keys of patch put in, and those whose value is null taken out."""
    merged = {**data, **patch}
    return {key: value for key, value in merged.items() if key not in patch or patch[key] is not None}


def fields_of(data: Document, wanted: str) -> tuple[dict[str, Any], list[str]]:
    """Return the named top-level keys of a document, comma-separated, and those that it has not."""
    names = [each.strip() for each in wanted.split(",") if each.strip()]
    if not names:
        return dict(data), []
    return {name: data[name] for name in names if name in data}, [name for name in names if name not in data]


def differences(old: Document, new: Document) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Return the top-level keys that were added, changed and removed."""
    added = {key: value for key, value in new.items() if key not in old}
    changed = {key: value for key, value in new.items() if key in old and old[key] != value}
    return added, changed, [key for key in old if key not in new]


def missing(name: str, there: list[str]) -> NotFound:
    """Return the error that there is no such category, with those that there are."""
    from difflib import get_close_matches

    near = get_close_matches(name, there, n=1, cutoff=0.5)
    hint = f" The nearest is {near[0]}." if near else ""
    listed = ", ".join(there[:20]) or "none yet"
    return NotFound(f"There is no category {name}.{hint} There is {listed}{' and more' if len(there) > 20 else ''}.")


def _problem(value: Any, left: int) -> str:
    if left < 0:
        return f"what is nested more than {DEEPEST} deep"
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int):
        return "" if -LARGEST_NUMBER <= value < LARGEST_NUMBER else "a whole number that is too large; write it as text"
    if isinstance(value, float):
        return "" if value - value == 0 else "a number that is not finite"
    if isinstance(value, str):
        return "" if value.isascii() or not any("\ud800" <= each <= "\udfff" for each in value) else "invalid text"
    if isinstance(value, Mapping):
        parts = [part for key, each in value.items() for part in (_problem(str(key), left), _problem(each, left - 1))]
    else:
        parts = [_problem(each, left - 1) for each in value]
    return next(filter(None, parts), "")


def _whole(digits: str) -> int:
    if len(digits) > 20:
        raise ValueError(f"a whole number of {len(digits)} digits is too large; write it as text")
    return int(digits)


def _real(digits: str) -> float:
    value = float(digits)
    if value - value != 0:
        raise ValueError(f"the number {digits[:40]} is not finite")
    return value


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
