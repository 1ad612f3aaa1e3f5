"""Search at scale on real texts: exactness, speed, memory and disk.

uv run python -m benchmarks.corpus --data DIR
uv run python -m benchmarks.scale --data DIR --statements 10000 100000
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpus import Kept, kept
from benchmarks.stores import opened, roots
from memory_cli.memory import Memory
from memory_cli.models.statement import Filters
from memory_cli.operations.import_ import import_
from memory_cli.retrieval import meaning, nearest
from memory_cli.retrieval.search import search
from memory_cli.retrieval.words import affordable
from memory_cli.retrieval.words import statistics as counted
from memory_cli.store import sidefiles, statements, vectors
from memory_cli.store.connection import Store
from memory_cli.text.analysis import query_terms

QUERIES = 100
BATCH = 2000
TEN = 10


def build(folder: Path, data: Kept, count: int) -> None:
    """Make a store of so many statements with their vectors, unless it is there."""
    if (folder / "made").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    roots(folder)
    with opened(folder) as memory:
        start = time.perf_counter()
        import_(memory, data.lines(count))
        print(f"{count} imported, {count / (time.perf_counter() - start):.0f} a second", flush=True)
        for store in memory.stores():
            _embed(store, data)
            start = time.perf_counter()
            meaning.settle(store, data)
            print(f"codes built in {time.perf_counter() - start:.1f} s", flush=True)
    (folder / "made").touch()


def measure(folder: Path, data: Kept, count: int) -> dict[str, Any]:
    """Return the figures of one store."""
    with opened(folder) as memory:
        [store] = memory.stores()
        queries = data.queries(QUERIES)
        result: dict[str, Any] = {"statements": count}
        result["exact"] = _exact(store, data, queries)
        result |= _timed("hybrid", lambda each: _search(memory, store, data, each, Filters(now=memory.now)), queries)
        old = Filters(now=memory.now, until=memory.now)
        result |= _timed("filtered", lambda each: _search(memory, store, data, each, old), queries)
        result |= _timed("meaning", lambda each: _nearest(store, data, each, TEN), queries)
        result |= _timed("words", lambda each: _search(memory, store, None, each, Filters(now=memory.now)), queries)
        spoken = [f"what is the {each} and how do you use it with that" for each in queries]
        result |= _timed("stop words", lambda each: _search(memory, store, None, each, Filters(now=memory.now)), spoken)
        result |= _timed("looked up", lambda each: _rows(store, each), spoken)
        result["codes bytes/statement"] = round(sidefiles.size(store) / count)
        result["store bytes/statement"] = round(store.path.stat().st_size / count)
    return result


class Asked:
    """An embedder that knows the vectors of some questions and holds nothing else."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.model, self.dimension = told["model"], told["dimension"]
        self.asked = ""
        self._vectors = {query: np.array(vector, np.float32) for query, vector in told["queries"].items()}

    def embed(self, texts: Sequence[str], *, batch_size: int = 0) -> Any:
        """Return the vectors of some of the questions."""
        return np.array([self._vectors[text] for text in texts])

    def embed_query(self, text: str) -> Any:
        """Return the vector of the question that is asked, whatever a search made of its words."""
        return self._vectors[self.asked]


def first(folder: Path, data: Asked, queries: Sequence[str]) -> None:
    """Print how long the first search of this process takes, and the most memory it held then and after the others."""
    before = _resident()
    with opened(folder) as memory:
        [store] = memory.stores()
        start, processor = time.perf_counter(), time.process_time()
        _search(memory, store, data, queries[0], Filters(now=memory.now))
        taken, worked = 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - processor)
        then = _resident()
        for each in queries:
            _search(memory, store, data, each, Filters(now=memory.now))
    print(f"first {taken:.0f} ms ({worked:.0f} of the processor), resident {before} -> {then} -> {_resident()} MB")


def _resident() -> int:
    """Return the most memory that this process held, in MB; what `getrusage` tells includes its parent's."""
    told = Path("/proc/self/status").read_text(encoding="utf-8").split()
    return int(told[told.index("VmHWM:") + 1]) // 1024


