"""How large a store grows: so many statements with vectors, then each of them changed several times.

uv run python -m benchmarks.size --statements 20000 --updates 10
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.stores import opened, roots
from memory_cli.embedding import DEFAULT_MODEL, KNOWN
from memory_cli.memory import LOCAL, Memory
from memory_cli.models.statement import Statement
from memory_cli.operations.import_ import import_
from memory_cli.store import journal, statements, vectors
from memory_cli.store.connection import Store

SUBJECTS = ("the cache", "the release", "svc-auth", "http_client", "the nightly job", "the index", "the parser", "Anna")
VERBS = ("needs", "must not touch", "waits for", "is older than", "replaces", "retries", "depends on", "logs")
OBJECTS = ("two reviews", "a warm disk", "the lock", "port 8080", "the last backup", "its token", "the queue", "CI")
BATCH = 500
# 20,000 statements in 120 MB.
MOST = 6000
DIMENSION = KNOWN[DEFAULT_MODEL].dimension


def sentence(number: int, chance: random.Random) -> str:
    """Return a statement of about a hundred characters that no other number has."""
    parts = [f"{chance.choice(SUBJECTS)} {chance.choice(VERBS)} {chance.choice(OBJECTS)}" for _ in range(3)]
    return f"{number}: {', since '.join(parts)}"


def fill(memory: Memory, count: int, chance: random.Random) -> None:
    """Record so many statements and give each a vector of the default model's size."""
    import_(memory, (json.dumps({"text": sentence(number, chance)}) for number in range(count)))
    embed(memory.store(LOCAL))


def embed(store: Store) -> None:
    """Give what has none a vector: of noise, which takes as much room as one that means something."""
    import numpy as np

    noise = np.random.default_rng(1)
    while rows := vectors.pending_batch(store, "noise@1", BATCH):
        made = noise.standard_normal((len(rows), DIMENSION), dtype=np.float32)
        with store.transaction():
            filled = [(number, text, made[place]) for place, (number, text) in enumerate(rows)]
            vectors.put(store, "noise@1", DIMENSION, filled)


def change(memory: Memory, chance: random.Random) -> None:
    """Give every statement other words, and so a new vector."""
    store = memory.store(LOCAL)
    for batch in _batches(store):
        with journal.writing(store, "update", memory.who, memory.now) as made:
            for before in batch:
                journal.change(made, before, _other(before, chance))
    embed(store)


def _batches(store: Store) -> Iterator[list[Statement]]:
    numbers = [row["number"] for row in store.db.execute("select number from statement order by number")]
    for start in range(0, len(numbers), BATCH):
        yield list(statements.numbered(store, numbers[start : start + BATCH]).values())


def _other(before: Statement, chance: random.Random) -> Statement:
    return replace(before, text=sentence(before.number, chance))


def run(folder: Path, *, count: int, updates: int) -> dict[str, float]:
    """Fill a store, change it, and return how many bytes its file took before and after."""
    roots(folder)
    chance = random.Random(1)
    sizes = []
    for step in range(updates + 1):
        with opened(folder) as memory:
            change(memory, chance) if step else fill(memory, count, chance)
        sizes.append((folder / "project/.memory-rag/memory.sqlite3").stat().st_size)
    return {
        "bytes": sizes[0],
        "bytes_a_statement": round(sizes[0] / count),
        "bytes_a_statement_changed": round(sizes[-1] / count),
        "grown": round(sizes[-1] / sizes[0], 3),
    }


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--statements", type=int, default=20_000)
    parser.add_argument("--updates", type=int, default=10)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        found = run(Path(temporary), count=told.statements, updates=told.updates)
    print(json.dumps(found, indent=2))
    sys.exit(found["bytes_a_statement"] > MOST or found["bytes_a_statement_changed"] > 1.5 * MOST)


if __name__ == "__main__":
    main()
