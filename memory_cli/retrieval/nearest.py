"""The vectors of one store and model as a search sees them: segments of codes, and the newest as they are."""

import contextlib
import os
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_cli.embedding import Embedder, Matrix, Vector
from memory_cli.models.frozen import Frozen
from memory_cli.processors import processors
from memory_cli.retrieval import codes
from memory_cli.retrieval.codes import Damaged, Segment
from memory_cli.store import sidefiles, vectors
from memory_cli.store.connection import Store

# How many numbers of vectors a segment spans: small ones as they come, large ones when eight of those are full.
LARGE, SMALL = 32_768, 4_096
# The bytes of codes that a process keeps in memory, of all its stores; further ones are read at each search.
KEPT = 64_000_000
# Fewer vectors are sooner compared than threads are started.
THREADED = 32_768

_lock = threading.Lock()
_held: dict[tuple[str, str], "Held"] = {}


class Held(Frozen):
    """What is known of a store's vectors up to one number; rows of segments come first, the newest last."""

    last: int
    generation: int
    segments: dict[tuple[int, int], Segment]
    numbers: NDArray[np.int64]
    statements: NDArray[np.int64]
    tail: Matrix


class Scan:
    """A number for each vector that its cosine with a query does not exceed.

    Many are made by as many threads as there are processors, while who asked for them reads the store.
    """

    def __init__(self, held: Held, query: Vector) -> None:
        self.held = held
        self._query = query
        self._bounds = np.empty(len(held.numbers), np.float32)
        self._parts, start = list[tuple[Segment, Vector]](), 0
        for each in held.segments.values():
            end = start + len(each.numbers)
            self._parts.append((each, self._bounds[start:end]))
            start = end
        np.add(held.tail @ query, np.float32(codes.ROUNDING), out=self._bounds[start:])
        self._waiting, self._made = list(range(len(self._parts))), set[int]()
        count = min(processors(), len(self._parts)) if len(held.numbers) >= THREADED else 0
        self._threads = [threading.Thread(target=self._help, name="bounds", daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def bounds(self) -> Vector:
        """Return the bounds as soon as all are made."""
        self._fill()
        for each in self._threads:
            each.join()
        # What failed in a thread fails here again, where somebody sees it.
        self._waiting = [place for place in range(len(self._parts)) if place not in self._made]
        self._fill()
        return self._bounds

    def _help(self) -> None:
        with contextlib.suppress(OSError, Damaged):
            self._fill()

    def _fill(self) -> None:
        """Make bounds, a segment after the other; whoever comes takes the next one."""
        while (place := self._next()) is not None:
            segment, room = self._parts[place]
            segment.bounds(self._query, room)
            self._made.add(place)

    def _next(self) -> int | None:
        with contextlib.suppress(IndexError):
            return self._waiting.pop()
        return None


def held(store: Store, embedder: Embedder) -> Held:
    """Return what is stored now; segments that are missing or wrong are built."""
    key = (str(store.path.absolute()), embedder.model)
    with _lock:
        last, generation = vectors.last(store), sidefiles.generation(store)
        known = _held.get(key)
        if known is None or known.generation != generation or known.last > last:
            known = _nothing(generation, embedder.dimension)
        if known.last != last or key not in _held:
            known = _held[key] = _renewed(store, embedder, known, last)
            _keep_codes(known)
        return known


def forget() -> None:
    """Let go of everything that is held in memory."""
    with _lock:
        _held.clear()


def _begin_anew() -> None:
    """Hold nothing in a child: it would share with its parent where in the files each of them reads."""
    global _lock  # noqa: PLW0603 - another thread may have held it, and is not here to let go of it
    _lock = threading.Lock()
    _held.clear()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def rebuild(store: Store, embedder: Embedder) -> Held:
    """Delete the files of codes, which were found wrong, and build them from the store."""
    with _lock:
        sidefiles.drop(store)
        _held.pop((str(store.path.absolute()), embedder.model), None)
    return held(store, embedder)


def _keep_codes(known: Held) -> None:
    """Let the segments keep their codes, as long as there is room."""
    room = KEPT - sum(each.size for held in _held.values() for each in held.segments.values() if each.keeps)
    for each in known.segments.values():
        if not each.keeps and each.size <= room:
            each.keeps = True
            room -= each.size


def _nothing(generation: int, dimension: int) -> Held:
    empty = np.empty(0, np.int64)
    return Held(0, generation, {}, empty, empty, np.empty((0, dimension), np.float32))


def _renewed(store: Store, embedder: Embedder, known: Held, last: int) -> Held:
    spans = list(_spans(last))
    segments = {span: known.segments.get(span) or _segment(store, embedder, span, known.generation) for span in spans}
    covered = spans[-1][1] if spans else 0
    had = sum(len(each.numbers) for each in known.segments.values())
    numbers, statements, tail = known.numbers[had:], known.statements[had:], known.tail
    newer = numbers > covered
    numbers, statements, tail = numbers[newer], statements[newer], tail[newer]
    more = vectors.matrix(store, embedder.model, embedder.dimension, max(known.last, covered) + 1, last)
    return Held(
        last=last,
        generation=known.generation,
        segments=segments,
        numbers=np.concatenate([*(each.numbers for each in segments.values()), numbers, more.numbers]),
        statements=np.concatenate([*(each.statements for each in segments.values()), statements, more.statements]),
        tail=np.concatenate([tail, more.matrix]),
    )


def _spans(last: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last number of each segment that is full when vectors go up to last."""
    large = last - last % LARGE
    yield from ((start + 1, start + LARGE) for start in range(0, large, LARGE))
    yield from ((start + 1, start + SMALL) for start in range(large, last - last % SMALL, SMALL))


def _segment(store: Store, embedder: Embedder, span: tuple[int, int], generation: int) -> Segment:
    path = sidefiles.path(store, embedder.model, *span)
    expected = {"model": embedder.model, "dimension": embedder.dimension, "span": [*span], "generation": generation}
    with contextlib.suppress(OSError, Damaged, ValueError, KeyError, TypeError):
        segment = codes.opened(path, expected)
        if _agrees(store, embedder, segment):
            return segment
    return _made(store, embedder, path, span, expected)


def _agrees(store: Store, embedder: Embedder, segment: Segment) -> bool:
    """Say whether some vectors of the store are still those that the codes were made of: a backup may be back."""
    told = dict(segment.witnesses)
    rows = vectors.numbered(store, embedder.model, embedder.dimension, list(told))
    return all(
        zlib.crc32(row.tobytes()) == told[number]
        for number, row in zip(rows.numbers.tolist(), rows.matrix, strict=True)
    )


def _made(store: Store, embedder: Embedder, path: Path, span: tuple[int, int], expected: dict[str, Any]) -> Segment:
    found = vectors.matrix(store, embedder.model, embedder.dimension, *span)
    parts = codes.built(found.numbers, found.statements, found.matrix, expected)
    # A folder that cannot be written costs memory and time, never an answer.
    with contextlib.suppress(OSError):
        sidefiles.write(store, path, parts)
        _supersede(store, embedder.model, span)
    try:
        return codes.opened(path, expected)
    except (OSError, Damaged):
        return codes.in_memory(parts)


def _supersede(store: Store, model: str, span: tuple[int, int]) -> None:
    first, last = span
    if last - first + 1 == LARGE:
        for start in range(first, last, SMALL):
            sidefiles.path(store, model, start, start + SMALL - 1).unlink(missing_ok=True)
