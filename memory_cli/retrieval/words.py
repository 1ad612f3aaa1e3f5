"""The words leg: how well each candidate matches the terms of a query, on one scale for all stores."""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from memory_cli.models.frozen import Frozen
from memory_cli.settings.retrieval import Retrieval
from memory_cli.store import words
from memory_cli.store.connection import Store
from memory_cli.store.words import Candidate, Count, Size
from memory_cli.text.analysis import Query, Term

# A store of a few statements cannot tell how rare a word is, and what is absent may only be said otherwise.
SMALLEST = 50
ABSENT = 0.7
OPTIONAL = 0.5
# What an agent may be called that is a common word too; only with a capital does it name the agent.
ROLES = frozenset({"admin", "agent", "ai", "assist", "bot", "cli", "code", "human", "me", "mcp", "system", "user"})


class Statistics(Frozen):
    """What the stores hold together: how much, and in how many statements each term stands."""

    statements: int
    mean: float
    counts: Mapping[Term, int]
    agents: Mapping[Term, int]
    by_store: tuple[Mapping[Term, Count], ...]


class Match(NamedTuple):
    """How a candidate matches by words: BM25, the share of the query that was found, a whole identifier or not."""

    bm25: float
    coverage: float
    identifier: bool


class _Weighed(NamedTuple):
    """A term that stands somewhere, with what finding it is worth to BM25 and to the coverage."""

    exact: bool
    value: float
    cover: float


class Matcher:
    """Measures candidates against the terms of one query."""

    def __init__(self, query: Query, known: Statistics, names: Collection[str], settings: Retrieval) -> None:
        self.known = known
        self.settings = settings
        self.names = {term.token: self._asked(term, named=True) for term in query.terms if term.token in names}
        asked = [term for term in query.terms if not term.optional]
        self.only_names = bool(asked) and all(term.token in names for term in asked)
        self.asked = sum(self._asked(term, named=term.token in names) for term in asked)
        there = [term for term in query.terms if known.counts[term]]
        self.whole = {term.token: self._weighed(term) for term in there if not term.prefix}
        self.prefixes = [(f" {term.token}", self._weighed(term)) for term in there if term.prefix]

    def match(self, candidate: Candidate) -> Match:
        """Return how candidate matches."""
        tokens = candidate.words.split()
        # In the order of the query, so that sums are the same in every process.
        there = self.whole.keys() & tokens
        times = [(term, tokens.count(token)) for token, term in self.whole.items() if token in there] if there else []
        # A beginning is counted in the text itself: every token of it follows a space.
        if self.prefixes:
            spaced = f" {candidate.words}"
            times += [(term, often) for start, term in self.prefixes if (often := spaced.count(start))]
        bm25 = covered = 0.0
        exact = False
        if times:
            damping = self._damping(len(tokens))
            for term, often in times:
                bm25 += term.value * often / (often + damping)
                covered += term.cover
                exact = exact or term.exact
        for name in self.names.keys() & candidate.agents if self.names else ():
            covered += 0 if name in tokens else self.names[name]
            # Who asks for nothing but an agent is answered with what it recorded.
            bm25 += self.only_names
        return Match(bm25, min(covered / self.asked, 1.0) if self.asked else 0.0, exact)

    def _damping(self, length: int) -> float:
        relative = length / self.known.mean if self.known.mean else 1.0
        return self.settings.bm25_k1 * (1 - self.settings.bm25_b + self.settings.bm25_b * relative)

    def _weighed(self, term: Term) -> _Weighed:
        value = term.weight * rarity(self.known.counts[term], self.known.statements) * (self.settings.bm25_k1 + 1)
        cover = self._asked(term) * (OPTIONAL if term.optional else 1)
        return _Weighed(term.exact, value * (1 + self.settings.identifier_weight * term.exact), cover)

    def _asked(self, term: Term, *, named: bool = False) -> float:
        """Return what a term counts when a query is asked how much of it was found."""
        found = self.known.counts[term] or (self.known.agents[term] if named else 0)
        return term.weight * rarity(found, max(self.known.statements, SMALLEST)) * (1 if found else ABSENT)


def rarity(found: int, statements: int) -> float:
    """Return the inverse document frequency of what stands in so many of the statements."""
    found = min(found, statements)
    return math.log(1 + (statements - found + 0.5) / (found + 0.5))


def statistics(stores: Sequence[Store], query: Query) -> Statistics:
    """Count the terms of query over all stores."""
    sizes = [words.size(store) for store in stores]
    by_store = tuple(words.counts(store, query.terms) for store in stores)
    total = Size(sum(size.statements for size in sizes), sum(size.tokens for size in sizes))
    return Statistics(
        statements=total.statements,
        mean=total.tokens / total.statements if total.statements else 0.0,
        counts={term: sum(counts[term].text for counts in by_store) for term in query.terms},
        agents={term: sum(counts[term].agent for counts in by_store) for term in query.terms},
        by_store=by_store,
    )


def affordable(terms: Sequence[Term], counts: Mapping[Term, Count], budget: int, *, least: int = 2) -> list[Term]:
    """Return the terms to look up, rarest first, until about so many rows match, but so many at least."""
    there = [term for term in terms if counts[term].text or counts[term].agent]
    chosen: list[Term] = []
    for term in sorted(there, key=lambda each: counts[each].text):
        budget -= counts[term].text
        if budget < 0 and len(chosen) >= least:
            break
        chosen.append(term)
    return chosen


def telling(terms: Sequence[Term], counts: Mapping[Term, Count], enough: int) -> Sequence[Term]:
    """Return those of the terms, which come rarest first, that so many rows hold; none where all hold hardly more."""
    held = list(accumulate(counts[term].text for term in terms))
    needed = next((place for place, rows in enumerate(held, 1) if rows >= enough), len(terms))
    return terms[:needed] if held and held[-1] > 2 * held[needed - 1] else ()


def named_agents(query: Query, known: Statistics) -> dict[str, float]:
    """Return the tokens of query that name an agent, each weighed by how few statements it selects."""
    named = {}
    for chunk, terms in query.words:
        for term in terms[:1]:
            selected = known.agents.get(term, 0)
            if selected and (term.token not in ROLES or chunk[:1].isupper()):
                named[term.token] = max(0.0, 1 - selected / known.statements)
    return named
