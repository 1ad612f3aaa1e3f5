"""Secrets are taken out of a text before anything keeps it.

The rules are our own: detect-secrets imports requests and 330 modules (a quarter of a second) and names lines, not
places, and the rules of gitleaks are written for a linear-time engine, which Python's `re` is not.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from memory_cli.errors import UsageError
from memory_cli.text.redaction_rules import RULES, Span, secret_span

CUSTOM = "custom"
LONGEST_PATTERN = 300
MOST_REPEATS = 3
_MARKER = r"\[redacted: [a-z0-9-]{2,40}\]"
_DATA_URI = r"data:[\w.+-]+/[\w.+-]+(?:;[\w.+-]+=[\w.+-]+)*;base64,[A-Za-z0-9+/=]*"
# Every token of an issuer holds a run like this one, and most sentences hold none.
_RUN = r"[A-Za-z0-9_./+~=-]{16}"
_FORMS = tuple((trigger, at) for at, rule in enumerate(RULES) if not rule.is_token for trigger in rule.triggers)
_TOKENS = tuple((trigger, at) for at, rule in enumerate(RULES) if rule.is_token for trigger in rule.triggers)
# A text with none of these has no trigger of a form: each of those holds one. Foreign words are in no ASCII text.
_SIGNS = tuple(one for one in dict(_FORMS) if not any(other in one != other for other, _ in _FORMS))
_ASCII_SIGNS = tuple(filter(str.isascii, _SIGNS))
# Most triggers of tokens hold a mark that most texts lack.
_MARKED = tuple(
    (mark, tuple(each for each in _TOKENS if next((one for one in "_-" if one in each[0]), "") == mark))
    for mark in ("_", "-", "")
)
_OPEN_REPEAT = r"[*+]|\{\d*,\d*\}"
_REPEAT = r"[*+]|\{[\d,]+\}"


class Redacted(NamedTuple):
    """A text without its secrets, and the kinds of what was removed."""

    text: str
    kinds: tuple[str, ...]


class _Found(NamedTuple):
    start: int
    end: int
    rank: int
    kind: str


def redact(text: str, *, allow: Sequence[str] = (), patterns: Sequence[str] = ()) -> Redacted:
    """Replace each secret in a text by a marker of its kind.

    What `allow` names, literally or as a regex, stays; `patterns` are further regexes whose group `secret`, first group
    or whole match is removed.
    """
    found = _found(text, allow, patterns)
    if not found:
        return Redacted(text, ())
    kinds: set[str] = set()
    # A removal can bring a new secret to light, so the end is reached when nothing more is found.
    while found:
        kinds.update(each.kind for each in found)
        text = _without(text, found)
        found = _found(text, allow, patterns)
    return Redacted(text, tuple(sorted(kinds)))


@lru_cache(maxsize=64)
def check_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a user's pattern, or refuse it with the way out."""
    shown = repr(pattern if len(pattern) <= 60 else f"{pattern[:60]}…")
    if len(pattern) > LONGEST_PATTERN:
        raise UsageError(
            f"The redaction pattern {shown} has {len(pattern)} characters; {LONGEST_PATTERN} are the most: split it."
        )
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as problem:
        raise UsageError(
            f"The redaction pattern {shown} is no regular expression ({problem}): correct it, or escape what it means."
        ) from problem
    if compiled.search("") or compiled.search(" "):
        raise UsageError(f"The redaction pattern {shown} matches emptiness: say in it what the secret begins with.")
    if _may_explode(pattern):
        raise UsageError(
            f"The redaction pattern {shown} could take forever: repeat a class like [a-z_]+, not a group that itself "
            f"repeats or has alternatives, and use at most {MOST_REPEATS} open repeats."
        )
    return compiled


