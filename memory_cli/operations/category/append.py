"""Add an entry to a log."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from memory_cli.categories import changing
from memory_cli.categories.canonical import checked
from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.categories import LOG, Category, CategoryWritten
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.operations.category.places import Name
from memory_cli.operations.intake import Cleaner
from memory_cli.parameter import Described
from memory_cli.store import categories
from memory_cli.store.journal import Journal
from memory_cli.text.identity import stored

USUAL = 200


def append(
    memory: Memory,
    category: Name,
    *,
    data: Annotated[Mapping[str, Any] | None, Described("The entry, an object.")] = None,
    max_entries: Annotated[
        int, Described("Keep so many entries, from now on; 0: as before, or 200.", at_least=0, at_most=10_000_000)
    ] = 0,
    max_age_days: Annotated[
        int, Described("Keep entries so many days, from now on; 0: as before.", at_least=0, at_most=100_000)
    ] = 0,
    scope: given.Scope = "",
) -> CategoryWritten:
    """Add an entry to a bounded log, which is made when there is none.

    Entries beyond its bounds go; their numbers are never given again.
    """
    if data is None:
        raise UsageError("There is nothing to append; give the entry, an object.")
    store = places.writable(memory, category, scope)
    clean = Cleaner(memory)
    entry = clean.metadata(checked(data, "The entry"))
    body = json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    seen: list[tuple[Category | None, int]] = []

    def work(made: Journal, before: Category | None) -> Category | None:
        if before is not None and before.kind != LOG and before.there:
            raise UsageError(f"{before.name} is a plain category, which is written and not appended to.")
        kept = before.max_entries if before else 0
        most = max_entries or kept or (0 if (before and before.max_age_days) or max_age_days else USUAL)
        after, pruned = categories.append(
            made, before, category, stored(body, most=clean.most, name="data"), max_entries=most,
            max_age_days=max_age_days or (before.max_age_days if before else 0),
        )  # fmt: skip
        seen.append((before, pruned))
        return after

    after = places.change(memory, store, changing.APPEND, category, work)
    before, pruned = seen[0]
    return places.written(store, before, after, entry=after.last_entry, pruned=pruned, redacted=sorted(clean.kinds))
