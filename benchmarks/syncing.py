"""Sync: ten thousand things of which ten changed, over HTTP and through a folder, and what an entry of a log costs.

uv run python -m benchmarks.syncing --items 10000

Bytes are those on the wire of a loopback connection, headers and both directions included, or those written into the
folder. Both stores wait for the disk, as by default.
"""

import argparse
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, Literal
from urllib.parse import urlsplit

from benchmarks.size import sentence
from benchmarks.stores import opened, roots
from benchmarks.writing import FULL, Commits
from memory_cli.memory import Memory
from memory_cli.models.statement import Filters
from memory_cli.operations.category.append import append
from memory_cli.operations.category.write import write
from memory_cli.operations.forget import forget
from memory_cli.operations.import_ import import_
from memory_cli.operations.record import record
from memory_cli.operations.sync.folder import folder
from memory_cli.operations.sync.run import run
from memory_cli.operations.token.add import add
from memory_cli.operations.update import update
from memory_cli.store import statements

GLOBAL: Literal["global"] = "global"
CHANGED = 10
# Of a hundred things one is a category.
CATEGORIES = 100
APPENDED = 300
HELD = (10, 10_000)


class Wire:
    """A relay in front of a server, which counts what passes."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.bytes = 0
        self._target = (parts.hostname or "", parts.port or 0)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            here = self._listening.accept()[0]
            there = socket.create_connection(self._target)
            for ends in ((here, there), (there, here)):
                Thread(target=self._relay, args=ends, daemon=True).start()

    def _relay(self, source: socket.socket, target: socket.socket) -> None:
        while data := source.recv(1 << 16):
            self.bytes += len(data)
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def served(place: Path) -> Iterator[str]:
    """Serve the memory in place; yield its address."""
    command = [sys.executable, "-m", "memory_cli", *roots(place), "--set", FULL, "serve", "--http", "--port", "0"]
    environ = {**os.environ, "HOME": str(place)}
    with subprocess.Popen([*command, "--api"], stderr=subprocess.PIPE, env=environ, text=True) as server:
        try:
            assert server.stderr is not None
            said = server.stderr.readline()
            found = re.search(r"http://[^/]+", said)
            assert found, said
            yield found[0]
        finally:
            server.kill()


def at(place: Path, *assignments: str, secret: str = "") -> AbstractContextManager[Memory]:
    """Open the memory in place as its owner does."""
    roots(place)
    return opened(
        place, assignments=[FULL, *assignments], environ={"MEMORY_DEVICE": place.name, "MEMORY_SYNC_TOKEN": secret}
    )


def fill(place: Path, count: int, chance: random.Random) -> None:
    """Give a memory so many things."""
    lines = (json.dumps({"text": sentence(number, chance), "scope": GLOBAL}) for number in range(count))
    with at(place) as memory:
        import_(memory, lines, scope=GLOBAL)
    for number in range(count // CATEGORIES):
        with at(place) as memory:
            write(memory, f"category-{number}", data={"number": number, "text": sentence(number, chance)})


def change(place: Path, chance: random.Random) -> None:
    """Change ten things in different ways."""
    with at(place) as memory:
        found = statements.page(memory.store(GLOBAL), Filters(now=memory.now), limit=10**6)
        for one in chance.sample(found, CHANGED // 2):
            update(memory, one.id, f"{one.text}, as was found later {chance.random()}", scope=GLOBAL)
        for number in range(CHANGED - CHANGED // 2 - 2):
            record(memory, f"a new thing {number} {chance.random()}", scope=GLOBAL)
        forget(memory, id=[found[0].id], scope=GLOBAL)
        write(memory, "category-0", data={"number": chance.random()})


def over_http(one: Path, other: Path, chance: random.Random) -> Iterator[str]:
    """Yield what a first sync, one of ten changes and one of none cost over HTTP."""
    with at(other) as memory:
        secret = add(memory, one.name).token
    with served(other) as address:
        wire = Wire(address)

        def sync() -> Any:
            with at(one, f"sync.remotes=hub={wire.address}", secret=secret) as memory:
                return run(memory).synced[0]

        for what, before in (("all", None), (f"{CHANGED} changed", change), ("nothing changed", None)):
            if before:
                before(one, chance)
            start, passed = time.perf_counter(), wire.bytes
            done = sync()
            assert done.equal, done
            yield f"over HTTP, {what}: {wire.bytes - passed:,} bytes, {time.perf_counter() - start:.2f} s"


def through_a_folder(one: Path, other: Path, shared: Path, chance: random.Random) -> Iterator[str]:
    """Yield what a first sync, one of ten changes and one of none cost through a folder, either device once."""
    for what, before in (("all", None), (f"{CHANGED} changed", change), ("nothing changed", None)):
        if before:
            before(one, chance)
        start, moved = time.perf_counter(), 0
        for place in (one, other):
            with at(place) as memory:
                done = folder(memory, str(shared))
            moved += done.bytes
        assert done.equal, done
        yield f"through a folder, {what}: {moved:,} bytes, {time.perf_counter() - start:.2f} s"


def appended(place: Path, held: int) -> float:
    """Return how many entries a second a log takes that holds so many."""
    with at(place) as memory:
        for number in range(held):
            append(memory, f"log-{held}", data={"did": number}, max_entries=10**6, scope=GLOBAL)
    start = time.perf_counter()
    for number in range(APPENDED):
        with at(place) as memory:
            append(memory, f"log-{held}", data={"did": f"something {number}"}, scope=GLOBAL)
    return APPENDED / (time.perf_counter() - start)


def committed(place: Path) -> float:
    """Return how many transactions of one row a second SQLite itself makes durable here."""
    floor = Commits(place)
    start = time.perf_counter()
    floor.write(["an entry"] * APPENDED)
    rate = APPENDED / (time.perf_counter() - start)
    floor.close()
    return rate


def lines(place: Path, items: int, held: Sequence[int]) -> Iterator[str]:
    """Yield a line for each figure."""
    chance = random.Random(1)
    fill(place / "one", items - items // CATEGORIES, chance)
    yield from over_http(place / "one", place / "hub", chance)
    yield from through_a_folder(place / "one", place / "third", place / "shared", chance)
    yield f"bare durable commits: {committed(place):.0f} a second"
    for count in held:
        yield f"entries into a log of {count:,}: {appended(place / 'logs', count):.0f} a second"


def main() -> None:
    """Print the figures of sync."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=10_000)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        for line in lines(Path(made), told.items, HELD):
            print(line, flush=True)


if __name__ == "__main__":
    main()
