"""Counts of statements by what they have in common."""

from memory_cli.models.statement import Filters
from memory_cli.store.connection import Store
from memory_cli.store.filters import conditions

GROUPS = {
    "kind": ("s.kind", ""),
    "agent": ("o.agent", "join origin o on o.statement = s.number"),
    "source": ("o.source", "join origin o on o.statement = s.number"),
    "tag": ("t.tag", "join origin o on o.statement = s.number join origin_tag t on t.origin = o.number"),
    "month": ("strftime('%Y-%m', s.at / 1000000, 'unixepoch')", ""),
}


def by(store: Store, group: str, filters: Filters) -> dict[str, int]:
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
