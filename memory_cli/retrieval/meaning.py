"""The meaning leg: how like statements are to a query, by bounds first and by their own vectors in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memory_cli.embedding import (
    UNMEASURED,
    Embedder,
    Matrix,
    ModelUnavailable,
    Scale,
    Vector,
    loaded,
    model_state,
    traits,
)
from memory_cli.embedding.languages import knows, knows_language, knows_plain, script
from memory_cli.models.frozen import Frozen
from memory_cli.models.statement import Filters
from memory_cli.settings.retrieval import Retrieval
from memory_cli.store import vectors, words
from memory_cli.store.connection import Store
from memory_cli.text.analysis import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memory_cli.retrieval.nearest import Held, Scan
    from memory_cli.text.chunking import Span

# Of more statements than this that pass the filters only the candidates are looked at, not the whole list.
LISTED = 20_000
WIDENED = 2
# How many bounds are looked at to tell which ones are high.
SAMPLE = 16_384


class Compared(NamedTuple):
    """How near the nearest part of a statement is to the query, which one that is, and where the vectors of all are."""

    cosine: float
    part: int
    rows: Matrix
    start: int
    end: int


class Likeness(Frozen):
    """How like the statements of one store are to a query; 0 is unrelated and 1 is what an answer usually reaches.

    What has no vector of the current model yet is judged by that of a former one, where there is one.
    """

    store: Store
    embedder: Embedder
    query: Vector
    scale: Scale
    knows: Callable[[str], bool]
    former: Likeness | None
    known: dict[int, Compared]

    def look_up(self, numbers: Iterable[int]) -> None:
        """Read the vectors of the statements with these row numbers, for `of` and its like to tell of."""
        wanted = list(numbers)
        unknown = [number for number in wanted if number not in self.known]
        self._read(vectors.of_statements(self.store, self.embedder.model, self.embedder.dimension, unknown))
        if self.former:
            self.former.look_up(wanted)

    def of(self, number: int, text: str) -> float | None:
        """Return the likeness of a statement that was looked up, if a vector of its text can be believed."""
        found = self.known.get(number)
        if found is None:
            return self.former.of(number, text) if self.former else None
        return self._scaled(found.cosine) if self.knows(text) else None

    def matrix(self, number: int) -> Matrix | None:
        """Return the vectors of the parts of a statement that was looked up, if it has any."""
        found = self.known.get(number)
        return None if found is None else found.rows[found.start : found.end]

    def passage(self, number: int, text: str) -> Span | None:
        """Return where in its text the part of a statement lies that is most like the query, if it was looked up."""
        found = self.known.get(number)
        if found is None:
            return self.former.passage(number, text) if self.former else None
        from memory_cli.embedding.parts import parts  # not for those who ask by words alone

        there = parts(self.embedder.model, text)
        return there[found.part] if found.part < len(there) else None

    def begin(self) -> Scan:
        """Begin to look for the most similar statements."""
        # numpy takes a tenth of a second, paid only by those who ask by meaning.
        from memory_cli.retrieval import nearest

        return nearest.Scan(nearest.held(self.store, self.embedder), self.query)

    def best(self, limit: int, filters: Filters, begun: Scan | None = None) -> list[int]:
        """Return the row numbers of the most similar statements that pass filters."""
        from memory_cli.retrieval import codes, nearest  # see begin

        try:
            best = self._best(begun or self.begin(), limit, filters)
        except codes.Damaged:
            rebuilt = nearest.rebuild(self.store, self.embedder)
            best = self._best(nearest.Scan(rebuilt, self.query), limit, filters)
        return best + (self.former.best(limit, filters) if self.former else [])

    def _best(self, scan: Scan, limit: int, filters: Filters) -> list[int]:
        """Compare the vectors with the highest bounds, until no other can be among the best."""
        import numpy as np  # see begin

        held, bounds = scan.held, scan.bounds()
        listed = words.allowed(self.store, filters, limit=LISTED + 1)
        some = listed is not None and len(listed) <= LISTED
        if some:
            bounds[~np.isin(held.statements, np.array(listed, np.int64))] = -np.inf
        passes = filters if listed is not None and not some else None
        found: dict[int, float] = {}
        least, depth = self.scale.unrelated, WIDENED * limit
        while True:
            enough = len(found) >= limit
            if enough:
                least = max(least, sorted(found.values())[-limit])
            first = np.flatnonzero(bounds > least) if enough else _highest(bounds, depth)
            places = first[bounds[first] > least]
            if not len(places):
                break
            found |= self._compared(held, places, bounds, passes)
            bounds[places] = -np.inf
            depth *= WIDENED
        best = sorted(found, key=lambda number: (-found[number], number))
        return [number for number in best[:limit] if found[number] > self.scale.unrelated]

    def _compared(
        self, held: Held, places: NDArray[np.int64], bounds: Vector, passes: Filters | None
    ) -> dict[int, float]:
        """Return the cosines of the vectors in these places that are still there and pass."""
        from memory_cli.retrieval import codes  # see begin

        if passes:
            passing = set(words.passing(self.store, passes, held.statements[places].tolist()))
            places = places[[number in passing for number in held.statements[places].tolist()]]
        bound = dict(zip(held.numbers[places].tolist(), bounds[places].tolist(), strict=True))
        # All parts of each statement: the one with the highest bound need not be the nearest.
        about = dict.fromkeys(held.statements[places].tolist())
        rows = vectors.of_statements(self.store, self.embedder.model, self.embedder.dimension, list(about))
        cosines = self._read(rows)
        if any(cosine > bound.get(number, 1.1) for number, cosine in zip(rows.numbers.tolist(), cosines, strict=True)):
            raise codes.Damaged
        return {number: self.known[number].cosine for number in about if number in self.known}

    def _read(self, rows: vectors.Rows) -> list[float]:
        """Compare rows, which hold all parts of each statement in order, with the query, and keep the best of each."""
        cosines: list[float] = (rows.matrix @ self.query).tolist()
        first: dict[int, int] = {}
        for place, number in enumerate(rows.statements.tolist()):
            first.setdefault(number, place)
        starts = [*first.values(), len(cosines)]
        for number, start, end in zip(first, starts, starts[1:], strict=False):
            best = start if end == start + 1 else max(range(start, end), key=cosines.__getitem__)
            self.known[number] = Compared(cosines[best], best - start, rows.matrix, start, end)
        return cosines

    def _scaled(self, cosine: float) -> float:
        return max(0.0, (cosine - self.scale.unrelated) / (self.scale.related - self.scale.unrelated))


def _highest(bounds: Vector, depth: int) -> NDArray[np.int64]:
    """Return the places of about the highest so many bounds."""
    import numpy as np  # see Likeness.begin

    if depth >= len(bounds):
        return np.arange(len(bounds))
    # Some of them tell well enough where the highest begin; to sort out all takes as long as making them.
    step = max(1, len(bounds) // SAMPLE)
    rank = min(-(-depth // step), len(bounds) // step)
    high = np.flatnonzero(bounds >= np.partition(bounds[::step], -rank)[-rank])
    if len(high) <= WIDENED * depth:
        return high
    return high[np.argpartition(-bounds[high], depth)[:depth]]


def likeness(
    store: Store, embedder: Embedder, query: Vector, latin_share: float, former: Likeness | None = None
) -> Likeness:
    """Return what tells how like the statements of store are to query, by the vectors that embedder made."""
    fits(store, embedder.model, len(query))
    known = traits(embedder.model)
    scale = known.scale if known else UNMEASURED
    plain = known is None or knows_plain(known)

    def trusted(text: str) -> bool:
        """Say whether the model knows what a text is written in; any two texts in another language look alike to it."""
        return (plain and text.isascii()) or known is None or knows(known, text, latin_share)

    return Likeness(store, embedder, query, scale, trusted, former, {})


def fits(store: Store, model: str, dimension: int) -> None:
    """Refuse vectors that cannot be compared with those that store has of the same model."""
    kept = vectors.dimension(store, model)
    if kept not in (None, dimension):
        raise ModelUnavailable(
            f"The model {model} gives vectors of {dimension} numbers by now, and those in the {store.scope} memory "
            f"have {kept}; set dense.dimensions, or choose another model and `memory reindex`."
        )


def former(store: Store, embedder: Embedder, threads: int) -> Embedder | None:
    """Return the model whose vectors answer while those of the current one are incomplete, where it can be had."""
    others = vectors.others(store, embedder.model)
    if not others or not vectors.pending_count(store, embedder.model):
        return None
    for model in others:
        name = model.partition("@")[0]
        if model_state(name).id == model:
            try:
                return loaded(name, threads=threads)
            except ModelUnavailable:
                # It was only to help out; words find what has no vector.
                continue
    return None


def understood(query: Query, embedder: Embedder, latin_share: float) -> bool:
    """Say whether the model knows the language that a question is asked in."""
    known = traits(embedder.model)
    return known is None or knows_language(known, query, latin_share)


def weighed(settings: Retrieval, embedder: Embedder | None, query: str) -> Retrieval:
    """Return settings in which meaning counts what the model's likeness is worth for such a question."""
    known = traits(embedder.model) if embedder else None
    if known is None or known.weight == known.han_weight == 1.0:
        return settings
    weight = known.han_weight if script(query) == "Han" else known.weight
    return replace(settings, dense_weight=settings.dense_weight * weight)


def floored(settings: Retrieval, embedder: Embedder | None) -> Retrieval:
    """Return settings whose floor takes a likeness for what it tells where it comes from this model."""
    known = traits(embedder.model) if embedder else None
    if known is None or not known.scale.sure:
        return settings
    scale = known.scale
    share = (scale.related - scale.unrelated) / (scale.sure - scale.unrelated)
    return replace(settings, floor_meaning=settings.floor_meaning * share, floor_alone=settings.floor_alone / share)


def forget_vectors() -> None:
    """Let go of every vector that is held in memory."""
    from memory_cli.retrieval import nearest  # see Likeness.begin

    nearest.forget()


def settle(store: Store, embedder: Embedder) -> None:
    """Build the codes that are missing, so that no search has to."""
    from memory_cli.retrieval import nearest  # see Likeness.begin

    with store.snapshot():
        nearest.held(store, embedder)
