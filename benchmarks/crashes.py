"""Kill a writing process at random moments and look at what is left.

    uv run python -m benchmarks.crashes --rounds 200

Each round a process makes changes one after the other and says so after each. It is killed with SIGKILL; then the
store must hold what the acknowledged changes made, with or without the one that was under way, and pass SQLite's
checks and ours. A model in memory says what that is: a stack of sets of texts, of which undo takes the top.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.stores import Letters, opened
from memory_cli.memory import Memory
from memory_cli.operations.forget import forget
from memory_cli.operations.import_ import import_
from memory_cli.operations.pending import embed_batches
from memory_cli.operations.record import record
from memory_cli.operations.reindex import reindex
from memory_cli.operations.undo import undo
from memory_cli.operations.update import update
from memory_cli.store import checks, statements

OPERATIONS = ("record", "forget", "undo", "import", "reindex", "embed", "update")
IMPORTED = 40

State = frozenset[str]
Step = tuple[str, str]


def plan(seed: int, only: str = "") -> Iterator[tuple[Step, State]]:
    """Yield without end what to do next, and the texts that the store holds when it is done.

    With an operation named, that one comes every second time.
    """
    chance = random.Random(seed)
    states: list[State] = [frozenset()]
    for number in range(10**9):
        kind = only if only and number % 2 else chance.choice(OPERATIONS)
        now = states[-1]
        if kind == "undo" and len(states) > 1:
            states.pop()
        elif kind in ("forget", "update") and now:
            text = chance.choice(sorted(now))
            changed = {f"{text} changed"} if kind == "update" else set()
            states.append(now - {text} | changed)
            yield (kind, text), states[-1]
            continue
        elif kind == "import":
            states.append(now | {f"imported {number} {row}" for row in range(IMPORTED)})
        elif kind not in ("reindex", "embed"):
            kind = "record"
            states.append(now | {f"statement {number} about {chance.choice(('tea', 'ports', 'reviews'))}"})
        text = next(iter(states[-1] - now), "") if kind == "record" else str(number)
        yield (kind, text), states[-1]


def work(folder: Path, seed: int, only: str) -> None:
    """Do what the plan says until killed, and say how many steps are done."""
    for done, (step, _state) in enumerate(plan(seed, only), 1):
        with opened(folder) as memory:
            _do(memory, *step)
        print(done, flush=True)


def _do(memory: Memory, kind: str, text: str) -> None:
    if kind == "record":
        record(memory, text)
    elif kind == "forget":
        forget(memory, text)
    elif kind == "update":
        (found,) = [each for each in _all(memory) if each.text == text]
        update(memory, found.id, f"{text} changed")
    elif kind == "undo":
        undo(memory)
    elif kind == "import":
        import_(memory, [json.dumps({"text": f"imported {text} {row}"}) for row in range(IMPORTED)])
    elif kind == "reindex":
        reindex(memory, words_only=True)
    else:
        for store in memory.stores():
            embed_batches(memory, store, Letters(), most=50)


def round_of(folder: Path, seed: int, delay: float, only: str = "") -> int:
    """Run a writer for delay seconds after its first change, kill it, check what is left; return the changes made."""
    (folder / "project" / ".git").mkdir(parents=True)
    command = [sys.executable, "-m", "benchmarks.crashes", "--work", str(folder), "--seed", str(seed), "--only", only]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first, "the writer ended before it wrote anything"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split("\n")
    done = max(int(line) for line in (first.strip(), *rest) if line)
    check(folder, seed, done, only)
    return done


def check(folder: Path, seed: int, done: int, only: str) -> None:
    """Fail unless the store holds what so many steps made, with or without one more."""
    states = plan(seed, only)
    for _ in range(done - 1):
        next(states)
    expected = [next(states)[1], next(states)[1]]
    with opened(folder) as memory:
        found = frozenset(each.text for each in _all(memory))
        assert found in expected, f"seed {seed}, {done} steps: {found ^ expected[0]}"
        for store in memory.stores():
            assert checks.problems(store) == [], checks.problems(store)


def _all(memory: Memory) -> list[statements.Statement]:
    from memory_cli.models.statement import Filters

    return [each for store in memory.stores() for each in statements.page(store, Filters(now=memory.now), limit=10**9)]


def main() -> None:
    """Run the rounds, or one writer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", choices=("", *OPERATIONS))
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.work:
        work(told.work, told.seed, told.only)
        return
    chance = random.Random(told.seed)
    changes = 0
    for number in range(told.rounds):
        with tempfile.TemporaryDirectory() as temporary:
            changes += round_of(Path(temporary), told.seed + number, chance.uniform(0, 0.5), told.only)
    print(f"rounds={told.rounds} acknowledged={changes} lost=0 damaged=0")


if __name__ == "__main__":
    main()
