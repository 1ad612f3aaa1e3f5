"""The values of documents, each with the path of keys that leads to it, and how well they answer a query."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memory_cli.text.analysis import index_tokens, query_terms

K1, B = 1.2, 0.4
SNIPPET = 160
BEGINNING = 3
_LEADING = re.compile("[0-9a-z]+|[^\x00-\x7f]")


class Value(NamedTuple):
    """A value of a document and where it is."""

    path: str
    text: str


def values(data: Mapping[str, Any]) -> Iterator[Value]:
    """Yield every value that is no object and no list of such, with its path."""
    yield from _within(data, "")


def beginnings(query: str) -> frozenset[str]:
    """Return beginnings of words, one of which every ASCII text holds that has a word of the query."""
    found = (_LEADING.match(term.token.lower()) for term in query_terms(query).terms)
    # A stem may end in an i where its word has a y.
    heads = (each[0][:BEGINNING] for each in found if each)
    return frozenset(each[:-1] if len(each) < 4 and each.endswith("i") else each for each in heads)


def may_answer(text: str, begun: Iterable[str]) -> bool:
    """Tell whether a text may hold a word that begins so; it costs little, and the analysis of a text costs much."""
    if not text.isascii():
        return True
    # As the analysis joins what these part.
    joined = text.lower().replace("-", "").replace("_", "").replace(",", "")
    return any(each in joined for each in begun)


def scores(query: str, found: Sequence[Value], total: int) -> list[float]:
    """Return how well each value answers a query, by BM25 over its words and those of its path; 0 is not at all.

    `total` is how many values there are, of which those found may answer.
    """
    documents = [Counter(index_tokens(f"{each.path.replace('.', ' ')} {each.text}")) for each in found]
    terms = {term.token for term in query_terms(query).terms}
    frequent = Counter(token for each in documents for token in terms & each.keys())
    average = sum(map(_length, documents)) / max(len(documents), 1) or 1.0
    weights = {
        token: math.log(1 + (max(total, count) - count + 0.5) / (count + 0.5)) for token, count in frequent.items()
    }
    return [_score(each, weights, average) for each in documents]


def snippet(text: str, query: str) -> str:
    """Return the part of a value around the first word of the query, or its beginning."""
    words = text.split()
    wanted = {term.token for term in query_terms(query).terms}
    place = next((at for at, word in enumerate(words) if wanted.intersection(index_tokens(word))), 0)
    kept = " ".join(words[max(place - 8, 0) :])
    head = "…" if place > 8 else ""
    return head + (kept if len(kept) <= SNIPPET else f"{kept[: SNIPPET - 1]}…")


def _score(document: Counter[str], weights: Mapping[str, float], average: float) -> float:
    norm = K1 * (1 - B + B * _length(document) / average)
    return sum(
        weight * document[token] * (K1 + 1) / (document[token] + norm)
        for token, weight in weights.items()
        if document[token]
    )


def _length(document: Counter[str]) -> int:
    return sum(document.values())


def _within(value: Any, path: str) -> Iterator[Value]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _within(each, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and any(isinstance(each, Mapping | list) for each in value):
        for place, each in enumerate(value):
            yield from _within(each, f"{path}[{place}]")
    else:
        yield Value(path, _spelled(value))


def _spelled(value: Any) -> str:
    if isinstance(value, str):
        return value
    return ", ".join(map(_spelled, value)) if isinstance(value, list) else json.dumps(value, ensure_ascii=False)


def texts(found: Iterable[Value]) -> list[str]:
    """Return values as a model reads them, with the last keys that lead to them."""
    return [f"{' '.join(each.path.split('.')[-2:])}: {each.text}" for each in found]
