"""Links that somebody made as lines of JSON, and back again."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memory_cli.errors import NotFound, UsageError
from memory_cli.memory import Memory
from memory_cli.models.links import MADE, Link
from memory_cli.operations.intake import Cleaner
from memory_cli.operations.jsonl import Reader
from memory_cli.store import journal, links, statements
from memory_cli.store.connection import Store
from memory_cli.store.journal import Journal
from memory_cli.text.times import format_moment


def lines(store: Store, ids: Collection[str]) -> Iterator[str]:
    """Yield a line for each link from one of the exported statements, oldest first."""
    with store.snapshot():
        made = links.newest(store, -1)
    yield from (json.dumps(_record(store, each), ensure_ascii=False) for each in reversed(made) if each.from_id in ids)


def is_link(fields: Mapping[str, Any]) -> bool:
    """Tell whether a record is a link and not a statement."""
    return "link" in fields and "text" not in fields


def read(memory: Memory, fields: Mapping[str, Any]) -> Link:
    """Return the link that a record is, with secrets blotted out, or refuse it by name."""
    reader, clean = Reader(fields, now=memory.now, zone=memory.session.zone), Cleaner(memory)
    type, ends = reader.text("link"), [reader.text("from"), reader.text("to")]
    if type not in MADE or not all(ends):
        raise UsageError(f"this link lacks an end, or its type is none of {', '.join(MADE)}")
    score = fields.get("score", 1.0)
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise UsageError(f"`score` is no number from 0 to 1: {score!r}")
    agent = clean.text(reader.text("agent") or memory.session.agent, "agent")
    return Link(clean.id(ends[0]), clean.id(ends[1]), type, float(score), reader.moment("at") or memory.now, agent)


def home(memory: Memory, link: Link, scope: str) -> Store:
    """Return the store of the statement that a link is from."""
    for store in memory.stores(scope):
        if statements.by_id(store, link.from_id):
            return store
    raise NotFound(f"the statement {link.from_id} that it is from is not here")


def take(made: Journal, link: Link, *, marks: bool = False) -> bool:
    """Make a link, unless it is there; tell whether it is new. Ends are named by their own ids.

    With `marks` what the link is to is marked as superseded.
    """
    one, other = (found.id if (found := statements.by_id(made.store, id)) else id for id in (link.from_id, link.to_id))
    named = replace(link, from_id=one, to_id=other)
    if links.found(made.store, named.key):
        return False
    old = statements.by_id(made.store, other) if marks else None
    if old is not None and not old.superseded:
        journal.change(made, old, replace(old, superseded=True))
    return links.put(made, named)


def _record(store: Store, link: Link) -> dict[str, Any]:
    return {
        "link": link.type, "scope": store.scope, "from": link.from_id, "to": link.to_id, "score": link.score,
        "at": format_moment(link.at), "agent": link.agent,
    }  # fmt: skip
