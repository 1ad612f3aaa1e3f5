"""Kill a writing process at random moments and look at what is left.

    uv run python -m benchmarks.crashes --rounds 500

Each round a process makes changes one after the other and says so after each. It is killed with SIGKILL; then the
store must hold what the acknowledged changes made, with or without the one that was under way, and pass SQLite's
checks and ours; and no file may hold a text whose purge was acknowledged. `benchmarks.crash_plan` says what the
changes are and what each leaves.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path

from benchmarks.crash_plan import IMPORTED, OPERATIONS, Row, State, Step, plan
from benchmarks.stores import Letters, opened
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.statement import Filters, Statement
from memory_cli.operations.doctor import doctor
from memory_cli.operations.forget import forget
from memory_cli.operations.handoff import handoff
from memory_cli.operations.import_ import import_
from memory_cli.operations.pending import embed_batches
from memory_cli.operations.record import record
from memory_cli.operations.reindex import reindex
from memory_cli.operations.trust import trust
from memory_cli.operations.undo import undo
from memory_cli.operations.update import update
from memory_cli.store import checks, purge, statements
from memory_cli.store import trust as trusts

# Long enough, wherever the kill falls, for a round to meet each kind of change.
LONGEST_ROUND = 0.5


def work(folder: Path, seed: int, only: str) -> None:
    """Do what the plan says until killed, and say how many steps are done."""
    for done, (step, _state) in enumerate(plan(seed, only), 1):
        with opened(folder) as memory:
            DOING[step.kind](memory, step)
        print(done, flush=True)


def _import(memory: Memory, step: Step) -> None:
    rows = [{"id": f"{step.id}-{row}", "text": f"{step.text} {row};", "agent": step.agent} for row in range(IMPORTED)]
    done = import_(memory, [json.dumps(each) for each in rows])
    assert not done.failed, done.failed


def _embed(memory: Memory, step: Step) -> None:
    for store in memory.stores():
        embed_batches(memory, store, Letters(), most=50)


DOING: Mapping[str, Callable[[Memory, Step], object]] = {
    "record": lambda memory, step: record(memory, step.text, id=step.id, agent=step.agent, tag=[step.tag]),
    "again": lambda memory, step: record(memory, step.text, agent=step.agent, tag=[step.tag]),
    "update": lambda memory, step: update(memory, step.id, step.text),
    "forget": lambda memory, step: forget(memory, id=[step.id]),
    "forget tag": lambda memory, step: forget(memory, tag=[step.tag], yes=True, expect_count=step.count),
    "forget agent": lambda memory, step: forget(memory, agent=[step.agent], yes=True, expect_count=step.count),
    "purge": lambda memory, step: forget(memory, id=[step.id], purge=True),
    "handoff": lambda memory, step: handoff(memory, step.text),
    "clear": lambda memory, step: handoff(memory, clear=True),
    "import": _import,
    "undo": lambda memory, step: undo(memory),
    "undo of undo": lambda memory, step: undo(memory, f"local:{step.count}"),
    "trust": lambda memory, step: trust(memory, revoke=not step.count),
    "reindex": lambda memory, step: reindex(memory, words_only=True),
    "embed": _embed,
    "doctor": lambda memory, step: doctor(memory, fix=True),
}


def round_of(folder: Path, seed: int, delay: float, only: str = "") -> int:
    """Run a writer for delay seconds after its first change, kill it, check what is left; return the changes made."""
    (folder / "project" / ".git").mkdir(parents=True)
    command = [sys.executable, "-m", "benchmarks.crashes", "--work", str(folder), "--seed", str(seed), "--only", only]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first, "the writer ended before it wrote anything"
        time.sleep(delay)
        assert process.poll() is None, f"seed {seed}: the writer failed before it was killed"
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split("\n")
    done = max(int(line) for line in (first.strip(), *rest) if line)
    check(folder, seed, done, only)
    return done


def check(folder: Path, seed: int, done: int, only: str) -> None:
    """Fail unless the store holds what so many steps made, with or without one more."""
    acknowledged, under_way = [state for _step, state in islice(plan(seed, only), done - 1, done + 1)]
    told = f"seed {seed}, {done} steps, {only or 'any'}"
    left = _traces(folder, acknowledged.purged)
    assert not left, f"{told}: purged and still there: {left}"
    with opened(folder) as memory:
        found = State(frozenset(map(_row, _all(memory))), _trusted(memory))
        assert any(found.rows == each.rows and found.trusted == each.trusted for each in (acknowledged, under_way)), (
            f"{told}: {found.rows ^ acknowledged.rows}"
        )
        for store in memory.stores():
            assert checks.problems(store) == [], f"{told}: {checks.problems(store)}"
        cut_short = any(map(purge.is_unclean, memory.stores()))
        # A purge that was cut short is finished by whoever mends the store.
        doctor(memory, fix=True)
    left = _traces(folder, under_way.purged if cut_short else acknowledged.purged)
    assert not left, f"{told}: purged, mended and still there: {left}"


def _traces(folder: Path, texts: Iterable[str]) -> list[str]:
    data = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return [text for text in texts if text.encode() in data]


def _row(one: Statement) -> Row:
    return Row(one.text, frozenset((each.agent, tag) for each in one.origins for tag in each.tags or ("",)))


def _trusted(memory: Memory) -> bool:
    project = memory.roots.project
    return project is not None and any(trusts.trusts(store, project) for store in memory.stores(GLOBAL))


def _all(memory: Memory) -> list[Statement]:
    wanted = Filters(now=memory.now)
    return [each for store in memory.stores(LOCAL) for each in statements.page(store, wanted, limit=10**9)]


def main() -> None:
    """Run the rounds, or one writer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=500)
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
        only = told.only or ("", *OPERATIONS)[number % (len(OPERATIONS) + 1)]
        with tempfile.TemporaryDirectory() as temporary:
            changes += round_of(Path(temporary), told.seed + number, chance.uniform(0, LONGEST_ROUND), only)
    print(f"rounds={told.rounds} acknowledged={changes} lost=0 damaged=0")


if __name__ == "__main__":
    main()
