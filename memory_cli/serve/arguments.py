"""Reading a tool's arguments as clients really send them, without guessing what they mean."""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

from memory_cli.errors import UsageError
from memory_cli.parameter import Described, described
from memory_cli.surface import Operation
from memory_cli.text import soundness

# What other tools of this kind call it; read, but not published.
ALIASES = {"content": "text", "metadata": "meta", "expect": "expect_count"}
# What callers guess, and what they may have meant by it.
GUESSED = {"key": "category", "name": "category", "content": "data", "value": "data"}
TRUE, FALSE = ("true", "yes", "1"), ("false", "no", "0")
SHOWN = 60


@dataclass(frozen=True)
class Argument:
    """One argument of a tool: what a parameter's annotation comes to."""

    name: str
    type: Any
    described: Described
    default: Any
    required: bool


def arguments_of(operation: Operation) -> dict[str, Argument]:
    """Return the arguments of an operation by name, in order."""
    return {each.name: _argument(each) for each in operation.parameters()}


def read(tool: str, arguments: Mapping[str, Argument], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values to call with; refuse by name what cannot be meant."""
    values: dict[str, Any] = {}
    for name, value in given.items():
        argument = arguments[_known(tool, arguments, name)]
        if value is None or _says_nothing(argument, value):
            continue
        if argument.name in values:
            raise UsageError(f"{tool} was given {argument.name} twice, once as {name}; give it once.")
        values[argument.name] = _value(tool, argument, value)
    for argument in arguments.values():
        if argument.required and argument.name not in values:
            raise UsageError(f"{tool} needs the argument {argument.name}: {argument.described.text}")
    return values


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the question whether one of names was meant, or nothing."""
    found = get_close_matches(name, list(names), n=1)
    return f" Did you mean {found[0]}?" if found else ""


def _argument(parameter: inspect.Parameter) -> Argument:
    base, told = described(parameter.annotation)
    return Argument(parameter.name, base, told, parameter.default, parameter.default is inspect.Parameter.empty)


def _known(tool: str, arguments: Mapping[str, Argument], name: str) -> str:
    for meant in (name, ALIASES.get(name, ""), f"{name}s", name.removesuffix("s")):
        if meant in arguments:
            return meant
    guessed = GUESSED.get(name, "")
    hint = f" Did you mean {guessed}?" if guessed in arguments else nearest(name, arguments)
    raise UsageError(f"{tool} has no argument {_shown(name)}.{hint} It takes: {', '.join(arguments) or 'none'}.")


def _value(tool: str, argument: Argument, value: Any) -> Any:
    wanted, reader = _reader(argument.type)
    try:
        found = reader(value)
    except (ValueError, OverflowError):
        hint = nearest(str(value), _choices(argument.type))
        raise UsageError(f"{tool} was given {argument.name} = {_shown(value)}; it wants {wanted}.{hint}") from None
    soundness.require(argument.name, found)
    low, high = argument.described.at_least, argument.described.at_most
    if isinstance(found, int | float) and ((low is not None and found < low) or (high is not None and found > high)):
        bounds = f"at least {low}" if high is None else f"at most {high}" if low is None else f"from {low} to {high}"
        raise UsageError(f"{tool} was given {argument.name} = {_shown(value)}; it wants {wanted} {bounds}.")
    return found


def _says_nothing(argument: Argument, value: Any) -> bool:
    """Tell whether a client spelled "absent" where that is no value; a text or a list may well be "null"."""
    if argument.type is str or get_origin(argument.type) in (list, tuple, Sequence):
        return False
    return isinstance(value, str) and value.strip().casefold() in ("", "null", "none")


def _reader(type: Any) -> tuple[str, Callable[[Any], Any]]:
    """Return how a sentence names a type, and what reads a value of it or raises ValueError."""
    origin = get_origin(type) or type
    if origin is Literal:
        choices = _choices(type)
        return f"one of {', '.join(choices)}", lambda value: _choice(choices, value)
    if origin in (list, tuple, Sequence):
        return "a list of texts", _texts
    if origin in (dict, Mapping):
        return "an object", _object
    return {
        str: ("text", _text),
        bool: ("true or false", _boolean),
        int: ("a whole number", _whole),
        float: ("a number", _number),
    }[type]


def _choices(type: Any) -> list[str]:
    # The empty one stands for absent.
    return [each for each in get_args(type) if each] if get_origin(type) is Literal else []


def _text(value: Any) -> str:
    # A text is taken as it stands, JSON or not; a bare number is what some clients make of "2026".
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ValueError


def _choice(choices: Sequence[str], value: Any) -> str:
    if isinstance(value, str) and value.strip().casefold() in choices:
        return value.strip().casefold()
    raise ValueError


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        parsed = _parsed(value) if value.lstrip().startswith("[") else None
        value = parsed if isinstance(parsed, list) else _parts(value)
    if not isinstance(value, list | tuple):
        value = [value]
    return [_text(each) for each in value]


def _parts(text: str) -> list[str]:
    # An empty text stays, for the operation to refuse: an empty filter must not come to mean none.
    return [part for each in text.split(",") if (part := each.strip())] or [text]


def _object(value: Any) -> dict[str, Any]:
    found = _parsed(value) if isinstance(value, str) else value
    if isinstance(found, dict):
        return found
    raise ValueError


def _boolean(value: Any) -> bool:
    said = str(value).strip().casefold()
    if isinstance(value, bool | int | str) and said in TRUE + FALSE:
        return said in TRUE
    raise ValueError


def _whole(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.strip().lstrip("+-").isdecimal():
        return int(value)
    raise ValueError


def _number(value: Any) -> float:
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        return float(value)
    raise ValueError


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _shown(value: Any) -> str:
    # As ASCII: what a client sent may hold what no answer can.
    text = json.dumps(value, default=repr)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}..."
