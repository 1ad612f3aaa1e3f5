"""Bringing the best candidates into the order of a cross-encoder, within a depth and a time."""

import time
from collections.abc import Callable, Sequence

from memory_cli.embedding import ModelUnavailable, Reranker
from memory_cli.models.frozen import Frozen
from memory_cli.retrieval.fusion import Ranked
from memory_cli.settings.retrieval import Retrieval

BATCH = 4
OVER = "Time for the reranker was over after {} of {} candidates; the others keep their place (retrieval.rerank_ms)."


class Reranking(Frozen):
    """The cross-encoder to ask, or why there is none; with neither none was asked for."""

    reranker: Reranker | None = None
    why_not: str = ""


class Reordered(Frozen):
    """Candidates in their final order, how many of them were scored, and what went wrong, if anything did."""

    order: list[Ranked]
    scored: int = 0
    said: str = ""


def pool(order: Sequence[Ranked], settings: Retrieval) -> list[Ranked]:
    """Return the candidates to be reordered; what names an identifier or is superseded has its place already."""
    near = order[: settings.rerank_depth]
    return [each for each in near if not each.evidence.match.identifier and not each.evidence.candidate.superseded]


def reordered(
    order: Sequence[Ranked],
    texts: Sequence[str],
    query: str,
    reranking: Reranking,
    settings: Retrieval,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Reordered:
    """Put those of the pool, whose texts these are, into the cross-encoder's order, in the places that they hold."""
    if reranking.reranker is None:
        return Reordered(list(order), said=reranking.why_not)
    chosen = pool(order, settings)
    try:
        scores = _scores(reranking.reranker, query, texts, settings.rerank_ms / 1000, clock)
    except ModelUnavailable as error:
        return Reordered(list(order), said=str(error))
    better = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    places = {id(each): place for place, each in enumerate(order)}
    final = list(order)
    for old, new in zip(chosen, better, strict=False):
        moved = chosen[new]
        final[places[id(old)]] = moved._replace(parts={**moved.parts, "rerank": round(scores[new], 4)})
    over = "" if len(scores) == len(texts) else OVER.format(len(scores), len(texts))
    return Reordered(final, len(scores), over)


def _scores(
    reranker: Reranker, query: str, texts: Sequence[str], seconds: float, clock: Callable[[], float]
) -> list[float]:
    """Score texts from the first on, a few at a time, as long as the next few can be expected to be in time."""
    begun = clock()
    found: list[float] = []
    spent = last = 0.0
    while len(found) < len(texts) and spent + last < seconds:
        found += reranker.scores(query, texts[len(found) : len(found) + BATCH])
        spent, last = (now := clock() - begun), now - spent
    return found
