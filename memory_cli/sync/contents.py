"""What there is of a thing that syncs: its content, by which it has its hash, and what is told beside."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from memory_cli.models.categories import LOG, Category
from memory_cli.models.statement import Statement
from memory_cli.store import categories, codec, entries, links, statements, sync
from memory_cli.store.connection import Store
from memory_cli.store.families import BLANK, STATEMENT
from memory_cli.store.moments import loaded, stored

Content = Mapping[str, Any]
# What somebody changes first: a link needs its statement.
FAMILIES = (categories.FAMILY, STATEMENT, links.FAMILY)
FIELDS = ("kind", "text", "at", "updated_at", "expires_at", "metadata", "superseded", "origins", "aliases")
LINK_FIELDS = ("score", "at", "agent")
# So many versions back the one is looked for that two devices have in common.
ANCESTORS = 50


def hash_of(content: Content | None) -> str:
    """Return the hash of a content, empty for what is deleted."""
    if content is None:
        return ""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def content_of(store: Store, family: str, key: str) -> Content | None:
    """Return the content of a thing, nothing when it is gone."""
    if family == STATEMENT:
        return of_statement(found) if (found := exact(store, key)) else None
    if family == links.FAMILY:
        made = links.found(store, key)
        return {name: links.packed(made)[name] for name in LINK_FIELDS} if made else None
    one = categories.found(store, key)
    return of_category(store, one) if one and one.there else None


def exact(store: Store, id: str) -> Statement | None:
    """Return the statement whose own id this is, and not one that answers for it."""
    found = statements.by_id(store, id)
    return found if found and found.id == id else None


def everything(store: Store) -> Iterator[tuple[str, str]]:
    """Yield every thing that syncs."""
    yield from ((categories.FAMILY, each.name) for each in categories.everything(store))
    yield from ((STATEMENT, each) for each in sync.ids(store))
    yield from ((links.FAMILY, each) for each in sync.link_keys(store))


def of_statement(one: Statement) -> dict[str, Any]:
    """Return the content of a statement; how often it was recalled is this device's own affair."""
    return in_order(codec.packed(one, FIELDS))


def in_order(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a statement with what has no order in one that every device has."""
    content["origins"] = sorted(content["origins"], key=lambda each: (each[0].casefold(), each[1].casefold(), each))
    content["aliases"] = sorted(content["aliases"])
    return content


def statement_of(id: str, content: Content) -> Statement:
    """Return the statement that a content is of."""
    return codec.unpacked(Statement(0, id, "", 0, "", "", BLANK.at, BLANK.updated_at), content)


def of_category(store: Store, one: Category) -> dict[str, Any]:
    """Return the content of a category: its text, or a log's entries and how far those of each device were seen."""
    if one.kind != LOG:
        return {"kind": one.kind, "text": categories.payload(store, one.hash) or ""}
    own, makers = sync.device(store), sync.makers(store, one.name)
    found = entries.of(store, one.name)
    numbers = [each.number for each in found]
    told = [
        {"maker": maker, "number": number, "at": stored(each.at), "agent": each.agent, "device": each.device,
         "body": each.body}
        for each in found
        for maker, number in [makers.get(each.number, (own, each.number))]
    ]  # fmt: skip
    seen = sync.seen(store, one.name)
    # Its own are all that were ever appended here; numbers that others' entries have leave gaps, which is no matter.
    seen[own] = max([seen.get(own, 0), *(number for number in numbers if number not in makers)])
    return {
        "kind": LOG, "max_entries": one.max_entries, "max_age_days": one.max_age_days,
        "entries": sorted(told, key=entry_order), "seen": {name: number for name, number in seen.items() if number},
    }  # fmt: skip


def entry_order(entry: Content) -> tuple[int, str, int]:
    """Return what the entries of a log are in order by, on every device."""
    return entry["at"], entry["maker"], entry["number"]


def about(store: Store, family: str, key: str) -> dict[str, Any]:
    """Return what is told beside a content: of a category when, by whom and why, and what it was before."""
    if family != categories.FAMILY or not (versions := categories.versions(store, key, limit=ANCESTORS)):
        return {}
    newest = versions[0]
    return {
        "at": stored(newest.at), "agent": newest.agent, "device": newest.device, "reason": newest.reason,
        "ancestors": list(dict.fromkeys(each.hash for each in versions if each.hash)),
    }  # fmt: skip


def moment(told: Content, fallback: datetime) -> datetime:
    """Return the time that is told beside a content."""
    at = told.get("at")
    return loaded(at) if isinstance(at, int) and not isinstance(at, bool) else fallback.astimezone(UTC)
