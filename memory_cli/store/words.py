"""The index of words: one row a statement, its analysed text and its agents' names."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from memory_cli.models.statement import Filters
from memory_cli.store.connection import Store
from memory_cli.store.filters import EVERYTHING, conditions, effective
from memory_cli.store.sidefiles import PURGES
from memory_cli.text.analysis import Term, index_tokens

BATCH = 900
REBUILD_BATCH = 500
# No text has this token, so it tells where the name of one agent ends and that of the next begins.
BETWEEN_AGENTS = " | "
TAIL = 80
HEAD = 400

# Of how many statements hold a word it is remembered, for so many words of a store, where they are more than a few.
FEW, MOST_KNOWN = 8, 20_000

_held: dict[str, dict[str, int]] = {}
_counted: dict[str, tuple[tuple[object, ...], int]] = {}


class Count(NamedTuple):
    """In how many statements a term stands, in their text and in their agents' names."""

    text: int = 0
    agent: int = 0


class Size(NamedTuple):
    """How many statements are indexed, and how many tokens their texts have together."""

    statements: int
    tokens: int


class Candidate(NamedTuple):
    """What ranking needs of a statement, without its whole text; of each agent's name the first token.

    `at` is in microseconds, as the store keeps it: most candidates are weighed without anybody asking for a date.
    """

    number: int
    sequence: int
    at: int
    kind: str
    superseded: bool
    head: str
    tail: str
    words: str
    agents: tuple[str, ...]


def add(store: Store, number: int, text: str, agents: Sequence[str]) -> None:
    """Index the words of the new statement with this row number."""
    store.db.execute("insert into words (rowid, text, agent) values (?, ?, ?)", _indexed(number, text, tuple(agents)))


def add_all(store: Store, rows: Sequence[tuple[int, str, str]]) -> None:
    """Index new statements, each with its row number, and `analysed` text and agents."""
    store.db.executemany("insert into words (rowid, text, agent) values (?, ?, ?)", rows)


def analysed(text: str, agents: tuple[str, ...]) -> tuple[str, str]:
    """Return the words of a text and of the names of its agents as they are indexed."""
    return " ".join(index_tokens(text)), _names(agents)


def put(store: Store, number: int, text: str, agents: Sequence[str]) -> None:
    """Index the words of the statement with this row number, in place of what was indexed for it."""
    store.db.execute(
        "insert or replace into words (rowid, text, agent) values (?, ?, ?)", _indexed(number, text, tuple(agents))
    )


def drop(store: Store, number: int) -> None:
    """Take the statement with this row number out of the index."""
    store.db.execute("delete from words where rowid = ?", (number,))


def size(store: Store) -> Size:
    """Return how much is indexed, as the index itself counts it."""
    # FTS5 keeps its averages in record 1: the count of rows, then that of tokens for each column, as varints.
    row = store.db.execute("select block from words_data where id = 1").fetchone()
    statements, tokens, *_ = [*_varints(row["block"] if row else b""), 0, 0]
    return Size(statements, tokens)


def counts(store: Store, terms: Iterable[Term]) -> dict[Term, Count]:
    """Return in how many statements each term stands; for a beginning of words, no more than in how many."""
    wanted = list(dict.fromkeys(terms))
    exact = _exact_counts(store, [term.token for term in wanted if not term.prefix])
    return {term: _beginning_count(store, term) if term.prefix else exact.get(term.token, Count()) for term in wanted}


def holders(
    store: Store, tokens: Sequence[str], *, most: int, enough: int, spare: int
) -> tuple[list[list[int]], list[str]]:
    """Return for the first tokens that at most so many statements hold their row numbers, and those that more hold.

    What was found frequent before comes last, and is not looked up again where it is too frequent, so that a record
    costs no more in a large store than in a small. What has most of the tokens has one of any more than it can spare,
    so after those no more are looked up where but few statements hold them.
    """
    known = _held.setdefault(str(store.path.absolute()), {})
    rows = store.db.cursor()
    # See candidates.
    rows.row_factory = None
    query = "select rowid from words where words match ? order by rowid desc limit ?"
    rare: list[list[int]] = []
    frequent: list[str] = []
    alone = there = 0
    for token in sorted(tokens, key=lambda each: known.get(each, 0)):
        if known.get(token, 0) > most:
            frequent.append(token)
            continue
        found = [row for (row,) in rows.execute(query, (_expression([Term(token)], agents=False), most + 1))]
        if len(found) > FEW and len(known) < MOST_KNOWN:
            known[token] = len(found)
        if len(found) > most:
            frequent.append(token)
            continue
        rare.append(found)
        alone += len(found) <= 1
        there += len(found)
        if len(rare) == enough or alone > spare or (len(rare) > spare and there - alone <= FEW):
            break
    return rare, frequent


