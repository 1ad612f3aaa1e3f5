"""How redaction tells a secret value from a placeholder, an expression or a word."""

import re

# Patterns are kept as text: `re` compiles each at its first use, and most runs meet no secret.
_PLACEHOLDER = (
    r"""^(?:\$[A-Za-z_{(]|%[A-Za-z_(]|[#@$%]?\{|<[^<>]*>$|[&*]\w*$|…|!\w+|-+$|\W*redacted\b[^\]]*\]?$|\[[A-Z_0-9]+\]?$|@[A-Z_]+@$)"""
    r"""|[xX]{4}|\*{3}|\.{3}|…|•|\$\{|\{\{"""
    r"""|(?i:(?<![a-z0-9])(?:your|example|sample|dummy|placeholder|todo|fixme)(?![a-z0-9]))"""
    r"""|(?i:(?<![a-z0-9])(?:change[_-]?(?:me|it|this)|(?:replace|insert)[_-]))"""
    r"""|EXAMPLE(?:KEY)?$"""
    r"""|^(?i:op|vault|ssm|arn|env|file|keyring|doppler|enc|data|urn|md5|sha\d+)[:-][^\s]"""
)
_COMMON = (
    r"(?i)string|text|none|null|nil|true|false|undefined|required|optional|password|passwd|passphrase|secret|token|bearer"
    r"|basic|default|hidden|masked|empty|disabled|enabled|encrypted|hashed|unset|missing|plain|binary|varchar|prompt"
    r"|postgres|admin|root|guest|user|username"
)
_NAME = r"[A-Za-z_$][\w$]*"
_NAMED_SO = r"(?:_(?i:pass|password|key|token|secret)|(?<=[a-z0-9])(?:Pass|Password|Key|Token|Secret))$"
_OWN_WORD = r"(?i)pass(?:word|wd|code|phrase)?|pwd|secret|token|key"
_ALGORITHM = (
    r"(?i)(?:sha|aes|rsa|md|hs|rs|es|ps|base|utf|ed|curve|argon|pbkdf|oauth|ipv|http|pkcs|chacha|nistp|mp|ec|py)\d{1,5}[a-z]{0,2}"
    r"|[vs]\d|[xph]\d{3}|k8s|i18n|l10n|2fa|1password|[by]?s?crypt|argon2id"
)
_CAMEL = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])"
_NUMBER = r"v?\d[\d.,:/_TZ+-]*"
_CALL = r"[A-Za-z_$][\w$.:>?!-]*[(\[]"
_DOTTED = r"[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+"
_EMAIL = r"[\w.+-]{2,}@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}"
_SYMBOL = r"[!@#$%^~]"


def is_placeholder(value: str) -> bool:
    """Say whether a value stands for a secret without being one."""
    return re.search(_PLACEHOLDER, value) is not None


def is_wordy(value: str) -> bool:
    """Say whether a value is made of words, numbers and separators."""
    return _mixed_length(value) == 0


def looks_secret(value: str, *, password: bool = False, literal: bool = False, plain: bool = False) -> bool:
    """Judge a value that follows a word such as password or token.

    A literal is quoted or stands in a setting, so it is no expression; where plain words count, a word is enough.
    """
    if is_placeholder(value) or "://" in value or re.fullmatch(_COMMON, value) or re.fullmatch(_EMAIL, value):
        return False
    if re.fullmatch(_NUMBER, value):
        return password and literal and len(value) >= 6 and value.isdigit()
    if not literal and (re.match(_CALL, value) or _is_dotted_name(value)):
        return False
    mixed = _mixed_length(value)
    if password:
        enough = 4 if literal else 5
        return len(value) >= enough and (mixed > 0 or _has_symbol(value) or (plain and _is_plain_password(value)))
    return len(value) >= 8 and mixed >= (8 if literal else 10)


def _mixed_length(value: str) -> int:
    """Count the characters in pieces that are neither a word nor a number."""
    return sum(len(piece) for piece in re.findall(r"[^\W_]+", value) if not _is_word(piece))


def _is_word(piece: str) -> bool:
    if piece.isdigit():
        return len(piece) <= 8
    if re.fullmatch(_ALGORITHM, piece):
        return True
    if not piece.isalpha():
        return False
    if not piece.isascii():
        return True
    if piece.isupper() and len(piece) >= 16:
        return False
    monotonous = 5 * len(set(piece)) < len(piece)
    return len(piece) < 16 or (len(piece) <= 40 and not monotonous and not _pieces_are_short(piece))


def _pieces_are_short(piece: str) -> bool:
    """Say whether upper and lower case change too often for words."""
    return len(piece) < 3 * len(re.findall(_CAMEL, piece))


def _has_symbol(value: str) -> bool:
    return re.search(_SYMBOL, value.strip("!?")) is not None and re.search(r"[^\W_]", value) is not None


def _is_plain_password(value: str) -> bool:
    if len(value) < 6 or re.search(r"[\s./(:|]", value) or not value.isascii():
        return False
    return not value[0].isupper() and re.search(r"(?i)pass(?:word|code|phrase)|secret|token|^[a-z]+_", value) is None


def _is_dotted_name(value: str) -> bool:
    """Say whether a value is a name such as `settings.api_key2`."""
    if not re.fullmatch(_DOTTED, value) and not (re.fullmatch(_NAME, value) and re.search(_OWN_WORD, value)):
        return False
    if re.search(_NAMED_SO, value):
        return True
    pieces = re.findall(r"[^\W_]+", value)
    return all(_is_word(re.sub(r"(?<=[A-Za-z])\d{1,2}$", "", piece)) for piece in pieces)
