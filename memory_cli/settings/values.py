"""What a layer says, judged against what a setting admits."""

import re
from collections.abc import Iterable, Mapping
from math import isfinite

from memory_cli.errors import UsageError
from memory_cli.settings.keys import KEYS, Key, Value

_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
# A weight of three digits before the point is beyond any measure.
_WEIGHT = re.compile(r"[^=,]+=\s*\d{1,2}(\.\d+)?\s*", re.ASCII)
_TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", tuple: "a list of texts"}


def known_key(name: str, place: str, known: Mapping[str, Key] = KEYS) -> Key:
    """Return the key of a name, or refuse with the nearest that there is."""
    if name not in known:
        raise UsageError(f"{place}: there is no setting {name!r}; {_nearest(name, known)}.")
    return known[name]


def checked(key: Key, value: object, place: str) -> Value:
    """Return a value as its setting's type, or refuse it by name."""
    typed = _typed(key.type, value)
    if typed is None:
        raise _refusal(key, value, place, f"it must be {_TYPE_NAMES[key.type]}")
    if reason := _objection(key, typed):
        raise _refusal(key, value, place, reason)
    return float(typed) if key.type is float and isinstance(typed, int) else typed


def parsed(key: Key, text: str, place: str) -> Value:
    """Read a value that a variable or a flag gives as text."""
    return checked(key, _read(key, text), place)


def _read(key: Key, text: str) -> object:
    if key.type is str:
        return text
    text = text.strip()
    if key.type is bool:
        return _TRUTH.get(text.lower(), text)
    if key.type is tuple:
        return _list(text)
    try:
        return int(text) if key.type is int else float(text)
    except ValueError:
        return text


def _list(text: str) -> object:
    if not (text.startswith("[") and text.endswith("]")):
        return [item.strip() for item in text.split(",")] if text else []
    import json
    import tomllib

    try:
        return json.loads(text)
    except ValueError:
        try:
            return tomllib.loads(f"list = {text}")["list"]
        except tomllib.TOMLDecodeError:
            return text


def _typed(wanted: type, value: object) -> Value | None:
    # Python takes a truth value for a number; nobody who writes a setting does.
    if isinstance(value, bool):
        return value if wanted is bool else None
    if isinstance(value, int) and wanted is float:
        return value
    if isinstance(value, list) and wanted is tuple:
        return tuple(value) if all(isinstance(item, str) for item in value) else None
    return value if isinstance(value, (int, float, str, tuple)) and isinstance(value, wanted) else None


def _objection(key: Key, value: Value) -> str:
    setting = key.setting
    if isinstance(value, (str, tuple)):
        return _objection_to_text(key, value)
    if isinstance(value, float) and not isfinite(value):
        return "it must be finite"
    if setting.at_least is not None and value < setting.at_least:
        return f"it must be at least {setting.at_least}"
    if setting.at_most is not None and value > setting.at_most:
        return f"it must be at most {setting.at_most}"
    return ""


def _objection_to_text(key: Key, value: str | tuple[str, ...]) -> str:
    setting = key.setting
    if setting.choices and value not in setting.choices:
        return f"it must be {' or '.join(setting.choices)}"
    if not value and not setting.empty_ok:
        return "empty has no meaning here"
    texts = (value,) if isinstance(value, str) else value
    if isinstance(value, tuple) and "" in value:
        return "an empty item has no meaning here"
    if setting.weights and (wrong := next((text for text in texts if not _WEIGHT.fullmatch(text)), None)):
        return f"{wrong!r} is not of the form NAME=WEIGHT, such as RULE=1.5"
    if any("\0" in text or any("\ud800" <= character <= "\udfff" for character in text) for text in texts):
        return "it must be valid text"
    return ""


def _refusal(key: Key, value: object, place: str, reason: str) -> UsageError:
    shown = "the secret given" if key.setting.secret else repr(value)
    return UsageError(f"{place}: {key.full} cannot be {shown}: {reason}.")


def _nearest(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    by_fold = {each.lower(): each for each in known}
    near = get_close_matches(name.lower(), by_fold, n=1, cutoff=0.5)
    return f"the nearest is {by_fold[near[0]]!r}" if near else "`memory config list` shows every setting"
