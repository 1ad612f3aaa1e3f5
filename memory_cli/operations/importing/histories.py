"""Taking in categories that another program kept, with all that they were before."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory_cli.categories import changing
from memory_cli.categories.canonical import checked_name, text_of
from memory_cli.errors import MemoryCliError, Refused
from memory_cli.memory import GLOBAL, Memory
from memory_cli.models.categories import LOG, Category, Entry
from memory_cli.models.frozen import Frozen
from memory_cli.models.results import Imported
from memory_cli.operations.category import places
from memory_cli.operations.category.append import USUAL
from memory_cli.operations.intake import Cleaner
from memory_cli.store import categories, entries
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal
from memory_cli.text.identity import stored

IMPORT = "import"


class Past(Frozen):
    """What a category was made at some time, by whom and why; without data it was deleted."""

    at: datetime
    agent: str
    data: Mapping[str, Any] | None = None
    hash: str = ""
    reason: str = ""


class Kept(Frozen):
    """All that another program has of a category, oldest first; `lost` versions it lists have no text any more."""

    name: str
    past: list[Past]
    broken: list[str]
    lost: int = 0


@dataclass
class _Tally:
    new: int = 0
    already: int = 0
    categories: int = 0
    lost: int = 0
    failed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    redacted: Counter[str] = field(default_factory=Counter)
    change: int = 0


# What there is to write: how many records, how many of them are here already, and the work that writes the others.
Plan = tuple[int, int, changing.Work]


def take(memory: Memory, found: Iterable[Kept], *, scope: str, total: int = 0, dry_run: bool) -> Imported:
    """Take in categories, each in one transaction, and name what cannot be taken in."""
    scope = scope or GLOBAL
    tally = _Tally()
    for number, each in enumerate(found, 1):
        tally.failed += [f"{each.name}: {problem}" for problem in each.broken]
        tally.lost += each.lost
        try:
            _take(memory, each, scope, tally, dry_run=dry_run)
        except MemoryCliError as error:
            tally.failed.append(f"{each.name}: {error}")
        memory.progress(number, max(total, number), "importing")
    lost = f"{tally.lost} versions that it lists have no text any more, neither in a file nor in a backup."
    return Imported(
        tally.new, tally.already, tally.failed, categories=tally.categories, redacted=dict(tally.redacted),
        scope=scope, dry_run=dry_run, note=" ".join([*([lost] if tally.lost else []), *tally.notes]),
    )  # fmt: skip


def _take(memory: Memory, kept: Kept, scope: str, tally: _Tally, *, dry_run: bool) -> None:
    if not kept.past:
        return
    checked_name(kept.name)
    places.require(memory, kept.name)
    clean = Cleaner(memory)
    there = next(iter(memory.stores(scope)), None)
    plan = _logged if _is_log(kept) else _plain
    if dry_run:
        before = categories.found(there, kept.name) if there else None
        new, already, _work = plan(kept, clean, there, before, tally)
    else:
        new, already = _write(memory, kept, scope, tally, lambda store, before: plan(kept, clean, store, before, tally))
    tally.new, tally.already = tally.new + new, tally.already + already
    tally.categories += new > 0
    tally.redacted.update(clean.kinds)


def _write(
    memory: Memory, kept: Kept, scope: str, tally: _Tally, plan: Callable[[Store, Category | None], Plan]
) -> tuple[int, int]:
    counts: list[tuple[int, int]] = []
    seen: list[Journal] = []

    def work(made: Journal, before: Category | None) -> Category | None:
        # What a file says that was edited is a version of its own, which the plan sees.
        new, already, write = plan(made.store, before)
        counts.append((new, already))
        seen.append(made)
        first = len(made.items)
        after = write(made, before) if new else before
        # Taken back as one: to what there was before, not one version after the other.
        is_there, was_there = (each is not None and each.there for each in (after, before))
        del made.items[first + (is_there or was_there) :]
        return after

    changing.change(
        memory.store(scope), memory.who, memory.now, IMPORT, kept.name, work, continues=tally.change,
        intake=places.intake(memory),
    )  # fmt: skip
    tally.change = seen[0].number or tally.change
    return counts[0]


def _plain(kept: Kept, clean: Cleaner, store: Store | None, before: Category | None, tally: _Tally) -> Plan:
    """Plan what a plain category lacks here: a version is known by its hash and its time."""
    if before is not None and before.there and before.kind == LOG:
        raise Refused("it is a log here, which was left as it is")
    past = [each for each in kept.past if each.data is None or not _log_shaped(each.data)]
    if len(past) < len(kept.past):
        tally.notes.append(f"{kept.name} was a log once; those versions were passed over.")
    wanted = [(each, _text(each, clean)) for each in past]
    keys = [(categories.hash_of(text) if text else "", each.at) for each, text in wanted]
    known = [(each.hash, each.at) for each in categories.versions(store, kept.name)] if store and before else []
    lacking = [place for place, key in enumerate(keys) if key not in known]
    if not lacking or (before is not None and before.there and before.hash == keys[-1][0]):
        return 0, len(keys), _nothing
    if known and (known[0] not in keys or lacking[0] < len(keys) - len(lacking)):
        raise Refused("it has another history here, which was left as it is")
    reasons = [clean.text(each.reason, "reason") if each.reason else "" for each, _text in wanted]
    agents = [clean.text(each.agent, "agent") for each, _text in wanted]

    def write(made: Journal, one: Category | None) -> Category | None:
        for place in lacking:
            each, text = wanted[place]
            if text:
                one = categories.write(made, one, kept.name, text, operation=IMPORT, reason=reasons[place],
                                       agent=agents[place], at=each.at)  # fmt: skip
            elif one is not None:
                one = categories.delete(made, one, reason=reasons[place], agent=agents[place], at=each.at)
        return one

    return len(lacking), len(keys) - len(lacking), write


def _text(past: Past, clean: Cleaner) -> str:
    """Return the text of a version, empty for a deletion."""
    return "" if past.data is None else stored(text_of(clean.metadata(past.data)), most=clean.most, name="data")


def _logged(kept: Kept, clean: Cleaner, store: Store | None, before: Category | None, tally: _Tally) -> Plan:
    """Plan which entries a log lacks here: an entry is known by its number."""
    if before is not None and before.there and before.kind != LOG:
        raise Refused("it is a plain category here, which was left as it is")
    logs = [each for each in kept.past if each.data is not None and _log_shaped(each.data)]
    if any(each.data is not None and not _log_shaped(each.data) for each in kept.past):
        tally.notes.append(f"{kept.name} was a plain category once; those versions were passed over.")
    wanted = {entry.number: entry for each in logs for entry in _entries(each, kept, clean)}
    known = {each.number: each.body for each in entries.ever(store, kept.name)} if store and before else {}
    if other := next((number for number in known.keys() & wanted.keys() if known[number] != wanted[number].body), None):
        raise Refused(f"its entry {other} is another here, so it was left as it is")
    lacking = [wanted[number] for number in sorted(wanted.keys() - known.keys())]
    gone = before is not None and not before.there
    if lacking and known and (gone or lacking[0].number < max(known)):
        raise Refused("it has another history here, which was left as it is")
    newest, ends = logs[-1], kept.past[-1].data is None and not gone
    there = {*known, *(entry.number for entry in _entries(newest, kept, clean))}
    most, days = _bounds(newest.data or {})

    def write(made: Journal, one: Category | None) -> Category | None:
        bounds = {"max_entries": most, "max_age_days": days}
        after = categories.take_entries(made, one, kept.name, lacking, there, **bounds) if lacking else one
        if after is None or not ends:
            return after
        return categories.delete(made, after, agent=kept.past[-1].agent, at=kept.past[-1].at)

    return len(lacking) + ends, len(wanted) - len(lacking), write


def _entries(past: Past, kept: Kept, clean: Cleaner) -> list[Entry]:
    return [_entry(each, past, kept, clean) for each in (past.data or {})["entries"] if isinstance(each, Mapping)]


def _entry(given: Mapping[str, Any], past: Past, kept: Kept, clean: Cleaner) -> Entry:
    data, number = given.get("data"), given.get("id")
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise Refused(f"an entry of it has no number: {json.dumps(given, default=str)[:80]}")
    try:
        at = datetime.fromisoformat(str(given.get("ts")))
    except ValueError:
        at = past.at
    at = at if at.tzinfo else at.replace(tzinfo=past.at.tzinfo)
    body = json.dumps(clean.metadata({"data": data})["data"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    # An append wrote the entry and, right after, the version: so that says who it was.
    agent = next((each.agent for each in kept.past if each.data is not None and each.at >= at), past.agent)
    # Counted from 0 there, and from 1 here.
    return Entry(number + 1, at, clean.text(agent, "agent"), f"mcp-memory-rs {agent}", number + 1,
                 stored(body, most=clean.most, name="entry"))  # fmt: skip


def _bounds(data: Mapping[str, Any]) -> tuple[int, int]:
    given = data.get("_retention")
    bounds = given if isinstance(given, Mapping) else {}
    most, days = (
        each if isinstance(each, int) and not isinstance(each, bool) and each > 0 else 0
        for each in (bounds.get("max_entries"), bounds.get("max_age_days"))
    )
    return (most, days) if most or days else (USUAL, 0)


def _is_log(kept: Kept) -> bool:
    return next((_log_shaped(each.data) for each in reversed(kept.past) if each.data is not None), False)


def _log_shaped(data: Mapping[str, Any]) -> bool:
    """Tell a log as that program does: by a mark and its list."""
    return data.get("_kind") == LOG and isinstance(data.get("entries"), list)


def _nothing(made: Journal, before: Category | None) -> Category | None:
    return before
