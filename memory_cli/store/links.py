"""Links between statements: those that somebody made, which the history knows, and those that are derived."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memory_cli.models.history import Item
from memory_cli.models.links import SIMILAR, SUPERSEDES, Link
from memory_cli.store.connection import Store
from memory_cli.store.moments import loaded, stored

if TYPE_CHECKING:
    from memory_cli.store.journal import Journal

FAMILY = "link"
COLUMNS = ("from_id", "to_id", "type", "score", "at", "agent")
# The counter of vectors whose statements have their likenesses.
DONE = "linked"
# Of a statement with more tags than this only the first are looked at.
MOST_TAGS = 50


def put(journal: "Journal", link: Link) -> bool:
    """Make a link, or another of the one with these ends and type; tell whether it is new."""
    before = found(journal.store, link.key)
    db = journal.store.db
    db.execute("delete from link where from_id = ? and type = ? and to_id = ?", (link.from_id, link.type, link.to_id))
    db.execute(
        f"insert into link ({', '.join(COLUMNS)}) values ({', '.join(f':{each}' for each in COLUMNS)})", packed(link)
    )
    journal.items.append(Item(link.key, "change" if before else "add", packed(before) if before else None, FAMILY))
    return before is None


def remove(journal: "Journal", links: Iterable[Link]) -> None:
    """Remove links; the history keeps what it takes to bring them back."""
    for each in links:
        parameters = (each.from_id, each.type, each.to_id)
        journal.store.db.execute("delete from link where from_id = ? and type = ? and to_id = ?", parameters)
        journal.items.append(Item(each.key, "remove", packed(each), FAMILY))


def found(store: Store, key: str) -> Link | None:
    """Return the made link with this key."""
    from_id, type, to_id = key.split(" ")
    return next(iter(_made(store, "from_id = ? and type = ? and to_id = ?", (from_id, type, to_id))), None)


def touching(store: Store, ids: Sequence[str]) -> list[Link]:
    """Return the made links from or to any of these ids, the newest first."""
    marks = ", ".join("?" * len(ids))
    return _made(store, f"from_id in ({marks}) or to_id in ({marks})", (*ids, *ids)) if ids else []


def newest(store: Store, limit: int) -> list[Link]:
    """Return the newest made links."""
    return _made(store, "1", (), limit)


def count(store: Store) -> int:
    """Return how many links were made."""
    return int(store.db.execute("select count(*) from link").fetchone()[0])


def successors(store: Store, ids: Sequence[str]) -> dict[str, str]:
    """Return by id the newest statement that was linked as superseding the one with it."""
    made = _made(store, f"type = ? and to_id in ({', '.join('?' * len(ids))})", (SUPERSEDES, *ids))
    return {each.to_id: each.from_id for each in reversed(made)}


def packed(link: Link) -> dict[str, Any]:
    """Return a made link as JSON values by field."""
    return {name: getattr(link, name) for name in COLUMNS} | {"at": stored(link.at)}


def unpacked(fields: Mapping[str, Any]) -> Link:
    """Return the link that packed fields are of."""
    return Link(**{name: fields[name] for name in COLUMNS} | {"at": loaded(fields["at"])})


def similar(store: Store, numbers: Sequence[int]) -> list[Link]:
    """Return the links by likeness from or to the statements with these row numbers, each pair once, nearest first."""
    marks = ", ".join(map(str, numbers))
    rows = store.db.execute(
        f"""
        select a.id as from_id, b.id as to_id, l.score, l.at from likeness l
        join statement a on a.number = l.statement join statement b on b.number = l.other
        where l.statement in ({marks}) or l.other in ({marks}) order by l.score desc, l.statement desc
        """
    )
    pairs: dict[frozenset[str], Link] = {}
    for row in rows:
        link = Link(row["from_id"], row["to_id"], SIMILAR, row["score"], loaded(row["at"]))
        pairs.setdefault(frozenset((link.from_id, link.to_id)), link)
    return list(pairs.values())


def newest_similar(store: Store, limit: int) -> list[int]:
    """Return row numbers of the newest statements that have a link by likeness, with those they are linked to."""
    rows = store.db.execute("select statement, other from likeness order by statement desc limit ?", (limit,))
    return list(dict.fromkeys(number for row in rows for number in row))


def newest_tagged(store: Store, limit: int) -> list[int]:
    """Return row numbers of the newest statements that have a tag."""
    query = "select distinct o.statement from origin_tag t join origin o on o.number = t.origin order by 1 desc limit ?"
    return [row["statement"] for row in store.db.execute(query, (limit,))]


def sharing(store: Store, number: int, most: int) -> dict[int, tuple[str, ...]]:
    """Return by row number the statements that share tags with this one, those that share most first, then newest.

    Of each tag the newest are looked at, so that one that stands everywhere costs no more than another.
    """
    query = "select distinct t.tag from origin o join origin_tag t on t.origin = o.number where o.statement = ? limit ?"
    shared: dict[int, list[str]] = {}
    for row in store.db.execute(query, (number, MOST_TAGS)).fetchall():
        newest = store.db.execute(
            """
            select o.statement from origin_tag t join origin o on o.number = t.origin
            where t.tag = ? order by t.origin desc limit ?
            """,
            (row["tag"], most + MOST_TAGS),
        )
        for other in {each["statement"] for each in newest} - {number}:
            shared.setdefault(other, []).append(row["tag"])
    order = sorted(shared, key=lambda other: (-len(shared[other]), -other))
    return {other: tuple(sorted(shared[other], key=str.casefold)) for other in order[:most]}


def matching(store: Store, part: str, limit: int) -> list[int]:
    """Return row numbers of the newest statements with part in their id, their text or the name of an agent."""
    rows = store.db.execute(
        """
        select s.number from statement s
        where instr(lower(s.id), :part) or instr(lower(s.text), :part) or s.number in (
            select o.statement from origin o where instr(lower(o.agent), :part)
        ) order by s.sequence desc limit :limit
        """,
        {"part": part.lower(), "limit": limit},
    )
    return [row["number"] for row in rows]


def waiting(store: Store, model: str, limit: int, after: int | None = None) -> list[tuple[int, int]]:
    """Return the vectors of model whose likenesses were not looked for yet: number, and that of the statement.

    With `after` those after this one, whatever was done.
    """
    rows = store.db.execute(
        """
        select v.number, v.statement from vector v join model m on m.number = v.model
        where m.name = ? and v.number > ? order by v.number limit ?
        """,
        (model, done(store) if after is None else after, limit),
    )
    return [(row["number"], row["statement"]) for row in rows]


def count_waiting(store: Store, model: str, after: int | None = None) -> int:
    """Count the vectors of model whose likenesses were not looked for yet, or those after a number."""
    query = "select count(*) from vector v join model m on m.number = v.model where m.name = ? and v.number > ?"
    return int(store.db.execute(query, (model, done(store) if after is None else after)).fetchone()[0])


def done(store: Store) -> int:
    """Return up to which vector likenesses were looked for."""
    row = store.db.execute("select value from counter where name = ?", (DONE,)).fetchone()
    return int(row["value"]) if row else 0


def note_done(store: Store, number: int) -> None:
    """Note that likenesses were looked for up to this vector, in the caller's transaction."""
    store.db.execute("insert or replace into counter (name, value) values (?, ?)", (DONE, number))


