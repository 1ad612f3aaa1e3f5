"""Page through statements."""

from typing import Annotated, Literal

from memory_cli.memory import Memory
from memory_cli.models.results import Listed
from memory_cli.models.statement import Filters, Statement
from memory_cli.operations import parameters as given
from memory_cli.operations import shown
from memory_cli.parameter import Described
from memory_cli.store import statements

USUAL = 20
Sort = Literal["newest", "oldest", "recalled"]


def list_(
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
    sort: Annotated[Sort, Described("newest and oldest by recording; recalled by last recall.")] = "newest",
    limit: given.Limit = USUAL,
    offset: given.Offset = 0,
    budget: given.Budget = -1,
) -> Listed:
    """Page through statements, newest first.

    Local statements come before global ones. `next` of the answer is the offset of the next page.
    """
    wanted = given.filters(
        memory, kind=kind, agent=agent, source=source, tag=tag, meta=meta, since=since, until=until,
        include_expired=include_expired, superseded=superseded,
    )  # fmt: skip
    total, found = _page(memory, wanted, scope, sort, limit, offset)
    units = [shown.unit(memory, each) for each in found]
    frame = Listed([], total, truncated=True, next=offset + limit)
    fitted = shown.within(units, frame, shown.room(memory, budget, limit / USUAL))
    reached = offset + len(fitted)
    return Listed(fitted, total, truncated=reached < total, next=reached if reached < total else 0)


def _page(
    memory: Memory, wanted: Filters, scope: str, sort: str, limit: int, offset: int
) -> tuple[int, list[Statement]]:
    total, found = 0, list[Statement]()
    for store in memory.stores(scope):
        with store.snapshot():
            here = statements.count(store, wanted)
            if len(found) < limit and offset < total + here:
                found += statements.page(
                    store, wanted, limit=limit - len(found), offset=max(offset - total, 0), order=sort
                )
            total += here
    return total, found