def holding_all(store: Store, tokens: Sequence[str], *, limit: int) -> list[int]:
    """Return the row numbers of the newest statements whose text holds all tokens."""
    if not tokens:
        return []
    every = " AND ".join(_expression([Term(token)], agents=False) for token in tokens)
    query = "select rowid from words where words match ? order by rowid desc limit ?"
    return [row[0] for row in store.db.execute(query, (every, limit))]


def texts(store: Store, numbers: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
    """Yield the row numbers among these, of which there are few, that are indexed, each with the tokens of its text."""
    marks = ", ".join(map(str, numbers))
    for row in store.db.execute(f"select rowid, text from words where rowid in ({marks})"):
        yield row[0], row[1].split()


def matching(
    store: Store,
    terms: Sequence[Term],
    filters: Filters,
    *,
    limit: int,
    agents: bool = False,
    rare: Sequence[Term] = (),
) -> list[int]:
    """Return the row numbers of the statements that hold any term and pass filters, best first by SQLite's BM25.

    With agents, a term may stand in the name of an agent instead. With rare, which are some of the terms, only what
    holds one of those is weighed, if enough does: to weigh a row takes seven times as long as to find it.
    """
    if not terms:
        return []
    where, parameters = _restriction(store, filters)
    join = f"join statement s on s.number = w.rowid and {where}" if where else ""
    parameters |= {"match": _expression(terms, agents), "rare": _expression(rare, agents), "limit": limit}
    # + keeps SQLite from asking the index for each of the rows by itself.
    held = "and +w.rowid in (select rowid from words where words match :rare)"
    found: list[int] = []
    for rarer in (held, "") if rare else ("",):
        rows = store.db.execute(
            f"""
            select w.rowid as number from words w {join}
            where w.words match :match {rarer} order by bm25(w.words, 1.0, {float(agents)}), w.rowid desc limit :limit
            """,
            parameters,
        )
        found = [row["number"] for row in rows]
        if len(found) == limit:
            break
    return found


def candidates(store: Store, numbers: Iterable[int]) -> list[Candidate]:
    """Return what ranking needs of the statements with these row numbers that are indexed."""
    wanted = list(numbers)
    found: list[Candidate] = []
    for start in range(0, len(wanted), BATCH):
        marks = ", ".join(map(str, wanted[start : start + BATCH]))
        rows = store.db.cursor()
        # sqlite3.Row, which is asked for by name, takes longer than the query.
        rows.row_factory = None
        rows.execute(
            f"""
            select s.number, s.sequence, s.at, s.kind, s.superseded, substr(s.text, 1, {HEAD}) as head,
                   substr(s.text, -{TAIL}) as tail, w.text as tokens, w.agent as agents
            from statement s join words w on w.rowid = s.number where s.number in ({marks})
            """
        )
        found += map(_candidate, rows)
    return found


def tagged(store: Store, numbers: Sequence[int], names: Sequence[str]) -> set[int]:
    """Return those of the statements with these row numbers that have one of the tags."""
    there = "select value from json_each(?) where exists (select 1 from origin_tag where tag = value)"
    known = [row[0] for row in store.db.execute(there, (json.dumps(names),))]
    found: set[int] = set()
    for start in range(0, len(numbers) if known else 0, BATCH):
        query = f"""
            select distinct o.statement as number from origin o join origin_tag t on t.origin = o.number
            where o.statement in ({", ".join(map(str, numbers[start : start + BATCH]))})
            and t.tag in ({", ".join("?" * len(known))})
        """
        found |= {row["number"] for row in store.db.execute(query, known)}
    return found


def sources(store: Store, numbers: Sequence[int]) -> dict[int, list[str]]:
    """Return the sources of the statements with these row numbers."""
    found: dict[int, list[str]] = {}
    for start in range(0, len(numbers), BATCH):
        marks = ", ".join(map(str, numbers[start : start + BATCH]))
        for row in store.db.execute(f"select statement, source from origin where statement in ({marks})"):
            found.setdefault(row["statement"], []).append(row["source"])
    return found


def allowed(store: Store, filters: Filters, *, limit: int = -1) -> list[int] | None:
    """Return the row numbers of the statements that pass filters, or None when all do; with a limit only so many."""
    where, parameters = _restriction(store, filters)
    if not where:
        return None
    query = f"select s.number from statement s where {where} limit :limit"
    return [row["number"] for row in store.db.execute(query, parameters | {"limit": limit})]


def passing(store: Store, filters: Filters, numbers: Sequence[int]) -> list[int]:
    """Return those of the statements with these row numbers that pass filters."""
    where, parameters = conditions(filters)
    found: list[int] = []
    for start in range(0, len(numbers), BATCH):
        marks = ", ".join(map(str, numbers[start : start + BATCH]))
        query = f"select s.number from statement s where s.number in ({marks}) and {where}"
        found += [row["number"] for row in store.db.execute(query, parameters)]
    return found


def complete(store: Store) -> bool:
    """Say whether as many statements are indexed as there are; the cheap half of `missing`."""
    return size(store).statements == _statements(store)


def _statements(store: Store) -> int:
    """Count the statements, which takes 25 ms of a million, once for every state of the store."""
    grown = store.db.execute("select name, seq from sqlite_sequence where name in ('statement', 'change')").fetchall()
    purges = store.db.execute("select value from counter where name = ?", (PURGES,)).fetchone()
    state = (*sorted(map(tuple, grown)), purges and purges["value"])
    key = str(store.path.absolute())
    if _counted.get(key, ((), 0))[0] != state:
        _counted[key] = (state, int(store.db.execute("select count(*) from statement").fetchone()[0]))
    return _counted[key][1]


def rebuild(store: Store, progress: Callable[[int, int, str], None] | None = None) -> int:
    """Index the words of every statement anew, in one transaction, and return how many statements there are."""
    with store.transaction():
        total = int(store.db.execute("select count(*) from statement").fetchone()[0])
        store.db.execute("delete from words")
        last = done = 0
        while rows := _texts(store, last):
            for row in rows:
                put(store, row["number"], row["text"], (row["agents"] or "").split("\n"))
            last, done = rows[-1]["number"], done + len(rows)
            if progress:
                progress(done, total, "indexing")
        store.db.execute("insert into words (words) values ('optimize')")
    return total


def _texts(store: Store, after: int) -> list[sqlite3.Row]:
    query = f"""
        select s.number, s.text,
               (select group_concat(o.agent, char(10)) from origin o where o.statement = s.number) as agents
        from statement s where s.number > ? order by s.number limit {REBUILD_BATCH}
    """
    return store.db.execute(query, (after,)).fetchall()


def _indexed(number: int, text: str, agents: tuple[str, ...]) -> tuple[int, str, str]:
    return number, *analysed(text, agents)


@lru_cache
def _names(agents: tuple[str, ...]) -> str:
    return BETWEEN_AGENTS.join(" ".join(index_tokens(agent)) for agent in agents)


def _restriction(store: Store, filters: Filters) -> tuple[str, dict[str, object]]:
    """Return the condition that filters put on `s`, or none at all when every statement passes."""
    where, parameters = conditions(effective(store, filters))
    return ("", {}) if where == EVERYTHING else (where, parameters)


def _exact_counts(store: Store, tokens: Sequence[str]) -> dict[str, Count]:
    found: dict[str, Count] = {}
    for start in range(0, len(tokens), BATCH):
        some = tokens[start : start + BATCH]
        # One query for all: making a table of terms ready costs as much as looking one up.
        query = f"select term, col, doc from words_terms where term in ({', '.join('?' * len(some))})"
        for row in store.db.execute(query, some):
            found[row["term"]] = found.get(row["term"], Count())._replace(**{row["col"]: row["doc"]})
    return found


def _beginning_count(store: Store, term: Term) -> Count:
    query = "select col, sum(doc) as statements from words_terms where term >= ? and term < ? group by col"
    rows = store.db.execute(query, (term.token, term.token + "\U0010ffff"))
    return Count(**{row["col"]: row["statements"] for row in rows})


def _expression(terms: Sequence[Term], agents: bool) -> str:
    """Return an FTS5 query: every token a quoted string, so that nothing in it is syntax."""
    quoted = ('"' + term.token.replace('"', '""') + ('"*' if term.prefix else '"') for term in terms)
    matched = " OR ".join(quoted)
    return matched if agents else f"{{text}} : ({matched})"


def _candidate(row: tuple[Any, ...]) -> Candidate:
    number, sequence, at, kind, superseded, head, tail, tokens, agents = row
    return Candidate(number, sequence, at, kind, bool(superseded), head, tail, tokens, _first_tokens(agents))


@lru_cache(maxsize=1024)
def _first_tokens(agents: str) -> tuple[str, ...]:
    return tuple(name.split()[0] for name in agents.split(BETWEEN_AGENTS) if name)


def _varints(block: bytes) -> list[int]:
    """Return the numbers of a block of SQLite's variable-length integers, each below 2**56."""
    found, value = [], 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            found.append(value)
            value = 0
    return found
