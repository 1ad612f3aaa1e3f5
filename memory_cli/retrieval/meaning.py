"""The meaning leg: every vector of the current model, kept in memory for as long as the process lives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

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
from memory_cli.embedding.languages import knows_language, knows_script
from memory_cli.models.frozen import Frozen
from memory_cli.store import vectors
from memory_cli.store.connection import Store
from memory_cli.store.vectors import State
from memory_cli.text.analysis import Query, reads_foreign

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_lock = threading.Lock()
_caches: dict[tuple[str, str], Vectors] = {}


class Vectors(Frozen):
    """The vectors of one store and model, in ascending order of their own numbers; `places` is by statement."""

    state: State
    numbers: NDArray[np.int64]
    statements: NDArray[np.int64]
    matrix: Matrix
    places: dict[int, int]


class Likeness(Frozen):
    """How like the statements of one store are to a query; 0 is unrelated and 1 is what an answer usually reaches.

    What has no vector of the current model yet is judged by that of a former one, where there is one.
    """

    held: Vectors
    cosines: NDArray[np.float32]
    scale: Scale
    knows: Callable[[str], bool]
    former: Likeness | None

    def of(self, number: int, text: str) -> float | None:
        """Return the likeness of the statement with this row number, if a vector of its text can be believed."""
        place = self.held.places.get(number)
        if place is None:
            return self.former.of(number, text) if self.former else None
        return self._scaled(float(self.cosines[place])) if self.knows(text) else None

    def vector(self, number: int) -> Vector | None:
        """Return the vector of the statement with this row number, if it has one."""
        place = self.held.places.get(number)
        return None if place is None else self.held.matrix[place]

    def best(self, limit: int, allowed: Sequence[int] | None) -> list[int]:
        """Return the row numbers of the most similar statements among those that are allowed."""
        import numpy as np  # a tenth of a second, paid only by those who ask by meaning

        cosines = self.cosines
        if allowed is not None:
            cosines = np.where(np.isin(self.held.statements, np.asarray(allowed, dtype=np.int64)), cosines, -np.inf)
        places = np.argpartition(-cosines, limit)[:limit] if len(cosines) > limit else np.arange(len(cosines))
        best = [int(self.held.statements[place]) for place in places if cosines[place] > self.scale.unrelated]
        return best + (self.former.best(limit, allowed) if self.former else [])

    def _scaled(self, cosine: float) -> float:
        return max(0.0, (cosine - self.scale.unrelated) / (self.scale.related - self.scale.unrelated))


def likeness(
    store: Store, embedder: Embedder, query: Vector, latin_share: float, former: Likeness | None = None
) -> Likeness:
    """Compare query with every vector of store that embedder made."""
    held = _held(store, embedder)
    known = traits(embedder.model)
    knows = partial(trusted, embedder=embedder, latin_share=latin_share)
    return Likeness(held, held.matrix @ query, known.scale if known else UNMEASURED, knows, former)


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


def trusted(text: str, embedder: Embedder, latin_share: float) -> bool:
    """Say whether the model knows the script and the language of text; any two texts in another look alike to it."""
    known = traits(embedder.model)
    if known is None:
        return True
    return knows_script(known, text, latin_share) and not (known.languages == ("en",) and reads_foreign(text))


def understood(query: Query, embedder: Embedder, latin_share: float) -> bool:
    """Say whether the model knows the language that a question is asked in."""
    known = traits(embedder.model)
    return known is None or knows_language(known, query, latin_share)


def forget_vectors() -> None:
    """Let go of every vector that is held in memory."""
    with _lock:
        _caches.clear()


def _held(store: Store, embedder: Embedder) -> Vectors:
    key = (str(store.path.absolute()), embedder.model)
    with _lock:
        held = _caches.get(key)
        state = vectors.state(store)
        if held is None or held.state != state:
            held = _caches[key] = _renewed(store, embedder, state, held)
        return held


def _renewed(store: Store, embedder: Embedder, state: State, held: Vectors | None) -> Vectors:
    """Return what is stored now, reading only the vectors that are not held yet."""
    import numpy as np  # see Likeness.best

    if held is None or state.vectors < held.state.vectors:
        held = _none(embedder.dimension)
    last = int(held.numbers[-1]) if len(held.numbers) else 0
    new = list(vectors.since(store, embedder.model, embedder.dimension, last))
    matrix = np.frombuffer(b"".join(row[2] for row in new), dtype="<f4").reshape(-1, embedder.dimension)
    numbers = np.concatenate([held.numbers, np.array([row[0] for row in new], dtype=np.int64)])
    statements = np.concatenate([held.statements, np.array([row[1] for row in new], dtype=np.int64)])
    matrix = np.concatenate([held.matrix, matrix]) if len(held.matrix) else matrix
    there = np.isin(numbers, np.asarray(vectors.numbers(store, embedder.model), dtype=np.int64))
    if not there.all():
        numbers, statements, matrix = numbers[there], statements[there], matrix[there]
    places = dict(zip(statements.tolist(), range(len(statements)), strict=True))
    return Vectors(state, numbers, statements, matrix, places)


def _none(dimension: int) -> Vectors:
    import numpy as np  # see Likeness.best

    empty = np.empty(0, dtype=np.int64)
    return Vectors(State(0, 0), empty, empty, np.empty((0, dimension), dtype=np.float32), {})
