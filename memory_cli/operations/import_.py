"""Take in statements that were exported, here or elsewhere."""

import gc
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from memory_cli.errors import MemoryCliError, Refused
from memory_cli.memory import Memory
from memory_cli.models.frozen import replace
from memory_cli.models.links import Link
from memory_cli.models.results import Imported
from memory_cli.models.statement import HANDOFF, Statement
from memory_cli.operations import chronicles, intake, link_lines
from memory_cli.operations.importing.crew import Chunk, Crew, workers
from memory_cli.operations.importing.lines import records
from memory_cli.operations.importing.preparing import Changed, Failed, Linked, Placed, Prepared
from memory_cli.operations.importing.record import Found
from memory_cli.operations.jsonl import counted
from memory_cli.operations.parameters import ScopeName
from memory_cli.store import chronicle, journal, statements
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal
from memory_cli.store.ready import Ready
from memory_cli.text.identity import new_id

# So many records are made ready at once, and so many are written at once: each write puts most pages of a store's
# indexes on the disk again, and a writer beside the import waits as long as one takes.
BATCH = 1000
WRITTEN = 4 * BATCH
LARGEST_BATCH = 1_000_000
# So many objects are made between two searches for cycles, of which an import makes hardly any.
UNSEARCHED = 100_000


class _Row(NamedTuple):
    """A statement to be written: where it stood, and its place in an order that came with it, or none."""

    where: str
    ready: Ready
    sequence: int


@dataclass
class _Tally:
    """What an import has done so far."""

    new: int = 0
    already: int = 0
    failed: list[str] = field(default_factory=list)
    redacted: Counter[str] = field(default_factory=Counter)
    ignored: set[str] = field(default_factory=set)
    seen: set[tuple[str, bytes]] = field(default_factory=set)
    changes: dict[str, int] = field(default_factory=dict)
    links: int = 0
    # The scopes that had neither statement nor history, and get those of the export with their numbers.
    restored: set[str] = field(default_factory=set)
    passed_changes: int = 0


def import_(
    memory: Memory, lines: Iterable[str], *, scope: ScopeName = "", total: int = 0, dry_run: bool = False, jobs: int = 0
) -> Imported:
    """Take in an export of ours, a JSON object a line, or of another tool.

    A line has a `text`, and may have id, kind, at, agent, source, tags, metadata and whatever else an export writes;
    its own scope counts unless one is named. What is there already is left as it is. A record that cannot be taken
    in is named, and the rest goes in.
    """
    return take_in(memory, records(lines), scope=scope, total=total, dry_run=dry_run, jobs=jobs)


def take_in(
    memory: Memory,
    found: Iterable[Found],
    *,
    scope: ScopeName = "",
    total: int = 0,
    dry_run: bool = False,
    jobs: int = 0,
) -> Imported:
    """Take in records, whichever program they come from, and name those that cannot be."""
    tally = _Tally()
    done = 0
    with _seldom_searched(), closing(Crew(memory, scope, workers(jobs)).prepared(_chunks(found))) as ready:
        for each in _together(ready):
            _take_batch(memory, each, scope, tally, dry_run=dry_run)
            done += each.size
            memory.progress(done, max(total, done), "importing")
    return Imported(
        tally.new,
        tally.already,
        tally.failed,
        links=tally.links,
        redacted=dict(tally.redacted),
        scope=scope,
        dry_run=dry_run,
        note=" ".join(filter(None, (_note(tally), memory.for_want_of_project(scope) if tally.new else ""))),
    )


