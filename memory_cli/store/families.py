"""The families of things that the history speaks of: statements, and what else is changed and taken back."""

from collections.abc import Callable, Mapping
from typing import Any

from memory_cli.errors import Refused
from memory_cli.models.frozen import Frozen
from memory_cli.models.history import Item
from memory_cli.models.statement import HANDOFF, Statement
from memory_cli.store import categories, codec, documents, journal, links, statements
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal
from memory_cli.store.moments import EPOCH
from memory_cli.text.identity import identity

STATEMENT = "statement"
BLANK = Statement(0, "", "", 0, "", "", EPOCH, EPOCH)

State = Mapping[str, Any]


class Family(Frozen):
    """How things of one family are read for the history, and taken back.

    To plug in another: write its rows within `journal.writing` and append to `Journal.items` an
    `Item(key, effect, before, family)`, where `before` is nothing for an `add`, the fields that became others for a
    `change`, all fields for a `remove`; then name it in FAMILIES. In one change what depends on another thing is added
    after it and removed before it, since an undo goes backwards.

    `now` returns the thing with this key as JSON values by field, nothing when it is gone. `take_back` gives it the
    state that it had before an item, as part of the change that is being made, which gets an item of its own for that.
    `told` are the fields that show one that came or went; `quiet` are never shown; `moments` are stored times.
    """

    noun: str
    now: Callable[[Store, str], State | None]
    take_back: Callable[[Journal, Item], None]
    told: tuple[str, ...]
    quiet: tuple[str, ...] = ()
    moments: tuple[str, ...] = ()


def _statement(store: Store, id: str) -> State | None:
    found = statements.by_id(store, id)
    return codec.packed(found) if found else None


def _take_back_statement(made: Journal, item: Item) -> None:
    now = statements.by_id(made.store, item.statement)
    if item.effect == "remove":
        journal.add(made, _unclaimed(made.store, codec.unpacked(BLANK, item.before or {})))
    elif now is None:
        raise Refused(f"Statement {item.statement} is not in the store any more, so its change cannot be taken back.")
    elif item.effect == "add":
        journal.remove(made, now)
    else:
        journal.change(made, now, _unclaimed(made.store, codec.unpacked(now, item.before or {})))


def _unclaimed(store: Store, wanted: Statement) -> Statement:
    """Return wanted, unless another statement has its words, its id or its place as the handoff by now."""
    claims = [statements.by_identity(store, identity(wanted.kind, wanted.text))]
    claims += [statements.by_id(store, each) for each in (wanted.id, *wanted.aliases)]
    claims += [statements.handoff(store)] if wanted.kind == HANDOFF else []
    for other in claims:
        if other is not None and other.number != wanted.number:
            raise Refused(f"Statement {other.id} has taken its place by now; forget that one first.")
    return wanted


def _link(store: Store, key: str) -> State | None:
    found = links.found(store, key)
    return links.packed(found) if found else None


def _take_back_link(made: Journal, item: Item) -> None:
    now = links.found(made.store, item.statement)
    if item.effect == "add":
        links.remove(made, [now] if now else [])
        return
    before = links.unpacked(item.before or {})
    if statements.by_id(made.store, before.from_id) is None:
        raise Refused(f"Statement {before.from_id} is not in the store any more, so its link cannot be brought back.")
    links.put(made, before)


def _document(store: Store, key: str) -> State | None:
    found = documents.found(store, key)
    return documents.packed(found) if found else None


def _take_back_document(made: Journal, item: Item) -> None:
    now = documents.found(made.store, item.statement)
    if item.effect == "add":
        if now:
            documents.remove(made, now)
    else:
        known = documents.packed(now) if now else {}
        documents.put(made, documents.unpacked({**known, **(item.before or {})}))


FAMILIES: dict[str, Family] = {
    STATEMENT: Family(
        "Statement", _statement, _take_back_statement, ("kind", "text"), ("sequence", "updated_at"), codec.MOMENTS
    ),
    links.FAMILY: Family("Link", _link, _take_back_link, ("type", "score", "agent"), moments=("at",)),
    categories.FAMILY: Family("Category", categories.state, categories.take_back, ("hash", "version", "kind")),
    documents.FAMILY: Family("Document", _document, _take_back_document, ("source",), ("size", "mtime", "pieces")),
}
