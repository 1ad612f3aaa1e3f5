"""The versions of a category."""

from memory_cli.memory import Memory
from memory_cli.models.categories import LOG, CategoryHistory, VersionShown
from memory_cli.operations import parameters as given
from memory_cli.operations import shown
from memory_cli.operations.category import places
from memory_cli.operations.category.places import Name
from memory_cli.store import categories

USUAL = 20


def history(
    memory: Memory,
    category: Name,
    *,
    limit: given.Limit = USUAL,
    offset: given.Offset = 0,
    scope: given.Scope = "",
) -> CategoryHistory:
    """Show the versions of a category, newest first: when, by whom and why.

    A read with a version gives its payload, byte for byte, also from before a deletion.
    """
    store, one, _note = places.found(memory, category, scope, deleted=True)
    with store.snapshot():
        total = categories.count_versions(store, one.name)
        told = [
            VersionShown(
                each.version, each.hash, each.operation, shown.moment(each.at), each.agent, each.device, each.size,
                each.reason, deleted=not each.hash,
                readable=bool(each.hash) and (one.kind == LOG or categories.payload(store, each.hash) is not None),
            )
            for each in categories.versions(store, one.name, limit=limit, offset=offset)
        ]  # fmt: skip
    reached = offset + len(told)
    more = reached < total
    return CategoryHistory(one.name, store.scope, told, total, truncated=more, next=reached if more else 0)
