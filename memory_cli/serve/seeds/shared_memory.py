"""The seven tools of shared-memory: `--tools shared-memory`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from memory_cli.errors import MemoryCliError, NotFound, UsageError
from memory_cli.memory import Memory
from memory_cli.models.frozen import Frozen
from memory_cli.models.links import Edge, LinkShown
from memory_cli.models.statement import HANDOFF, Statement
from memory_cli.operations import forget, graph, links, recall, record, shown, stats, update
from memory_cli.operations.intake import Cleaner, merged
from memory_cli.parameter import Described
from memory_cli.serve.seeds.tool import Tool
from memory_cli.store import journal, statements
from memory_cli.surface import Effect
from memory_cli.text.kinds import DEFAULT_KIND, KIND
from memory_cli.text.times import parse_moment

NAME = "shared-memory"
INSTRUCTIONS = """\
This is a memory that several agents share. Call `memory_search` before you answer or decide, and `memory_add` for \
what should be known later: one self-contained statement at a time, with `agent` and `source` in its `metadata`.
Change what no longer holds with `memory_update`. `memory_forget` only shows what would go until `dry_run` is false."""
MOST, MOST_NODES = 1000, 200
EXCERPT = 200

Agent = Annotated[str, Described("Only what this agent recorded.")]
Source = Annotated[str, Described("Only what came from this source.")]
Metadata = Annotated[
    Mapping[str, Any] | None,
    Described("An object; agent, source, timestamp, kind and superseded count, the rest is kept as it is."),
]
Id = Annotated[str, Described("The id, whole.")]


class Hit(Frozen):
    """A chunk that answers a query."""

    id: str
    text: str
    metadata: Mapping[str, Any]
    score: float


class Changed(Frozen):
    """What a chunk became."""

    id: str
    changed: list[str]
    metadata: Mapping[str, Any]


class Sample(Frozen):
    """A chunk that would go, or went: the beginning of its words."""

    id: str
    text: str


class Gone(Frozen):
    """How many chunks matched, and how many went."""

    matched: int
    deleted: int
    dry_run: bool
    sample: list[Sample]


class Counted(Frozen):
    """How many chunks there are."""

    total: int
    by_agent: Mapping[str, int]
    by_source: Mapping[str, int]
    collection: str
    backend: str


class LinkRow(Frozen):
    """A link between two chunks."""

    from_id: str
    to_id: str
    type: str
    score: float
    created_at: str


class GraphNode(Frozen):
    """A chunk of a graph: the beginning of its words."""

    id: str
    text: str
    agent: str
    kind: str


class GraphShown(Frozen):
    """Chunks and the links between them."""

    nodes: list[GraphNode]
    edges: list[LinkRow]


def memory_search(
    memory: Memory,
    query: Annotated[str, Described("A question or some words.")],
    top_k: Annotated[int, Described("At most this many.", at_least=1)] = 5,
    agent_filter: Agent = "",
    source_filter: Source = "",
    since: Annotated[str, Described("Only from this time on, ISO 8601.")] = "",
) -> list[Hit]:
    """Search the memory by meaning and by exact identifiers, best first."""
    found = recall.recall(
        memory, query, agent=_one(agent_filter), source=_one(source_filter), since=since, limit=min(top_k, MOST),
        budget=0,
    )  # fmt: skip
    return [
        Hit(each.id, one.text, _metadata(one), _score(each.score))
        for each in found.units
        if (one := _known(memory, each.id))
    ]


def memory_add(
    memory: Memory,
    text: Annotated[str, Described("What to remember.")],
    metadata: Metadata = None,
) -> str:
    """Add a chunk to the memory and return its id."""
    given = metadata or {}
    made = record.record(
        memory, text, kind=_kind(given) or DEFAULT_KIND, agent=_text(given, "agent"),
        source=_text(given, "source"), at=_text(given, "timestamp"), meta=metadata,
    )  # fmt: skip
    if given.get("superseded") is True:
        update.update(memory, made.id, superseded=True)
    return made.id


def memory_update(
    memory: Memory,
    id: Id,
    text: Annotated[str, Described("The new words; none leaves them.")] = "",
    metadata: Metadata = None,
    replace_metadata: Annotated[bool, Described("Put `metadata` in place of all there is, not into it.")] = False,
) -> Changed:
    """Change the words or the metadata of a chunk, which keeps its id."""
    one = _named(memory, id)
    given = metadata or {}
    superseded = given.get("superseded")
    done = update.update(
        memory, one.id, text, kind=_kind(given), meta=metadata, replace_meta=replace_metadata and metadata is not None,
        superseded=superseded if isinstance(superseded, bool) else None, scope=_scope(one),
    )  # fmt: skip
    _restamp(memory, one.id, given)
    return Changed(
        one.id, [each for each in done.changed if each in ("text", "metadata")], _metadata(_named(memory, one.id))
    )


def memory_forget(
    memory: Memory,
    ids: Annotated[Sequence[str], Described("The ids of what to forget.")] = (),
    agent_filter: Agent = "",
    source_filter: Source = "",
    dry_run: Annotated[bool, Described("Only show what would go.")] = True,
    expect_count: Annotated[
        int | None, Described("How many filters must match, where dry_run is false.", at_least=0)
    ] = None,
) -> Gone:
    """Forget chunks by their ids, or all that filters match; a dry run, unless told otherwise.

    By filters the expected count must be given, and be right. Without ids and filters nothing is forgotten.
    """
    if ids and (agent_filter or source_filter):
        raise UsageError("Give either ids or filters; nothing was forgotten.")
    if ids:
        return _forget_ids(memory, ids, dry_run=dry_run, expect_count=expect_count)
    if not agent_filter and not source_filter:
        raise UsageError("Without ids and filters this would forget everything; nothing was forgotten.")
    if not dry_run and expect_count is None:
        raise UsageError("To forget by filters, give expect_count as the dry run shows it; nothing was forgotten.")
    try:
        done = forget.forget(
            memory, agent=_one(agent_filter), source=_one(source_filter), yes=not dry_run,
            expect_count=-1 if dry_run or expect_count is None else expect_count,
        )  # fmt: skip
    except NotFound:
        if not dry_run and expect_count:
            raise
        return Gone(0, 0, dry_run, [])
    return Gone(done.matched, done.forgotten, dry_run, [Sample(each.id, each.text) for each in done.sample])


def memory_stats(memory: Memory) -> Counted:
    """Count the chunks, by agent and by source."""
    found = stats.stats(memory)
    return Counted(found.total, found.by_agent, found.by_source, "shared_memory", "sqlite")


def memory_links(
    memory: Memory,
    id: Id,
    type: Annotated[str, Described("Only links of this type, such as similar or tag.")] = "",
    limit: Annotated[int, Described("At most this many.", at_least=1)] = 50,
) -> list[LinkRow]:
    """List the links of a chunk, in either direction."""
    one = _named(memory, id)
    # A type that we do not know is one that nothing has.
    found = links.links(memory, one.id, scope=_scope(one), limit=MOST).links
    return [_row(each) for each in found if type in ("", each.type)][:limit]


def memory_graph(
    memory: Memory,
    filter: Annotated[str, Described("A part of an id, of a text or of an agent's name.")] = "",
    limit: Annotated[int, Described("At most this many chunks, and never more than 200.", at_least=1)] = 100,
) -> GraphShown:
    """Return chunks and the links between them, with their direct neighbours."""
    found = graph.graph(memory, filter, limit=min(limit, MOST_NODES), budget=0)
    nodes = [GraphNode(each.id, each.text, next(iter(each.agents), ""), each.kind.lower()) for each in found.nodes]
    return GraphShown(nodes, [_row(each) for each in found.edges])


TOOLS = tuple(
    Tool(name, effect, "", tool=name, tools=NAME, module="shared_memory")
    for name, effect in {
        "memory_search": Effect.READS,
        "memory_add": Effect.ADDS,
        "memory_update": Effect.CHANGES,
        "memory_forget": Effect.REMOVES,
        "memory_stats": Effect.READS,
        "memory_links": Effect.READS,
        "memory_graph": Effect.READS,
    }.items()
)


def _forget_ids(memory: Memory, ids: Sequence[str], *, dry_run: bool, expect_count: int | None) -> Gone:
    found = {one.id: one for each in ids if (one := _known(memory, each))}
    if expect_count is not None and not dry_run and expect_count != len(found):
        raise MemoryCliError(f"{len(found)} chunks have these ids, not {expect_count}; nothing was forgotten.")
    if found and not dry_run:
        forget.forget(memory, id=list(found))
    sample = [Sample(each.id, shown.excerpt(each.text, EXCERPT)) for each in list(found.values())[: forget.SAMPLE]]
    return Gone(len(found), 0 if dry_run else len(found), dry_run, sample)


def _restamp(memory: Memory, id: str, given: Mapping[str, Any]) -> None:
    """Let agent, source and timestamp of new metadata be those that filters go by, as they are in that system."""
    clean = Cleaner(memory)
    agent, source = ("".join(clean.names(_one(_text(given, name)), name)) for name in ("agent", "source"))
    time = _text(given, "timestamp")
    if not (agent or source or time):
        return
    at = parse_moment(time, now=memory.now, zone=memory.session.zone) if time else None
    store = next(each for each in memory.stores() if statements.by_id(each, id))
    with journal.writing(store, "update", memory.who, memory.now) as made:
        before = statements.by_id(store, id)
        if before is None:
            return
        first, *rest = before.origins
        origin = replace(first, agent=agent or first.agent, source=source or first.source)
        after = replace(before, at=at or before.at, origins=merged((origin,), rest))
        journal.change(made, before, replace(after, updated_at=memory.now))


def _known(memory: Memory, id: str) -> Statement | None:
    return next((one for store in memory.stores() if (one := statements.by_id(store, id))), None)


def _named(memory: Memory, id: str) -> Statement:
    if one := _known(memory, id):
        return one
    raise NotFound(f"No chunk has the id {id}; memory_search shows ids.")


def _metadata(one: Statement) -> dict[str, Any]:
    """Return the metadata as it was given, with what this system's chunks always say of themselves."""
    told: dict[str, Any] = {
        "agent": next(iter(one.agents), ""),
        "source": next(iter(one.sources), ""),
        "kind": one.kind.lower(),
        "timestamp": shown.moment(one.at),
    }
    if one.superseded:
        told["superseded"] = True
    return {**told, **one.metadata}


def _score(score: float) -> float:
    """Return a score from 0 to 1, as that system's are; ours have no upper bound. The order stays."""
    return round(max(score, 0.0) / (1.0 + max(score, 0.0)), 4)


def _kind(metadata: Mapping[str, Any]) -> str:
    named = _text(metadata, "kind").strip()
    # A handoff is a project's, and no kind of this system.
    return named if KIND.fullmatch(named) and named.upper() != HANDOFF else ""


def _text(metadata: Mapping[str, Any], name: str) -> str:
    value = metadata.get(name)
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _scope(one: Statement) -> Any:
    return one.scope


def _one(name: str) -> tuple[str, ...]:
    return (name,) if name else ()


def _row(link: Edge | LinkShown) -> LinkRow:
    return LinkRow(link.from_id, link.to_id, link.type, link.score, link.created_at)