def _may_explode(pattern: str) -> bool:
    """Say whether a group that repeats or branches is repeated itself."""
    plain = re.sub(r"\\.", "E", pattern, flags=re.DOTALL)
    plain = re.sub(r"\[\^?\]?[^\]]*\]", "C", plain)
    risky = [False]
    for at, character in enumerate(plain):
        if character == "(":
            risky.append(False)
        elif character == ")":
            inner = risky.pop()
            if inner and re.match(_REPEAT, plain[at + 1 :]):
                return True
            risky[-1] |= inner
        elif character == "|" or re.match(_OPEN_REPEAT, plain[at:]):
            risky[-1] = True
    return len(re.findall(_OPEN_REPEAT, plain)) > MOST_REPEATS


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _run() -> re.Pattern[str]:
    return re.compile(_RUN)


def _found(text: str, allow: Sequence[str], patterns: Sequence[str]) -> list[_Found]:
    """Return the places to replace, in order and apart from each other."""
    candidates = sorted(_known(text))
    if patterns:
        candidates = sorted([*candidates, *_custom(text, patterns)])
    if not candidates:
        return []
    kept = _union([*_allowed(text, allow), *_spans(_DATA_URI, text, ";base64,")])
    markers = _spans(_MARKER, text, "[redacted: ")
    apart = (each for each in candidates if not _overlapping(kept, each.start, each.end))
    return _merged(whole for each in apart if (whole := _beyond_markers(text, each, markers)))


def _known(text: str) -> Iterator[_Found]:
    lowered = text.lower()
    wanted: set[int] = set()
    for sign in _ASCII_SIGNS if lowered.isascii() else _SIGNS:
        if sign in lowered:
            wanted.update(index for trigger, index in _FORMS if trigger in lowered)
            break
    if _run().search(text):
        for mark, triggers in _MARKED:
            if mark in lowered:
                wanted.update(index for trigger, index in triggers if trigger in lowered)
    for index in sorted(wanted):
        rule = RULES[index]
        for match in _compiled(rule.pattern).finditer(text):
            start, end = rule.span(match)
            if start < end and rule.judge(match, text[start:end]):
                yield _Found(start, end, index, rule.kind)


def _custom(text: str, patterns: Sequence[str]) -> Iterator[_Found]:
    for pattern in patterns:
        for match in check_pattern(pattern).finditer(text):
            start, end = secret_span(match)
            if start < end:
                yield _Found(start, end, len(RULES), CUSTOM)


def _allowed(text: str, allow: Sequence[str]) -> Iterator[Span]:
    for entry in filter(None, allow):
        yield from (match.span() for match in re.finditer(re.escape(entry), text))
        try:
            yield from (match.span() for match in re.finditer(entry, text))
        except re.error:
            # An entry that is no regex is a literal, and that has been looked for.
            continue


def _spans(pattern: str, text: str, trigger: str) -> list[Span]:
    return [match.span() for match in re.finditer(pattern, text)] if trigger in text else []


def _union(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _overlapping(spans: list[Span], start: int, end: int) -> list[Span]:
    """Return those of ordered spans that share a character with a place."""
    first = bisect_right(spans, start, key=lambda span: span[1])
    last = first
    while last < len(spans) and spans[last][0] < end:
        last += 1
    return spans[first:last]


def _beyond_markers(text: str, found: _Found, markers: list[Span]) -> _Found | None:
    """Return a place grown over the markers it touches, if it holds more."""
    touched = _overlapping(markers, found.start, found.end)
    if not touched:
        return found
    start, end = min(found.start, touched[0][0]), max(found.end, touched[-1][1])
    if not re.sub(_MARKER, "", text[start:end]).strip():
        return None
    return _Found(start, end, found.rank, found.kind)


def _merged(ordered: Iterable[_Found]) -> list[_Found]:
    """Join places that overlap under the kind of the best rule."""
    joined: list[_Found] = []
    for found in ordered:
        if joined and found.start < joined[-1].end:
            last = joined[-1]
            best = min(last, found, key=lambda each: each.rank)
            joined[-1] = _Found(last.start, max(last.end, found.end), best.rank, best.kind)
        else:
            joined.append(found)
    return joined


def _without(text: str, found: Iterable[_Found]) -> str:
    pieces: list[str] = []
    end = 0
    for each in found:
        pieces += (text[end : each.start], f"[redacted: {each.kind}]")
        end = each.end
    return "".join([*pieces, text[end:]])
