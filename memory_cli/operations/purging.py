"""Forgetting for good, and naming what could not be cleaned."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_cli.errors import NotFound
from memory_cli.memory import Memory
from memory_cli.models.results import Forgotten
from memory_cli.models.statement import Statement
from memory_cli.operations.export import DOCUMENT
from memory_cli.store import purge, statements
from memory_cli.store.connection import Store

BACKUPS = "*.bak*"


@dataclass(frozen=True)
class Doomed:
    """What goes from one store: the statements that are there, and the ids that the history must not know any more."""

    store: Store
    statements: Sequence[Statement]
    ids: Sequence[str]


def by_id(memory: Memory, id: str, scope: str) -> list[Doomed]:
    """Return what has this id, now or in the history."""
    doomed = []
    for store in memory.stores(scope):
        one = statements.by_id(store, id)
        ids = [one.id] if one else purge.forgotten_by_id(store, id)
        if ids:
            doomed.append(Doomed(store, [one] if one else [], ids))
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
            doomed.append(Doomed(store, found, ids))
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


def cleaned(doomed: Sequence[Doomed]) -> str:
    """Write each store's file anew and return sentences that name what still holds the text."""
    stores = {each.store.scope: each.store for each in doomed}
    sentences = [sentence for store in stores.values() for sentence in _remains(store, doomed)]
    return " ".join(sentences)


def _remains(store: Store, doomed: Sequence[Doomed]) -> Iterator[str]:
    if not purge.clean(store):
        yield (
            f"Another process is reading {store.path}, so its log may still hold the text; "
            "`memory doctor --fix` cleans it when that process is done."
        )
    folder = store.path.parent
    document = folder / DOCUMENT
    gone = [one.text for each in doomed for one in each.statements]
    if document.exists() and any(text in document.read_text(encoding="utf-8") for text in gone):
        yield f"The export {document} still holds the text; `memory export` writes it anew."
    for backup in sorted(folder.glob(BACKUPS)):
        yield f"The backup {backup} may still hold the text; delete it when you do not need it."
