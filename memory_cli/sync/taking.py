"""What an envelope holds is taken in thing by thing: what is newer, what is known, and what has to be joined."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memory_cli.categories.canonical import document_of, text_of
from memory_cli.errors import MemoryCliError, Refused
from memory_cli.models.categories import LOG
from memory_cli.models.statement import HANDOFF
from memory_cli.models.sync import Parcel, Row, Taken, Told
from memory_cli.store import categories, links, sync
from memory_cli.store.connection import Store
from memory_cli.store.families import STATEMENT
from memory_cli.store.journal import Journal
from memory_cli.store.moments import stored
from memory_cli.sync import checking, earlier, merging, putting
from memory_cli.sync.contents import FAMILIES, Content, about, content_of, hash_of, moment
from memory_cli.sync.envelope import Envelope
from memory_cli.sync.merging import BOTH, LAST, LOCAL, REMOTE, Merged
from memory_cli.sync.settling import settle_these
from memory_cli.sync.vectors import Order, compare, joined
from memory_cli.text.identity import derived_id

# What is told beside a content, as if it were a family.
ABOUT = "about"
# Returns the content of a thing of a family fit to be stored.
Fit = Callable[[str, Content], Content]
# Refuses the name of a category that a device may not write.
May = Callable[[str, str], None]


@dataclass
class _Taking:
    """One envelope on its way in."""

    made: Journal
    sender: str
    strategy: str
    fit: Fit
    may: May
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("applied", "merged", "unchanged"), 0))
    conflicts: list[Told] = field(default_factory=list)
    refused: list[Told] = field(default_factory=list)
    touched: dict[tuple[str, str], None] = field(default_factory=dict)


def take(made: Journal, read: Envelope, *, strategy: str, fit: Fit, may: May) -> Taken:
    """Take in what an envelope holds, within the change that is being made; the rows must be settled."""
    run = _Taking(made, read.name, strategy, fit, may)
    run.refused += [Told(*each) for each in read.broken]
    for parcel in in_order(read.parcels, made.store):
        try:
            checking.check(parcel)
            _take_one(run, Parcel(parcel.row, parcel.content, fit(ABOUT, parcel.about)))
        except MemoryCliError as error:
            run.refused.append(Told(*parcel.row.name, str(error)))
    settle_these(made.store, dict.fromkeys([*run.touched, *_made(made)]))
    return Taken(**run.counts, conflicts=run.conflicts, refused=run.refused)


def in_order(parcels: Iterable[Parcel], store: Store) -> list[Parcel]:
    """Return things in the order in which they are taken in.

    What is here already comes first, since it may give up words that a new statement has; of new ones the older come
    first, which then stand below the newer; links come last, when their statements are there.
    """
    return sorted(parcels, key=lambda each: (each.row.family == links.FAMILY, _is_unknown(store, each.row), _at(each)))


def _is_unknown(store: Store, told: Row) -> bool:
    row = sync.row(store, *told.name)
    return row is None or not row.hash


def _at(parcel: Parcel) -> int:
    # It was not checked yet.
    at = parcel.content.get("updated_at", 0) if isinstance(parcel.content, dict) else 0
    return at if isinstance(at, int) else 0


def _made(made: Journal) -> list[tuple[str, str]]:
    return [(each.family, each.statement) for each in made.items if each.family in FAMILIES]


def _take_one(run: _Taking, parcel: Parcel) -> None:
    mine, theirs = sync.row(run.made.store, *parcel.row.name), parcel.row
    order = compare(mine.vector, theirs.vector) if mine else Order.BEFORE
    same = (mine.hash if mine else "") == theirs.hash
    if order is Order.AFTER or (order is Order.EQUAL and (same or (mine and mine.hash > theirs.hash))):
        run.counts["unchanged"] += 1
        return
    if not same and theirs.hash and parcel.content is None:
        # It changed here since the sender asked what is here; next time it comes with its content.
        run.counts["unchanged"] += 1
        return
    if same:
        sync.put(run.made.store, _knowing(theirs, joined(mine.vector if mine else {}, theirs.vector)))
        run.counts["unchanged"] += 1
    elif order is Order.CONCURRENT and mine is not None:
        _join(run, mine, parcel)
    else:
        _put(run, theirs, parcel.content, parcel, parcel.about, newer=True)
        run.counts["applied"] += 1


def _knowing(row: Row, vector: Mapping[str, int]) -> Row:
    return Row(row.family, row.key, row.hash, vector)


def _put(
    run: _Taking, row: Row, content: Content | None, parcel: Parcel, told: Content, *, newer: bool = False
) -> None:
    family, key = row.name
    putting.check_place(run.made, family, key, content, newer=newer)
    if family == categories.FAMILY:
        run.may(key, str(parcel.about.get("device", "")))
    fit = run.fit(family, content) if content is not None else None
    for lost in putting.put(run.made, family, key, fit, told):
        _note(run, row, lost, "another took its place")
    sync.put(run.made.store, row)
    run.touched[row.name] = None


def _join(run: _Taking, mine: Row, parcel: Parcel) -> None:
    theirs, store = parcel.row, run.made.store
    here = content_of(store, *mine.name)
    found = _merged(run, here, parcel)
    hash = hash_of(found.content)
    row = Row(*mine.name, hash, joined(mine.vector, theirs.vector))
    if shown := _is_new(run, here, parcel) and hash != theirs.hash:
        # As a version of its own before what both came to: whoever had it and went on is met on common ground.
        _put(run, theirs, parcel.content, parcel, parcel.about)
    if hash != mine.hash or shown:
        _put(run, row, found.content, parcel, parcel.about if hash == theirs.hash else {})
    elif run.strategy in (LAST, BOTH):
        sync.put(store, row)
    if run.strategy in (LOCAL, REMOTE):
        # Another device might have chosen otherwise: this one's choice is one more write.
        own = sync.device(store)
        sync.put(store, _knowing(row, {**row.vector, own: sync.tick(store, row.vector)}))
    if found.lost is not None:
        _note(run, row, found.lost, _how(here, parcel))
        if run.strategy == BOTH:
            _keep_both(run, row, found.lost)
    run.touched[mine.name] = None
    run.counts["merged"] += 1


def _is_new(run: _Taking, here: Content | None, parcel: Parcel) -> bool:
    """Tell whether the text of a category is none that it ever had here."""
    there = parcel.content
    if parcel.row.family != categories.FAMILY or here is None or there is None or there["kind"] == LOG:
        return False
    known = about(run.made.store, *parcel.row.name).get("ancestors", [])
    return categories.hash_of(there["text"]) not in known


def _merged(run: _Taking, here: Content | None, parcel: Parcel) -> Merged:
    there, family = parcel.content, parcel.row.family
    if here is None or there is None:
        # What somebody wrote without knowing of the deletion is kept.
        kept = here or there
        assert kept is not None
        return Merged(kept, {"deleted": True})
    if family == STATEMENT:
        base = earlier.common(run.made.store, parcel.row.key, parcel.about.get("ancestors"))
        return merging.statements(here, there, run.strategy, base)
    if family == links.FAMILY:
        return merging.links(here, there)
    if here["kind"] != there["kind"]:
        raise Refused(f"it is a {here['kind']} here and a {there['kind']} there; rename one of the two")
    return merging.logs(here, there) if here["kind"] == LOG else _merged_plain(run, here, parcel)


def _merged_plain(run: _Taking, here: Content, parcel: Parcel) -> Merged:
    there = parcel.content or {}
    known = about(run.made.store, *parcel.row.name)
    mine, theirs = (document_of(each["text"], "its text") for each in (here, there))
    kept = merging.later(here, there, known.get("at", 0), stored(moment(parcel.about, run.made.at)), run.strategy)
    merged, contested = merging.documents(mine, theirs, _base(run, parcel, known), kept=kept)
    return Merged({"kind": here["kind"], "text": text_of(merged)}, (there if kept else here) if contested else None)


def _base(run: _Taking, parcel: Parcel, known: Content) -> dict[str, Any] | None:
    """Return the newest document that both sides had, if its text is there still."""
    theirs = parcel.about.get("ancestors", [])
    both = [each for each in known.get("ancestors", []) if isinstance(theirs, list) and each in theirs]
    text = next((found for each in both if (found := categories.payload(run.made.store, each))), None)
    return document_of(text, "its text") if text is not None else None


def _keep_both(run: _Taking, row: Row, lost: Content) -> None:
    """Give what lost a name of its own, the same on every device."""
    if "deleted" in lost or lost.get("kind") == HANDOFF:
        return
    mark = derived_id(row.key, hash_of(lost))
    if row.family == STATEMENT:
        # Younger than what it was, so that it never takes the place of that where both have the same words for a while.
        at = max(lost["at"], lost["updated_at"]) + 1
        putting.put(run.made, STATEMENT, mark, {**lost, "aliases": [], "at": at}, {})
        run.touched[STATEMENT, mark] = None
    elif row.family == categories.FAMILY:
        name = f"{row.key[:110]}.{mark}"
        putting.put(run.made, categories.FAMILY, name, lost, {})
        run.touched[categories.FAMILY, name] = None


def _how(here: Content | None, parcel: Parcel) -> str:
    if here is None or parcel.content is None:
        return "deleted by one, changed by another; it is kept"
    return "changed by both; the history has what lost"


def _note(run: _Taking, row: Row, lost: Content, why: str) -> None:
    sync.keep_lost(run.made.store, run.made.at, row, run.sender, lost)
    run.conflicts.append(Told(*row.name, why))