def _fresh(folder: Path, data: Kept) -> None:
    """Measure the first search of a process of its own, which has not read the texts."""
    queries = data.queries(QUERIES)
    vectors_of = dict(zip(queries, data.embed(queries).tolist(), strict=True))
    told = {"model": data.model, "dimension": data.dimension, "queries": vectors_of}
    command = [sys.executable, "-m", "benchmarks.scale", "--data", ".", "--first", str(folder)]
    subprocess.run(command, input=json.dumps(told), encoding="utf-8", check=True)


def _embed(store: Store, data: Kept) -> None:
    # What redaction changed has no vector yet, and goes without.
    rows = [row for row in vectors.pending_batch(store, data.model, statements.count(store)) if data.knows(row[1])]
    for start in range(0, len(rows), BATCH):
        some = rows[start : start + BATCH]
        made = data.embed([text for _number, text in some])
        with store.transaction():
            given = [(number, text, vector) for (number, text), vector in zip(some, made, strict=True)]
            vectors.put(store, data.model, data.dimension, given)


def _search(memory: Memory, store: Store, data: Kept | Asked | None, query: str, filters: Filters) -> list[str]:
    if data:
        data.asked = query
    found = search(
        [store], query, filters, settings=memory.settings, embedder=data, why_not="", limit=TEN
    )  # fmt: skip
    return [each.statement.id for each in found.hits]


def _nearest(store: Store, data: Kept, query: str, limit: int) -> list[int]:
    data.asked = query
    with store.snapshot():
        like = meaning.likeness(store, data, data.embed_query(query), 0.5)
        return like.best(limit, Filters(now=data.now))


def _exact(store: Store, data: Kept, queries: Sequence[str]) -> str:
    """Compare the best ten of each query with those of a scan of every vector that the store has."""
    asked = data.embed(queries).T
    best: list[list[tuple[float, int]]] = [[] for _ in queries]
    for start in range(1, vectors.last(store) + 1, nearest.LARGE):
        rows = vectors.matrix(store, data.model, data.dimension, start, start + nearest.LARGE - 1)
        cosines = rows.matrix @ asked
        for place, had in enumerate(best):
            column = cosines[:, place]
            some = np.argpartition(-column, TEN)[:TEN] if len(column) > TEN else np.arange(len(column))
            more = [(float(column[each]), int(rows.statements[each])) for each in some]
            best[place] = sorted(had + more, reverse=True)[:TEN]
    same = [
        {number for _, number in scanned} == set(_nearest(store, data, query, TEN))
        for query, scanned in zip(queries, best, strict=True)
    ]
    return f"{sum(same)}/{len(same)}"


def _rows(store: Store, query: str) -> int:
    asked = query_terms(query)
    known = counted([store], asked)
    return len(affordable(asked.terms, known.by_store[0], 20_000))


def _timed(name: str, do: Callable[[str], object], queries: Sequence[str]) -> dict[str, Any]:
    do(queries[0])
    taken, worked = [], []
    for each in queries:
        start, processor = time.perf_counter(), time.process_time()
        do(each)
        taken.append(1000 * (time.perf_counter() - start))
        worked.append(1000 * (time.process_time() - processor))
    half, most = len(queries) // 2, int(0.95 * len(queries))
    taken, worked = sorted(taken), sorted(worked)
    return {
        f"{name} p50": round(taken[half], 1),
        f"{name} p95": round(taken[most], 1),
        f"{name} processor p50": round(worked[half], 1),
    }


def main() -> None:
    """Build what is missing and print a line of figures for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--statements", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--first", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.first:
        told = json.load(sys.stdin)
        first(given.first, Asked(told), list(told["queries"]))
        return
    data = kept(given.data)
    for count in given.statements:
        folder = given.data / "stores" / str(count)
        build(folder, data, count)
        for name, value in measure(folder, data, count).items():
            print(f"{name:24} {value}", flush=True)
        _fresh(folder, data)


if __name__ == "__main__":
    main()
