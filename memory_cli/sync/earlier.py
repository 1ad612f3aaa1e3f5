"""What a statement was before, by which two devices find what they had in common."""

from collections.abc import Iterator
from typing import Any

from memory_cli.store import sync
from memory_cli.store.connection import Store
from memory_cli.store.families import STATEMENT
from memory_cli.sync.contents import FIELDS, Content, about, exact, hash_of, in_order, of_statement

# So many states back the one is looked for that two devices have in common.
MOST = 20
# So much of a hash tells one state of one statement from the others.
SHORT = 16


def told(store: Store, family: str, key: str) -> dict[str, Any]:
    """Return what is told beside a content, with which a receiver finds what both had."""
    if family != STATEMENT:
        return about(store, family, key)
    found = [hash_of(each)[:SHORT] for each in states(store, key)]
    # What never changed has nothing before it.
    return {"ancestors": found} if len(found) > 1 else {}


def states(store: Store, id: str) -> Iterator[Content]:
    """Yield what a statement is and was, newest first, as far as the history tells."""
    now = exact(store, id)
    state: dict[str, Any] | None = of_statement(now) if now else None
    if state is not None:
        yield state
    for effect, before in sync.steps(store, id, MOST):
        if effect == "add":
            state = None
        elif effect == "remove" or state is not None:
            had = {name: value for name, value in (before or {}).items() if name in FIELDS}
            state = in_order(had if effect == "remove" else {**(state or {}), **had})
            yield state


def common(store: Store, id: str, theirs: Any) -> Content | None:
    """Return the newest state that whoever told these ancestors had, too."""
    if not isinstance(theirs, list):
        return None
    return next((each for each in states(store, id) if hash_of(each)[:SHORT] in theirs), None)
