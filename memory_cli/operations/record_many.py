"""Remember many statements that a program has, each batch in one transaction."""

from collections.abc import Iterable
from itertools import islice

from memory_cli.errors import MemoryCliError, UsageError
from memory_cli.memory import Memory
from memory_cli.models.entry import Entry
from memory_cli.models.results import Recorded, RecordedLines
from memory_cli.operations import intake
from memory_cli.operations.intake import Draft, Taken
from memory_cli.operations.parameters import ScopeName
from memory_cli.operations.record import check_handoff_scope
from memory_cli.store import journal, vectors
from memory_cli.store.connection import Store
from memory_cli.text.kinds import kind_named

BATCH = 500


def record_many(
    memory: Memory, entries: Iterable[Entry | str], *, scope: ScopeName = "", model: str = ""
) -> RecordedLines:
    """Remember many statements; one that cannot be is named.

    An entry whose id is known updates that statement. Vectors are taken only with the id of the model that made them,
    and must be of length 1; what has none is embedded later. Each batch is one transaction, and one undo takes all
    back if nothing else is written meanwhile.
    """
    chosen = memory.scope_to_write(scope)
    numbered = enumerate(entries, 1)
    done: list[Recorded] = []
    failed: list[str] = []
    change = 0
    while batch := list(islice(numbered, BATCH)):
        drafts: list[tuple[int, Entry, Draft]] = []
        for number, given in batch:
            entry = Entry(given) if isinstance(given, str) else given
            try:
                drafts.append((number, entry, _drafted(memory, entry, chosen, model)))
            except MemoryCliError as error:
                failed.append(f"entry {number}: {error}")
        written, change = _write(memory, memory.store(chosen), drafts, model, change, failed)
        done += written
        memory.progress(len(done), 0, "recording")
    return RecordedLines(done, failed)


def _drafted(memory: Memory, entry: Entry, scope: str, model: str) -> Draft:
    if entry.vector and not model:
        raise UsageError("It brings a vector, and no model is named that made it.")
    drafted = intake.draft(
        memory, entry.text, kind=kind_named(entry.kind), agent=entry.agent, source=entry.source, tags=entry.tags,
        at=entry.at, expires_at=entry.expires_at, metadata=entry.metadata, id=entry.id,
    )  # fmt: skip
    check_handoff_scope(drafted.statement, scope)
    return drafted


def _write(
    memory: Memory, store: Store, drafts: list[tuple[int, Entry, Draft]], model: str, change: int, failed: list[str]
) -> tuple[list[Recorded], int]:
    done: list[Recorded] = []
    with journal.writing(store, "record", memory.who, memory.now, continues=change) as made:
        for number, entry, drafted in drafts:
            try:
                taken = intake.take(made, drafted.statement)
                _put_vector(store, entry, taken, model)
            except MemoryCliError as error:
                failed.append(f"entry {number}: {error}")
            else:
                done.append(_told(store, drafted, taken))
    return done, made.number or change


def _put_vector(store: Store, entry: Entry, taken: Taken, model: str) -> None:
    if not entry.vector:
        return
    import numpy as np  # a tenth of a second, paid only by those who bring vectors

    vector = np.array(entry.vector, np.float32)
    kept = vectors.dimension(store, model)
    if kept not in (None, len(vector)) or abs(float(np.linalg.norm(vector)) - 1) > 1e-3:
        raise UsageError("Its vector was left out: it is not of length 1, or has another number of components.")
    # Secrets are blotted out, so the words that are stored may be others than those that were embedded.
    if taken.statement.text == entry.text.strip():
        vectors.put(store, model, len(vector), [(taken.statement.number, taken.statement.text, vector)])


def _told(store: Store, drafted: Draft, taken: Taken) -> Recorded:
    statement = taken.statement
    return Recorded(
        id=statement.id, scope=store.scope, kind=statement.kind, already_recorded=taken.already,
        updated=taken.updated, redacted=list(drafted.redacted),
    )  # fmt: skip
