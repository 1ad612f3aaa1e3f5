"""How long commands take from nothing, each beside the least that could be paid for it: `python -m benchmarks.start`.

Every command and its floor are started in turn, round by round, so that what else the machine does meets all alike.
Texts are sentences of this machine's manual pages, or the lines of --texts FILE; --data DIR keeps the stores.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks import corpus
from benchmarks.stores import opened, roots
from memory_cli.embedding.models import DEFAULT_MODEL, KNOWN
from memory_cli.embedding.state import tokenizer_folder, weights_file
from memory_cli.operations.import_ import import_
from memory_cli.operations.reindex import reindex
from memory_cli.text.analysis import query_terms

QUESTION = "how do I list hidden files in a directory with their size"
PROGRAM = [sys.executable, "-m", "memory_cli"]
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "floor", "version": "1"}},
}  # fmt: skip
HANDSHAKE = (HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"},
             {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})  # fmt: skip

EMPTY = "import typer; app = typer.Typer(); app.command()(lambda query: {}); app()"
# The terms that ours looks up, and nothing but them.
BARE_QUERY = """
import sqlite3, typer
app = typer.Typer()
@app.command()
def main(path: str, terms: str) -> None:
    db = sqlite3.connect(path)
    query = "select s.id, s.text from words join statement s on s.number = words.rowid where words match ? " \\
        "order by rank limit 10"
    for row in db.execute(query, [terms]):
        print(*row)
app()
"""
BARE_MEANING = """
import os, sqlite3, typer
app = typer.Typer()
@app.command()
def main(path: str, query: str, weights: str, tokenizer: str) -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType
    import numpy as np
    TextEmbedding.add_custom_model(model="m", pooling=PoolingType.MEAN, normalization=True,
        sources=ModelSource(hf="m"), dim=384, model_file=weights)
    engine = TextEmbedding("m", specific_model_path=tokenizer, cache_dir=tokenizer, threads=1,
        providers=["CPUExecutionProvider"], local_files_only=True)
    (vector,) = engine.embed([query])
    rows = sqlite3.connect(path).execute("select statement, components from vector").fetchall()
    matrix = np.frombuffer(b"".join(row[1] for row in rows), "<f4").reshape(len(rows), -1)
    for place in np.argsort(-(matrix @ vector))[:10]:
        print(rows[place][0])
app()
"""
BARE_SERVER = "from mcp.server.mcpserver import MCPServer; MCPServer('bare').run()"


class Started(NamedTuple):
    """What one process took, in milliseconds: from its start to its end or last answer, and on the processor."""

    wall: float
    processor: float


Commands = dict[str, Callable[[], Started]]


class Row(NamedTuple):
    """A command beside its floor, and how many times the floor it may take at most."""

    name: str
    floor: str
    target: float | None


def ran(command: Sequence[str]) -> Started:
    """Run a command to its end."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)[:200]} ended with {process.returncode}")
    return Started(wall * 1000, (used.ru_utime + used.ru_stime) * 1000)


