"""Write a category."""

from collections.abc import Mapping
from typing import Annotated, Any

from memory_cli.categories.canonical import checked, differences, document_of, patched, text_of
from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.categories import Category, CategoryWritten
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.operations.category.places import Expected, Name, Reason
from memory_cli.operations.intake import Cleaner
from memory_cli.parameter import Described
from memory_cli.store import categories
from memory_cli.store.journal import Journal
from memory_cli.text.identity import stored

WRITE = "write"


def write(
    memory: Memory,
    category: Name,
    *,
    data: Annotated[
        Mapping[str, Any] | None, Described("The whole document, an object; with merge the keys to change.")
    ] = None,
    merge: Annotated[bool, Described("Put in these top-level keys and take out those that are null.")] = False,
    expected_hash: Expected = "",
    reason: Reason = "",
    scope: given.Scope = "",
) -> CategoryWritten:
    """Write a category: all of it, or with merge some of its keys.

    Every write is a version that can be read and restored; an identical one makes none. Secrets are blotted out.
    """
    if data is None:
        raise UsageError("There is nothing to write; give the data, an object.")
    store = places.writable(memory, category, scope)
    clean = Cleaner(memory)
    wanted = clean.metadata(checked(data, "The data"))
    why = clean.text(reason, "reason") if reason else ""
    seen: list[Category | None] = []

    def work(made: Journal, before: Category | None) -> Category | None:
        seen.append(before)
        places.require_plain(before)
        there = before is not None and before.there
        old = document_of(places.text(store, before), category) if before is not None and there else {}
        places.check_expected(store, before, expected_hash, lambda: _differs(old, wanted))
        text = stored(text_of(patched(old, wanted) if merge else wanted), most=clean.most, name="data")
        if before is not None and there and categories.hash_of(text) == before.hash:
            return before
        return categories.write(made, before, category, text, operation=WRITE, reason=why)

    after = places.change(memory, store, WRITE, category, work)
    return places.written(store, seen[0], after, redacted=sorted(clean.kinds))


def _differs(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    added, changed, removed = differences(old, new)
    names = ", ".join([*changed, *removed, *added][:10])
    return f" What you write differs from it in {names}." if names else ""
