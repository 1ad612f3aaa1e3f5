"""One question, one answer: the statements of all stores ranked together on one scale."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field, replace
from datetime import UTC, tzinfo
from heapq import nlargest

from memory_cli.embedding import Embedder, ModelUnavailable
from memory_cli.models.frozen import Frozen
from memory_cli.models.statement import Filters, Statement
from memory_cli.retrieval import meaning
from memory_cli.retrieval.fusion import Evidence, Ranked, nothing, ranked, told
from memory_cli.retrieval.meaning import Likeness
from memory_cli.retrieval.preferences import Asking, preferences
from memory_cli.retrieval.repetitions import Collapsed, Repetitions
from memory_cli.retrieval.rerank import Reordered, Reranking, pool, reordered
from memory_cli.retrieval.words import Matcher, Statistics, affordable, named_agents, statistics, telling
from memory_cli.settings import Settings
from memory_cli.settings.retrieval import Retrieval
from memory_cli.store import statements, words
from memory_cli.store.connection import Store
from memory_cli.text.analysis import STOP_STEMS, Query, index_tokens, query_terms

__all__ = ["Collapsed", "Found", "Hit", "search", "similar_words"]

# How many are read at a time; the first time what a page takes, and a few more for those that are set aside.
READ, SPARE = 32, 3
# Of rows that words are found in, so many times as many as are wanted are weighed, those that hold the rarest words.
WEIGHED = 10
# Of a long text its beginning is looked up.
SIMILAR_TOKENS = 600
SIMILAR_TERMS = 12
SURPLUS = 3
# What says nearly the same has nearly all the words, and so some of the rarest: the frequent ones need no look.
SIMILAR_ROWS = 500
SIMILAR_POOL = 30
SIMILAR_SHARE = 0.6


class Hit(Frozen):
    """A statement that answers, with its score and its parts, and where in its text the passage begins that does."""

    statement: Statement
    score: float
    parts: Mapping[str, float]
    passage: int = 0


class Found(Frozen):
    """The hits, best first, and what else there is to say about them.

    `semantic` is the reason why meaning took no part, empty when it did; `weak` says that there were candidates,
    all too weak to be an answer; `unindexed` names the scopes some of whose statements no word can find.
    `reranked` counts what a cross-encoder scored, and `rerank` is the reason why it did not score all that it was to.
    """

    hits: list[Hit] = field(default_factory=list)
    collapsed: list[Collapsed] = field(default_factory=list)
    truncated: bool = False
    semantic: str = ""
    weak: bool = False
    unindexed: tuple[str, ...] = ()
    reranked: int = 0
    rerank: str = ""


def search(
    stores: Sequence[Store],
    query: str,
    filters: Filters,
    *,
    settings: Settings,
    embedder: Embedder | None,
    why_not: str,
    reranking: Reranking | None = None,
    limit: int,
    offset: int = 0,
    zone: Callable[[], tzinfo] = lambda: UTC,
) -> Found:
    """Rank the statements that pass filters by how well they answer query."""
    asked = query_terms(query)
    with ExitStack() as stack:
        for store in stores:
            stack.enter_context(store.snapshot())
        known = statistics(stores, asked)
        threads = settings.runtime.threads
        formers = [meaning.former(store, embedder, threads) if embedder else None for store in stores]
        shares = named_agents(asked, known)
        question = _Question(stores, asked, filters, known, shares, embedder, formers, settings.retrieval)
        try:
            likenesses = question.likenesses()
        except ModelUnavailable as error:
            # A provider may fail at any question; words answer then.
            embedder, why_not, likenesses = None, str(error), []
        found = question.evidence(likenesses, max(settings.retrieval.pool_depth, 2 * (offset + limit)))
        order = (
            []
            if nothing(found, known.statements, meaning.floored(settings.retrieval, embedder), english=asked.english)
            else ranked(
                found,
                question.named,
                preferences(found, stores, Asking(asked, filters.now, zone, settings.retrieval)),
                meaning.weighed(settings.retrieval, embedder, query),
            )
        )
        final = _reranked(stores, order, query, reranking, settings.retrieval)
        shown = _shown(stores, final.order, likenesses, settings.retrieval, offset=offset, limit=limit)
        unindexed = tuple(store.scope for store in stores if not words.complete(store))
        return replace(
            shown,
            semantic=why_not,
            weak=bool(found) and not order,
            unindexed=unindexed,
            reranked=final.scored,
            rerank=final.said,
        )


def similar_words(store: Store, statement: Statement, limit: int = 3) -> list[Statement]:
    """Return up to limit other statements that have nearly all their words in common with this one."""
    tokens = index_tokens(statement.text)
    mine = _telling(tokens)
    looked_up = mine.intersection(tokens[:SIMILAR_TOKENS])
    near: list[tuple[float, int]] = []
    # Each read by itself would take and give back its locks, which takes longer than the read.
    with store.snapshot():
        likely = [number for number in _likely(store, mine, looked_up) if number != statement.number]
        for number, theirs in words.texts(store, likely) if likely else ():
            telling = _telling(theirs)
            shared = len(mine & telling) / len(mine | telling)
            if shared >= SIMILAR_SHARE:
                near.append((shared, number))
        there = statements.numbered(store, [number for _, number in near]) if near else {}
    best = sorted(((shared, there[number].sequence, number) for shared, number in near), reverse=True)
    return [there[number] for _, _, number in best if not there[number].superseded][:limit]


def _likely(store: Store, mine: set[str], looked_up: set[str]) -> list[int]:
    """Return the row numbers of what may be similar: it has the most of some words that few have.

    Who lacks less than its share of the words has, of any so many, all but that share: the more are looked up, the
    more of them it has. Long ones are mostly rare.
    """
    spare = int((1 - SIMILAR_SHARE) * len(mine))
    ordered = sorted(looked_up, key=lambda token: (-len(token), token))
    enough = min(spare + SURPLUS, SIMILAR_TERMS)
    rare, frequent = words.holders(store, ordered, most=SIMILAR_ROWS, enough=enough, spare=spare)
    shared = sorted((rows for rows in rare if len(rows) > 1), key=len)
    # So many words that nobody else has leave too few to share.
    if len(rare) - len(shared) > spare:
        return []
    if not shared:
        return words.holding_all(store, frequent[:SIMILAR_TERMS], limit=SIMILAR_POOL)
    tally = _tallied(shared, least := len(rare) - spare)
    likely = [number for number, times in tally.items() if times >= least]
    return nlargest(SIMILAR_POOL, likely, key=lambda number: (tally[number], number))


def _tallied(shared: Sequence[Sequence[int]], least: int) -> Counter[int]:
    """Count in how many of the lists each number stands, but for those that cannot come to least any more."""
    tally: Counter[int] = Counter()
    for left, rows in zip(range(len(shared), 0, -1), shared, strict=True):
        tally.update(rows if left >= least else tally.keys() & rows)
        if least <= 0 and tally.total() > SIMILAR_ROWS:
            break
    return tally


class _Question(Frozen):
    stores: Sequence[Store]
    asked: Query
    filters: Filters
    known: Statistics
    shares: Mapping[str, float]
    embedder: Embedder | None
    formers: Sequence[Embedder | None]
    settings: Retrieval

    @property
    def named(self) -> dict[str, float]:
        """What each agent that the query names lifts its statements by."""
        return {token: self.settings.agent_weight * share for token, share in self.shares.items()}

    def likenesses(self) -> list[Likeness]:
        """Return how like every statement is to the question, a store each; nothing where no model can say."""
        current, share = self.embedder, self.settings.latin_share
        if not current or not meaning.understood(self.asked, current, share):
            return []
        # The name of who said something stands in its agent, not in its words, and only blurs what they mean.
        about = [chunk for chunk, terms in self.asked.words if not (terms and terms[0].token in self.shares)]
        text = " ".join(about) or self.asked.text
        vector = current.embed_query(text)
        found = []
        for store, old in zip(self.stores, self.formers, strict=True):
            helps = old if old and meaning.understood(self.asked, old, share) else None
            former = meaning.likeness(store, helps, helps.embed_query(text), share) if helps else None
            found.append(meaning.likeness(store, current, vector, share, former))
        return found

    def evidence(self, likenesses: Sequence[Likeness], depth: int) -> list[Evidence]:
        """Return the candidates of both legs, each with what both legs say of it."""
        matcher = Matcher(self.asked, self.known, self.shares, self.settings)
        found = []
        for place, store in enumerate(self.stores):
            like = likenesses[place] if likenesses else None
            begun = like.begin() if like else None
            numbers = dict.fromkeys(self._by_words(place, matcher, depth))
            if like:
                numbers |= dict.fromkeys(like.best(depth, self.filters, begun))
                like.look_up(numbers)
            for each in words.candidates(store, numbers):
                likeness = like.of(each.number, each.head) if like else None
                found.append(Evidence(place, each, matcher.match(each), likeness))
        return found

    def _by_words(self, place: int, matcher: Matcher, depth: int) -> list[int]:
        counts, agents = self.known.by_store[place], matcher.only_names
        terms = affordable(self.asked.terms, counts, self.settings.match_budget)
        rare = () if agents else telling(terms, counts, WEIGHED * depth)
        return words.matching(self.stores[place], terms, self.filters, limit=depth, agents=agents, rare=rare)


def _reranked(
    stores: Sequence[Store], order: list[Ranked], query: str, reranking: Reranking | None, settings: Retrieval
) -> Reordered:
    if not reranking or not order:
        return Reordered(order, said=reranking.why_not if reranking else "")
    chosen = pool(order, settings) if reranking.reranker else []
    texts = [statement.text for _, statement in _read(stores, chosen, first=len(chosen))]
    return reordered(order, texts, query, reranking, settings)


def _shown(
    stores: Sequence[Store],
    order: Sequence[Ranked],
    likenesses: Sequence[Likeness],
    settings: Retrieval,
    *,
    offset: int,
    limit: int,
) -> Found:
    """Take hits in order, setting aside what repeats one of them, until the page is full."""
    places = {store.scope: place for place, store in enumerate(stores)}

    def alike(one: Statement, other: Statement) -> float | None:
        if not likenesses:
            return None
        left, right = (likenesses[places[each.scope]].matrix(each.number) for each in (one, other))
        if left is None or right is None or left.shape != right.shape:
            return None
        return float((left * right).sum(axis=1).min())

    repetitions = Repetitions(alike, settings.duplicate_cosine)
    hits: list[Hit] = []
    collapsed: list[Collapsed] = []
    for each, statement in _read(stores, order, first=offset + limit + SPARE):
        if repeated := repetitions.collapse(statement):
            collapsed.append(repeated)
        elif len(hits) == offset + limit:
            return Found(hits[offset:], collapsed, truncated=True)
        else:
            like = likenesses[places[statement.scope]] if likenesses else None
            passage = like.passage(statement.number, statement.text) if like else None
            hits.append(Hit(statement, each.score, told(each.parts), passage.start if passage else 0))
    return Found(hits[offset:], collapsed)


def _read(stores: Sequence[Store], order: Sequence[Ranked], *, first: int) -> Iterator[tuple[Ranked, Statement]]:
    """Yield ranked candidates with their statements, the first so many read at once, and then a few at a time."""
    start, end = 0, first
    while some := order[start:end]:
        there = [
            statements.numbered(
                store, [each.evidence.candidate.number for each in some if each.evidence.store == place]
            )
            for place, store in enumerate(stores)
        ]
        for each in some:
            yield each, there[each.evidence.store][each.evidence.candidate.number]
        start, end = end, end + READ


def _telling(tokens: Iterable[str]) -> set[str]:
    """Return the tokens but for stop words, or all of them where there is nothing else."""
    found = set(tokens)
    return found - STOP_STEMS or found or {""}