def put_likenesses(store: Store, numbers: Iterable[int], found: Iterable[tuple[int, int, float]], at: int) -> int:
    """Put likenesses in place of those that these statements had, in the caller's transaction; return how many."""
    store.db.executemany("delete from likeness where statement = ?", [(each,) for each in numbers])
    rows = [{"statement": one, "other": other, "score": score, "at": at} for one, other, score in found]
    store.db.executemany(
        """
        insert or replace into likeness (statement, other, score, at)
        select a.number, b.number, :score, :at from statement a, statement b
        where a.number = :statement and b.number = :other
        """,
        rows,
    )
    return len(rows)


def drop_likenesses(store: Store, number: int) -> None:
    """Take away the links by likeness of a statement whose words became others."""
    store.db.execute("delete from likeness where statement = :number or other = :number", {"number": number})


def purge(store: Store, ids: Iterable[str]) -> None:
    """Delete the made links of ids that are gone, and what the history says of them, in the caller's transaction."""
    for id in ids:
        if store.db.execute("select 1 from statement where id = ?", (id,)).fetchone():
            continue
        store.db.execute("delete from link where from_id = :id or to_id = :id", {"id": id})
        store.db.execute(
            """
            delete from change_item where family = 'link' and
            (substr(statement, 1, length(:id) + 1) = :id || ' ' or substr(statement, -length(:id) - 1) = ' ' || :id)
            """,
            {"id": id},
        )


def _made(store: Store, where: str, parameters: Sequence[object], limit: int = -1) -> list[Link]:
    rows = store.db.execute(f"select * from link where {where} order by number desc limit ?", (*parameters, limit))
    return [_link(row) for row in rows]


def _link(row: sqlite3.Row) -> Link:
    return Link(row["from_id"], row["to_id"], row["type"], row["score"], loaded(row["at"]), row["agent"])
