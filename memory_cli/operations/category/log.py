"""The entries of a log."""

from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.categories import LOG, LogShown
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.operations.category.places import Name
from memory_cli.store import entries

USUAL = 20


def log(memory: Memory, category: Name, *, limit: given.Limit = USUAL, scope: given.Scope = "") -> LogShown:
    """Show the newest entries of a log, oldest first."""
    store, one, _note = places.found(memory, category, scope)
    if one.kind != LOG:
        raise UsageError(f"{one.name} is a plain category; `memory category read {one.name}` shows it.")
    with store.snapshot():
        found = entries.document(entries.of(store, one.name, limit=limit))
        total = entries.count(store, one.name)
    return LogShown(one.name, store.scope, found["entries"], total, foreign=memory.is_foreign(store.scope))
