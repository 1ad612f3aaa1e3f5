"""Forgetting for good, and naming what could not be cleaned."""

from collections.abc import Iterator, Sequence

from memory_cli.errors import NotFound
from memory_cli.memory import Memory
from memory_cli.models.frozen import Frozen
from memory_cli.models.results import Forgotten
from memory_cli.models.statement import Statement
from memory_cli.operations.export import DOCUMENT
from memory_cli.store import history, purge, statements
from memory_cli.store.connection import Store

BACKUPS = "*.bak*"


class Doomed(Frozen):
    """What goes from one store: statements that are there, ids that the history must not know, and texts of both."""

    store: Store
    statements: Sequence[Statement]
    ids: Sequence[str]
    texts: Sequence[str] = ()


def by_id(memory: Memory, id: str, scope: str) -> list[Doomed]:
    """Return what has this id, now or in the history."""
    doomed = []
    for store in memory.stores(scope):
        one = statements.by_id(store, id)
        ids = [one.id] if one else [id] * history.knows(store, id)
        if ids:
            doomed.append(Doomed(store, [one] if one else [], ids, _texts(store, ids)))
    if not doomed:
        raise NotFound(f"Neither the memory nor its history knows the id {id}; purging needs it whole.")
    return doomed


def by_words(memory: Memory, key: bytes, scope: str) -> list[Doomed]:
    """Return what has exactly these words, now or in the history."""
    doomed = []
    for store in memory.stores(scope):
        found = statements.by_words(store, key)
        ids = [one.id for one in found] + purge.forgotten_by_words(store, key)
        if ids:
            doomed.append(Doomed(store, found, ids, _texts(store, ids)))
    if not doomed:
        raise NotFound("Neither the memory nor its history knows exactly these words.")
    return doomed


def purged(doomed: Sequence[Doomed]) -> Forgotten:
    """Delete what is doomed with every trace that we can reach, and say what we cannot."""
    for each in doomed:
        with each.store.transaction():
            purge.purge(each.store, each.statements, each.ids)
    ids = list(dict.fromkeys(id for each in doomed for id in each.ids))
    return Forgotten(len(ids), len(ids), ids=ids, purged=True, note=cleaned(doomed))


def cut(store: Store, one: Statement, kept: Statement | None) -> Doomed:
    """Delete a statement, or the origins that the kept one lacks, with its history, in the caller's transaction."""
    doomed = Doomed(store, [] if kept else [one], [] if kept else [one.id], () if kept else _texts(store, [one.id]))
    purge.purge(store, doomed.statements, [one.id])
    if kept:
        purge.put_origins(store, kept)
    return doomed


def cleaned(doomed: Sequence[Doomed]) -> str:
    """Write each store's file anew and return sentences that name what still holds the text."""
    stores = {each.store.scope: each.store for each in doomed}
    sentences = [sentence for store in stores.values() for sentence in _remains(store, doomed)]
    return " ".join(sentences)


def _remains(store: Store, doomed: Sequence[Doomed]) -> Iterator[str]:
    if why_not := purge.clean(store):
        yield (
            f"What was purged can be read no more, but its text may still stand in the free pages or the log of "
            f"{store.path}, since {why_not}; `memory doctor --fix` cleans it when that is over."
        )
    folder = store.path.parent
    document = folder / DOCUMENT
    gone = {text.encode() for each in doomed for text in each.texts}
    if document.is_file() and any(map(document.read_bytes().__contains__, gone)):
        yield f"The export {document} still holds the text; `memory export` writes it anew."
    for backup in sorted(folder.glob(BACKUPS)):
        yield f"The backup {backup} may still hold the text; delete it when you do not need it."


def _texts(store: Store, ids: Sequence[str]) -> list[str]:
    return [text for id in ids for text in purge.texts(store, id)]
