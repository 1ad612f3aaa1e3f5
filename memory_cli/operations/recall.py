"""Find statements again."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated

from memory_cli.errors import Busy, UsageError
from memory_cli.memory import Memory
from memory_cli.models.results import Recalled, Repetition
from memory_cli.operations import parameters as given
from memory_cli.operations import shown, succession
from memory_cli.operations.pending import pending, ready
from memory_cli.parameter import Described
from memory_cli.retrieval.search import Found, search
from memory_cli.store import statements

NOTHING = "Nothing here answers that. Ask in other words, or with fewer filters; a list shows what there is."
TOO_SMALL = "There are answers, and none fits into the budget; ask with a larger one."
UNINDEXED = "The word index of the {} memory lacks statements, so words may miss some; `memory doctor --fix` mends it."
REPETITIONS = 10
CATEGORY_VALUES = 5
WEAK = "Nothing here is near enough to that to be an answer. Ask in other words; a list shows what there is."


def recall(
    memory: Memory,
    query: Annotated[str, Described("A question or some words, as they come.")],
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
    limit: Annotated[int, Described("At most so many; -1 the setting.", at_least=-1, at_most=1000)] = -1,
    offset: given.Offset = 0,
    budget: given.Budget = -1,
    explain: Annotated[bool, Described("Show the parts of each score.")] = False,
    words: Annotated[bool, Described("By words alone, without meaning.")] = False,
    categories: Annotated[bool, Described("Also values in categories.")] = False,
) -> Recalled:
    """Find the statements that answer a query, best first.

    Both scopes are searched together, by words and by meaning. Nothing is shown when nothing is near enough.
    Recall before you record or decide.
    """
    if not query.strip():
        raise UsageError("The query is empty; ask a question or give some words.")
    if limit == 0:
        raise UsageError("A limit of 0 would show nothing; give one of at least 1.")
    wanted = given.filters(
        memory, kind=kind, agent=agent, source=source, tag=tag, meta=meta, since=since, until=until,
        include_expired=include_expired, superseded=superseded,
    )  # fmt: skip
    most = memory.settings.retrieval.limit if limit < 0 else limit
    embedder, why_not = (None, "") if words else ready(memory, scope)
    reranking = None if words else memory.reranking()
    found = search(
        memory.stores(scope), query, wanted, settings=memory.settings, embedder=embedder, why_not=why_not,
        reranking=reranking, limit=most, offset=offset, zone=lambda: memory.session.zone,
    )  # fmt: skip
    newer = succession.successors(memory, found)
    if newer:
        found = succession.with_successors(memory, found, newer, wanted, most)
    answer = answered(
        memory, found, offset=offset, budget=budget, explain=explain, scope=scope, limit=most, newer=newer
    )
    _count(memory, found, len(answer.units))
    if categories:
        # Imported where it is asked for: a usual recall reads statements alone.
        from memory_cli.operations.category.search import search as search_categories

        values = search_categories(memory, query, hybrid=embedder is not None, limit=CATEGORY_VALUES, scope=scope)
        answer = replace(answer, categories=values.hits, hint="" if values.hits else answer.hint)
    return _with_more_to_say(memory, answer, scope) if embedder else answer


def _with_more_to_say(memory: Memory, answer: Recalled, scope: str) -> Recalled:
    # Only those who loaded a model can be told what it does not know.
    from memory_cli.operations.languages import first_strangeness

    said = [each for each in (answer.warning, first_strangeness(memory, answer.units, scope)) if each]
    return replace(answer, warning=" ".join(said), semantic=answer.semantic or memory.sending)


def answered(
    memory: Memory, found: Found, *, offset: int, budget: int, explain: bool, scope: str, limit: int = 0,
    newer: Mapping[str, str] = MappingProxyType({}),
) -> Recalled:  # fmt: skip
    """Return what a search found as an answer, within a budget; nothing is counted."""
    units = [
        shown.unit(
            memory, hit.statement, score=hit.score, explain=hit.parts if explain else None,
            superseded_by=newer.get(hit.statement.id, ""),
        )
        for hit in found.hits
    ]  # fmt: skip
    frame = Recalled(
        units=[],
        collapsed_repetitions=[
            Repetition(each.id, each.scope, each.by, round(each.likeness, 3), each.kept)
            for each in found.collapsed[:REPETITIONS]
        ],
        units_pending=pending(memory, scope),
        semantic_available=not found.semantic,
        semantic=found.semantic,
        reranked=found.reranked,
        rerank=found.rerank,
    )
    usual = memory.settings.retrieval.limit
    room = shown.room(memory, budget, limit / usual)
    fitted = shown.within(units, frame, room, [hit.passage for hit in found.hits])
    truncated = found.truncated or len(fitted) < len(units)
    warning = UNINDEXED.format(" and ".join(found.unindexed)) if found.unindexed else ""
    hint = "" if fitted else TOO_SMALL if units else WEAK if found.weak else NOTHING
    return replace(
        frame,
        units=fitted,
        truncated=truncated,
        next=offset + len(fitted) if truncated else 0,
        hint=hint,
        warning=warning,
    )


def _count(memory: Memory, found: Found, shown: int) -> None:
    """Add one to the recalls of what was shown, unless another process is writing: an answer never waits for that."""
    for store in memory.stores():
        numbers = [hit.statement.number for hit in found.hits[:shown] if hit.statement.scope == store.scope]
        # What came with a clone stays as it came until somebody trusts it.
        if not numbers or memory.is_foreign(store.scope):
            continue
        try:
            with store.transaction(deadline_ms=0):
                statements.count_recalls(store, numbers, memory.now)
        except Busy:
            continue
