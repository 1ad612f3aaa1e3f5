"""The tools of mcp-memory-rs: `--tools mcp-memory-rs`."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from memory_cli.categories.files import FOLDER
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.categories import Leaf
from memory_cli.models.categories import Meta as Told
from memory_cli.operations import doctor
from memory_cli.operations.category import (
    append,
    compact,
    delete,
    delta,
    history,
    list_,
    places,
    read,
    search,
    telling,
    write,
)
from memory_cli.parameter import Described
from memory_cli.serve.seeds.mcp_memory_rs_answers import (
    Appended,
    Blended,
    Checked,
    Compacted,
    Deleted,
    Delta,
    File,
    Listed,
    Meta,
    Read,
    Row,
    Searched,
    Summary,
    VersionRow,
    Versions,
    Warm,
    Wrote,
)
from memory_cli.serve.seeds.tool import Tool
from memory_cli.store import categories, entries
from memory_cli.store.connection import NAME as DATABASE
from memory_cli.surface import Effect

NAME = "mcp-memory-rs"
INSTRUCTIONS = """\
This is what an agent keeps between conversations: JSON documents by name, called categories. Call `memory_list` to \
see which there are, then `memory_read` with `category`, or `memory_context` with `categories` to read several at once.
Write with `memory_write`: `category` and `data`, which replaces all there is unless `merge` is true; give \
`expected_hash` as a read told it, so that nobody's change is overwritten. Events go to a log with `memory_append`.
Search with `memory_search`. Every write is a version, which `memory_history` lists."""
MOST = 1000

Category = Annotated[str, Described("The name of the category, as memory_list shows it; the argument is not `key`.")]
Only = Annotated[str, Described("Only these top-level keys, comma-separated.")]
Query = Annotated[str, Described("A question or some words.")]
Limit = Annotated[int, Described("At most this many.", at_least=1)]


def memory_read(memory: Memory, category: Category, fields: Only = "") -> Read:
    """Read a category: its data, and beside it hash, size, time and writer.

    The argument is `category`, not `key`; memory_list shows the names.
    """
    found = read.read(memory, category, fields=fields)
    return Read(True, found.meta.category, found.data, _meta(found.meta), found.missing, found.note)


def memory_write(
    memory: Memory,
    category: Category,
    data: Annotated[Mapping[str, Any], Described("The whole document; with merge the keys to change.")],
    reason: Annotated[str, Described("Why, for the history.")] = "",
    expected_hash: Annotated[str, Described("Only if the category has this hash still, as a read told it.")] = "",
    merge: Annotated[bool, Described("Put these top-level keys in, and take out those that are null.")] = False,
) -> Wrote:
    """Replace a category, or with merge some of its keys.

    Every write is a version. With `expected_hash` it is refused if somebody else wrote in between.
    """
    done = write.write(memory, category, data=data, merge=merge, expected_hash=expected_hash, reason=reason)
    return Wrote(
        True, done.category, done.hash, _told(memory, done.category).updated_at, done.changed, bool(done.old_hash),
        done.old_hash, reason,
    )  # fmt: skip


def memory_append(
    memory: Memory,
    category: Category,
    data: Annotated[Mapping[str, Any], Described("The entry.")],
    max_entries: Annotated[int, Described("Keep so many entries; 200 in a new log.", at_least=0)] = 0,
    max_age_days: Annotated[int, Described("Keep entries so many days.", at_least=0)] = 0,
) -> Appended:
    """Add an entry with its time to a log, which is made when there is none.

    Entries beyond its bounds go: what must stay belongs in a category that is written, not appended to.
    """
    done = append.append(memory, category, data=data, max_entries=max_entries, max_age_days=max_age_days)
    (store,) = memory.stores(done.scope)
    one = categories.found(store, done.category)
    assert one is not None
    told, count = places.meta(memory, store, one), entries.count(store, one.name)
    return Appended(True, one.name, one.kind, done.entry, one.hash, told.updated_at, count, done.pruned)


def memory_delete(memory: Memory, category: Category) -> Deleted:
    """Delete a category. Its versions stay, and `memory category restore` on the command line brings it back."""
    done = delete.delete(memory, category)
    return Deleted(True, done.category, bool(done.old_hash))


def memory_list(memory: Memory) -> Listed:
    """List all categories with hash, size, writer and time."""
    found = list_.list_(memory)
    files = [
        File(each.category, each.kind, each.hash, each.updated_at, each.updated_by, each.size)
        for each in found.categories
    ]
    return Listed(True, _summary(memory), files, found.notes)


def memory_search(
    memory: Memory,
    query: Query,
    limit: Limit = 20,
    category: Annotated[str, Described("Only in this category.")] = "",
    updated_after: Annotated[str, Described("Only in categories written since this time, ISO 8601.")] = "",
    updated_before: Annotated[str, Described("Only in categories not written since this time.")] = "",
    actor: Annotated[str, Described("Only in categories that this agent wrote last.")] = "",
) -> Searched:
    """Search the values of all categories by words, best first, with the keys that lead to each."""
    filters = {"category": category, "updated_after": updated_after, "updated_before": updated_before, "actor": actor}
    given = {name: value for name, value in filters.items() if value}
    found = search.search(memory, query, limit=min(limit, MOST), **given)  # type: ignore[arg-type]
    return Searched(True, query, found.total, len(found.hits), list(map(_row, found.hits)), given)


def memory_search_semantic(
    memory: Memory,
    query: Query,
    limit: Limit = 20,
    semantic_weight: Annotated[
        float, Described("How much meaning counts: 0 words alone, 1 meaning alone.", at_least=0, at_most=1)
    ] = 0.5,
) -> Blended:
    """Search the values of all categories by words and by meaning, best first."""
    meant = list(places.everywhere(memory))
    found = search.ranked(memory, query, meant, weight=semantic_weight, limit=min(limit, MOST))
    words = round(1 - semantic_weight, 4)
    return Blended(True, query, semantic_weight, words, found.total, list(map(_row, found.hits)), found.semantic)


def memory_history(memory: Memory, category: Category, limit: Limit = 20) -> Versions:
    """List the versions of a category, newest first: hash, writer, time and reason."""
    found = history.history(memory, category, limit=min(limit, MOST))
    rows = [
        VersionRow(
            each.version, found.category, each.operation, each.hash, each.agent, each.at, each.readable, each.reason
        )
        for each in found.versions
    ]
    return Versions(True, found.category, rows, found.truncated)


def memory_delta(
    memory: Memory,
    category: Category,
    since_hash: Annotated[str, Described("The hash that a read or an earlier call told.")],
) -> Delta:
    """Tell whether a category changed since a hash, and if it did, its data and which keys."""
    found = delta.delta(memory, category, since_hash=since_hash)
    if found.unchanged or found.deleted:
        return Delta(True, "unchanged" if found.unchanged else "deleted", found.category, found.hash)
    whole = read.read(memory, category)
    note = "" if found.known else "It never had this hash, or that version was compacted away; all keys are new."
    return Delta(
        True, "changed", found.category, whole.meta.hash, whole.meta.updated_at, whole.data, list(found.added),
        list(found.changed), found.removed, note,
    )  # fmt: skip


def memory_context(
    memory: Memory,
    categories: Annotated[Sequence[str], Described("The names of the categories.")],
    fields: Only = "",
) -> Warm:
    """Read several categories at once to begin a conversation, within a budget of tokens."""
    told, notes = telling.told(memory, categories, memory.settings.context.budget, fields)
    found = {each.category: each.data for each in told}
    size = sum(len(json.dumps(each, ensure_ascii=False).encode()) for each in found.values())
    cut = [each.category for each in told if each.cut]
    return Warm(True, found, len(found), size, memory.session.device, cut, notes)


def memory_compact(
    memory: Memory,
    category: Annotated[str, Described("Only this category; all by default.")] = "",
    keep_versions: Annotated[int, Described("Keep so many of the newest versions of each.", at_least=1)] = 5,
) -> Compacted:
    """Let go of old versions, which cannot be read any more after that."""
    done = compact.compact(memory, category, keep_versions=keep_versions)
    return Compacted(True, keep_versions, done.versions, done.bytes, _summary(memory))


def memory_doctor(memory: Memory) -> Checked:
    """Check the store, its files, the categories and the model. Nothing is changed."""
    found = doctor.doctor(memory)
    scope = GLOBAL if GLOBAL in memory.session.scopes else LOCAL
    folder = memory.roots.local_store if scope == LOCAL else memory.roots.global_store
    assert folder is not None
    database = folder / DATABASE
    return Checked(
        True, not found.exit_code, memory.session.device, str(folder), str(database), database.exists(),
        (folder / FOLDER).is_dir(), found.findings, _summary(memory),
    )  # fmt: skip


HERE, SYNC = "mcp_memory_rs", "mcp_memory_rs_sync"
TOOLS = tuple(
    Tool(name, effect, "", tool=name, tools=NAME, module=module)
    for name, effect, module in (
        ("memory_read", Effect.READS, HERE),
        ("memory_write", Effect.CHANGES, HERE),
        ("memory_append", Effect.ADDS, HERE),
        ("memory_delete", Effect.REMOVES, HERE),
        ("memory_list", Effect.READS, HERE),
        ("memory_search", Effect.READS, HERE),
        ("memory_search_semantic", Effect.READS, HERE),
        ("memory_history", Effect.READS, HERE),
        ("memory_delta", Effect.READS, HERE),
        ("memory_context", Effect.READS, HERE),
        ("memory_compact", Effect.REMOVES, HERE),
        ("memory_status", Effect.READS, SYNC),
        ("memory_doctor", Effect.READS, HERE),
        ("sync_manifest", Effect.READS, SYNC),
        ("sync_diff", Effect.READS, SYNC),
        ("sync_push", Effect.CHANGES, SYNC),
        ("sync_pull", Effect.CHANGES, SYNC),
        ("memory_sync", Effect.CHANGES, SYNC),
    )
)


def _meta(told: Told) -> Meta:
    return Meta(told.hash, told.updated_at, told.updated_by, told.size, told.kind, told.version)


def _told(memory: Memory, name: str) -> Told:
    store, one, _note = places.found(memory, name, "")
    return places.meta(memory, store, one)


def _row(leaf: Leaf) -> Row:
    return Row(leaf.category, leaf.key_path, leaf.snippet, leaf.score)


def _summary(memory: Memory) -> Summary:
    there = [(store, one) for store in memory.stores() for one in categories.everything(store)]
    versions = sum(categories.count_versions(store, one.name) for store, one in there)
    return Summary(len(there), versions, sum(places.meta(memory, store, one).size for store, one in there))
