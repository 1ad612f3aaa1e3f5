"""Joining words and meaning on scores, with what the query's agent and a statement's neighbours add."""

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from memory_cli.retrieval.words import Match
from memory_cli.settings.retrieval import Retrieval
from memory_cli.store.moments import MICROSECOND
from memory_cli.store.words import Candidate

ASKING = ("?", "？", "؟", "\u037e", "፧")
ROUNDED = 6


class Evidence(NamedTuple):
    """What one candidate has for itself; `meaning` is None where there is no vector that can be trusted."""

    store: int
    candidate: Candidate
    match: Match
    meaning: float | None


class Ranked(NamedTuple):
    """A candidate with its score and the parts of it."""

    evidence: Evidence
    score: float
    parts: Mapping[str, float]


class Preference(NamedTuple):
    """What lifts a candidate because the query names it, by what that is, and what the settings weigh it with."""

    lifts: Mapping[str, float]
    weight: float


def ranked(
    found: Sequence[Evidence], named: Mapping[str, float], preferred: Sequence[Preference], settings: Retrieval
) -> list[Ranked]:
    """Return the candidates that have something for themselves, best first; `named` weighs the agents of the query."""
    best = max((each.match.bm25 for each in found), default=0.0)
    own = [_own(each, best, settings) for each in found]
    near = _neighbours(found, [words + meaning for words, meaning in own], settings)
    scored = []
    for each, (words, meaning), gain, (lifts, weight) in zip(found, own, near, preferred, strict=True):
        # A neighbour alone brings nothing into an answer.
        if not words and (each.meaning or 0.0) < settings.least_meaning:
            continue
        agent = max((named.get(name, 0.0) for name in each.candidate.agents), default=0.0) if named else 0.0
        asks = settings.question_penalty if _asks(each.candidate.tail) else 0.0
        lifted = 1 + agent + sum(lifts.values())
        neighbour = gain * lifted
        score = round(((words + meaning) * (1 - asks) * lifted + neighbour) * weight, ROUNDED)
        part = {"words": words, "meaning": meaning, "agent": agent, "identifier": float(each.match.identifier),
                "asks": asks, **lifts, "neighbour": neighbour}  # fmt: skip
        scored.append(Ranked(each, score, part))
    return _sorted(scored, settings)


def told(parts: Mapping[str, float]) -> dict[str, float]:
    """Return the parts of a score as they are shown."""
    return {name: round(value, 4) for name, value in parts.items() if value}


def nothing(found: Sequence[Evidence], statements: int, settings: Retrieval, *, english: bool) -> bool:
    """Say whether even the best of the candidates among so many statements is too weak to be an answer."""
    if any(each.match.identifier for each in found):
        return False
    blind = max((each.match.coverage for each in found if each.meaning is None), default=0.0)
    words = max((each.match.coverage for each in found if each.meaning is not None), default=0.0)
    meaning = max((each.meaning for each in found if each.meaning is not None), default=0.0)
    # How far chance goes was measured in English alone.
    meaning /= _chance(statements, settings) if english else 1.0
    together = words + settings.floor_meaning * meaning
    return blind < settings.floor_words and together < settings.floor and meaning < settings.floor_alone


def _chance(statements: int, settings: Retrieval) -> float:
    """Return how near chance alone brings the nearest of so many unrelated statements, 1 from `floor_statements` on.

    The largest of n normal values grows as the root of 2 ln n, so among few statements less likeness tells more.
    """
    return min(1.0, math.sqrt(math.log(max(statements, 2)) / math.log(settings.floor_statements)))


def _own(each: Evidence, best: float, settings: Retrieval) -> tuple[float, float]:
    """Return what a candidate's words and its meaning count."""
    words = settings.bm25_weight * each.match.bm25 / best if best else 0.0
    return words, settings.dense_weight * (each.meaning or 0.0)


def _neighbours(found: Sequence[Evidence], scores: Sequence[float], settings: Retrieval) -> list[float]:
    """Return what each candidate gains from the matches recorded just before and after it."""
    places = {(each.store, each.candidate.sequence): place for place, each in enumerate(found)}
    span = timedelta(minutes=settings.neighbour_minutes) // MICROSECOND
    weights = [settings.neighbour_weight, settings.neighbour_weight**2]

    def score(here: Candidate, place: int | None, *, before: bool) -> float:
        if place is None or abs(found[place].candidate.at - here.at) > span:
            return 0.0
        asked = settings.answer_weight if before and _has_question(found[place].candidate.tail) else 0.0
        return scores[place] * (1 + asked)

    def gained(here: Candidate, before: int | None, after: int | None, distance: int) -> float:
        # Hardly any has a neighbour among the candidates of a large store.
        if before is None and after is None:
            return 0.0
        asked = before is not None and distance == 1
        return weights[distance - 1] * max(score(here, before, before=asked), score(here, after, before=False))

    find = places.get
    gains = []
    for store, here, _match, _meaning in found:
        own = here.sequence
        next_to = gained(here, find((store, own - 1)), find((store, own + 1)), 1)
        gains.append(next_to + gained(here, find((store, own - 2)), find((store, own + 2)), 2))
    return gains


def _sorted(scored: Sequence[Ranked], settings: Retrieval) -> list[Ranked]:
    """Sort by score; what was superseded comes last, and of equals the newer first."""
    least = settings.relative_margin * max((each.score for each in scored), default=0.0)
    kept = [each for each in scored if each.score >= least]

    def key(each: Ranked) -> tuple[bool, float, int, int]:
        candidate = each.evidence.candidate
        last = candidate.superseded and not settings.superseded_weight
        return (last, -each.score, -candidate.at, -candidate.sequence)

    return sorted(kept, key=key)


def _asks(tail: str) -> bool:
    return tail.rstrip().endswith(ASKING)


def _has_question(tail: str) -> bool:
    return any(sign in tail for sign in ASKING)
