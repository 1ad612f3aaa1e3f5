"""One change of a category: what a person did to its file first, then the change, then its file."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from memory_cli import provenance
from memory_cli.categories import files
from memory_cli.categories.canonical import Document, checked_name, document_of, text_of
from memory_cli.errors import Busy, Refused, UsageError
from memory_cli.models.categories import LOG, Category
from memory_cli.models.history import Who
from memory_cli.store import categories, entries, journal
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal

# Who edits a file.
FILE = "file"
APPEND = "append"
# So many milliseconds a read waits to take in what somebody did to a file.
PATIENCE = 50
LOCAL = "local"
Work = Callable[[Journal, Category | None], Category | None]


class Intake(NamedTuple):
    """What is done about a file that somebody edited.

    One that came with a repository is refused unless it is `believed`, and `fit` returns data fit to be kept.
    """

    believed: Callable[[], bool] = lambda: False
    fit: Callable[[Document], dict[str, Any]] = dict


CAREFUL = Intake()


def change(
    store: Store, who: Who, now: datetime, operation: str, name: str, work: Work, *, continues: int = 0,
    intake: Intake = CAREFUL, deadline_ms: int | None = None,
) -> Category | None:  # fmt: skip
    """Do work on a category under the lock of its store, and put its file in place when that is committed.

    Work gets the category as it is, with what somebody did to its file, and returns what it made of it. With
    `continues` it becomes part of that earlier change, if that is still the newest one.
    """
    checked_name(name)
    with journal.writing(store, operation, who, now, continues=continues, deadline_ms=deadline_ms) as made:
        late: list[Path] = []
        after = work(made, _settled(made, name, intake, late))
        late += _staged(store, after) if after is not None else ()
    for staged in late:
        files.place(store, name, staged)
    return after


def look(store: Store, who: Who, now: datetime, name: str, *, intake: Intake = CAREFUL) -> tuple[Category | None, str]:
    """Return a category as its file and its record say, and what is to be said about the file.

    A file that somebody edited becomes a version; one that is no JSON stays as it is, and so does the record. While
    another process writes, the record answers at once.
    """
    known, raw = None, None
    try:
        known = categories.found(store, checked_name(name))
        raw = files.read(store, known.name if known else name)
        if _agrees(known, raw, _text_of(store, known) if known and known.kind == LOG else None):
            return known, ""
        # What is not as it was committed is settled under the lock.
        settled = change(
            store, who, now, FILE, known.name if known else name, lambda made, before: before, intake=intake,
            deadline_ms=PATIENCE,
        )  # fmt: skip
        return settled, ""
    except Busy:
        ours = known is not None and (raw is None or categories.hash_of(_text(raw)) == known.file_hash)
        late = f"{files.path(store, name)} was edited; the record answers, for another process writes just now."
        return known, "" if ours else late
    except (Refused, UsageError) as error:
        return known, f"{error} The record answers, and the file was left as it is."


def text_at(store: Store, category: Category, version: int = 0) -> str | None:
    """Return the text of a category, of now or of a version; nothing where it was compacted away."""
    if category.kind == LOG:
        return text_of(entries.document(entries.of(store, category.name, at=version)))
    if not version:
        return categories.payload(store, category.hash) if category.there else None
    found = categories.version(store, category.name, version)
    return categories.payload(store, found.hash) if found and found.hash else None


def require_own(store: Store, name: str, intake: Intake) -> None:
    """Refuse to take in what somebody else wrote, who put it into a repository that was cloned."""
    path = files.path(store, name)
    if store.scope == LOCAL and provenance.is_others(path) and not intake.believed():
        raise Refused(
            f"{path} came with the repository, so it is not taken in: somebody else wrote it. Remove it, or run "
            "`memory trust` once you have read it."
        )


def _staged(store: Store, after: Category) -> list[Path]:
    """Stage the file of a category where it is another than before; that of a log waits for its next reader."""
    hash = after.hash if after.kind != LOG else ""
    if hash == after.file_hash or (after.kind == LOG and after.there):
        return []
    categories.note_file(store, after.name, hash)
    return [files.stage(store, after.name, categories.payload(store, hash) if hash else None)]


def _settled(made: Journal, name: str, intake: Intake, late: list[Path]) -> Category | None:
    """Finish what was cut off, and take in what somebody did to the file, or refuse to go on where that cannot be.

    What is `late` is staged, and put in place when all is committed.
    """
    store = made.store
    known = categories.found(store, name)
    _require_one_spelling(store, name, known)
    if known is not None and known.kind == LOG and made.operation == APPEND:
        # An append costs the same however long the log is, and so its file.
        return known
    files.settle(store, name, known.file_hash if known else "")
    raw = files.read(store, name)
    if known is not None and known.kind == LOG:
        return _settled_log(store, known, raw, late)
    if _agrees(known, raw, None):
        return known
    if known is not None and raw is not None and categories.hash_of(_text(raw)) == known.file_hash:
        # It was ours, and the record went on without it, as an undo does.
        raw = None
    if raw is None:
        return _written_again(store, known)
    require_own(store, name, intake)
    text = text_of(intake.fit(document_of(_text(raw), str(files.path(store, name)))))
    if known is None or categories.hash_of(text) != known.hash:
        known = categories.write(made, known, name, text, operation=FILE, agent=FILE)
    # Also where it was laid out otherwise, and says the same to a reader.
    return _written_again(store, replace(known, file_hash=""))


def _written_again(store: Store, known: Category | None) -> Category | None:
    """Put the file in place as the record has it."""
    if known is None:
        return None
    text = categories.payload(store, known.hash) if known.there else None
    categories.note_file(store, known.name, known.hash)
    files.place(store, known.name, files.stage(store, known.name, text))
    return replace(known, file_hash=known.hash)


def _settled_log(store: Store, known: Category, raw: bytes | None, late: list[Path]) -> Category:
    """Write the file of a log as it is now: it is for reading, and appending does not wait for it."""
    text = _text_of(store, known)
    hash = categories.hash_of(text) if text else ""
    now = categories.hash_of(_text(raw)) if raw is not None else ""
    if now not in ("", known.file_hash, hash):
        raise Refused(f"{files.path(store, known.name)} was edited, and a log only grows.")
    if now == hash and (raw is not None) == bool(hash):
        return known
    categories.note_file(store, known.name, hash)
    late.append(files.stage(store, known.name, text))
    return replace(known, file_hash=hash)


def _agrees(known: Category | None, raw: bytes | None, log: str | None) -> bool:
    """Tell whether a file is as the record has it."""
    if raw is None:
        return known is None or not known.there
    if known is not None and known.kind == LOG:
        return raw == (log or "").encode()
    return known is not None and known.there and categories.hash_of(_text(raw)) == known.hash


def _text_of(store: Store, log: Category) -> str | None:
    return text_at(store, log) if log.there else None


def _require_one_spelling(store: Store, name: str, known: Category | None) -> None:
    others = [known.name] if known else files.named(store)
    if other := next((each for each in others if each != name and each.casefold() == name.casefold()), ""):
        raise UsageError(f"There is a category {other}; names that differ in case alone are one, so {name} is refused.")


def _text(raw: bytes) -> str:
    # What is no UTF-8 is no JSON either, and is said so there.
    return raw.decode("utf-8", "surrogateescape")
