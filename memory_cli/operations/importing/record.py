"""What the readers of other programs' files yield: statements in the form of our own lines, and links between them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from memory_cli.errors import MemoryCliError
from memory_cli.models.links import MADE, SUPERSEDES
from memory_cli.text.identity import derived_id
from memory_cli.text.kinds import LONGEST_ID, checked_id

# Longer than any statement that says one thing; what is longer is taken in as several.
LONGEST = 8000


class Found(NamedTuple):
    """One record: where it stood, and its line of JSON, or how to read its fields; what cannot be read is refused."""

    where: str
    source: str | Callable[[], Mapping[str, Any]]
    size: int = 1


def statement(where: str, text: object, **fields: Any) -> Found:
    """Return a record of a statement; fields that say nothing are left out."""
    kept = {name: value for name, value in fields.items() if value not in (None, "", [], {})}
    return Found(where, lambda: {"text": text, **kept})


def link(where: str, from_id: str, to_id: str, type: str = "related") -> Found:
    """Return a record of a link between two records, by the ids that they were given."""
    made = {"link": type if type in MADE else "related", "from": from_id, "to": to_id}
    # Our own lines say of each statement whether it is superseded; of others the link alone tells.
    return Found(where, lambda: made | {"marks": type == SUPERSEDES})


def failure(where: str, error: MemoryCliError) -> Found:
    """Return a record that cannot be taken in, and why."""

    def read() -> Mapping[str, Any]:
        raise error

    return Found(where, read)


def fit_id(program: str, name: object) -> str:
    """Return the id that another program gave, or one derived from it where ours may not look so."""
    text = str(name)
    if len(text) > LONGEST_ID:
        return derived_id(program, text)
    try:
        return checked_id(text)
    except MemoryCliError:
        return derived_id(program, text)


def tags_of(value: object) -> list[str]:
    """Return tags that were kept as a list, or as words with commas between them."""
    listed = value.split(",") if isinstance(value, str) else value if isinstance(value, Sequence) else ()
    return [each.strip().removeprefix("#") for each in listed if isinstance(each, str) and each.strip(" #")]


def holds(value: object, key: str) -> bool:
    """Tell whether a value is a list with an object that has key."""
    return isinstance(value, list) and any(isinstance(each, dict) and key in each for each in value)
