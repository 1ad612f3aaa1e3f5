"""What a conversation should start with, inside a budget."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.categories import CategoryTold
from memory_cli.models.results import ContextShown, Handoff, Unit
from memory_cli.models.statement import HANDOFF, Filters, Statement
from memory_cli.operations import parameters as given
from memory_cli.operations import shown
from memory_cli.parameter import Described
from memory_cli.retrieval.search import search
from memory_cli.store import statements

STANDING = ("RULE", "PREFERENCE", "CORRECTION")
ANSWERS = 10
NEWEST = 10
MOST = 200
# What a handoff, whole or cut, may take of the budget.
HANDOFF_SHARE = 0.5
CATEGORY_SHARE = 0.3
NOTHING = "Nothing is remembered yet; record what a later conversation must know."


def context(
    memory: Memory,
    query: Annotated[str, Described("What the conversation is about, if that is known.")] = "",
    *,
    category: Annotated[Sequence[str], Described("Categories to read, too.")] = (),
    budget: given.Budget = -1,
) -> ContextShown:
    """Show what a conversation should start with. Call it first.

    The handoff, then standing rules and preferences (global before local), then what answers the query, then the
    newest, within a budget of tokens; long texts are shortened before anything is left out.
    """
    room = memory.settings.context.budget if budget < 0 else budget
    wanted = Filters(now=memory.now, superseded=False)
    found = next((one for store in memory.stores(LOCAL) if (one := statements.handoff(store))), None)
    handoff = _handoff(memory, found, int(room * HANDOFF_SHARE)) if found else None
    total = sum(statements.count(store, wanted) for store in memory.stores()) - (found is not None)
    chosen: dict[str, Statement] = {}
    semantic = ""
    for each in _standing(memory, wanted):
        chosen.setdefault(each.id, each)
    if query.strip():
        embedder, why_not = memory.embedder(hurried=True)
        answer = search(memory.stores(), query, wanted, settings=memory.settings, embedder=embedder,
                        why_not=why_not, limit=ANSWERS)  # fmt: skip
        semantic = answer.semantic
        for hit in answer.hits:
            chosen.setdefault(hit.statement.id, hit.statement)
    for each in _newest(memory, wanted):
        chosen.setdefault(each.id, each)
    units = [_unit(memory, each) for each in chosen.values() if each.kind != HANDOFF]
    told, notes = _categories(memory, given.several(category) or memory.settings.context.categories, room)
    fitted = shown.within(units, ContextShown([], handoff, told, left_out=total, semantic=semantic), room)
    hint = " ".join(notes) if handoff or fitted or told else " ".join([NOTHING, *notes])
    return ContextShown(fitted, handoff, told, left_out=total - len(fitted), semantic=semantic, hint=hint)


def _categories(memory: Memory, names: Sequence[str], room: int) -> tuple[list[CategoryTold], list[str]]:
    if not names:
        return [], []
    from memory_cli.operations.category import telling  # few conversations start with one

    return telling.told(memory, names, int(room * CATEGORY_SHARE))


def _standing(memory: Memory, wanted: Filters) -> Iterator[Statement]:
    for scope in (GLOBAL, LOCAL):
        for kind in STANDING:
            for store in memory.stores(scope):
                yield from statements.page(store, replace(wanted, kinds=(kind,)), limit=MOST)


def _newest(memory: Memory, wanted: Filters) -> list[Statement]:
    found = [each for store in memory.stores() for each in statements.page(store, wanted, limit=NEWEST)]
    return sorted(found, key=lambda each: each.updated_at, reverse=True)


def _unit(memory: Memory, statement: Statement) -> Unit:
    """Return a statement with what a reader at the start needs: no counts, sources or metadata."""
    foreign = memory.is_foreign(statement.scope)
    return Unit(
        statement.id, statement.scope, statement.text, statement.kind, tags=list(statement.tags), foreign=foreign
    )


def _handoff(memory: Memory, found: Statement, room: int) -> Handoff:
    whole = _unit(memory, found)
    cut = next(iter(shown.fitting([whole], room)), replace(whole, text=shown.excerpt(found.text, shown.SHORTEST)))
    return Handoff(
        found.id,
        found.scope,
        cut.text,
        at=shown.moment(found.updated_at),
        agents=list(found.agents),
        foreign=cut.foreign,
    )
