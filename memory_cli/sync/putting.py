"""A content that came from elsewhere put in the place of what is here, as a part of one change of the history."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_cli.errors import Refused, UsageError
from memory_cli.models.categories import LOG, Entry
from memory_cli.models.history import Who
from memory_cli.models.links import Link
from memory_cli.models.statement import HANDOFF, Statement
from memory_cli.store import categories, entries, journal, links, statements, sync
from memory_cli.store.families import STATEMENT
from memory_cli.store.journal import Journal
from memory_cli.store.moments import loaded
from memory_cli.sync import merging
from memory_cli.sync.contents import Content, exact, moment, of_statement, statement_of
from memory_cli.text.identity import identity


def put(made: Journal, family: str, key: str, content: Content | None, about: Content) -> list[Content]:
    """Give a thing this content, or take it away; return what had to make room for it.

    Where two cannot stand side by side, as two statements of the same words or two handoffs, every device comes to the
    same one.
    """
    if family == STATEMENT:
        return _put_statement(made, key, content)
    if family == links.FAMILY:
        _put_link(made, key, content)
    else:
        _put_category(made, key, content, about)
    return []


def check_place(made: Journal, family: str, key: str, content: Content | None, *, newer: bool = False) -> None:
    """Refuse what cannot be put here, before anything is written.

    What knew of what is here may be of another kind: somebody deleted the one and made the other.
    """
    if family == STATEMENT and content and content["kind"] == HANDOFF and made.store.scope == "global":
        raise Refused("a handoff belongs to a project, and this is the account's memory")
    if family == categories.FAMILY and (there := categories.found(made.store, key)):
        if there.name != key:
            raise UsageError(f"there is a category {there.name}, and names that differ in case alone are one")
        if content and there.there and there.kind != content["kind"] and not newer:
            raise Refused(f"it is a {there.kind} here and a {content['kind']} there; rename one of the two")


def _put_statement(made: Journal, id: str, content: Content | None) -> list[Content]:
    now = exact(made.store, id)
    if content is None:
        if now:
            journal.remove(made, now)
        return []
    wanted = statement_of(id, content)
    twin = statements.by_identity(made.store, identity(wanted.kind, wanted.text))
    if twin is not None and twin.id != id:
        return _unite(made, now, wanted, twin)
    if wanted.kind == HANDOFF and (other := statements.handoff(made.store)) and other.id != id:
        if (other.updated_at, other.id) > (wanted.updated_at, id):
            return [content]
        journal.remove(made, other)
        _write(made, now, wanted)
        return [of_statement(other)]
    _write(made, now, wanted)
    return []


def _unite(made: Journal, now: Statement | None, wanted: Statement, twin: Statement) -> list[Content]:
    """Make one of two statements that have the same words: the older id stays, and both answer."""
    first, second = sorted((wanted, twin), key=lambda each: (each.at, each.id))
    merged = merging.statements(of_statement(wanted), of_statement(twin))
    aliases = sorted({*merged.content["aliases"], second.id} - {first.id})
    united = statement_of(first.id, {**merged.content, "aliases": aliases})
    loose = links.touching(made.store, [second.id])
    if doomed := now if first is twin else twin:
        journal.remove(made, doomed)
    _write(made, twin if first is twin else now, united)
    for each in loose:
        _tie(made, each, second.id, first.id)
    # Metadata and expiry of the one that the other had otherwise.
    return [merged.lost] if merged.lost is not None else []


def _tie(made: Journal, loose: Link, old: str, new: str) -> None:
    """Make a link of the one of two statements that of the other."""
    ends = [new if end == old else end for end in (loose.from_id, loose.to_id)]
    tied = replace(loose, from_id=ends[0], to_id=ends[1])
    if ends[0] != ends[1] and links.found(made.store, tied.key) is None:
        links.put(made, tied)


def _write(made: Journal, now: Statement | None, wanted: Statement) -> None:
    wanted = _unclaimed(made, wanted)
    if now is None:
        journal.add(made, wanted)
    else:
        kept = {name: getattr(now, name) for name in ("number", "scope", "sequence", "recalls", "last_recalled_at")}
        journal.change(made, now, replace(wanted, **kept))


def _unclaimed(made: Journal, wanted: Statement) -> Statement:
    """Let an id be that of the statement that has it for its own, and of no other besides."""
    holder = statements.by_id(made.store, wanted.id)
    if holder is not None and holder.id != wanted.id:
        journal.change(made, holder, replace(holder, aliases=tuple(a for a in holder.aliases if a != wanted.id)))
    free = [
        each
        for each in wanted.aliases
        if (other := statements.by_id(made.store, each)) is None or other.id == wanted.id
    ]
    return replace(wanted, aliases=tuple(free))


def _put_link(made: Journal, key: str, content: Content | None) -> None:
    now = links.found(made.store, key)
    if content is None:
        links.remove(made, [now] if now else [])
        return
    # Its statements may come after it, or be of the other scope; where they are taken away, so is it.
    from_id, type, to_id = key.split(" ")
    ends = [(found.id if (found := statements.by_id(made.store, each)) else each) for each in (from_id, to_id)]
    link = Link(ends[0], ends[1], type, content["score"], loaded(content["at"]), content["agent"])
    if ends == [from_id, to_id]:
        if link != now:
            links.put(made, link)
        return
    # An end is another statement's by now: the link is between those, and gone under this name.
    links.remove(made, [now] if now else [])
    if ends[0] != ends[1] and links.found(made.store, link.key) is None:
        links.put(made, link)


def _put_category(made: Journal, name: str, content: Content | None, about: Content) -> None:
    before = categories.found(made.store, name)
    there = before is not None and before.there
    then = _as_of(made, about)
    if before is not None and there and content is not None and before.kind != content["kind"]:
        before, there = categories.delete(then, before, reason="it is of another kind now"), False
    if content is None:
        if before is not None and there:
            categories.delete(then, before, reason="deleted elsewhere")
    elif content["kind"] == LOG:
        _put_log(then, name, content)
    elif before is None or not there or before.hash != categories.hash_of(content["text"]):
        categories.write(then, before, name, content["text"], operation="sync", reason=str(about.get("reason", "")))


def _put_log(made: Journal, name: str, content: Content) -> None:
    store = made.store
    before = categories.found(store, name)
    own, makers = sync.device(store), sync.makers(store, name)
    there = {makers.get(each.number, (own, each.number)): each for each in entries.of(store, name)}
    wanted = {(each["maker"], each["number"]): each for each in content["entries"]}
    if before and before.there and not there.keys() ^ wanted.keys() and _bounds(before) == _bounds_of(content):
        sync.put_seen(store, name, content["seen"])
        return
    gone = [each.number for maker, each in there.items() if maker not in wanted]
    added = [
        _entry(wanted[maker]) for maker in sorted(wanted.keys() - there.keys(), key=lambda each: wanted[each]["at"])
    ]
    after, numbers = categories.merge_log(made, before, name, added, gone, *_bounds_of(content))
    new = sorted(wanted.keys() - there.keys(), key=lambda each: wanted[each]["at"])
    sync.put_makers(store, after.name, dict(zip(numbers, new, strict=True)))
    sync.put_seen(store, after.name, content["seen"])


def _entry(entry: Content) -> Entry:
    return Entry(0, loaded(entry["at"]), entry["agent"], entry["device"], 0, entry["body"])


def _bounds(log: Any) -> tuple[int, int]:
    return log.max_entries, log.max_age_days


def _bounds_of(content: Content) -> tuple[int, int]:
    return content["max_entries"], content["max_age_days"]


def _as_of(made: Journal, about: Content) -> Journal:
    """Return the journal as it is for what was done elsewhere, then, by somebody else; its items are the same."""
    at: datetime = moment(about, made.at)
    who = Who(str(about.get("agent") or made.who.agent), str(about.get("device") or made.who.device))
    return replace(made, at=at, who=who)
