"""What came from another device is checked thing by thing: nothing in it is believed."""

import re
from collections.abc import Mapping
from typing import Any

from memory_cli.categories.canonical import checked_name, document_of, text_of
from memory_cli.errors import UsageError
from memory_cli.models.categories import LOG, MEMORY
from memory_cli.models.links import MADE
from memory_cli.models.sync import Parcel, Row
from memory_cli.store import categories, links
from memory_cli.store.families import STATEMENT
from memory_cli.sync.contents import FAMILIES, FIELDS, LINK_FIELDS, Content, hash_of
from memory_cli.text.kinds import checked_id, kind_named
from memory_cli.text.soundness import require

DEVICE = re.compile(r"[0-9a-f]{16}")
HASH = re.compile(r"[0-9a-f]{64}|")
# More devices than anybody has; more than this in one vector is an attack, or a fault.
MOST_DEVICES = 1000
LAST = 2**53
# What a category tells beside its content, and how long each of it may be.
ABOUT = {"agent": 1000, "device": 1000, "reason": 100_000}
MOST_ENTRIES, MOST_DAYS, MOST_SCORE = 10_000_000, 100_000, 1_000_000
ENTRY = {"maker": str, "number": int, "at": int, "agent": str, "device": str, "body": str}
TYPES: dict[str, tuple[type, ...]] = {
    "kind": (str,), "text": (str,), "at": (int,), "updated_at": (int,), "expires_at": (int, type(None)),
    "metadata": (dict,), "superseded": (bool,), "origins": (list,), "aliases": (list,), "score": (float, int),
    "agent": (str,), "max_entries": (int,), "max_age_days": (int,), "entries": (list,), "seen": (dict,),
}  # fmt: skip


def checked_row(read: Any) -> Row:
    """Return what is said of a thing, or say what is wrong with it."""
    if not isinstance(read, dict):
        raise UsageError("this is no object")
    family, key, hash = (_typed(read, name, (str,)) for name in ("family", "key", "hash"))
    if family not in FAMILIES:
        raise UsageError(f"there is no family {family[:40]!r}")
    if not HASH.fullmatch(hash):
        raise UsageError("its hash is none")
    _check_key(family, key)
    return Row(family, key, hash, checked_vector(read.get("vector")))


def checked_vector(read: Any) -> dict[str, int]:
    """Return a version vector, or say what is wrong with it."""
    if not isinstance(read, dict) or not 0 < len(read) <= MOST_DEVICES:
        raise UsageError("its version vector is none")
    for device, number in read.items():
        if not DEVICE.fullmatch(device) or type(number) is not int or not 0 < number < LAST:
            raise UsageError("its version vector is none")
    return dict(read)


def checked_about(read: Any) -> dict[str, Any]:
    """Return what is told beside a content, or say what is wrong with it."""
    if not isinstance(read, dict):
        raise UsageError("what is told beside it is no object")
    told = {name: _typed(read, name, (str,)) for name in ABOUT if name in read}
    for name, text in told.items():
        require(name, text)
        if "\0" in text or len(text) > ABOUT[name]:
            raise UsageError(f"its {name} is too long, or holds a NUL character")
    if "at" in read:
        told["at"] = _typed(read, "at", (int,))
        _check_time(told["at"])
    if "ancestors" in read:
        told["ancestors"] = [each for each in _typed(read, "ancestors", (list,)) if isinstance(each, str)]
    return told


def check(parcel: Parcel) -> None:
    """Refuse a thing whose content is not what its hash says, or cannot be kept."""
    if parcel.content is None:
        return
    if not isinstance(parcel.content, Mapping):
        raise UsageError("its content is no object")
    if parcel.row.family == STATEMENT:
        _check_statement(parcel.content)
    elif parcel.row.family == links.FAMILY:
        _check_link(parcel.content)
    else:
        _check_category(parcel.content)
    if hash_of(parcel.content) != parcel.row.hash:
        raise UsageError("its content does not have the hash that is told of it")


