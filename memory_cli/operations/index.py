"""Take in folders of Markdown and text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Annotated

from memory_cli.errors import MemoryCliError, NotFound
from memory_cli.memory import LOCAL, Memory
from memory_cli.models.documents import Document, Indexed
from memory_cli.models.statement import Statement
from memory_cli.operations import intake, reading, walking
from memory_cli.operations.parameters import ScopeName, several
from memory_cli.operations.reading import Read
from memory_cli.parameter import Described
from memory_cli.store import documents, journal, statements
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal
from memory_cli.text.identity import identity
from memory_cli.text.kinds import kind_named

SOURCE, KIND = "markdown", "DOC"
# So many pieces are written at once: a writer beside waits no longer than they take, and a kill loses no more.
BATCH = 200


@dataclass
class _Run:
    """What an index has done so far, and what it is to write next."""

    memory: Memory
    scope: str
    given: reading.Given
    dry_run: bool
    tally: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    redacted: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    waiting: list[tuple[Document | None, Read]] = field(default_factory=list)
    change: int = 0

    @property
    def store(self) -> Store | None:
        return next(iter(self.memory.stores(self.scope)), None)

    def fail(self, path: Path, why: str) -> None:
        self.failed.append(f"{path}: {why}")


def index(
    memory: Memory,
    paths: Annotated[Sequence[str], Described("Folders, or single documents.")],
    *,
    kind: Annotated[str, Described("How the statements are filed.")] = KIND,
    scope: Annotated[ScopeName, Described("local: this project; global: everywhere.")] = "",
    agent: Annotated[str, Described("Who takes them in; you by default.")] = "",
    source: Annotated[str, Described("Where they come from.")] = SOURCE,
    tag: Annotated[Sequence[str], Described("Tags to find them by.")] = (),
    dry_run: Annotated[bool, Described("Only say what would be done.")] = False,
) -> Indexed:
    """Take in folders of Markdown and text, split at their headings.

    What did not change since the last time is not read again, and what is gone is forgotten; one undo takes all of it
    back. Hidden files, links and what a .gitignore names are left out. A document that cannot be read is named, and
    the rest goes in.
    """
    given = reading.Given(kind_named(kind), agent, source, several(tag), memory.settings.index)
    run = _Run(memory, memory.scope_to_write(scope), given, dry_run)
    roots = [_there(each) for each in several(paths)]
    total = sum(1 for _ in _files(run, roots, silent=True))
    for done, path in enumerate(_files(run, roots), 1):
        _look_at(run, path)
        if sum(len(read.pieces) for _, read in run.waiting) >= BATCH or len(run.waiting) >= BATCH:
            _write(run)
        memory.progress(done, total, "indexing")
    _write(run)
    _retire(run, [root for root in roots if root.is_dir()])
    tally = run.tally
    return Indexed(
        tally["files"], tally["new"], tally["changed"], tally["unchanged"], tally["retired"],
        failed=run.failed, redacted=dict(run.redacted), scope=run.scope, dry_run=dry_run,
        note=memory.for_want_of_project(scope) if tally["new"] else "",
    )  # fmt: skip


def _there(name: str) -> Path:
    path = Path(name).expanduser().resolve()
    if not path.exists():
        raise NotFound(f"There is no {name}; name a folder or a document.")
    return path


def _files(run: _Run, roots: Sequence[Path], *, silent: bool = False) -> Iterator[Path]:
    def unreadable(folder: Path, error: OSError) -> None:
        if not silent:
            run.unread.append(_key(run, folder))
            run.fail(folder, error.strerror or str(error))

    yield from chain.from_iterable(
        walking.documents(root, unreadable) if root.is_dir() else [root] for root in dict.fromkeys(roots)
    )


def _key(run: _Run, path: Path) -> str:
    """Return the name by which a document is known: from the project on, where it is in there and its memory's."""
    project = run.memory.roots.project if run.scope == LOCAL else None
    with suppress(ValueError):
        return path.relative_to(project.resolve()).as_posix() if project else path.as_posix()
    return path.as_posix()


