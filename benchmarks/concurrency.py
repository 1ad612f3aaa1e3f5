"""Many processes at once: writers, readers, a server and a reindex, and nothing may be lost.

uv run python -m benchmarks.concurrency --writers 8 --records 500
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.stores import opened, roots
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.operations.reindex import reindex
from memory_cli.store import checks, connection, statements

RECORD = "record"
READ = "read"
REINDEX = "reindex"


def write(folder: Path, name: str, records: int) -> None:
    """Record so many statements, each over a connection of its own."""
    for number in range(records):
        with opened(folder, source=name) as memory:
            record(memory, f"writer {name} says that thing {number} is so")


def read(folder: Path, seconds: float) -> None:
    """Recall until the time is over; any error ends the process with a traceback."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with opened(folder) as memory:
            recall(memory, "what does the writer say of thing 3", words=True)


def run(folder: Path, *, writers: int, records: int, readers: int) -> dict[str, object]:
    """Run all at once and return what is there afterwards; every process must have ended well."""
    flags = roots(folder)
    with opened(folder):
        pass
    start = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-m", "memory_cli", *flags, "serve"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    here = [sys.executable, "-m", "benchmarks.concurrency", "--folder", str(folder)]
    working = [
        subprocess.Popen(
            [*here, "--role", RECORD, "--name", str(number), "--records", str(records)], stderr=subprocess.PIPE
        )
        for number in range(writers)
    ]
    seconds = str(1 + writers * records / 1000)
    others = [
        subprocess.Popen([*here, "--role", READ, "--seconds", seconds], stderr=subprocess.PIPE) for _ in range(readers)
    ]
    others.append(subprocess.Popen([*here, "--role", REINDEX], stderr=subprocess.PIPE))
    largest = _watched(folder, working)
    errors = [process.communicate()[1] for process in working]
    took = time.perf_counter() - start
    errors += [process.communicate()[1] for process in others]
    errors.append(server.communicate(input="")[1])
    failed = [process.returncode for process in (*working, *others, server) if process.returncode]
    with opened(folder) as memory:
        (store,) = memory.stores()
        return {
            "expected": writers * records,
            "kept": statements.count(store),
            "records_per_second": round(writers * records / took),
            "failed": failed,
            "errors": [each for each in errors if each],
            "problems": checks.problems(store),
            "largest_wal_bytes": largest,
            "wal_bytes": connection.sizes(store).wal,
        }


def _watched(folder: Path, working: list[subprocess.Popen[bytes]]) -> int:
    """Return how large the log was at its largest while any of the processes ran."""
    log = folder / "project/.memory-rag/memory.sqlite3-wal"
    largest = 0
    while any(process.poll() is None for process in working):
        largest = max(largest, log.stat().st_size if log.exists() else 0)
        time.sleep(0.05)
    return largest


def main() -> None:
    """Run the measurement, or one of its processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--readers", type=int, default=2)
    for name in ("--role", "--name", "--folder"):
        parser.add_argument(name, default="", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=1, help=argparse.SUPPRESS)
    told = parser.parse_args()
    folder = Path(told.folder)
    if told.role == RECORD:
        write(folder, told.name, told.records)
    elif told.role == READ:
        read(folder, told.seconds)
    elif told.role == REINDEX:
        with opened(folder) as memory:
            reindex(memory, words_only=True)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            result = run(Path(temporary), writers=told.writers, records=told.records, readers=told.readers)
        print(json.dumps(result, indent=2, default=str))
        sys.exit(result["kept"] != result["expected"] or bool(result["errors"]))


if __name__ == "__main__":
    main()
