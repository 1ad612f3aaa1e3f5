"""Which category is meant, where it is, and how an answer tells of it."""

from collections.abc import Callable, Iterator
from typing import Annotated

from memory_cli.categories import access, changing, files
from memory_cli.categories.canonical import checked_name, missing
from memory_cli.errors import Refused, UsageError
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.categories import LOG, Category, CategoryWritten, Meta
from memory_cli.operations import shown
from memory_cli.operations.intake import Cleaner
from memory_cli.parameter import Described
from memory_cli.store import categories, entries
from memory_cli.store.connection import Store

Name = Annotated[str, Described("The category: letters, digits, dots, dashes and underscores.")]
Reason = Annotated[str, Described("Why, for the history.")]
Expected = Annotated[
    str, Described("Only if the category has this hash still, as a read told it; absent: only if there is none.")
]
ABSENT = "absent"


def writable(memory: Memory, name: str, scope: str) -> Store:
    """Return the store to write a category in, the account's unless another is named; made when there is none."""
    checked_name(name)
    require(memory, name)
    return memory.store(scope or (GLOBAL if GLOBAL in memory.session.scopes else LOCAL))


def require(memory: Memory, name: str) -> None:
    """Refuse what the rules of access do not allow, and a name that would be stored with a secret in it."""
    if kinds := memory.redacted(name).kinds:
        raise UsageError(f"The name holds a secret ({', '.join(kinds)}) and would be stored as it is; give another.")
    who = memory.session
    access.require(memory.settings.acl, name, device=who.device, agent=who.agent, bearer=who.bearer)


def found(memory: Memory, name: str, scope: str, *, deleted: bool = False) -> tuple[Store, Category, str]:
    """Return a category with its store, as its file and its record say, and what is to be said about it.

    With no scope named the account's is looked at first, then the project's.
    """
    checked_name(name)
    order = (scope,) if scope else (GLOBAL, LOCAL)
    notes = []
    for place in order:
        for store in memory.stores(place):
            one, note = look(memory, store, name)
            notes += [note] if note else []
            if one is not None and (one.there or deleted):
                if not scope and place == LOCAL:
                    notes.append("It is of this project's memory.")
                return store, one, " ".join(notes)
    raise missing(name, names(memory, scope))


def look(memory: Memory, store: Store, name: str) -> tuple[Category | None, str]:
    """Return a category, with what somebody did to its file taken in, unless it is somebody else's memory."""
    if memory.is_foreign(store.scope):
        return categories.found(store, name), ""
    return changing.look(store, memory.who, memory.now, name, intake=intake(memory))


def everywhere(memory: Memory, scope: str = "") -> Iterator[tuple[Store, Category]]:
    """Yield all categories, with what somebody did to their files taken in."""
    for store in memory.stores(scope):
        if not memory.is_foreign(store.scope):
            for name in files.touched(store, categories.written(store)):
                look(memory, store, name)
        yield from ((store, each) for each in categories.everything(store))


def intake(memory: Memory) -> changing.Intake:
    """Return what is done about files that somebody edited: secrets are blotted out of them, too."""
    return changing.Intake(memory.is_believed, Cleaner(memory).metadata)


def change(
    memory: Memory, store: Store, operation: str, name: str, work: changing.Work, *, continues: int = 0
) -> Category:
    """Do work on a category in one change, of which something must come."""
    after = changing.change(
        store, memory.who, memory.now, operation, name, work, continues=continues, intake=intake(memory)
    )
    assert after is not None
    return after


def names(memory: Memory, scope: str) -> list[str]:
    """Return the names of the categories that there are."""
    return sorted({each.name for store in memory.stores(scope) for each in categories.everything(store)})


def meta(memory: Memory, store: Store, one: Category) -> Meta:
    """Return what there is to say about a category."""
    newest = categories.newest(store, one)
    size = entries.size(store, one.name) if one.kind == LOG else newest.size
    return Meta(
        one.name, one.kind, store.scope, one.hash, one.version, shown.moment(newest.at), newest.agent, size,
        deleted=not one.there, foreign=memory.is_foreign(store.scope),
    )  # fmt: skip


def text(store: Store, one: Category, version: int = 0) -> str:
    """Return the text of a category, of now or of a version, or say that it was compacted away."""
    found_text = changing.text_at(store, one, version)
    if found_text is None:
        raise Refused(f"Version {version or one.version} of {one.name} has no payload any more, or was a deletion.")
    return found_text


def check_expected(store: Store, before: Category | None, expected: str, differs: Callable[[], str]) -> None:
    """Refuse to go on when a category, read under the lock, is no longer what a caller saw."""
    there = before is not None and before.there
    if not expected or (expected == ABSENT and not there):
        return
    if there and before is not None and before.hash == expected:
        return
    if not there or before is None:
        raise Refused(
            "There is no such category any more; read again, then decide." if before else "There is none yet."
        )
    newest = categories.version(store, before.name, before.version)
    who = f" by {newest.agent}" if newest else ""
    raise Refused(
        f"{before.name} was changed meanwhile{who}: it is version {before.version} with hash {before.hash} now, not "
        f"{expected}.{differs()} Read it again, then decide."
    )


def require_plain(one: Category | None) -> None:
    """Refuse a log where a plain category is expected."""
    if one is not None and one.kind == LOG and one.there:
        raise UsageError(f"{one.name} is a log, to which entries are only appended.")


def written(
    store: Store, before: Category | None, after: Category, *, entry: int = 0, pruned: int = 0,
    redacted: list[str] | None = None, note: str = "",
) -> CategoryWritten:  # fmt: skip
    """Return what a write made of a category."""
    return CategoryWritten(
        after.name, store.scope, before is None or before.version != after.version, after.hash, after.version,
        old_hash=before.hash if before else "", old_version=before.version if before else 0, entry=entry,
        pruned=pruned, redacted=redacted or [], note=note,
    )  # fmt: skip
