"""Writing: records over MCP, imports and embedding, each beside the floor that the machine sets.

uv run python -m benchmarks.writing --data DIR --store DIR/stores/100000
"""

import argparse
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

from benchmarks.corpus import TEXTS
from benchmarks.stores import opened, roots
from memory_cli.embedding import loaded
from memory_cli.embedding.models import DEFAULT_MODEL
from memory_cli.operations.import_ import import_
from memory_cli.operations.reindex import reindex

RECORDS, ROUNDS = 200, 5
IMPORTED = 100_000
EMBEDDED = 1000
BATCHES = (8, 16, 32, 64)
FULL = "storage.synchronous=full"
# What is embedded in the background has a figure of its own: here a server finds no model, in a home that has none.
UNMADE = "dense.embedding_model=use-m3"
ECHO = """
from mcp.server import MCPServer
def echo(text: str) -> str:
    return text
server = MCPServer("echo")
server.add_tool(echo)
server.run()
"""


class Commits:
    """A table into which SQLite itself commits a row at a time, durably."""

    def __init__(self, folder: Path) -> None:
        self._db = sqlite3.connect(folder / "floor.sqlite3", isolation_level=None)
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = full")
        self._db.execute("create table t (text text)")

    def write(self, texts: Sequence[str]) -> None:
        """Write texts, each in a transaction of its own."""
        for text in texts:
            self._db.execute("begin immediate")
            self._db.execute("insert into t values (?)", (text,))
            self._db.execute("commit")

    def close(self) -> None:
        """Close the database."""
        self._db.close()


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
    """A server over standard streams as a client sees it."""

    def __init__(self, command: Sequence[str], home: Path) -> None:
        environ = {**os.environ, "HOME": str(home), "PYTHONPATH": str(Path(__file__).parents[1])}
        # The log says that there is no model.
        self._process = subprocess.Popen(
            command, env=environ, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._numbers = count(1)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
        self._send("initialize", hello)
        self._answer()
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, texts: Sequence[str], *, ahead: int = 1) -> None:
        """Call a tool with each text, with so many calls under way at once; every one must succeed."""
        for place, text in enumerate(texts):
            self._send("tools/call", {"name": tool, "arguments": {"text": text}})
            if place >= ahead - 1:
                self._answer()
        for _ in range(min(ahead - 1, len(texts))):
            self._answer()

    def close(self) -> None:
        """End the server."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()

    def _send(self, method: str, params: dict[str, Any]) -> None:
        self._write({"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params})

    def _answer(self) -> None:
        while True:
            assert self._process.stdout
            answer: dict[str, Any] = json.loads(self._process.stdout.readline())
            if "id" in answer:
                assert "result" in answer and not answer["result"].get("isError"), answer
                return

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{json.dumps(message)}\n")
        self._process.stdin.flush()


def recorded(folder: Path, store: Path, texts: Sequence[str]) -> dict[str, float]:
    """Return how often a second each is done, in turn: a bare commit, a call of a tool that does nothing, a record."""
    command = [sys.executable, "-m", "memory_cli", *roots(store), "--set", FULL, "--set", UNMADE, "serve"]
    ours = Server(command, home=folder)
    echo = Server([sys.executable, "-c", ECHO], home=folder)
    floor = Commits(folder)
    does: dict[str, Callable[[Sequence[str]], None]] = {
        "commits": floor.write,
        "empty calls": lambda some: echo.call("echo", some),
        "records": lambda some: ours.call("record_memory", some),
        "records, 16 at once": lambda some: ours.call("record_memory", some, ahead=16),
    }
    try:
        ours.call("record_memory", ["The first one makes what is needed."])
        return _in_turn(does, texts)
    finally:
        ours.close()
        echo.close()
        floor.close()
        (folder / "floor.sqlite3").unlink()


def _in_turn(does: Mapping[str, Callable[[Sequence[str]], None]], texts: Sequence[str]) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in does}
    left = iter(texts)
    for _ in range(ROUNDS):
        for name, do in does.items():
            some = list(islice(left, RECORDS))
            start = time.perf_counter()
            do(some)
            taken[name].append(RECORDS / (time.perf_counter() - start))
    return {name: statistics.median(each) for name, each in taken.items()}


def imported(folder: Path, texts: Sequence[str], jobs: int = 0) -> float:
    """Return how many statements a second an import takes in, durably, on so many cores; 0 are all that pay."""
    roots(folder)
    lines = [json.dumps({"text": text}, ensure_ascii=False) for text in texts]
    with opened(folder, assignments=[FULL]) as memory:
        start = time.perf_counter()
        import_(memory, lines, jobs=jobs)
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
        if store:
            shutil.copytree(store, folder / "large")
        for name, place in (("new", folder / "new"), *([(store.name, folder / "large")] if store else [])):
            yield f"{name}: {_told(recorded(folder, place, texts))}"
        bare = indexed(folder, texts)
        one, most = (imported(folder / f"imported{jobs}", texts, jobs) for jobs in (1, 0))
        yield f"import: {one:.0f} a second in one process, {most:.0f} in several; SQLite alone {bare:.0f}"
        ours, best = embedded(folder / "embedded", texts[:EMBEDDED])
        yield f"embedding: {ours:.0f} a second; the model {best:.0f}; ratio {ours / best:.2f}"


def _told(rates: Mapping[str, float]) -> str:
    """Return rates, and which share a record reaches of a call and a commit one after the other."""
    floor = 1 / (1 / rates["commits"] + 1 / rates["empty calls"])
    told = "; ".join(f"{name} {rate:.0f} a second" for name, rate in rates.items())
    return f"{told}; of a call and a commit {rates['records'] / floor:.2f}"


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
