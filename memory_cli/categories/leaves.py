"""The values of documents, each with the path of keys that leads to it, and how well they answer a query."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memory_cli.text.analysis import index_tokens, query_terms

K1, B = 1.2, 0.4
SNIPPET = 160


class Value(NamedTuple):
    """A value of a document and where it is."""

    path: str
    text: str


def values(data: Mapping[str, Any]) -> Iterator[Value]:
    """Yield every value that is no object and no list of such, with its path."""
    yield from _within(data, "")


def scores(query: str, found: Sequence[Value]) -> list[float]:
    """Return how well each value answers a query, by BM25 over its words and those of its path; 0 is not at all."""
    documents = [Counter(index_tokens(f"{each.path.replace('.', ' ')} {each.text}")) for each in found]
    terms = {term.token for term in query_terms(query).terms}
    frequent = Counter(token for each in documents for token in terms & each.keys())
    average = sum(map(_length, documents)) / max(len(documents), 1) or 1.0
    weights = {token: math.log(1 + (len(documents) - count + 0.5) / (count + 0.5)) for token, count in frequent.items()}
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
