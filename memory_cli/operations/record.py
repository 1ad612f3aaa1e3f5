"""Remember a statement."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from memory_cli.errors import Refused
from memory_cli.memory import GLOBAL, Memory
from memory_cli.models.results import Recorded, Similar
from memory_cli.models.statement import HANDOFF, Statement
from memory_cli.operations import intake, shown
from memory_cli.operations.intake import Draft, Taken
from memory_cli.operations.parameters import ScopeName, several
from memory_cli.parameter import Described
from memory_cli.retrieval.search import similar_words
from memory_cli.store import journal
from memory_cli.store.connection import Store
from memory_cli.text.kinds import DEFAULT_KIND, kind_named
from memory_cli.text.times import parse_moment

EXCERPT = 200


def record(
    memory: Memory,
    text: Annotated[str, Described("One self-contained fact, rule, preference, decision or lesson.")],
    *,
    kind: Annotated[
        str, Described("RULE, PLAN, PREFERENCE, CORRECTION, DECISION, FACT or a word of your own.")
    ] = DEFAULT_KIND,
    scope: Annotated[
        ScopeName, Described("local: this project; global: everywhere. Choose by how far it is meant to reach.")
    ] = "",
    tag: Annotated[Sequence[str], Described("Tags to find it by.")] = (),
    source: Annotated[str, Described("Where it comes from: chat, a file, an address.")] = "",
    agent: Annotated[str, Described("Who records it; you by default.")] = "",
    at: Annotated[str, Described("When it was so; now by default.")] = "",
    expires: Annotated[str, Described("When it stops being so: 7d, 2026-12-31.")] = "",
    meta: Annotated[Mapping[str, Any] | None, Described("Further facts about it, as an object.")] = None,
    id: Annotated[str, Described("An id of yours: a statement that has it is updated.")] = "",
) -> Recorded:
    """Remember one statement for later conversations.

    Recall first: a rewording is another statement, so forget or supersede what is no longer true. The same words
    again only move to the top. Secrets are blotted out. The answer names statements that say nearly the same or may
    contradict it.
    """
    drafted = intake.draft(
        memory,
        text,
        kind=kind_named(kind),
        agent=agent,
        source=source,
        tags=several(tag),
        at=parse_moment(at, now=memory.now, zone=memory.session.zone) if at else None,
        expires_at=parse_moment(expires, now=memory.now, zone=memory.session.zone, ahead=True) if expires else None,
        metadata=meta,
        id=id,
    )
    chosen = memory.scope_to_write(scope)
    check_handoff_scope(drafted.statement, chosen)
    store = memory.store(chosen)
    with journal.writing(store, "record", memory.who, memory.now, deadline_ms=memory.patience_ms) as made:
        taken = intake.take(made, drafted.statement)
    return answer(memory, store, drafted, taken, memory.for_want_of_project(scope))


def check_handoff_scope(statement: Statement, scope: str) -> None:
    """Refuse a handoff that is not a project's."""
    if statement.kind == HANDOFF and scope == GLOBAL:
        raise Refused(
            "A handoff belongs to one project, so the global memory holds none. "
            "Set it inside a project (`memory init` makes one), or record it under another kind."
        )


def answer(memory: Memory, store: Store, drafted: Draft, taken: Taken, note: str = "") -> Recorded:
    """Return what became of a draft, with the statements that it may repeat or contradict."""
    statement = taken.statement
    near = [] if taken.already else similar_words(store, statement)
    return Recorded(
        id=statement.id,
        scope=store.scope,
        kind=statement.kind,
        already_recorded=taken.already,
        updated=taken.updated,
        replaced=similar(memory, taken.replaced) if taken.replaced else None,
        redacted=list(drafted.redacted),
        similar=[similar(memory, each) for each in near],
        note=note,
    )


def similar(memory: Memory, statement: Statement) -> Similar:
    """Return a statement as an answer mentions it: the beginning of its words."""
    foreign = memory.is_foreign(statement.scope)
    return Similar(statement.id, statement.scope, shown.excerpt(statement.text, EXCERPT), foreign=foreign)