def _check_key(family: str, key: str) -> None:
    if family == categories.FAMILY:
        checked_name(key)
        return
    parts = key.split(" ")
    if family == links.FAMILY:
        if len(parts) != 3 or parts[1] not in MADE:
            raise UsageError(f"{key[:140]!r} names no link")
        parts = [parts[0], parts[2]]
    for each in parts:
        require("id", checked_id(each))


def _check_statement(content: Content) -> None:
    _check_fields(content, FIELDS)
    if kind_named(content["kind"]) != content["kind"]:
        raise UsageError(f"its kind {content['kind'][:40]!r} is none")
    if not content["text"].strip() or "\0" in content["text"]:
        raise UsageError("its text is empty or holds a NUL character")
    require("text", content)
    for each in content["aliases"]:
        checked_id(each if isinstance(each, str) else "")
    if not content["origins"]:
        raise UsageError("it does not say where it came from")
    for each in content["origins"]:
        if not (isinstance(each, list) and len(each) == 3 and isinstance(each[2], list) and _texts(each[:2] + each[2])):
            raise UsageError("its origins are none")
    named = [(agent.casefold(), source.casefold()) for agent, source, _tags in content["origins"]]
    if len(set(named)) < len(named):
        raise UsageError("it names one origin twice")
    for name in ("at", "updated_at", "expires_at"):
        _check_time(content[name])


def _check_link(content: Content) -> None:
    _check_fields(content, LINK_FIELDS)
    require("agent", content["agent"])
    _check_time(content["at"])
    if not abs(content["score"]) <= MOST_SCORE:
        raise UsageError("its score is none")


def _check_category(content: Content) -> None:
    if content.get("kind") == MEMORY:
        _check_exact(content, ("kind", "text"))
        text = _typed(content, "text", (str,))
        if text_of(document_of(text, "its text")) != text:
            raise UsageError("its text is not in the form that a category has")
        return
    if content.get("kind") != LOG:
        raise UsageError("it is neither a plain category nor a log")
    _check_fields(content, ("kind", "max_entries", "max_age_days", "entries", "seen"))
    if not 0 <= content["max_entries"] <= MOST_ENTRIES or not 0 <= content["max_age_days"] <= MOST_DAYS:
        raise UsageError("its bounds are none that a log can have")
    if content["seen"]:
        checked_vector(content["seen"])
    for each in content["entries"]:
        _check_entry(each)
    if len({(each["maker"], each["number"]) for each in content["entries"]}) < len(content["entries"]):
        raise UsageError("two entries of it have one number")


def _check_entry(entry: Any) -> None:
    if not isinstance(entry, dict) or entry.keys() != ENTRY.keys():
        raise UsageError("an entry of it is none")
    for name, type_ in ENTRY.items():
        if type(entry[name]) is not type_:
            raise UsageError(f"`{name}` of an entry is {entry[name]!r}"[:140])
    if not DEVICE.fullmatch(entry["maker"]) or not 0 < entry["number"] < LAST:
        raise UsageError("an entry of it does not say which it is")
    require("text", entry)
    _check_time(entry["at"])
    document_of(entry["body"], "an entry of it")


def _check_fields(content: Content, names: tuple[str, ...]) -> None:
    _check_exact(content, names)
    for name in names:
        _typed(content, name, TYPES[name])


def _check_exact(content: Content, names: tuple[str, ...]) -> None:
    if content.keys() != set(names):
        odd = ", ".join(sorted(content.keys() ^ set(names)))[:140]
        raise UsageError(f"it has or lacks {odd}")


def _typed(read: Content, name: str, types: tuple[type, ...]) -> Any:
    value = read.get(name)
    if type(value) not in types:
        raise UsageError(f"`{name}` is {value!r}"[:140])
    return value


def _check_time(value: Any) -> None:
    # The years that Python and people have a calendar for.
    if value is not None and not -62_135_596_800_000_000 < value < 253_402_300_800_000_000:
        raise UsageError("a time of it is out of every calendar")


def _texts(values: list[Any]) -> bool:
    return all(isinstance(each, str) and each.strip() and "\0" not in each for each in values)
