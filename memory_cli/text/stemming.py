"""Stems of English and Arabic words.

English by M. F. Porter, "An algorithm for suffix stripping", Program 14 (3), 1980; Arabic by light10 of L. Larkey,
L. Ballesteros and M. Connell, "Light stemming for Arabic information retrieval", 2007.
"""

import re
from functools import lru_cache

_CONSONANT = "[^aeiou]"
_VOWEL = "[aeiouy]"
_CONSONANTS = _CONSONANT + "[^aeiouy]*"
_VOWELS = _VOWEL + "[aeiou]*"
_MEASURE_ABOVE_0 = re.compile(f"^(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}")
_MEASURE_1 = re.compile(f"^(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}(?:{_VOWELS})?$")
_MEASURE_ABOVE_1 = re.compile(f"^(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}{_VOWELS}{_CONSONANTS}")
_HAS_VOWEL = re.compile(f"^(?:{_CONSONANTS})?{_VOWEL}")
_SHORT = re.compile(f"^{_CONSONANTS}{_VOWEL}[^aeiouwxy]$")
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")
_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip
# What a word may end in: two letters tell quicker than a pattern that most words are none of its.
_LAST_2, _LAST_3, _LAST_4 = (frozenset(each[-2:] for each in step) for step in (_STEP_2, _STEP_3, _STEP_4))
_STEP_2_PATTERN = re.compile(f"^(.+?)({'|'.join(_STEP_2)})$")
_STEP_3_PATTERN = re.compile(f"^(.+?)({'|'.join(_STEP_3)})$")
_STEP_4_PATTERN = re.compile(f"^(.+?)({'|'.join(_STEP_4)})$")
_ARABIC_BEGINNING = re.compile("^(?:[وبكف]?ال|لل|و(?=...))(?=..)")
_ARABIC_ENDING = re.compile("(?<=..)(?:ها|ان|ات|ون|ين|يه|ه|ي)$")


@lru_cache(maxsize=32768)
def stem(word: str) -> str:
    """Return the stem of a lower-case English word."""
    if len(word) < 3:
        return word
    word = _derivations(_inflections(_plural(word)))
    if word.endswith("e"):
        rest = word[:-1]
        if _MEASURE_ABOVE_1.match(rest) or (_MEASURE_1.match(rest) and not _SHORT.match(rest)):
            word = rest
    if word.endswith("ll") and _MEASURE_ABOVE_1.match(word):
        word = word[:-1]
    return word


def stem_arabic(word: str) -> str:
    """Return an Arabic word without its article, conjunction and endings."""
    return _ARABIC_ENDING.sub("", _ARABIC_BEGINNING.sub("", word))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _inflections(word: str) -> str:
    if word.endswith("eed"):
        word = word[:-1] if _MEASURE_ABOVE_0.match(word[:-3]) else word
    else:
        rest = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
        if rest and _HAS_VOWEL.match(rest):
            word = _mended(rest)
    if word.endswith("y") and _HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    return word


def _mended(word: str) -> str:
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _DOUBLE.search(word):
        return word[:-1]
    return word + "e" if _SHORT.match(word) else word


def _derivations(word: str) -> str:
    for last, pattern, endings in ((_LAST_2, _STEP_2_PATTERN, _STEP_2), (_LAST_3, _STEP_3_PATTERN, _STEP_3)):
        if word[-2:] in last and (found := pattern.match(word)) and _MEASURE_ABOVE_0.match(found[1]):
            word = found[1] + endings[found[2]]
    found = _STEP_4_PATTERN.match(word) if word[-2:] in _LAST_4 else None
    if found and _MEASURE_ABOVE_1.match(found[1]) and (found[2] != "ion" or found[1].endswith(("s", "t"))):
        word = found[1]
    return word
