"""Linking statements of like meaning: for each new vector the nearest, a few of them or very many at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from heapq import nlargest
from typing import TYPE_CHECKING

from memory_cli.embedding import Embedder, Scale
from memory_cli.models.statement import Filters
from memory_cli.retrieval.meaning import Likeness
from memory_cli.settings.links import Links
from memory_cli.store import links, vectors
from memory_cli.store.connection import Store
from memory_cli.store.moments import stored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Up to so many vectors are compared one by one with what a search holds; of more every vector is read once a window.
FEW, WINDOW = 32, 1024
BLOCK = 8192
# How many of one block are kept for a vector that most of them resemble.
SPARE = 16

Found = tuple[int, int, float]


def derive(
    store: Store,
    embedder: Embedder,
    wanted: Links,
    now: datetime,
    *,
    most: int,
    deadline_ms: int | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> int:
    """Link what the next vectors, at most so many, are of; return how many links. It can stop and go on anywhere."""
    made = seen = 0
    total = min(most, links.count_waiting(store, embedder.model))
    while seen < total and (window := links.waiting(store, embedder.model, min(WINDOW, total - seen))):
        about = sorted({statement for _number, statement in window})
        found = list(nearest(store, embedder, window, wanted, now))
        with store.transaction(deadline_ms=deadline_ms):
            made += links.put_likenesses(store, about, found, stored(now))
            links.note_done(store, window[-1][0])
        seen += len(window)
        if progress:
            progress(seen, total, "linking")
    return made


def counted(
    store: Store, embedder: Embedder, wanted: Links, now: datetime, progress: Callable[[int, int, str], None]
) -> int:
    """Return how many links all vectors of a store would have, and write nothing."""
    made = seen = after = 0
    total = links.count_waiting(store, embedder.model, after)
    while window := links.waiting(store, embedder.model, WINDOW, after):
        made += len(list(nearest(store, embedder, window, wanted, now)))
        seen, after = seen + len(window), window[-1][0]
        progress(seen, total, "looking for likenesses")
    return made


def nearest(
    store: Store, embedder: Embedder, window: Sequence[tuple[int, int]], wanted: Links, now: datetime
) -> Iterator[Found]:
    """Yield for the statements of some vectors the others nearest to each: statement, other, cosine."""
    if not wanted.similar:
        return
    about = sorted({statement for _number, statement in window})
    with store.snapshot():
        rows = vectors.of_statements(store, embedder.model, embedder.dimension, about)
        if len(rows.numbers) <= FEW:
            found = _one_by_one(store, embedder, rows, wanted, now)
        else:
            found = _all_at_once(store, embedder, rows, wanted, window[-1][0])
    for statement, others in found.items():
        for other in nlargest(wanted.similar, others, key=lambda each: (others[each], each)):
            yield statement, other, round(others[other], 4)


def _one_by_one(
    store: Store, embedder: Embedder, rows: vectors.Rows, wanted: Links, now: datetime
) -> dict[int, dict[int, float]]:
    found: dict[int, dict[int, float]] = {}
    scale = Scale(wanted.threshold, wanted.threshold, wanted.threshold, 1.0)
    for statement, vector in zip(rows.statements.tolist(), rows.matrix, strict=True):
        like = Likeness(store, embedder, vector, scale, bool, None, {})
        mine = found.setdefault(statement, {})
        for other in like.best(wanted.similar + 1, Filters(now=now)):
            if other != statement:
                mine[other] = max(like.known[other][0], mine.get(other, 0.0))
    return found


def _all_at_once(
    store: Store, embedder: Embedder, rows: vectors.Rows, wanted: Links, last: int
) -> dict[int, dict[int, float]]:
    """Compare with the vectors up to a number only: those that come later are linked from their side."""
    import numpy as np  # a tenth of a second, paid only by those who ask by meaning

    found: dict[int, dict[int, float]] = {each: {} for each in rows.statements.tolist()}
    floors = np.full(len(rows.numbers), wanted.threshold, np.float32)
    for start in range(1, last + 1, BLOCK):
        block = vectors.matrix(store, embedder.model, embedder.dimension, start, min(start + BLOCK - 1, last))
        cosines = rows.matrix @ block.matrix.T
        cosines[rows.statements[:, None] == block.statements[None, :]] = -1.0
        for place, other, cosine in _above(cosines, floors, wanted.similar):
            mine = found[int(rows.statements[place])]
            number = int(block.statements[other])
            mine[number] = max(cosine, mine.get(number, 0.0))
            if len(mine) > 2 * SPARE:
                kept = nlargest(wanted.similar, mine.items(), key=lambda item: item[1])
                mine.clear()
                mine.update(kept)
                floors[place] = max(floors[place], kept[-1][1])
    return found


def _above(cosines: NDArray[np.float32], floors: NDArray[np.float32], limit: int) -> Iterator[tuple[int, int, float]]:
    """Yield row, column and cosine of what reaches the floor of its row; of very much only the highest."""
    import numpy as np  # see _all_at_once

    kept = limit + SPARE
    reaches = cosines >= floors[:, None]
    if cosines.shape[1] > kept and np.count_nonzero(reaches) > kept * len(floors):
        highest = np.argpartition(-cosines, kept, axis=1)[:, :kept]
        among = np.zeros_like(reaches)
        np.put_along_axis(among, highest, values=True, axis=1)
        reaches &= among
    rows, columns = np.nonzero(reaches)
    yield from zip(rows.tolist(), columns.tolist(), cosines[rows, columns].tolist(), strict=True)
