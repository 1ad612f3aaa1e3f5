"""What makes two texts the same statement, and what makes a text fit to be stored."""

import os
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Any

from memory_cli.errors import UsageError
from memory_cli.text.soundness import encodable

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_LENGTH = 10
# A letter for each byte, every letter as often as another.
_LETTERS = 8 * ALPHABET.encode()


def new_id() -> str:
    """Return a random id: ten characters of Crockford's base 32, fifty bits."""
    return new_ids(1)[0]


def new_ids(count: int) -> list[str]:
    """Return random ids, all of one call for random bytes."""
    letters = os.urandom(ID_LENGTH * count).translate(_LETTERS).decode()
    return [letters[start : start + ID_LENGTH] for start in range(0, len(letters), ID_LENGTH)]


def derived_id(*parts: str) -> str:
    """Return the id that always comes of the same parts, in the form of a random one."""
    number = int.from_bytes(_digest("\n".join(parts)), "big")
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(ID_LENGTH))


def stored(text: str, *, most: int, name: str = "text") -> str:
    """Return text as it will be stored, or refuse it by name: empty, with NUL, not Unicode, or too long."""
    text = text.strip()
    if not text:
        raise UsageError(f"The {name} is empty; there is nothing to remember.")
    if "\0" in text:
        raise UsageError(f"The {name} holds a NUL character; remove it.")
    encodable(name, text)
    if len(text) > most:
        raise UsageError(
            f"The {name} has {len(text):,} characters and the limit is {most:,}; "
            "shorten it, record it in parts, or raise record.max_characters."
        )
    return text


def identity(kind: str, text: str) -> bytes:
    """Return what is equal for the same words of the same kind: Unicode form, ends and line ends aside."""
    text = _composed(text).strip()
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _digest(f"{kind}\n{text}")


def folded(text: str) -> bytes:
    """Return what is equal for the same words, whatever white space stands between them."""
    return _digest(" ".join(_composed(text).split()))


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _digest(text: str) -> bytes:
    digest: bytes = _hasher()(text.encode()).digest()
    return digest[:16]


@cache
def _hasher() -> Callable[[bytes], Any]:
    # OpenSSL takes a while to load, and what only reads needs none of it.
    import hashlib

    return hashlib.sha256