def listed(command: Sequence[str]) -> Started:
    """Start a server, shake hands, and wait for its list of tools."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin and process.stdout
    process.stdin.write("".join(f"{json.dumps(each)}\n" for each in HANDSHAKE).encode())
    process.stdin.flush()
    while json.loads(process.stdout.readline()).get("id") != 2:
        pass
    wall = time.perf_counter() - began
    process.stdin.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    return Started(wall * 1000, (used.ru_utime + used.ru_stime) * 1000)


def filled(folder: Path, texts: Sequence[str], *, vectors: bool) -> list[str]:
    """Make a store of texts in folder, unless it is there, and return the options that name it."""
    flags = roots(folder)
    if not (folder / "project/.memory-rag").exists():
        with opened(folder) as memory:
            import_(memory, (json.dumps({"text": each}) for each in texts), scope="local")
        if vectors:
            with opened(folder) as memory:
                reindex(memory, vectors_only=True)
    return flags


def store(flags: Sequence[str]) -> str:
    """Return the path of the database that options name."""
    return str(Path(flags[1]) / ".memory-rag/memory.sqlite3")


@contextmanager
def server(flags: Sequence[str]) -> Iterator[None]:
    """Keep a server running whose model is loaded."""
    process = subprocess.Popen([*PROGRAM, *flags, "serve"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        time.sleep(3)
        ran([*PROGRAM, *flags, "recall", QUESTION])
        yield
    finally:
        process.communicate()


def measured(commands: Commands, runs: int) -> dict[str, list[Started]]:
    """Start every command so often, in turn; the first round, which fills the caches, does not count."""
    taken: dict[str, list[Started]] = {name: [] for name in commands}
    for round in range(runs + 1):
        for name, command in commands.items():
            one = command()
            if round:
                taken[name].append(one)
    return taken


def table(rows: Sequence[Row], taken: dict[str, list[Started]]) -> Iterator[str]:
    """Yield a Markdown table of medians and of their ratios to the floors."""
    yield "| command | ms, median (least) | processor ms | floor | x floor | x floor, processor | target |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        wall, processor = _medians(taken[row.name])
        least = min(each.wall for each in taken[row.name])
        cells = [row.name, f"{wall:.0f} ({least:.0f})", f"{processor:.0f}", row.floor or "-"]
        if row.floor:
            wall_floor, processor_floor = _medians(taken[row.floor])
            cells += [f"{wall / wall_floor:.2f}", f"{processor / processor_floor:.2f}"]
        else:
            cells += ["", ""]
        yield f"| {' | '.join([*cells, f'<= {row.target}' if row.target else ''])} |"


def _medians(taken: Sequence[Started]) -> tuple[float, float]:
    return statistics.median(each.wall for each in taken), statistics.median(each.processor for each in taken)


def _one(command: Sequence[str]) -> Callable[[], Started]:
    return lambda: ran(command)


def plan(folder: Path, texts: Sequence[str], sizes: Sequence[int], embedded: int) -> tuple[list[Row], Commands]:
    """Make the stores and return the rows of the table and the commands to start."""
    python = [sys.executable, "-c"]
    terms = " OR ".join(f'"{each.token}"' for each in query_terms(QUESTION).terms if not each.optional)
    commands = {
        "bare python": _one([*python, "pass"]),
        "python + sqlite3": _one([*python, "import sqlite3; sqlite3.connect(':memory:').execute('select 1')"]),
        "import typer": _one([*python, "import typer"]),
        "an empty Typer command": _one([*python, EMPTY.format("None"), QUESTION]),
        "memory --version": _one([*PROGRAM, "--version"]),
        "a bare MCPServer": lambda: listed([*python, BARE_SERVER]),
    }
    rows = [Row(each, "", None) for each in commands if each != "memory --version"]
    rows.append(Row("memory --version", "import typer", 1.2))
    for size in sizes:
        flags = filled(folder / f"words-{size}", texts[:size], vectors=False)
        floor, name = f"Typer + FTS query, {size:,}", f"recall --words, {size:,}"
        commands[floor] = _one([*python, BARE_QUERY, store(flags), terms])
        commands[name] = _one([*PROGRAM, *flags, "recall", QUESTION, "--words"])
        rows += [Row(floor, "", None), Row(name, floor, 1.5)]
    commands["memory --help"] = _one([*PROGRAM, "--help"])
    rows.append(Row("memory --help", floor, 2.0))
    flags = filled(folder / f"meaning-{embedded}", texts[:embedded], vectors=True)
    model = KNOWN[DEFAULT_MODEL]
    weights = weights_file(model, check=False)
    files = [str(weights), str(tokenizer_folder(model, weights.parent))]
    floor, name = "Typer + fastembed + load + search", f"recall by meaning, cold, {embedded:,}"
    commands[floor] = _one([*python, BARE_MEANING, store(flags), QUESTION, *files])
    commands[name] = _one([*PROGRAM, *flags, "recall", QUESTION])
    commands["memory serve to tools/list"] = lambda: listed([*PROGRAM, *flags, "serve"])
    rows += [Row(floor, "", None), Row(name, floor, 1.2), Row("memory serve to tools/list", "a bare MCPServer", 1.2)]
    return rows, commands


def warm(folder: Path, embedded: int) -> tuple[list[Row], Commands]:
    """Return what to start beside a running server."""
    flags = roots(folder / f"meaning-{embedded}")
    by_words, by_meaning = "recall --words, a server running", "recall by meaning, a server running"
    commands = {
        by_words: _one([*PROGRAM, *flags, "recall", QUESTION, "--words"]),
        by_meaning: _one([*PROGRAM, *flags, "recall", QUESTION]),
    }
    return [Row(by_words, "", None), Row(by_meaning, by_words, 1.3)], commands


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as lines:
        yield from lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--embedded", type=int, default=2_000, help="how many statements have vectors")
    parser.add_argument("--texts", type=Path, help="a file with one text a line")
    parser.add_argument("--data", type=Path, help="where the stores are kept, to be used again")
    told = parser.parse_args()
    # The targets are those of compiled files, which Python writes where it is not told otherwise.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["HOME"] = temporary
        folder = told.data or Path(temporary)
        texts = _lines(told.texts) if told.texts else corpus.texts(corpus.LISTS, corpus.MANUALS)
        rows, commands = plan(folder, list(islice(texts, max(told.sizes))), told.sizes, told.embedded)
        print(*table(rows, measured(commands, told.runs)), sep="\n", flush=True)
        rows, commands = warm(folder, told.embedded)
        with server(roots(folder / f"meaning-{told.embedded}")):
            print(*table(rows, measured(commands, told.runs)), sep="\n")


if __name__ == "__main__":
    main()
