"""Kill the first start after an upgrade at every call that changes a file, and look at what is left.

    uv run python -m benchmarks.migration_kills

For each schema of the first seed, with its log taken in and not, a process that takes the old store in is killed
with SIGKILL before each such call in turn, or in the middle of it when it writes. At once the statements must all be
in the old files or all in the new store; a second start is killed in the same way at a random call; then a third must
find everything, nothing twice, and the old files kept. A call is any through the C library (`kill_shim.c`).
"""

import argparse
import ctypes
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from memory_cli.memory import Memory, Session, make_session, open_memory
from memory_cli.models.statement import Filters
from memory_cli.operations.list_ import list_
from memory_cli.operations.restore import restore
from memory_cli.operations.retire_document import retire_document
from memory_cli.store import checks, statements
from memory_cli.store.legacy import documents
from memory_cli.store.legacy.signs import is_marked_ours
from tests import old_stores

SOURCES = Path(__file__).parents[1]
# What is killed.
OPERATIONS: Mapping[str, Callable[..., object]] = {
    "list_": list_, "retire_document": retire_document, "restore": restore,
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """An old store to begin with; `former` puts it where the first seed kept the account's memory."""

    schema: int
    log: bool = False
    former: bool = False
    document: bool = False

    def __str__(self) -> str:
        marks = [name for name in ("log", "former", "document") if getattr(self, name)]
        return " ".join([f"schema {self.schema}", *marks])

    def build(self, home: Path) -> Path:
        """Make the store and return the folder in which ours will be."""
        old = home / ("data/memory-ultra-rag-mcp/memory/default" if self.former else "project/.memory-rag")
        path = old_stores.build(old, self.schema, wal=self.log)
        if self.document:
            path.unlink()
        (home / "project").mkdir(exist_ok=True)
        for each in old.iterdir():
            os.utime(each, (old_stores.UNDATED.timestamp(),) * 2)
        return home / "data/memory-cli/memory/default" if self.former else old

    def old(self, folder: Path) -> Path:
        """Return where the old files are."""
        return folder.parents[2] / "memory-ultra-rag-mcp/memory/default" if self.former else folder

    def wanted(self) -> list[tuple[str, str, datetime, int]]:
        """Return what must be there in the end, newest first."""
        found = old_stores.expected(3 if self.document else self.schema)
        rows = [(kind, text, datetime.fromisoformat(at), recalls) for kind, text, at, recalls in found]
        return [("ITEM" if self.former and row[0] == "HANDOFF" else row[0], *row[1:]) for row in rows]


CASES = (
    *(Case(schema, log) for schema in old_stores.SCHEMAS for log in (False, True)),
    Case(3, document=True), Case(5, former=True), Case(8, log=True, former=True),
)  # fmt: skip


class Starter:
    """Starts commands that die at a call: forks of one process, which has imported what they need."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def start(self, home: Path, folder: Path, at: int, operation: str = "list_", **arguments: object) -> int:
        """Run an operation that dies in its call with this number; return how many it made when it did not die."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps([str(home), str(folder), at, operation, arguments]) + "\n")
        self.process.stdin.flush()
        status, made = json.loads(self.process.stdout.readline())
        assert status in (0, -signal.SIGKILL), f"the operation failed: {status}"
        return int(made)


@contextmanager
def starter(folder: Path) -> Iterator[Starter]:
    """Compile what counts and kills, and make the process that is forked."""
    made = folder / "kill_shim.so"
    source = Path(__file__).with_name("kill_shim.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(made), str(source), "-ldl"], check=True)
    environ = {**os.environ, "PYTHONPATH": str(SOURCES), "LD_PRELOAD": str(made)}
    command = [sys.executable, "-m", "benchmarks.migration_kills", "--serve"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environ, stdin=pipe, stdout=pipe, text=True, cwd=SOURCES) as process:
        yield Starter(process)
        assert process.stdin
        process.stdin.close()


def is_possible() -> bool:
    """Tell whether there is what it takes to count calls."""
    return sys.platform == "linux" and shutil.which("gcc") is not None


def serve() -> None:
    """Fork a child for each line, and tell how it ended and how many calls it made."""
    for line in sys.stdin:
        home, folder, at, operation, arguments = json.loads(line)
        reader, writer = os.pipe()
        if not (child := os.fork()):
            _work(Path(home), folder, at, partial(OPERATIONS[operation], **arguments), writer)
        os.close(writer)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        made = os.read(reader, 32).decode() or "0"
        os.close(reader)
        print(json.dumps([status, int(made)]), flush=True)


def _work(home: Path, folder: str, at: int, operation: Callable[[Memory], object], writer: int) -> None:
    code = 1
    try:
        library = ctypes.CDLL(None)
        library.kill_at(folder.encode(), ctypes.c_long(at))
        with open_memory(_session(home)) as memory:
            operation(memory)
        os.write(writer, str(library.kill_count()).encode())
        code = 0
    except BaseException:  # noqa: BLE001 - whatever it was, the child ends here
        traceback.print_exc()
    finally:
        # A child must not go on as the server, nor run what that has to do at its end.
        os._exit(code)


def _session(home: Path) -> Session:
    environ = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
    storage = home / "storage" if (home / "storage").exists() else None
    return make_session(
        project_root=home / "project", storage_root=storage, environ=environ, cwd=home, source="benchmark"
    )


def calls(case: Case, starter: Starter) -> int:
    """Return how many calls that change a file a start makes that is not killed."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary).resolve()
        return starter.start(home, case.build(home), 0)


def killed_at(case: Case, starter: Starter, at: int, again: int) -> None:
    """Kill one start at a call, the next at another, and check what is left after each and after a third."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary).resolve()
        folder = case.build(home)
        told = f"{case}: killed at {at}, again at {again}"
        for each in (at, again):
            starter.start(home, folder, each)
            assert _whole(case, folder), told
        _check(case, home, folder, told)


def _whole(case: Case, folder: Path) -> bool:
    """Tell whether all that was there can be read, in the old files or in ours, from a copy: nothing is mended here."""
    ours = is_marked_ours(folder / old_stores.RECORD)
    with tempfile.TemporaryDirectory() as temporary:
        shutil.copytree(folder if ours else case.old(folder), temporary, dirs_exist_ok=True)
        copy = Path(temporary)
        if ours:
            db = sqlite3.connect(copy / old_stores.RECORD)
            texts = [text for (text,) in db.execute("select text from statement order by sequence desc")]
            db.close()
            return texts == [text for _kind, text, *_rest in case.wanted()]
        if case.document:
            return bool(documents.blocks(documents.read(copy) or b""))
        found = [text for _kind, text in old_stores.statements(copy / old_stores.FILES[case.schema])]
    return found == [each.text for each in old_stores.kept(case.schema)]


def _check(case: Case, home: Path, folder: Path, told: str) -> None:
    with open_memory(_session(home)) as memory:
        (store,) = memory.stores()
        rows = statements.page(store, Filters(now=memory.now), limit=1000)
        found = [(each.kind, each.text, each.at, each.recalls) for each in rows]
        assert found == case.wanted(), f"{told}: {found}"
        assert checks.problems(store) == [], told
    kept = case.old(folder)
    names = set() if case.document else {old_stores.FILES[case.schema] + ("" if case.former else ".bak")}
    assert names <= {each.name for each in kept.iterdir()}, told
    assert not any(each.name.startswith(".taking") for each in folder.iterdir()), told


def run(case: Case, starter: Starter, points: Iterable[int], chance: random.Random) -> int:
    """Kill at each of the points and return how many there were."""
    done = 0
    most = calls(case, starter)
    for at in points:
        killed_at(case, starter, at, chance.randint(1, most))
        done += 1
    return done


def main() -> None:
    """Kill at every call of every case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="the case with this name, such as 'schema 8 log'")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.serve:
        serve()
        return
    chance = random.Random(told.seed)
    kills = 0
    with tempfile.TemporaryDirectory() as temporary, starter(Path(temporary)) as started:
        for case in (each for each in CASES if told.only in ("", str(each))):
            most = calls(case, started)
            kills += run(case, started, range(1, most + 1), chance)
            print(f"{case}: {most} calls, nothing lost, nothing twice", flush=True)
    print(f"kills={kills} lost=0 doubled=0")


if __name__ == "__main__":
    main()
