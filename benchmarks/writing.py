"""Writing: records over MCP, imports and embedding, each beside the floor that the machine sets.

uv run python -m benchmarks.writing --data DIR --store DIR/stores/100000
"""

import argparse
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.corpus import TEXTS
from benchmarks.stores import opened, roots
from memory_cli.embedding import loaded
from memory_cli.embedding.models import DEFAULT_MODEL
from memory_cli.operations.import_ import import_
from memory_cli.operations.reindex import reindex

RECORDS = 1000
IMPORTED = 20_000
EMBEDDED = 1000
BATCHES = (8, 16, 32, 64)
FULL = "storage.synchronous=full"


def commits(folder: Path, texts: Sequence[str]) -> float:
    """Return how many transactions of one row a second SQLite itself makes durable here."""
    with sqlite3.connect(folder / "floor.sqlite3", isolation_level=None) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = full")
        db.execute("create table t (text text)")
        start = time.perf_counter()
        for text in texts:
            db.execute("begin immediate")
            db.execute("insert into t values (?)", (text,))
            db.execute("commit")
    db.close()
    return len(texts) / (time.perf_counter() - start)


def indexed(folder: Path, texts: Sequence[str]) -> float:
    """Return how many rows a second SQLite alone puts into a table and a full-text index, a thousand at a time."""
    with sqlite3.connect(folder / "index.sqlite3", isolation_level=None) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("create table t (number integer primary key, text text, other blob unique)")
        db.execute("create virtual table w using fts5(text)")
        start = time.perf_counter()
        for first in range(0, len(texts), 1000):
            rows = [(first + place, text) for place, text in enumerate(texts[first : first + 1000])]
            db.execute("begin immediate")
            db.executemany("insert into t values (?, ?, randomblob(16))", rows)
            db.executemany("insert into w (rowid, text) values (?, ?)", rows)
            db.execute("commit")
    db.close()
    return len(texts) / (time.perf_counter() - start)


class Server:
    """`memory serve` as a client sees it."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "memory_cli", *roots(folder), "--set", FULL, "serve"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self._numbers = count(1)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
        self.ask("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        number = next(self._numbers)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            assert self._process.stdout
            answer: dict[str, Any] = json.loads(self._process.stdout.readline())
            if answer.get("id") == number:
                return answer

    def close(self) -> None:
        """End the server."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{json.dumps(message)}\n")
        self._process.stdin.flush()


def recorded(folder: Path, texts: Sequence[str]) -> tuple[float, float]:
    """Return how many records a second a server acknowledges, and how many empty calls it answers."""
    server = Server(folder)
    try:
        call: dict[str, Any] = {"name": "record_memory", "arguments": {}}
        start = time.perf_counter()
        for text in texts:
            answer = server.ask("tools/call", {**call, "arguments": {"text": text}})
            assert not answer["result"].get("isError"), answer
        rate = len(texts) / (time.perf_counter() - start)
        start = time.perf_counter()
        for _ in texts:
            server.ask("tools/call", {**call, "arguments": {"text": ""}})
        return rate, len(texts) / (time.perf_counter() - start)
    finally:
        server.close()


def imported(folder: Path, texts: Sequence[str]) -> float:
    """Return how many statements a second an import takes in, durably."""
    lines = [json.dumps({"text": text}, ensure_ascii=False) for text in texts]
    with opened(folder, assignments=[FULL]) as memory:
        start = time.perf_counter()
        import_(memory, lines)
        return len(texts) / (time.perf_counter() - start)


def embedded(folder: Path, texts: Sequence[str]) -> tuple[float, float]:
    """Return how many statements a second `reindex` embeds, and the model itself at its best batch."""
    model = loaded(DEFAULT_MODEL)
    model.embed(texts[:32])
    imported(folder, texts)
    with opened(folder, assignments=[FULL]) as memory:
        start = time.perf_counter()
        reindex(memory, vectors_only=True)
        ours = len(texts) / (time.perf_counter() - start)
    best = 0.0
    for size in BATCHES:
        start = time.perf_counter()
        model.embed(texts, batch_size=size)
        best = max(best, len(texts) / (time.perf_counter() - start))
    return ours, best


def lines(data: Path, store: Path | None) -> Iterator[str]:
    """Yield a line for each figure, with its floor beside it."""
    texts = (data / TEXTS).read_text(encoding="utf-8").splitlines()[-IMPORTED:]
    with tempfile.TemporaryDirectory(dir=data) as made:
        folder = Path(made)
        floor = commits(folder, texts[:RECORDS])
        yield f"bare durable commits: {floor:.0f} a second"
        rate, calls = recorded(folder / "new", texts[:RECORDS])
        yield f"records over MCP, new store: {rate:.0f} a second; calls that write nothing: {calls:.0f} a second"
        if store:
            shutil.copytree(store, folder / "large")
            rate, calls = recorded(folder / "large", texts[:RECORDS])
            yield f"records over MCP, {store.name}: {rate:.0f} a second; calls that write nothing: {calls:.0f} a second"
        bare = indexed(folder, texts)
        (folder / "imported").mkdir()
        roots(folder / "imported")
        rate = imported(folder / "imported", texts)
        yield f"import: {rate:.0f} a second; SQLite alone {bare:.0f}; ratio {rate / bare:.2f}"
        (folder / "embedded").mkdir()
        roots(folder / "embedded")
        ours, best = embedded(folder / "embedded", texts[:EMBEDDED])
        yield f"embedding: {ours:.0f} a second; the model {best:.0f}; ratio {ours / best:.2f}"


def main() -> None:
    """Print the figures of writing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--store", type=Path, help="a store of `benchmarks.scale` to write into a copy of")
    given = parser.parse_args()
    for line in lines(given.data, given.store):
        print(line, flush=True)


if __name__ == "__main__":
    main()
