"""Looking into a database without changing a byte of it or of its folder, also where nothing can be written."""

import os
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from memory_cli.models.categories import Category
from memory_cli.store import categories, checks, files
from memory_cli.store.schema import APPLICATION_ID, MIGRATIONS

# In the header of every SQLite file: 1 for a journal, 2 for a log.
WRITE_VERSION_AT = 18
# The schema that has them.
CATEGORIES_SINCE = 4
# What the tokenizer of the word index takes for the end of a word.
BETWEEN = str.maketrans(dict.fromkeys([*map(chr, range(33)), '"', "'", "\x7f"], " "))
TERMS = "select term, sum(doc), sum(cnt) from words_terms group by term"


def problems(path: Path) -> list[str]:
    """Return a sentence for each thing that is wrong with the database at path; none when all is well."""
    try:
        with opened(path) as db:
            return _unknown(db) or [*checks.of_tables(db), *_index(db)]
    except sqlite3.DatabaseError as error:
        return [f"SQLite cannot read the whole of it: {error}"]


def statements(path: Path) -> int:
    """Count the statements in the database at path."""
    with opened(path) as db:
        return int(db.execute("select count(*) from statement").fetchone()[0])


def listed_categories(path: Path) -> list[Category]:
    """Return the categories in the database at path, those that were deleted too."""
    with opened(path) as db:
        if int(db.execute("pragma user_version").fetchone()[0]) < CATEGORIES_SINCE:
            return []
        return [categories.of_row(row) for row in db.execute("select * from category order by name")]


def damage(path: Path) -> str:
    """Return what keeps a database from being read whole, nothing when all of it but the word index can be."""
    try:
        with opened(path) as db:
            found = [row[0] for row in db.execute("pragma integrity_check") if row[0] != "ok"]
    except sqlite3.OperationalError:
        # It is locked, or gone: whoever opens it says so.
        return ""
    except sqlite3.DatabaseError as error:
        return str(error)
    return next((each for each in found if "FTS5" not in each), "")


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database to read: as it lies there when nobody has it open, else as the others see it."""
    log, index = (path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-shm"))
    has_log = log.exists() and log.stat().st_size > 0
    if not has_log and not index.exists() and keeps_log(path):
        # Nobody has it open, and SQLite would make files for its own use.
        with closing(connected(path, "mode=ro&immutable=1")) as db:
            yield db
    elif not has_log or os.access(path.parent, os.W_OK):
        with closing(connected(path, "mode=ro")) as db:
            yield db
    else:
        # A log on a disk that cannot be written can only be read from a copy.
        with tempfile.TemporaryDirectory() as folder:
            for each in (path, log):
                (Path(folder) / each.name).write_bytes(b"".join(files.chunks(each)))
            with closing(connected(Path(folder) / path.name, "mode=rw")) as db:
                yield db


def keeps_log(path: Path) -> bool:
    """Tell whether a database writes ahead; without a log, locks keep readers and writers apart and leave no trace."""
    return files.head(path, WRITE_VERSION_AT + 1)[-1:] == b"\2"


def connected(path: Path, how: str) -> sqlite3.Connection:
    """Connect to a database of which nothing is believed."""
    db = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None)
    db.row_factory = sqlite3.Row
    # What came from elsewhere may not run anything of its own.
    db.execute("pragma trusted_schema = off")
    return db


def _unknown(db: sqlite3.Connection) -> list[str]:
    version, application = (
        int(db.execute(f"pragma {each}").fetchone()[0]) for each in ("user_version", "application_id")
    )
    if version > len(MIGRATIONS):
        return [f"it has schema version {version}, and this memory knows versions up to {len(MIGRATIONS)}"]
    if application != APPLICATION_ID:
        return ["it is a database of another program"]
    made = db.execute("select type, name from sqlite_master where type in ('trigger', 'view')").fetchall()
    return [f"it has a {each['type']} {each['name']}, which nothing here makes" for each in made]


def _index(db: sqlite3.Connection) -> Iterator[str]:
    """Compare what the word index says of each word with the words that it was given.

    SQLite's own check is a write.
    """
    documents: Counter[str] = Counter()
    places: Counter[str] = Counter()
    for row in db.execute("select c0, c1 from words_content"):
        for field in row:
            words = str(field or "").translate(BETWEEN).split()
            # The tokenizer folds ASCII alone.
            folded = Counter(_folded(word) for word in words)
            documents.update(folded.keys())
            places.update(folded)
    known = {row[0]: (row[1], row[2]) for row in db.execute(TERMS)}
    expected = {word: (documents[word], places[word]) for word in documents}
    if known != expected:
        wrong = sorted(word for word in known.keys() | expected.keys() if known.get(word) != expected.get(word))
        yield f"the word index does not agree with itself about {len(wrong)} words"


def _folded(word: str) -> str:
    return "".join(each.lower() if each.isascii() else each for each in word)
