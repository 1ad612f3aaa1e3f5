"""What no argument can be, whatever it is for: half a character, or a number beyond those of a store."""

from collections.abc import Mapping
from typing import Any

from memory_cli.errors import UsageError

LARGEST = 2**63 - 1


def require(name: str, value: Any) -> None:
    """Refuse by name a value that nothing could be done with."""
    if isinstance(value, int) and abs(value) > LARGEST:
        raise UsageError(f"{name} is {str(value)[:30]}, a number beyond every bound; give a smaller one.")
    left = [value]
    # Not by recursion: what came as JSON may be nested as deep as its reader goes.
    while left:
        one = left.pop()
        if isinstance(one, str):
            encodable(name, one)
        elif isinstance(one, Mapping):
            left += [*one, *one.values()]
        elif isinstance(one, list | tuple):
            left += one


def encodable(name: str, text: str) -> None:
    """Refuse by name a text that has no encoding."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"The {name} is not valid Unicode: at character {error.start + 1} stands a byte that is no UTF-8, or a "
            "lone surrogate."
        ) from error
