"""Rows of the statement table, and of the tables that say where each came from."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from memory_cli.models.statement import HANDOFF, Filters, Origin, Statement
from memory_cli.store.connection import Store
from memory_cli.store.filters import conditions
from memory_cli.store.moments import loaded, stored

# SQLite's own limit on parameters was 999 for long.
BATCH = 900
ORDERS = {
    "newest": "s.sequence desc",
    "oldest": "s.sequence",
    "recalled": "s.last_recalled_at desc nulls last, s.sequence desc",
}


def by_id(store: Store, id: str) -> Statement | None:
    """Return the statement with this id or alias."""
    return _one(store, "s.id = :id or s.number = (select a.statement from alias a where a.id = :id)", id=id)


def by_identity(store: Store, identity: bytes) -> Statement | None:
    """Return the statement with these words and kind."""
    return _one(store, "s.identity = :identity", identity=identity)


def known(store: Store, identities: Sequence[bytes], ids: Sequence[str]) -> tuple[set[bytes], set[str]]:
    """Return those of the words and kinds, and of the ids and aliases, that some statement has."""
    places = (("statement", "identity", identities), ("statement", "id", ids), ("alias", "id", ids))
    there, named, others = (set(_listed(store, *each)) for each in places)
    return there, named | others


def by_words(store: Store, folded: bytes) -> list[Statement]:
    """Return the statements, one a kind at most, with these words, newest first."""
    return _many(store, "s.folded = :folded order by s.sequence desc", folded=folded)


def by_prefix(store: Store, prefix: str, limit: int) -> list[Statement]:
    """Return at most limit statements whose id begins with prefix."""
    return _many(store, "s.id >= :low and s.id < :high order by s.id limit :limit",
                 low=prefix, high=prefix + "\U0010ffff", limit=limit)  # fmt: skip


def handoff(store: Store) -> Statement | None:
    """Return the handoff of the scope."""
    return _one(store, "s.kind = :kind", kind=HANDOFF)


def numbered(store: Store, numbers: Iterable[int]) -> dict[int, Statement]:
    """Return by row number the statements that are still there."""
    found: dict[int, Statement] = {}
    wanted = list(numbers)
    for start in range(0, len(wanted), BATCH):
        marks = ", ".join(map(str, wanted[start : start + BATCH]))
        found |= {each.number: each for each in _many(store, f"s.number in ({marks})")}
    return found


def page(store: Store, filters: Filters, *, limit: int, offset: int = 0, order: str = "newest") -> list[Statement]:
    """Return the statements that pass filters, from offset on, in one of ORDERS."""
    where, parameters = conditions(filters)
    return _many(store, f"{where} order by {ORDERS[order]} limit :limit offset :offset",
                 limit=limit, offset=offset, **parameters)  # fmt: skip


def count(store: Store, filters: Filters | None = None) -> int:
    """Return how many statements there are, or how many pass filters."""
    where, parameters = conditions(filters) if filters else ("1", {})
    return int(store.db.execute(f"select count(*) from statement s where {where}", parameters).fetchone()[0])


def count_recalls(store: Store, numbers: Sequence[int], at: datetime) -> None:
    """Add one to the recalls of the statements with these row numbers."""
    marks = ", ".join(map(str, numbers))
    store.db.execute(
        f"update statement set recalls = recalls + 1, last_recalled_at = ? where number in ({marks})", (stored(at),)
    )


def _listed(store: Store, table: str, column: str, values: Sequence[object]) -> Iterator[Any]:
    for start in range(0, len(values), BATCH):
        some = values[start : start + BATCH]
        marks = ", ".join("?" * len(some))
        yield from (
            row[0] for row in store.db.execute(f"select {column} from {table} where {column} in ({marks})", some)
        )


def _one(store: Store, where: str, **parameters: object) -> Statement | None:
    return next(iter(_many(store, where, **parameters)), None)


def _many(store: Store, where: str, **parameters: object) -> list[Statement]:
    rows = store.db.execute(f"select s.* from statement s where {where}", parameters).fetchall()
    if not rows:
        return []
    numbers = [row["number"] for row in rows]
    origins, aliases = _origins(store, numbers), _aliases(store, numbers)
    return [_statement(store, row, origins.get(row["number"], ()), aliases.get(row["number"], ())) for row in rows]


def _origins(store: Store, numbers: Sequence[int]) -> dict[int, tuple[Origin, ...]]:
    marks = ", ".join(map(str, numbers))
    tags: dict[int, list[str]] = {}
    for row in store.db.execute(
        f"select t.origin, t.tag from origin_tag t join origin o on o.number = t.origin where o.statement in ({marks})"
    ):
        tags.setdefault(row["origin"], []).append(row["tag"])
    found: dict[int, tuple[Origin, ...]] = {}
    for row in store.db.execute(f"select * from origin where statement in ({marks}) order by number"):
        origin = Origin(row["agent"], row["source"], tuple(tags.get(row["number"], ())))
        found[row["statement"]] = (*found.get(row["statement"], ()), origin)
    return found


def _aliases(store: Store, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    marks = ", ".join(map(str, numbers))
    found: dict[int, tuple[str, ...]] = {}
    for row in store.db.execute(f"select statement, id from alias where statement in ({marks}) order by id"):
        found[row["statement"]] = (*found.get(row["statement"], ()), row["id"])
    return found


def _statement(store: Store, row: sqlite3.Row, origins: tuple[Origin, ...], aliases: tuple[str, ...]) -> Statement:
    expires, recalled = row["expires_at"], row["last_recalled_at"]
    return Statement(
        number=row["number"],
        id=row["id"],
        scope=store.scope,
        sequence=row["sequence"],
        kind=row["kind"],
        text=row["text"],
        at=loaded(row["at"]),
        updated_at=loaded(row["updated_at"]),
        origins=origins,
        aliases=aliases,
        expires_at=None if expires is None else loaded(expires),
        metadata=json.loads(row["metadata"]) if row["metadata"] else {},
        superseded=bool(row["superseded"]),
        recalls=row["recalls"],
        last_recalled_at=None if recalled is None else loaded(recalled),
    )
