"""Forget statements, or where some of them came from."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Annotated

from memory_cli.errors import NotFound, Refused, UsageError
from memory_cli.memory import Memory
from memory_cli.models.results import Forgotten
from memory_cli.models.statement import Filters, Origin, Statement
from memory_cli.operations import finding, purging
from memory_cli.operations import parameters as given
from memory_cli.operations.finding import Place
from memory_cli.operations.intake import Cleaner
from memory_cli.operations.purging import Doomed
from memory_cli.operations.record import similar
from memory_cli.parameter import Described
from memory_cli.store import journal, statements
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal
from memory_cli.text.identity import folded

SAMPLE = 5
EVERYTHING = 1_000_000_000


def forget(
    memory: Memory,
    text: Annotated[str, Described("The exact words of the statement.")] = "",
    *,
    id: Annotated[Sequence[str], Described("Ids, or unambiguous beginnings of ids, instead of words.")] = (),
    scope: given.Scope = "",
    kind: given.Kinds = (),
    agent: given.Agents = (),
    source: given.Sources = (),
    tag: given.Tags = (),
    meta: given.Meta | None = None,
    since: given.Since = "",
    until: given.Until = "",
    expired: Annotated[bool, Described("What has expired.")] = False,
    superseded: given.Superseded = None,
    purge: Annotated[bool, Described("For good, with its history: this cannot be undone.")] = False,
    include_expired: Annotated[bool | None, Described("Also what has expired, as by default.")] = None,
    if_version: given.IfVersion = "",
    yes: given.Yes = False,
    expect_count: Annotated[int, Described("How many a filter must match for `yes` to count.", at_least=-1)] = -1,
) -> Forgotten:
    """Forget a statement by its exact words or id, or all that filters match.

    Words match exactly, never by likeness. Filters only show what would go, until `yes` and the expected count are
    given; by agent, source or tag only that origin goes while another is left. Undo brings back what was not purged.
    """
    wanted = given.filters(
        memory, kind=kind, agent=agent, source=source, tag=tag, meta=meta, since=since, until=until,
        include_expired=expired or include_expired is not False, superseded=superseded,
    )  # fmt: skip
    filtered = expired or not replace(wanted, include_expired=False).empty
    id = given.several(id)
    if sum((bool(text), bool(id), filtered)) != 1:
        raise UsageError("Name what to forget in one way: its exact words, its id, or filters; nothing was forgotten.")
    if if_version and (len(id) != 1 or purge):
        raise UsageError("A version is that of one statement; give one id with it, and do not purge.")
    if filtered:
        return _by_filters(memory, wanted, scope, expired=expired, purge=purge, agreed=expect_count if yes else -1)
    if purge:
        return purging.purged(_doomed(memory, text, id, scope))
    places = [finding.by_id(memory, each, scope) for each in id] if id else [_by_words(memory, text, scope)]
    once = {(store.scope, one.number): (store, one) for store, one in places}
    return _forgotten(memory, list(once.values()), if_version)


def _doomed(memory: Memory, text: str, ids: Sequence[str], scope: str) -> list[Doomed]:
    if ids:
        return [doomed for each in ids for doomed in purging.by_id(memory, each, scope)]
    found = purging.by_words(memory, folded(Cleaner(memory).text(text)), scope)
    places = [(each.store, one) for each in found for one in each.statements]
    if len(places) > 1:
        raise Refused(f"These words are several statements: {finding.named(places)}. Purge one by its id.")
    return found


def _by_words(memory: Memory, text: str, scope: str) -> Place:
    key = folded(Cleaner(memory).text(text))
    found = [(store, one) for store in memory.stores(scope) for one in statements.by_words(store, key)]
    if not found and any(statements.by_id(store, text) for store in memory.stores(scope)):
        raise NotFound(f"No statement has exactly these words, but {text} is an id: give it as `id`.")
    if not found:
        raise NotFound("No statement has exactly these words; a recall finds what is near, with its id.")
    if len(found) > 1:
        raise Refused(f"These words are several statements: {finding.named(found)}. Forget one by its id.")
    return found[0]


def _forgotten(memory: Memory, places: list[Place], if_version: str) -> Forgotten:
    with ExitStack() as stack:
        journals: dict[str, Journal] = {}
        for store, one in places:
            if store.scope not in journals:
                writing = journal.writing(store, "forget", memory.who, memory.now)
                journals[store.scope] = stack.enter_context(writing)
            # Looked up again under the lock: another process may have forgotten or changed it meanwhile.
            now = statements.by_id(store, one.id)
            if now is not None:
                finding.check_version(now, if_version)
            if now is None or now.text != one.text:
                raise NotFound(f"Statement {one.id} was changed or forgotten meanwhile; look again.")
            journal.remove(journals[store.scope], now)
    return Forgotten(len(places), len(places), ids=[one.id for _store, one in places])


def _by_filters(memory: Memory, wanted: Filters, scope: str, *, expired: bool, purge: bool, agreed: int) -> Forgotten:
    if agreed < 0:
        seen = [one for store in memory.stores(scope) for one in _matching(memory, store, wanted, expired=expired)]
        _checked_count(len(seen), len(seen))
        return Forgotten(len(seen), 0, sample=[similar(memory, one) for one in seen[:SAMPLE]], dry_run=True)
    with ExitStack() as stack:
        places: list[tuple[Journal, Statement]] = []
        for store in memory.stores(scope):
            made = stack.enter_context(journal.writing(store, "forget", memory.who, memory.now))
            places += [(made, one) for one in _matching(memory, store, wanted, expired=expired)]
        _checked_count(len(places), agreed)
        doomed = [_gone(made, one, wanted, purge=purge) for made, one in places]
    note = purging.cleaned(doomed) if purge else ""
    ids = [id for each in doomed for id in each.ids]
    sample = [similar(memory, one) for _made, one in places[:SAMPLE]]
    return Forgotten(len(places), len(ids), ids=ids[:SAMPLE], sample=sample, purged=purge, note=note)


def _matching(memory: Memory, store: Store, wanted: Filters, *, expired: bool) -> list[Statement]:
    found = statements.page(store, wanted, limit=EVERYTHING)
    return [one for one in found if not expired or (one.expires_at is not None and one.expires_at <= memory.now)]


def _checked_count(found: int, agreed: int) -> None:
    if not found:
        raise NotFound("No statement matches these filters; nothing was forgotten.")
    if agreed != found:
        raise Refused(f"{found} statements match, not {agreed}; nothing was forgotten. Look again, then say so.")


def _gone(made: Journal, one: Statement, wanted: Filters, *, purge: bool) -> Doomed:
    """Take away the origins that filters select, and the statement with the last; return what went for good."""
    left = tuple(each for each in one.origins if not _selects(wanted, each)) if wanted.selects_origins else ()
    kept = replace(one, origins=left) if left else None
    if purge:
        return purging.cut(made.store, one, kept)
    if kept:
        journal.change(made, one, kept)
    else:
        journal.remove(made, one)
    return Doomed(made.store, [], [] if kept else [one.id])


def _selects(wanted: Filters, origin: Origin) -> bool:
    def any_of(names: Sequence[str], have: Sequence[str]) -> bool:
        return not names or bool({each.casefold() for each in names} & {each.casefold() for each in have})

    return (
        any_of(wanted.agents, (origin.agent,))
        and any_of(wanted.sources, (origin.source,))
        and any_of(wanted.tags, origin.tags)
    )