@contextmanager
def _seldom_searched() -> Iterator[None]:
    """Let Python look for cycles of objects but now and then in the block: it would take a tenth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(UNSEARCHED, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _chunks(found: Iterable[Found]) -> Iterator[Chunk]:
    """Yield records in the numbers in which they are written, fewer of long ones."""
    some: list[Found] = []
    size = 0
    for each in found:
        some.append(each)
        size += each.size
        if len(some) == BATCH or size >= LARGEST_BATCH:
            yield Chunk(some, size)
            some, size = [], 0
    if some:
        yield Chunk(some, size)


def _together(ready: Iterable[Prepared]) -> Iterator[Prepared]:
    """Yield what was made ready in the numbers in which it is written, fewer of long ones."""
    some: Prepared | None = None
    for each in ready:
        some = some.with_next(each) if some else each
        if len(some.outcomes) >= WRITTEN or some.size >= LARGEST_BATCH:
            yield some
            some = None
    if some:
        yield some


def _note(tally: _Tally) -> str:
    ignored, changes = ", ".join(sorted(tally.ignored)), tally.passed_changes
    told = [f"Fields that mean nothing here were passed over: {ignored}."] if ignored else []
    told += [f"{changes} changes were passed over: there is a history here already."] if changes else []
    return " ".join(told)


def _take_change(memory: Memory, change: Changed, tally: _Tally, *, dry_run: bool) -> None:
    """Write a change of the exported history, if nothing ever happened here."""
    name = memory.scope_to_write(change.scope)
    entry = chronicles.entry(memory, change.fields)
    there = next(iter(memory.stores(name)), None)
    if name not in tally.restored and there is not None and not chronicle.is_blank(there):
        tally.passed_changes += 1
    elif not dry_run:
        tally.restored.add(name)
        store = memory.store(name)
        with store.transaction():
            chronicle.restore(store, entry)


def _take_batch(memory: Memory, prepared: Prepared, scope: str, tally: _Tally, *, dry_run: bool) -> None:
    tally.redacted.update(prepared.redacted)
    tally.ignored |= prepared.ignored
    rows: dict[str, list[_Row]] = {}
    made: list[tuple[str, Linked]] = []
    for where, outcome in prepared.outcomes:
        try:
            match outcome:
                case Placed(ready, into, given):
                    # What comes with its history keeps its place in it.
                    place = counted("sequence", given) if into in tally.restored else 0
                    rows.setdefault(into, []).append(_Row(where, ready, place))
                case Failed(told):
                    tally.failed.append(f"{where}: {told}")
                case Changed():
                    _take_change(memory, outcome, tally, dry_run=dry_run)
                case Linked():
                    made.append((where, outcome))
        except MemoryCliError as error:
            tally.failed.append(f"{where}: {error}")
    for each, some in rows.items():
        if dry_run:
            _count(next(iter(memory.stores(each)), None), each, some, tally)
        else:
            _write(memory, memory.store(each), some, tally)
    # After the statements of the batch, which they are between.
    for where, linked in () if dry_run else made:
        try:
            _link(memory, linked.link, scope, tally, marks=linked.marks)
        except MemoryCliError as error:
            tally.failed.append(f"{where}: {error}")


def _link(memory: Memory, link: Link, scope: str, tally: _Tally, *, marks: bool) -> None:
    store = link_lines.home(memory, link, scope)
    before = tally.changes.get(store.scope, 0)
    with journal.writing(store, "import", memory.who, memory.session.clock(), continues=before) as made:
        tally.links += link_lines.take(made, link, marks=marks)
        if store.scope in tally.restored:
            made.items.clear()
    tally.changes[store.scope] = made.number or before


def _write(memory: Memory, store: Store, rows: list[_Row], tally: _Tally) -> None:
    new = already = 0
    failed: list[str] = []
    # One change for the whole import, so that one undo takes it back, unless others write in between.
    before = tally.changes.get(store.scope, 0)
    with journal.writing(store, "import", memory.who, memory.session.clock(), continues=before) as made:
        for fresh, some in groupby(_compared(store, rows), key=itemgetter(0)):
            if fresh:
                more = [row.ready for _fresh, row in some]
                journal.add_all(made, more)
                new += len(more)
                continue
            for _fresh, row in some:
                try:
                    added = _take(made, row)
                except MemoryCliError as error:
                    failed.append(f"{row.where}: {error}")
                else:
                    new, already = new + added, already + (not added)
        if store.scope in tally.restored:
            # That these statements were added stands in the history that came with them.
            made.items.clear()
            chronicle.count_from(store, journal.SEQUENCE, *(row.sequence for row in rows))
    tally.changes[store.scope] = made.number or before
    # Counted when the batch is on the disk, not before.
    tally.new, tally.already = tally.new + new, tally.already + already
    tally.failed += failed


def _compared(store: Store, rows: list[_Row]) -> Iterator[tuple[bool, _Row]]:
    """Yield rows, and whether they are new by their identity alone: what is known by nothing needs no look."""
    ids = [each for row in rows for each in (row.ready.id, *row.ready.aliases) if each]
    words, names = statements.known(store, [row.ready.identity for row in rows], ids)
    for row in rows:
        one = row.ready
        own = {one.id, *one.aliases} - {""}
        fresh = one.identity not in words and names.isdisjoint(own) and not row.sequence and one.kind != HANDOFF
        words.add(one.identity)
        names |= own
        yield fresh, row


def _take(made: Journal, row: _Row) -> bool:
    """Add a statement, or leave the one that is there, adding only where it came from; tell whether it is new."""
    same = _known(made.store, row.ready)
    if same is None:
        place = 0 if chronicle.has_place(made.store, row.sequence) else row.sequence
        one = row.ready._replace(id=row.ready.id or new_id())
        journal.add(made, one.statement(made.store.scope, place))
        return True
    after = replace(intake.with_id(same, row.ready.id), origins=intake.merged(same.origins, row.ready.origins))
    journal.change(made, same, after)
    return False


def _known(store: Store, ready: Ready) -> Statement | None:
    """Return the statement that has these words already; refuse what would put other words in place of some."""
    same = statements.by_identity(store, ready.identity)
    for id in filter(None, (ready.id, *ready.aliases)):
        known = statements.by_id(store, id)
        if known is not None and (same is None or known.number != same.number):
            raise Refused(f"the id {id} has other words here; they were left as they are")
    if same is None and ready.kind == HANDOFF and statements.handoff(store):
        raise Refused("the project has another handoff, which was left as it is")
    return same


def _count(store: Store | None, scope: str, rows: list[_Row], tally: _Tally) -> None:
    """Count what would be taken in."""
    for row in rows:
        key = (scope, row.ready.identity)
        try:
            there = key in tally.seen or (store is not None and _known(store, row.ready) is not None)
        except MemoryCliError as error:
            tally.failed.append(f"{row.where}: {error}")
            continue
        tally.seen.add(key)
        tally.new, tally.already = tally.new + (not there), tally.already + there