def _look_at(run: _Run, path: Path) -> None:
    """Read a document, unless it is as it was."""
    key = _key(run, path)
    if key in run.seen:
        return
    run.seen.add(key)
    run.tally["files"] += 1
    store = run.store
    known = documents.found(store, key) if store else None
    try:
        stat = path.stat()
        if known and (known.size, known.mtime, known.source) == (stat.st_size, stat.st_mtime_ns, run.given.source):
            run.tally["unchanged"] += len(known.pieces)
            return
        read = reading.read(run.memory, path, key, stat, run.given)
    except OSError as error:
        run.fail(path, error.strerror or str(error))
    except MemoryCliError as error:
        run.fail(path, str(error))
    else:
        run.failed += read.failed
        run.waiting.append((known, read))


def _write(run: _Run) -> None:
    """Write what was read, as part of the one change of this index."""
    waiting, run.waiting = run.waiting, []
    if run.dry_run or not waiting:
        for known, read in waiting:
            run.tally += _told(known, read)
        return
    store = run.memory.store(run.scope)
    told: Counter[str] = Counter()
    with journal.writing(store, "index", run.memory.who, run.memory.now, continues=run.change) as made:
        for known, read in waiting:
            _take(made, known, read)
            told += _told(known, read)
            run.redacted.update(each for piece in read.pieces.values() for each in piece.redacted)
    # Counted when it is on the disk, not before.
    run.tally += told
    run.change = made.number or run.change


def _told(known: Document | None, read: Read) -> Counter[str]:
    before = known.pieces if known else {}
    told = Counter("changed" if id in before else "new" for id in read.pieces if not read.is_as_in(known, id))
    told["unchanged"] = len(read.pieces) - told.total()
    told["retired"] = len(before.keys() - read.pieces.keys())
    return told


def _take(made: Journal, known: Document | None, read: Read) -> None:
    if known and known.hash == read.document.hash and known.source == read.document.source:
        documents.touch(made.store, read.document)
        return
    for id, draft in read.pieces.items():
        if not read.is_as_in(known, id):
            _make_room(made, known, id, draft.statement)
            intake.take(made, draft.statement)
    _forget(made, known, set(read.pieces))
    documents.put(made, read.document)


def _make_room(made: Journal, known: Document | None, id: str, new: Statement) -> None:
    """Remove the statement of another piece of the document that had these words: pieces move when one before goes."""
    same = statements.by_identity(made.store, identity(new.kind, new.text))
    if known and same and same.id != id and same.id in known.pieces:
        journal.remove(made, same)


def _forget(made: Journal, known: Document | None, kept: set[str]) -> None:
    """Forget the statements of the pieces of a document but some, as far as nobody else recorded them."""
    if known is None:
        return
    for id in known.pieces.keys() - kept:
        found = statements.by_id(made.store, id)
        if found is None or found.id != id:
            continue
        left = tuple(each for each in found.origins if each.source.casefold() != known.source.casefold())
        if left:
            journal.change(made, found, replace(found, origins=left))
        else:
            journal.remove(made, found)


def _retire(run: _Run, folders: Sequence[Path]) -> None:
    """Forget the statements of documents that are not there any more."""
    store = run.store
    if store is None:
        return
    gone = [key for folder in folders for key in documents.below(store, _key(run, folder)) if _is_gone(run, key)]
    for start in range(0, len(gone), BATCH):
        some = [known for key in gone[start : start + BATCH] if (known := documents.found(store, key))]
        run.tally["retired"] += sum(len(each.pieces) for each in some)
        if run.dry_run:
            continue
        with journal.writing(store, "index", run.memory.who, run.memory.now, continues=run.change) as made:
            for known in some:
                _forget(made, known, set())
                documents.remove(made, known)
        run.change = made.number or run.change


def _is_gone(run: _Run, key: str) -> bool:
    return key not in run.seen and not any(key.startswith(f"{each}/") for each in run.unread)
