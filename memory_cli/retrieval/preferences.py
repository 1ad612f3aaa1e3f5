"""What a query prefers by naming it, a time, a tag or a kind, and what the settings weigh: kinds, sources, the old."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from memory_cli.models.frozen import Frozen
from memory_cli.retrieval.fusion import Evidence, Preference
from memory_cli.settings.retrieval import Retrieval
from memory_cli.store import words
from memory_cli.store.connection import Store
from memory_cli.store.moments import loaded
from memory_cli.text.analysis import Query
from memory_cli.text.time_words import spans_named
from memory_cli.text.times import Span

# What happened is often told some days later: that counts half.
AFTERWARDS = timedelta(days=7)
HALF = 0.5
JOINED = (" ", "-", "_")
NOTHING: Mapping[str, float] = MappingProxyType({})


class Asking(Frozen):
    """The question, when it is asked, and by whose clock."""

    query: Query
    now: datetime
    zone: Callable[[], tzinfo]
    settings: Retrieval


class _Named(NamedTuple):
    part: str
    weight: float
    fits: Sequence[float]


def preferences(found: Sequence[Evidence], stores: Sequence[Store], asking: Asking) -> list[Preference]:
    """Return for each candidate what lifts it because the query names it, and what its score is multiplied by."""
    settings = asking.settings
    named = [
        _Named("time", settings.time_weight, _times(found, asking)),
        _Named("tag", settings.tag_weight, _tags(found, stores, asking)),
        _Named("kind", settings.kind_weight, _kinds(found, asking)),
    ]
    lifted = [(each.part, each.weight * _rareness(each.fits), each.fits) for each in named if any(each.fits)]
    weights = _weights(found, stores, settings)
    if not lifted:
        return [Preference(NOTHING, weight) for weight in weights]
    return [
        Preference({part: lift * fits[place] for part, lift, fits in lifted}, weights[place])
        for place in range(len(found))
    ]


def _rareness(fits: Sequence[float]) -> float:
    """Return how much naming it tells: nothing where it selects every candidate, 1 where it selects hardly any."""
    return 1 - sum(1 for each in fits if each) / len(fits)


def _times(found: Sequence[Evidence], asking: Asking) -> list[float]:
    spans = spans_named(asking.query.text, now=asking.now, zone=asking.zone)
    if not spans:
        return []
    return [max(_within(loaded(each.candidate.at), span) for span in spans) for each in found]


def _within(at: datetime, span: Span) -> float:
    if span.start <= at < span.end:
        return 1.0
    return HALF if span.end <= at < span.end + min(AFTERWARDS, span.end - span.start) else 0.0


def _tags(found: Sequence[Evidence], stores: Sequence[Store], asking: Asking) -> list[float]:
    asked = _plain(asking.query)
    names = [*asked, *(sign.join(pair) for pair in pairwise(asked) for sign in JOINED)]
    tagged = [
        words.tagged(store, [each.candidate.number for each in found if each.store == place], names)
        for place, store in enumerate(stores)
    ]
    return [float(each.candidate.number in tagged[each.store]) for each in found] if any(tagged) else []


def _kinds(found: Sequence[Evidence], asking: Asking) -> list[float]:
    asked = {form.upper() for word in _plain(asking.query) for form in (word, word.removesuffix("s"))}
    named = asked.intersection(each.candidate.kind for each in found)
    return [float(each.candidate.kind in named) for each in found] if named else []


def _plain(query: Query) -> list[str]:
    return [plain for word, _ in query.words if (plain := word.strip("\"'`?!.,;:()[]#").lower())]


def _weights(found: Sequence[Evidence], stores: Sequence[Store], settings: Retrieval) -> list[float]:
    kinds = {name.upper(): weight for name, weight in _table(settings.kind_weights).items()}
    weights = [kinds.get(each.candidate.kind, 1.0) for each in found]
    if settings.superseded_weight:
        old = settings.superseded_weight
        weights = [
            weight * (old if each.candidate.superseded else 1) for weight, each in zip(weights, found, strict=True)
        ]
    if sources := _table(settings.source_weights):
        for place, store in enumerate(stores):
            numbers = [each.candidate.number for each in found if each.store == place]
            known = words.sources(store, numbers)
            for index, each in enumerate(found):
                if each.store == place:
                    mine = known.get(each.candidate.number, ())
                    weights[index] *= max((sources.get(name.lower(), 1.0) for name in mine), default=1.0)
    return weights


def _table(pairs: Sequence[str]) -> Mapping[str, float]:
    """Read the pairs NAME=WEIGHT of a setting, which has been validated."""
    split = [pair.rpartition("=") for pair in pairs]
    return {name.strip().lower(): float(weight) for name, _, weight in split}
