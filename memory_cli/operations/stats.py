"""How much there is, by where it came from."""

from collections import Counter
from datetime import timedelta

from memory_cli.memory import Memory
from memory_cli.models.results import Stats
from memory_cli.operations import parameters as given
from memory_cli.operations.pending import pending
from memory_cli.store import categories, counts, statements

NAMED = 50
GROWTH = (1, 7, 30)
GROUPS = ("kind", "agent", "source", "tag")


def stats(
    memory: Memory,
    *,
    kind: given.Kinds = (),
    scope: given.Scope = "",
    agent: given.Agents = (),
    source: given.Sources = (),
    tag: given.Tags = (),
    meta: given.Meta | None = None,
    since: given.Since = "",
    until: given.Until = "",
    include_expired: given.Expired = False,
    superseded: given.Superseded = None,
) -> Stats:
    """Count statements by scope, kind, agent, source, tag and month.

    Also how many were new in the last 1, 7 and 30 days, what waits to be embedded, and how many categories there are.
    A statement that several agents recorded counts for each of them.
    """
    wanted = given.filters(
        memory, kind=kind, agent=agent, source=source, tag=tag, meta=meta, since=since, until=until,
        include_expired=include_expired, superseded=superseded,
    )  # fmt: skip
    found: dict[str, Counter[str]] = {name: Counter() for name in GROUPS}
    months: Counter[str] = Counter()
    scopes: dict[str, int] = {}
    growth: Counter[str] = Counter()
    for store in memory.stores(scope):
        with store.snapshot():
            scopes[store.scope] = statements.count(store, wanted)
            growth.update(counts.since(store, {f"{days}d": memory.now - timedelta(days) for days in GROWTH}, wanted))
            for name, counter in found.items():
                counter.update({str(each): count for each, count in counts.by(store, name, wanted).items()})
            months.update(counts.by_month(store, wanted, memory.session.zone))
    top = {name: dict(counter.most_common(NAMED)) for name, counter in found.items()}
    return Stats(
        total=sum(scopes.values()),
        by_scope=scopes,
        by_kind=top["kind"],
        by_agent=top["agent"],
        by_source=top["source"],
        by_tag=top["tag"],
        by_month=dict(sorted(months.items())),
        units_pending=pending(memory, scope),
        categories=sum(len(categories.everything(store)) for store in memory.stores(scope)),
        growth=dict(growth),
    )
