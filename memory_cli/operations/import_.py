"""Take in statements that were exported, here or elsewhere."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from memory_cli.errors import MemoryCliError, Refused, UsageError
from memory_cli.memory import GLOBAL, Memory
from memory_cli.models.frozen import replace
from memory_cli.models.links import Link
from memory_cli.models.results import Imported
from memory_cli.models.statement import HANDOFF, Origin, Statement
from memory_cli.operations import chronicles, intake, link_lines
from memory_cli.operations.importing.lines import records
from memory_cli.operations.importing.record import Found
from memory_cli.operations.intake import Cleaner
from memory_cli.operations.jsonl import FIELDS, Reader
from memory_cli.operations.parameters import ScopeName
from memory_cli.store import chronicle, journal, statements
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal
from memory_cli.text.identity import identity, new_id
from memory_cli.text.kinds import DEFAULT_KIND, kind_named
from memory_cli.text.tags import tags_in

# So many records are written at once: a writer beside the import waits no longer than they take.
BATCH = 500
SOURCE = "import"


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
    # Most records of an import come from the same place, and finding the zone takes longer than reading a record.
    origins: dict[Origin, Origin] = field(default_factory=dict)
    zone: tzinfo = UTC


def import_(
    memory: Memory, lines: Iterable[str], *, scope: ScopeName = "", total: int = 0, dry_run: bool = False
) -> Imported:
    """Take in an export of ours, a JSON object a line, or of another tool.

    A line has a `text`, and may have id, kind, at, agent, source, tags, metadata and whatever else an export writes;
    its own scope counts unless one is named. What is there already is left as it is. A record that cannot be taken
    in is named, and the rest goes in.
    """
    return take_in(memory, records(lines), scope=scope, total=total, dry_run=dry_run)


def take_in(
    memory: Memory, found: Iterable[Found], *, scope: ScopeName = "", total: int = 0, dry_run: bool = False
) -> Imported:
    """Take in records, whichever program they come from, and name those that cannot be."""
    tally = _Tally(zone=memory.session.zone)
    left = iter(found)
    done = 0
    while batch := list(islice(left, BATCH)):
        _take_batch(memory, batch, scope, tally, dry_run=dry_run)
        done += sum(each.size for each in batch)
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


def _note(tally: _Tally) -> str:
    ignored, changes = ", ".join(sorted(tally.ignored)), tally.passed_changes
    told = [f"Fields that mean nothing here were passed over: {ignored}."] if ignored else []
    told += [f"{changes} changes were passed over: there is a history here already."] if changes else []
    return " ".join(told)


def _take_change(memory: Memory, fields: Mapping[str, Any], scope: str, tally: _Tally, *, dry_run: bool) -> None:
    """Write a change of the exported history, if nothing ever happened here."""
    name = memory.scope_to_write(scope or _scope(Reader(fields, now=memory.now, zone=tally.zone)))
    entry = chronicles.entry(memory, fields)
    there = next(iter(memory.stores(name)), None)
    if name not in tally.restored and there is not None and not chronicle.is_blank(there):
        tally.passed_changes += 1
    elif not dry_run:
        tally.restored.add(name)
        store = memory.store(name)
        with store.transaction():
            chronicle.restore(store, entry)


def _take_batch(memory: Memory, batch: list[Found], scope: str, tally: _Tally, *, dry_run: bool) -> None:
    drafts: dict[str, list[tuple[str, Statement]]] = {}
    made: list[tuple[str, Link, bool]] = []
    for record in batch:
        try:
            fields = record.read()
            if chronicles.is_change(fields):
                _take_change(memory, fields, scope, tally, dry_run=dry_run)
                continue
            if link_lines.is_link(fields):
                made.append((record.where, link_lines.read(memory, fields), fields.get("marks") is True))
                continue
            drafted = _drafted(memory, fields, scope, tally)
        except MemoryCliError as error:
            tally.failed.append(f"{record.where}: {error}")
        else:
            drafts.setdefault(drafted.scope, []).append((record.where, drafted))
    for each, rows in drafts.items():
        if dry_run:
            _count(next(iter(memory.stores(each)), None), each, rows, tally)
        else:
            _write(memory, memory.store(each), rows, tally)
    # After the statements of the batch, which they are between.
    for where, link, marks in () if dry_run else made:
        try:
            _link(memory, link, scope, tally, marks=marks)
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


def _drafted(memory: Memory, fields: Mapping[str, Any], scope: str, tally: _Tally) -> Statement:
    tally.ignored |= fields.keys() - FIELDS
    read = Reader(fields, now=memory.now, zone=tally.zone)
    clean = Cleaner(memory)
    if not isinstance(fields.get("text"), str):
        raise UsageError("there is no `text`")
    at = read.moment("at") or memory.now
    scope_named = memory.scope_to_write(scope or _scope(read))
    statement = Statement(
        number=0,
        id=clean.id(read.text("id")) if read.text("id") else "",
        scope=scope_named,
        sequence=read.number("sequence") if scope_named in tally.restored else 0,
        kind=kind_named(read.text("kind", DEFAULT_KIND)),
        text=clean.text(read.text("text")),
        at=at,
        updated_at=read.moment("updated_at") or at,
        origins=intake.merged((), [_origin(memory, each, clean, tally.origins) for each in _from(read, fields)]),
        aliases=tuple(sorted(map(clean.id, read.texts("aliases")))),
        expires_at=read.moment("expires_at"),
        metadata=clean.metadata(read.object("metadata")),
        superseded=read.flag("superseded"),
        recalls=read.number("recalls"),
        last_recalled_at=read.moment("last_recalled_at"),
    )
    if statement.kind == HANDOFF and statement.scope == GLOBAL:
        raise Refused("a handoff belongs to a project, and this would go to the global memory")
    tally.redacted.update(clean.kinds)
    return statement


def _from(read: Reader, fields: Mapping[str, Any]) -> tuple[Origin, ...]:
    """Return where a record comes from; what an export wrote has all its tags already."""
    first, *rest = read.origins()
    if "origins" in fields:
        return first, *rest
    marked = tags_in(read.text("text"))
    return (replace(first, tags=(*first.tags, *marked)) if marked else first,)


def _origin(memory: Memory, given: Origin, clean: Cleaner, known: dict[Origin, Origin]) -> Origin:
    if given in known:
        return known[given]
    redacted = len(clean.kinds)
    origin = Origin(
        clean.text(given.agent or memory.session.agent, "agent"),
        clean.text(given.source or SOURCE, "source"),
        clean.names(given.tags, "tag"),
    )
    # What was blotted out is counted each time.
    if len(known) < BATCH and len(clean.kinds) == redacted:
        known[given] = origin
    return origin


def _scope(read: Reader) -> str:
    scope = read.text("scope")
    if scope not in ("", "local", "global"):
        raise UsageError(f"`scope` is neither local nor global: {scope!r}")
    return scope


def _write(memory: Memory, store: Store, rows: list[tuple[str, Statement]], tally: _Tally) -> None:
    new = already = 0
    failed: list[str] = []
    # One change for the whole import, so that one undo takes it back, unless others write in between.
    before = tally.changes.get(store.scope, 0)
    with journal.writing(store, "import", memory.who, memory.session.clock(), continues=before) as made:
        for fresh, some in groupby(_compared(store, rows), key=itemgetter(0)):
            if fresh:
                more = [(known, _with_id(statement)) for _fresh, known, _where, statement in some]
                journal.add_all(made, more)
                new += len(more)
                continue
            for _fresh, _known, where, statement in some:
                try:
                    added = _take(made, statement)
                except MemoryCliError as error:
                    failed.append(f"{where}: {error}")
                else:
                    new, already = new + added, already + (not added)
        if store.scope in tally.restored:
            # That these statements were added stands in the history that came with them.
            made.items.clear()
            chronicle.count_from(store, journal.SEQUENCE, *(statement.sequence for _where, statement in rows))
    tally.changes[store.scope] = made.number or before
    # Counted when the batch is on the disk, not before.
    tally.new, tally.already = tally.new + new, tally.already + already
    tally.failed += failed


def _compared(store: Store, rows: list[tuple[str, Statement]]) -> Iterator[tuple[bool, bytes, str, Statement]]:
    """Yield rows with their identity, and whether they are new by it alone: what is known by nothing needs no look."""
    identities = [identity(statement.kind, statement.text) for _where, statement in rows]
    ids = [each for _where, statement in rows for each in (statement.id, *statement.aliases) if each]
    words, names = statements.known(store, identities, ids)
    for known, (where, statement) in zip(identities, rows, strict=True):
        own = {statement.id, *statement.aliases} - {""}
        fresh = known not in words and names.isdisjoint(own) and not statement.sequence and statement.kind != HANDOFF
        words.add(known)
        names |= own
        yield fresh, known, where, statement


def _with_id(statement: Statement) -> Statement:
    return statement if statement.id else replace(statement, id=new_id())


def _take(made: Journal, statement: Statement) -> bool:
    """Add a statement, or leave the one that is there, adding only where it came from; tell whether it is new."""
    same = _known(made.store, statement)
    if same is None:
        place = 0 if chronicle.has_place(made.store, statement.sequence) else statement.sequence
        journal.add(made, replace(_with_id(statement), sequence=place))
        return True
    after = replace(intake.with_id(same, statement.id), origins=intake.merged(same.origins, statement.origins))
    journal.change(made, same, after)
    return False


def _known(store: Store, statement: Statement) -> Statement | None:
    """Return the statement that has these words already; refuse what would put other words in place of some."""
    same = statements.by_identity(store, identity(statement.kind, statement.text))
    for id in filter(None, (statement.id, *statement.aliases)):
        known = statements.by_id(store, id)
        if known is not None and (same is None or known.number != same.number):
            raise Refused(f"the id {id} has other words here; they were left as they are")
    if same is None and statement.kind == HANDOFF and statements.handoff(store):
        raise Refused("the project has another handoff, which was left as it is")
    return same


def _count(store: Store | None, scope: str, rows: list[tuple[str, Statement]], tally: _Tally) -> None:
    """Count what would be taken in."""
    for where, statement in rows:
        key = (scope, identity(statement.kind, statement.text))
        try:
            there = key in tally.seen or (store is not None and _known(store, statement) is not None)
        except MemoryCliError as error:
            tally.failed.append(f"{where}: {error}")
            continue
        tally.seen.add(key)
        tally.new, tally.already = tally.new + (not there), tally.already + there
