"""Secrets that only the word before them gives away: `password=`, `"token":`, `--api-key`."""

import re
from collections.abc import Iterator

from memory_cli.text.redaction_values import looks_secret

_FOREIGN = "kennwort|contraseña|mot de passe|senha|wachtwoord|hasło|пароль|密码|密碼|パスワード|비밀번호"
_CONSTANT_KEY = r"(?-i:(?<=[A-Z]_)KEY(?=[ \t]*=))"
# Each kind with the literals that announce it and the words that may stand before its value.
_WORDS = (
    ("password", f"pass|pwd|{_FOREIGN}", rf"pass(?:word|wd|phrase|code|wort)?|pwd|{_FOREIGN}"),
    ("api-key", "key", rf"(?:api|access|auth|account|storage|service|subscription|app)[ _-]?key|{_CONSTANT_KEY}"),
    ("private-key", "key", r"(?:private|signing|encryption|master|session)[ _-]?key"),
    ("token", "token", r"token"),
    ("secret", "secret|credential", r"secret|credential"),
)
_SUFFIX = r"(?:[_-]?(?:\d{1,3}|key|value|base|prod|production|staging|stage|dev|live|test|b64|string)){0,2}"
_CLOSE = r"""[\\"'`*\])]{0,5}"""
_TYPE = r"(?:\[\]|[?!])?(?::[ ]?[A-Za-z&'][\w.<>|?\[\]&' ]{0,30}?(?=[ ]?=[^=]))?"
_OPERATOR = (
    r"(?:[ \t]{0,8}(?P<sign>:=|=>|->|<-|={1,3}|\?=|::?|：|＝|(?<=[\"'`]),(?=[ ]?\\?[\"'`])|>)(?:\*\*|__)?[ \t]{0,8}"
    r"|(?:[ ](?:for|of|to|on|in|at|from)[ ][^\n.:=]{1,40}?)?[ ](?P<verb>is|was|ist|es|est|are|был|это)(?::[ ]?|[ ])"
    r"|[ \t]{1,4}(?P<space>))"
)
_QUOTED = (
    r"""[A-Za-z@$]{0,2}(?:\\+["'](?P<escaped>[^"'\\\n]++)|"(?P<double>(?:\\.|[^"\\\n])++)"""
    r"""|'(?P<single>(?:\\.|[^'\\\n])++)|`(?P<back>[^`\n]++)|“(?P<curly>[^”\n]++))"""
)
_BARE = r"""(?P<bare>(?:(?![&;,][A-Za-z_][\w. -]{0,30}=)[^\s"'`<>“”])++)"""
_HEAD_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
_INNOCENT = (
    r"(?i)(?:^|[_.-]|(?<=[a-z])(?=[A-Z]))(?:max|min|num|page|next|prev|continuation|pagination|sync|idempotency|cancel"
    r"|cancellation|stop|pad|eos|bos|unk|mask|sep|cls|public|cache|sort|partition|design|no|reset|forgot)[_.-]?$"
)


def assignment_patterns() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield kind, triggers and pattern for each family of words."""
    for kind, triggers, words in _WORDS:
        name = rf"(?P<word>(?i:{words}))(?i:{_SUFFIX})(?![A-Za-z0-9_]|-[A-Za-z0-9])"
        yield kind, tuple(triggers.split("|")), f"{name}{_CLOSE}{_TYPE}(?i:{_OPERATOR})(?:{_QUOTED}|{_BARE})"


def value_span(match: re.Match[str]) -> tuple[int, int]:
    """Return where the assigned value lies, without its punctuation."""
    group = match.lastgroup or "bare"
    start, end = match.span(group)
    return start, _without_punctuation(match.string, start, end) if group == "bare" else end


def is_assigned_secret(match: re.Match[str], value: str, *, password: bool) -> bool:
    """Judge a value by its shape and by the way it is assigned."""
    head, sign = _head(match), match["sign"]
    if not _is_assigned(match, head):
        return False
    quoted = match.lastgroup != "bare"
    if quoted and _closes_the_label(match, head):
        return False
    flag = match["space"] is not None and head.startswith("-")
    if match["space"] is not None and not flag and not (quoted and password):
        return not quoted and len(value) >= 20 and not _is_digest(value) and looks_secret(value)
    if match["verb"] is not None and not quoted and (value.endswith("'s") or "/" in value):
        return False
    setting = sign == "=" and (match["word"].isupper() or head.startswith("--"))
    plain = setting or (quoted and sign not in (None, ","))
    return looks_secret(value, password=password, literal=quoted or setting, plain=plain)


def _is_assigned(match: re.Match[str], head: str) -> bool:
    """Say whether the word names a secret and what follows is its value."""
    word, sign = match["word"], match["sign"]
    if word.lower() == "pass" and (_is_inside_a_word(word, head) or not (head or sign)):
        return False
    if sign == ">" and not match.string.startswith("<", match.end()):
        return False
    return re.search(_INNOCENT, head) is None


def _closes_the_label(match: re.Match[str], head: str) -> bool:
    """Say whether the quote before the value ends a quoted label: in `'Password: ' is the prompt` no value follows."""
    start = match.start(match.lastgroup or 0)
    quote = match.string[start - 1]
    opened = match.string[: match.start() - len(head)].endswith(quote)
    return opened and quote not in match.string[match.end("word") : start - 1]


def _head(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 40) : match.start()]
    return before[len(before.rstrip(_HEAD_CHARACTERS)) :]


def _is_inside_a_word(word: str, head: str) -> bool:
    # `bypass` and `compass` end in a word that `dbPass` and `DB_PASS` end in too.
    return head[-1:].isalpha() and not (word[0].isupper() and head[-1:].islower())


def _is_digest(value: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f-]{36}", value) is not None


def _without_punctuation(text: str, start: int, end: int) -> int:
    pairs = {")": "(", "]": "[", "}": "{"}
    # A bound, since counting brackets at each step would be quadratic on a value of brackets alone.
    for _ in range(min(8, end - start)):
        last = text[end - 1]
        unbalanced = last in pairs and text.count(pairs[last], start, end) < text.count(last, start, end)
        if not unbalanced and last not in ".,;:!?\\*|":
            break
        end -= 1
    return end
