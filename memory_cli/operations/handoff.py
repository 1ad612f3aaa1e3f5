"""What the next conversation in this project must know."""

from typing import Annotated

from memory_cli.errors import NotFound, UsageError
from memory_cli.memory import LOCAL, Memory
from memory_cli.models.results import Handoff
from memory_cli.models.statement import HANDOFF, Statement
from memory_cli.operations import intake, shown
from memory_cli.operations.record import similar
from memory_cli.parameter import Described
from memory_cli.store import journal, statements


def handoff(
    memory: Memory,
    text: Annotated[str, Described("What the next conversation must know; none shows what is set.")] = "",
    *,
    clear: Annotated[bool, Described("Remove it.")] = False,
) -> Handoff:
    """Set the project's handoff, or show it.

    A project holds one: setting it replaces the last, which the answer names and undo brings back. End a
    conversation with it: what was done, what is open, where to go on. Reading does not consume it.
    """
    if clear:
        if text:
            raise UsageError("Give either the handoff's text or --clear.")
        return _cleared(memory)
    if not text:
        return _shown(memory)
    drafted = intake.draft(memory, text, kind=HANDOFF)
    store = memory.store(LOCAL)
    with journal.writing(store, "handoff", memory.who, memory.now) as made:
        taken = intake.take(made, drafted.statement)
    replaced = similar(memory, taken.replaced) if taken.replaced else None
    return _answer(memory, taken.statement, replaced=replaced, redacted=list(drafted.redacted))


def _shown(memory: Memory) -> Handoff:
    found = next((one for store in memory.stores(LOCAL) if (one := statements.handoff(store))), None)
    if found is None:
        raise NotFound('There is no handoff here; `memory handoff "…"` sets one.')
    return _answer(memory, found)


def _cleared(memory: Memory) -> Handoff:
    for store in memory.stores(LOCAL):
        with journal.writing(store, "handoff", memory.who, memory.now) as made:
            if found := statements.handoff(store):
                journal.remove(made, found)
                return _answer(memory, found, cleared=True)
    raise NotFound("There is no handoff here to remove.")


def _answer(memory: Memory, found: Statement, **more: object) -> Handoff:
    return Handoff(
        id=found.id, scope=found.scope, text=found.text, at=shown.moment(found.updated_at), agents=list(found.agents),
        foreign=memory.is_foreign(found.scope),
        **more,  # type: ignore[arg-type]
    )  # fmt: skip
