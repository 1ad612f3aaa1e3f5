"""What is declared of a setting beside its type and its default."""

from typing import Literal, NamedTuple

Value = bool | int | float | str | tuple[str, ...]
Kind = Literal["identity", "runtime", "retrieval"]


# A named tuple is made eight times as fast as a dataclass, and every start makes this one.
class Setting(NamedTuple):
    """What the type and the default of a setting cannot say."""

    sentence: str
    kind: Kind = "runtime"
    at_least: float | None = None
    at_most: float | None = None
    choices: tuple[str, ...] = ()
    # What could run or fetch something, move data out or lay secrets bare is not for a file that came with a clone.
    project: bool = True
    secret: bool = False
    # A list of NAME=WEIGHT.
    weights: bool = False
    empty_ok: bool = False
