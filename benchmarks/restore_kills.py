"""Kill a restore at every call that changes a file, and look at what is left.

    uv run python -m benchmarks.restore_kills

After each kill the memory must be whole, the old one or the one of the snapshot, and a second restore must go through
with nothing lost of what was there before the first.
"""

import argparse
import tempfile
from collections.abc import Iterable
from pathlib import Path

from benchmarks.migration_kills import Starter, starter
from benchmarks.stores import opened, roots
from memory_cli.models.statement import Filters
from memory_cli.operations.record import record
from memory_cli.operations.restore import restore
from memory_cli.operations.snapshot import snapshot
from memory_cli.store import checks, readonly, statements
from memory_cli.store.connection import NAME

OLD = [f"statement {number} of the snapshot" for number in range(20)]
NEW = "said after the snapshot"


def build(home: Path) -> Path:
    """Make a memory, a snapshot of it, and a further statement; return the folder of the memory."""
    roots(home)
    with opened(home) as memory:
        for text in OLD:
            record(memory, text)
        snapshot(memory, str(home / "kept"))
        record(memory, NEW)
    return home / "project/.memory-rag"


def calls(starter: Starter) -> int:
    """Return how many calls that change a file a restore makes that is not killed."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary).resolve()
        return starter.start(home, build(home), 0, "restore", directory=str(home / "kept"), yes=True)


def killed_at(starter: Starter, at: int) -> bool:
    """Kill a restore at a call, check what is left, and restore again; return whether the old memory was left."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary).resolve()
        folder = build(home)
        starter.start(home, folder, at, "restore", directory=str(home / "kept"), yes=True)
        left = _texts(home)
        assert sorted(left) in (sorted(OLD), sorted([*OLD, NEW])), f"killed at {at}: {left}"
        with opened(home) as memory:
            restore(memory, str(home / "kept"), yes=True)
        assert sorted(_texts(home)) == sorted(OLD), f"killed at {at}, restored again"
        kept = [path for path in folder.glob(f"parked-*/{NAME}") if readonly.statements(path) == len(OLD) + 1]
        assert kept, f"killed at {at}: what was there before is in no parked file"
        return NEW in left


def run(starter: Starter, points: Iterable[int]) -> int:
    """Kill at each of the points and return how many there were."""
    return len([killed_at(starter, at) for at in points])


def _texts(home: Path) -> list[str]:
    with opened(home) as memory:
        (store,) = memory.stores("local")
        assert checks.problems(store) == []
        return [each.text for each in statements.page(store, Filters(now=memory.now), limit=100)]


def main() -> None:
    """Kill at every call."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as temporary, starter(Path(temporary)) as started:
        most = calls(started)
        old = [killed_at(started, at) for at in range(1, most + 1)]
    print(f"kills={most} old={sum(old)} new={most - sum(old)} lost=0")


if __name__ == "__main__":
    main()
