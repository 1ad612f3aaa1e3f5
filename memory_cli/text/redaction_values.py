"""How redaction tells a secret value from a placeholder, an expression or a word."""

import re

_PLACEHOLDER = re.compile(
    r"""^(?:\$[A-Za-z_{(]|%[A-Za-z_(]|[#@$%]?\{|[<\[&*…]|!\w+|-+$|@[A-Z_]+@$)"""
    r"""|[xX]{4}|\*{3}|\.{3}|…|•|\$\{|\{\{"""
    r"""|(?i:(?<![a-z0-9])(?:your|example|sample|dummy|placeholder|redacted|todo|fixme)(?![a-z0-9]))"""
    r"""|(?i:(?<![a-z0-9])(?:change[_-]?(?:me|it|this)|(?:replace|insert)[_-]))"""
    r"""|EXAMPLE(?:KEY)?$"""
    r"""|^(?i:op|vault|ssm|arn|env|file|keyring|doppler|enc|data|urn|md5|sha\d+)[:-][^\s]"""
)
_COMMON = re.compile(
    r"(?i)string|text|none|null|nil|true|false|undefined|required|optional|password|passwd|passphrase|secret|token|bearer"
    r"|basic|default|hidden|masked|empty|disabled|enabled|encrypted|hashed|unset|missing|plain|binary|varchar|prompt"
    r"|postgres|admin|root|guest|user|username"
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_OWN_WORD = re.compile(r"(?i)pass(?:word|wd|code|phrase)?|pwd|secret|token|key")
_ALGORITHM = re.compile(
    r"(?i)(?:sha|aes|rsa|md|hs|rs|es|ps|base|utf|ed|curve|argon|pbkdf|oauth|ipv|http|pkcs|chacha|v|x|p|s|k|i|l|h|mp|ec|py)"
    r"\d{1,5}(?:[a-z]{1,2})?|k8s|i18n|l10n|2fa|1password|[brsy]+crypt|argon2id"
)
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NUMBER = re.compile(r"v?\d[\d.,:/_TZ+-]*")
_CALL = re.compile(r"[A-Za-z_$][\w$.:>?!-]*[(\[]")
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+")
_EMAIL = re.compile(r"[\w.+-]{2,}@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}")
_SYMBOL = re.compile(r"[!@#$%^~]")


def is_placeholder(value: str) -> bool:
    """Say whether a value stands for a secret without being one."""
    return _PLACEHOLDER.search(value) is not None


def is_wordy(value: str) -> bool:
    """Say whether a value is made of words, numbers and separators."""
    return _mixed_length(value) == 0


def looks_secret(value: str, *, password: bool, literal: bool, plain: bool) -> bool:
    """Judge a value that follows a word such as password or token.

    A literal is quoted or stands in a setting, so it is no expression; where plain words count, a word is enough.
    """
    if is_placeholder(value) or "://" in value or _COMMON.fullmatch(value) or _EMAIL.fullmatch(value):
        return False
    if _NUMBER.fullmatch(value):
        return password and literal and len(value) >= 6 and value.isdigit()
    if not literal and (_CALL.match(value) or _is_dotted_name(value)):
        return False
    mixed = _mixed_length(value)
    if password:
        enough = 4 if literal else 6
        return len(value) >= enough and (mixed > 0 or _has_symbol(value) or (plain and _is_plain_password(value)))
    return len(value) >= 8 and mixed >= (8 if literal else 10)


def _mixed_length(value: str) -> int:
    """Count the characters in pieces that are neither a word nor a number."""
    return sum(len(piece) for piece in re.findall(r"[^\W_]+", value) if not _is_word(piece))


def _is_word(piece: str) -> bool:
    if piece.isdigit():
        return len(piece) <= 8
    if _ALGORITHM.fullmatch(piece):
        return True
    if not piece.isalpha():
        return False
    if not piece.isascii():
        return True
    return len(piece) < 16 or (len(piece) <= 40 and not _pieces_are_short(piece))


def _pieces_are_short(piece: str) -> bool:
    """Say whether upper and lower case change too often for words."""
    return len(piece) < 3 * len(_CAMEL.findall(piece))


def _has_symbol(value: str) -> bool:
    return _SYMBOL.search(value.strip("!?")) is not None and re.search(r"[^\W_]", value) is not None


def _is_plain_password(value: str) -> bool:
    if len(value) < 6 or re.search(r"[\s./(:|]", value) or not value.isascii():
        return False
    return not value[0].isupper() and re.search(r"(?i)pass(?:word|code|phrase)|secret|token|^[a-z]+_", value) is None


def _is_dotted_name(value: str) -> bool:
    """Say whether a value is a name such as `settings.api_key2`."""
    if not _DOTTED.fullmatch(value) and not (_NAME.fullmatch(value) and _OWN_WORD.search(value)):
        return False
    pieces = re.findall(r"[^\W_]+", value)
    return all(_is_word(re.sub(r"(?<=[A-Za-z])\d{1,2}$", "", piece)) for piece in pieces)
