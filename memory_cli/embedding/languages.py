"""Which scripts and languages a model knows, and which a text is in."""

import re
from functools import lru_cache

from memory_cli.embedding.models import Traits
from memory_cli.text.analysis import Query, reads_foreign

_LETTERS_ALONE = re.compile(r"[^\W\d_]+")
_NO_LETTERS = bytes(each for each in range(128) if not chr(each).isalpha())
_LETTERS = {
    "Latin": "A-Za-z\u00aa-\u024f\u1e00-\u1eff",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u052f",
    "Armenian": "\u0530-\u058f",
    "Hebrew": "\u0590-\u05ff",
    "Arabic": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff",
    "Devanagari": "\u0900-\u097f",
    "Bengali": "\u0980-\u09ff",
    "Tamil": "\u0b80-\u0bff",
    "Telugu": "\u0c00-\u0c7f",
    "Thai": "\u0e00-\u0e7f",
    "Georgian": "\u10a0-\u10ff",
    "Hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "Kana": "\u3040-\u30ff\u31f0-\u31ff",
    "Han": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
}


def knows_script(model: Traits, text: str, share: float) -> bool:
    """Say whether at least this share of the letters of text are of scripts that the model knows."""
    if not model.scripts or (text.isascii() and "Latin" in model.scripts):
        return True
    # Most that is in a Latin script is mostly in ASCII, which is told ten times as quickly.
    if "Latin" in model.scripts and _ascii_letters(text) >= share * len(text):
        return True
    known = _length(_known(model.scripts), text)
    # Hardly a text has more other characters than letters, and so needs no second look.
    return known >= share * len(text) or known >= share * _length(_LETTERS_ALONE, text)


def knows(model: Traits, text: str, share: float) -> bool:
    """Say whether the model knows what a statement is written in, as far as its script and its little words tell."""
    return knows_script(model, text, share) and not (model.languages == ("en",) and reads_foreign(text))


def knows_plain(model: Traits) -> bool:
    """Say whether the model knows whatever is written in ASCII."""
    return (not model.scripts or "Latin" in model.scripts) and model.languages != ("en",)


def knows_language(model: Traits, query: Query, share: float) -> bool:
    """Say the same of a question."""
    return knows_script(model, query.text, share) and not (model.languages == ("en",) and query.foreign)


def script(text: str) -> str:
    """Name the script that most letters of text are of; nothing where it is none of ours."""
    counts = {name: _length(_known((name,)), text) for name in _LETTERS}
    name = max(counts, key=counts.__getitem__)
    return name if counts[name] else ""


def _length(runs: re.Pattern[str], text: str) -> int:
    """Return how many characters the runs have: a match for each letter would take several times as long."""
    return sum(map(len, runs.findall(text)))


def _ascii_letters(text: str) -> int:
    return len(text.encode("ascii", "ignore").translate(None, _NO_LETTERS))


@lru_cache(maxsize=64)
def _known(scripts: tuple[str, ...]) -> re.Pattern[str]:
    # A vowel sign of Thai or Devanagari is no letter, and is not to be counted as one.
    return re.compile(f"(?:(?=[^\\W\\d_])[{''.join(_LETTERS[each] for each in scripts)}])+")
