"""Vectors by model, and the queue of what has none yet."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memory_cli.store.connection import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The counter that names, by its number, the model which the queue was filled for.
QUEUE = "model"
FETCHED = 1024
LACKING = "not exists (select 1 from vector v where v.statement = s.number and v.model = :model)"


class Rows(NamedTuple):
    """Vectors one below the other, with their numbers and those of their statements."""

    numbers: "NDArray[np.int64]"
    statements: "NDArray[np.int64]"
    matrix: "NDArray[np.float32]"


def want(store: Store, *numbers: int) -> None:
    """Note that the new statements with these row numbers want a vector."""
    store.db.executemany("insert into pending (statement) values (?)", [(each,) for each in numbers])


def enqueue(store: Store, number: int) -> None:
    """Note that the statement with this row number wants a vector; what it had is of other words."""
    store.db.execute("delete from vector where statement = ?", (number,))
    store.db.execute("insert or ignore into pending (statement) values (?)", (number,))


def pending_count(store: Store, model: str) -> int:
    """Count the statements that have no vector of model."""
    number = _model_number(store, model)
    if number and number == _queued_model(store):
        return int(store.db.execute("select count(*) from pending").fetchone()[0])
    query = f"select count(*) from statement s where {LACKING}"
    return int(store.db.execute(query, {"model": number}).fetchone()[0])


def pending_batch(store: Store, model: str, limit: int) -> list[tuple[int, str]]:
    """Return at most limit statements without a vector of model, the newest first: row number and text."""
    number = _model_number(store, model)
    if number and number == _queued_model(store):
        query = """
            select s.number, s.text from pending p join statement s on s.number = p.statement order by p.statement desc
        """
    else:
        query = f"select s.number, s.text from statement s where {LACKING} order by s.number desc"
    rows = store.db.execute(f"{query} limit :limit", {"model": number, "limit": limit})
    return [(row["number"], row["text"]) for row in rows]


def put(store: Store, model: str, dimension: int, rows: Iterable[tuple[int, str, "NDArray[np.float32]"]]) -> int:
    """Store the vectors for each row number whose text is still the one that was embedded; return for how many.

    A statement has one vector, or a matrix of one for each of its parts. The caller holds the transaction.
    """
    number = _made_model(store, model, dimension)
    _fill_queue(store, number)
    stored = 0
    for statement, text, made in rows:
        parts = enumerate(made.astype("<f4").reshape(-1, dimension))
        cursor = store.db.executemany(
            """
            insert or replace into vector (model, statement, part, components)
            select :model, number, :part, :components from statement where number = :statement and text = :text
            """,
            [
                {"model": number, "part": part, "components": each.tobytes(), "statement": statement, "text": text}
                for part, each in parts
            ],
        )
        if cursor.rowcount:
            store.db.execute("delete from pending where statement = ?", (statement,))
            stored += 1
    return stored


def delete(store: Store, numbers: Iterable[int]) -> None:
    """Take away every vector of the statements with these row numbers."""
    store.db.executemany("delete from vector where statement = ?", [(number,) for number in numbers])


def requeue(store: Store) -> int:
    """Take away vectors of no statement or of the wrong length, and queue what has none; return how many went."""
    with store.transaction():
        gone = store.db.execute("delete from vector where statement not in (select number from statement)").rowcount
        gone += store.db.execute(
            """
            delete from vector where length(components) <>
            (select 4 * m.dimension from model m where m.number = vector.model)
            """
        ).rowcount
        store.db.execute(
            f"insert or ignore into pending (statement) select s.number from statement s where {LACKING}",
            {"model": _queued_model(store)},
        )
    return gone


def dimension(store: Store, model: str) -> int | None:
    """Return how many numbers the vectors of model have in store, if there are any."""
    row = store.db.execute("select dimension from model where name = ?", (model,)).fetchone()
    return int(row["dimension"]) if row else None


def drop_others(store: Store, model: str) -> int:
    """Take away the vectors of every other model and return how many there were."""
    number = _model_number(store, model)
    cursor = store.db.execute("delete from vector where model is not ?", (number,))
    store.db.execute("delete from model where number is not ?", (number,))
    return cursor.rowcount


def models(store: Store) -> dict[str, int]:
    """Return how many statements have a vector, by model."""
    rows = store.db.execute(
        """
        select m.name, count(distinct v.statement) as statements
        from model m join vector v on v.model = m.number group by m.number order by m.number
        """
    )
    return {row["name"]: row["statements"] for row in rows}


def others(store: Store, model: str) -> list[str]:
    """Return the names of the other models that have vectors here, the newest first."""
    rows = store.db.execute(
        """
        select name from model m where name <> ? and exists (select 1 from vector v where v.model = m.number)
        order by number desc
        """,
        (model,),
    )
    return [row["name"] for row in rows]


def last(store: Store) -> int:
    """Return the highest number that a vector here ever had; none is given twice."""
    row = store.db.execute("select seq from sqlite_sequence where name = 'vector'").fetchone()
    return int(row["seq"]) if row else 0


def matrix(store: Store, model: str, dimension: int, first: int, last: int) -> Rows:
    """Return the vectors of model whose numbers lie between first and last."""
    cursor = store.db.execute(
        """
        select number, statement, components from vector
        where number between :first and :last and model = :model and length(components) = :size order by number
        """,
        {"model": _model_number(store, model), "first": first, "last": last, "size": 4 * dimension},
    )
    return _rows(cursor, dimension)


def numbered(store: Store, model: str, dimension: int, numbers: Sequence[int]) -> Rows:
    """Return the vectors of model with these numbers that are still there."""
    return _picked(store, model, dimension, "number", numbers)


def of_statements(store: Store, model: str, dimension: int, numbers: Sequence[int]) -> Rows:
    """Return the vectors of model that the statements with these row numbers have, part by part of each."""
    return _picked(store, model, dimension, "statement", numbers)


def _picked(store: Store, model: str, dimension: int, column: str, numbers: Sequence[int]) -> Rows:
    order = "number" if column == "number" else "statement, part"
    # The numbers stand in the text, since SQLite once took only 999 parameters; + keeps it from the wrong index.
    cursor = store.db.execute(
        f"""
        select number, statement, components from vector
        where {"+" if column == "number" else ""}model = :model and length(components) = :size
        and {column} in ({", ".join(map(str, numbers))}) order by {order}
        """,
        {"model": _model_number(store, model), "size": 4 * dimension},
    )
    return _rows(cursor, dimension)


def _rows(cursor: sqlite3.Cursor, dimension: int) -> Rows:
    import numpy as np  # a tenth of a second, paid only by those who ask by meaning

    # Through sqlite3.Row it would take half as long again.
    cursor.row_factory = None
    found: list[tuple[int, int]] = []
    parts: list[NDArray[np.float32]] = []
    while rows := cursor.fetchmany(FETCHED):
        found += [row[:2] for row in rows]
        parts.append(np.frombuffer(b"".join([row[2] for row in rows]), "<f4").reshape(-1, dimension))
    numbers = np.array(found, np.int64).reshape(-1, 2)
    matrix = parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, dimension), "<f4"), *parts])
    return Rows(numbers[:, 0], numbers[:, 1], matrix)


def _model_number(store: Store, model: str) -> int | None:
    row = store.db.execute("select number from model where name = ?", (model,)).fetchone()
    return int(row["number"]) if row else None


def _made_model(store: Store, model: str, dimension: int) -> int:
    store.db.execute("insert or ignore into model (name, dimension) values (?, ?)", (model, dimension))
    number = _model_number(store, model)
    assert number is not None
    return number


def _queued_model(store: Store) -> int | None:
    row = store.db.execute("select value from counter where name = ?", (QUEUE,)).fetchone()
    return int(row["value"]) if row else None


def _fill_queue(store: Store, model: int) -> None:
    """Make the queue hold what lacks a vector of model, if it was filled for another."""
    if _queued_model(store) == model:
        return
    store.db.execute("delete from pending")
    lacking = f"select s.number from statement s where {LACKING}"
    store.db.execute(f"insert into pending (statement) {lacking}", {"model": model})
    store.db.execute("insert or replace into counter (name, value) values (?, ?)", (QUEUE, model))
