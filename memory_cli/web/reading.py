"""What the page reads; none of it changes a store, not even the counts of a recall."""

from dataclasses import replace
from typing import Any, get_args

from starlette.datastructures import QueryParams

from memory_cli.errors import NotFound, UsageError
from memory_cli.memory import LOCAL, Memory
from memory_cli.models.frozen import Frozen
from memory_cli.models.links import Graph
from memory_cli.models.results import Diagnosis, History, Listed, Recalled, Shown, Stats, Status, Unit
from memory_cli.models.statement import Filters
from memory_cli.operations import list_ as listing
from memory_cli.operations import parameters as given
from memory_cli.operations import shown
from memory_cli.operations.doctor import doctor
from memory_cli.operations.export import markdown
from memory_cli.operations.graph import graph
from memory_cli.operations.history import history
from memory_cli.operations.list_ import list_
from memory_cli.operations.recall import answered
from memory_cli.operations.show import show
from memory_cli.operations.stats import stats
from memory_cli.operations.status import status
from memory_cli.retrieval.search import search
from memory_cli.store import statements as rows

PAGE = 50
GRAPH = 120
FURTHEST = 10**9
EXCERPT = 700
SCOPES = get_args(given.ScopeName)
SORTS = get_args(listing.Sort)


class Overview(Frozen):
    """What the page shows around the statements."""

    status: Status
    stats: Stats


class Health(Frozen):
    """What waits and what is wrong."""

    status: Status
    diagnosis: Diagnosis


class Document(Frozen):
    """A whole scope as Markdown."""

    scope: str
    text: str
    statements: int


class CurrentHandoff(Frozen):
    """The project's handoff as a statement, if there is a project and it has one."""

    project: bool
    shown: Shown | None = None


def overview(memory: Memory, asked: QueryParams) -> Overview:
    """Return roots, counts and what there is to filter by."""
    return Overview(status(memory), stats(memory, include_expired=True))


def statements(memory: Memory, asked: QueryParams) -> Listed | Recalled:
    """Return a page of statements, those that answer a query or all, texts shortened."""
    scope, offset = _scope(asked), _offset(asked)
    query = asked.get("query", "").strip()
    filters: dict[str, Any] = {
        "since": asked.get("since", ""),
        "until": asked.get("until", ""),
        "include_expired": asked.get("expired") == "1",
    }
    filters |= {name: asked.getlist(name) for name in ("kind", "agent", "tag") if asked.getlist(name)}
    if query:
        found: Listed | Recalled = _recalled(memory, query, given.filters(memory, **filters), scope, offset)
    else:
        found = list_(memory, **filters, scope=scope, sort=_sort(asked), limit=PAGE, offset=offset, budget=0)
    return replace(found, units=[_brief(each) for each in found.units])


def statement(memory: Memory, asked: QueryParams) -> Shown:
    """Return one statement whole, with its changes and its version."""
    return show(memory, asked.get("id", ""), scope=_scope(asked))


def handoff(memory: Memory, asked: QueryParams) -> CurrentHandoff:
    """Return the handoff; that there is none is no failure here."""
    found = next((one for store in memory.stores(LOCAL) if (one := rows.handoff(store))), None)
    told = show(memory, found.id, scope="local") if found else None
    return CurrentHandoff(memory.roots.local_store is not None, told)


def changes(memory: Memory, asked: QueryParams) -> History:
    """Return a page of the history, of one statement or of all."""
    return history(
        memory, asked.get("id", ""), scope=_scope(asked), limit=PAGE, offset=_offset(asked), budget=0
    )  # fmt: skip


def linked(memory: Memory, asked: QueryParams) -> Graph:
    """Return the graph of what is linked, or of what matches a filter."""
    return graph(memory, asked.get("filter", ""), limit=GRAPH, budget=0)


def document(memory: Memory, asked: QueryParams) -> Document:
    """Return the whole of one scope as Markdown."""
    scope = _scope(asked) or LOCAL
    for store in memory.stores(scope):
        text, count = markdown(store, Filters(now=memory.now, include_expired=True))
        return Document(scope, text, count)
    raise NotFound(f"The {scope} memory is empty.")


def health(memory: Memory, asked: QueryParams) -> Health:
    """Return the state of both scopes and what a check finds; nothing is mended."""
    return Health(status(memory), doctor(memory))


def _recalled(memory: Memory, query: str, wanted: Filters, scope: str, offset: int) -> Recalled:
    """Return the answer of a recall that leaves no trace: somebody who types asks a question a letter."""
    embedder, why_not = memory.embedder(hurried=True)
    found = search(
        memory.stores(scope), query, wanted, settings=memory.settings, embedder=embedder, why_not=why_not,
        reranking=memory.reranking(), limit=PAGE, offset=offset,
    )  # fmt: skip
    return answered(memory, found, offset=offset, budget=0, explain=True, scope=scope)


def _brief(unit: Unit) -> Unit:
    return replace(unit, text=shown.excerpt(unit.text, EXCERPT), cut=unit.cut or len(unit.text) > EXCERPT)


def _scope(asked: QueryParams) -> given.ScopeName:
    scope: given.ScopeName = _one_of("scope", asked.get("scope", ""), SCOPES)
    return scope


def _sort(asked: QueryParams) -> listing.Sort:
    sort: listing.Sort = _one_of("sort", asked.get("sort", "newest"), SORTS)
    return sort


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> Any:
    if value not in choices:
        raise UsageError(f"There is no {name} {value!r}; there is {', '.join(filter(None, choices))}.")
    return value


def _offset(asked: QueryParams) -> int:
    text = asked.get("offset", "0")
    if not (text.isascii() and text.isdecimal()) or int(text[:12]) > FURTHEST:
        raise UsageError(f"The offset {text[:20]!r} is no number from 0 to {FURTHEST}.")
    return int(text)
