"""Let go of old versions of categories."""

from typing import Annotated

from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.categories import LOG, CategoriesCompacted, Category
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.parameter import Described
from memory_cli.store import categories, entries
from memory_cli.store.connection import Store
from memory_cli.text.times import parse_moment


def compact(
    memory: Memory,
    category: Annotated[str, Described("Only this category; all by default.")] = "",
    *,
    keep_versions: Annotated[
        int, Described("Keep so many of the newest versions of each; 0: any number.", at_least=0, at_most=1_000_000)
    ] = 0,
    older_than: Annotated[str, Described("Let go only of versions older than this: 30d, 2026-01-01.")] = "",
    dry_run: Annotated[bool, Described("Only say what would go.")] = False,
    scope: given.Scope = "",
) -> CategoriesCompacted:
    """Let go of old versions of categories, and say how many bytes that frees.

    The newest version always stays. What was let go of cannot be read, restored or undone any more.
    """
    if not keep_versions and not older_than:
        raise UsageError("Say which versions may go: --keep-versions N, or --older-than 30d.")
    before = parse_moment(older_than, now=memory.now, zone=memory.session.zone) if older_than else memory.now
    names, versions, entries, size = [], 0, 0, 0
    for store, one in _meant(memory, category, scope):
        places.require(memory, one.name)
        listed = categories.versions(store, one.name)[max(keep_versions, 1) :]
        going = [each for each in listed if each.at < before]
        if not going:
            continue
        names.append(one.name)
        gone, freed = _gone(store, one, [each.version for each in going], dry_run=dry_run)
        versions, entries, size = versions + len(going), entries + gone, size + freed
    return CategoriesCompacted(names, versions, entries, size, dry_run)


def _meant(memory: Memory, category: str, scope: str) -> list[tuple[Store, Category]]:
    if category:
        store, one, _note = places.found(memory, category, scope, deleted=True)
        return [(store, one)]
    return [(store, one) for store in memory.stores(scope) for one in categories.everything(store, deleted=True)]


def _gone(store: Store, one: Category, numbers: list[int], *, dry_run: bool) -> tuple[int, int]:
    """Drop versions, and of a log the entries that only they have; return how many entries and bytes that is."""
    try:
        with store.transaction():
            gone, freed = (0, 0)
            if one.kind == LOG:
                gone, freed = entries.drop(store, one.name, max(numbers) + 1)
            freed += categories.compact(store, one.name, numbers)
            if dry_run:
                # What a change would do is known best by doing it.
                raise _DryRun(gone, freed)
            return gone, freed
    except _DryRun as told:
        return told.entries, told.bytes


class _DryRun(Exception):
    def __init__(self, entries: int, size: int) -> None:
        super().__init__()
        self.entries, self.bytes = entries, size
