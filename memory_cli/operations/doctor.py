"""Check that all is well, and mend what can be mended."""

from collections.abc import Iterator
from typing import Annotated

from memory_cli.errors import Busy, MemoryCliError
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.results import Diagnosis, Finding
from memory_cli.operations import housekeeping
from memory_cli.parameter import Described
from memory_cli.store import checks, files, journal, purge, taken, vectors, words
from memory_cli.store.connection import Store
from memory_cli.store.legacy import comparing
from memory_cli.store.legacy.arranging import Taking

MEND = "`memory doctor --fix` builds the index anew."
SAVE = "`memory export --format jsonl --to FILE` saves what can be read."


def doctor(
    memory: Memory,
    *,
    fix: Annotated[bool, Described("Mend what can be mended without losing anything.")] = False,
) -> Diagnosis:
    """Check stores, their files and indexes, permissions and the model.

    What is mended never takes the place of what was there: a damaged database is kept beside the new one. The model's
    file is read and compared with the hash that it should have. Exits 1 while something is wrong.
    """
    findings = list(_model(memory))
    stores: list[Store] = []
    for scope, folder in ((LOCAL, memory.roots.local_store), (GLOBAL, memory.roots.global_store)):
        damaged = list(housekeeping.mended(memory, scope, folder, fix=fix)) if folder else []
        findings += damaged
        if not all(each.mended for each in damaged):
            continue
        try:
            stores += memory.stores(scope)
        except MemoryCliError as error:
            findings.append(Finding(str(error), scope))
    for store in stores:
        findings += housekeeping.of_files(store, fix=fix)
        findings += housekeeping.of_categories(memory, store, fix=fix)
        findings += _index(store, fix=fix)
        findings += _unclean(store, fix=fix)
        findings += _kept(memory, store) if fix else ()
    return Diagnosis([str(store.path) for store in stores], findings)


def _model(memory: Memory) -> Iterator[Finding]:
    state = memory.model(check=True)
    if not state.available:
        yield Finding(f"Meaning is not to be had. {state.reason}", remedy="Words answer until then.")


def _index(store: Store, *, fix: bool) -> list[Finding]:
    before = checks.problems(store)
    if before and fix:
        words.rebuild(store)
        vectors.requeue(store)
    left = checks.problems(store) if before and fix else before
    remedy = SAVE if fix else MEND
    return [
        Finding(each, store.scope, mended=each not in left, remedy=remedy if each in left else "") for each in before
    ]


def _unclean(store: Store, *, fix: bool) -> Iterator[Finding]:
    if purge.is_unclean(store):
        mended = fix and not purge.clean(store)
        yield Finding(
            "A purge was cut short: the purged text may still stand in free pages or in the log.",
            store.scope,
            mended=mended,
            remedy="" if mended else "`memory doctor --fix` cleans the file when no other process reads it.",
        )


def _kept(memory: Memory, store: Store) -> Iterator[Finding]:
    """Let go of what older servers left, when all that they wrote into it is here."""
    since = max((each.at for each in taken.everything(store)), default=memory.now)
    taking = Taking(memory.who, memory.now, lambda text: memory.redacted(text).text)
    for path in files.backups(store.path.parent):
        try:
            late = comparing.late(store, path, since, taking)
        except Busy:
            problem = f"An older server has {path} open."
            yield Finding(problem, store.scope, remedy="Stop it; the file stays until then.")
            continue
        with journal.writing(store, "take in", memory.who, memory.now) as made:
            comparing.add(made, late, taking, memory.now)
        files.remove_database(path)
        more = f", with {len(late)} statements that came into it later" if late else ""
        problem = f"{path} of an older server was kept. All of it is here{more}, so it was removed."
        yield Finding(problem, store.scope, mended=True)
