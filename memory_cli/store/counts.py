"""Counts of statements by what they have in common."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, tzinfo

from memory_cli.models.statement import Filters
from memory_cli.store.connection import Store
from memory_cli.store.filters import conditions
from memory_cli.store.moments import loaded, stored

# In microseconds.
QUARTER = 900_000_000
GROUPS = {
    "kind": ("s.kind", ""),
    "agent": ("o.agent", "join origin o on o.statement = s.number"),
    "source": ("o.source", "join origin o on o.statement = s.number"),
    "tag": ("t.tag", "join origin o on o.statement = s.number join origin_tag t on t.origin = o.number"),
    # In which quarter of an hour of UTC: every zone's months begin with one.
    "quarter": (f"s.at / {QUARTER}", ""),
}


def by(store: Store, group: str, filters: Filters) -> dict[str | int, int]:
    """Return how many statements that pass filters there are for each value of one of GROUPS."""
    column, joined = GROUPS[group]
    where, parameters = conditions(filters)
    rows = store.db.execute(
        f"""
        select {column} as value, count(distinct s.number) as n
        from statement s {joined} where {where} group by value
        """,
        parameters,
    )
    return {row["value"]: row["n"] for row in rows}


def by_month(store: Store, filters: Filters, zone: tzinfo) -> dict[str, int]:
    """Return how many statements that pass filters there are of each month of a zone, in order."""
    found: Counter[str] = Counter()
    for quarter, count in sorted(by(store, "quarter", filters).items()):
        found[loaded(int(quarter) * QUARTER).astimezone(zone).strftime("%Y-%m")] += count
    return dict(found)


def since(store: Store, moments: Mapping[str, datetime], filters: Filters) -> dict[str, int]:
    """Return how many statements that pass filters are of each moment or later, by the moment's name."""
    where, parameters = conditions(filters)
    marks = {f"from{place}": stored(moment) for place, moment in enumerate(moments.values())}
    sums = ", ".join(f"coalesce(sum(s.at >= :{mark}), 0)" for mark in marks)
    row = store.db.execute(f"select {sums} from statement s where {where}", parameters | marks).fetchone()
    return dict(zip(moments, row, strict=True))
