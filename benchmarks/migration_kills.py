"""Kill the first start after an upgrade at every call that changes a file, and look at what is left.

    uv run python -m benchmarks.migration_kills

For each schema of the first seed, with its log taken in and not, a process that takes the old store in is killed
with SIGKILL before each such call in turn, or in the middle of it when it writes. At once the statements must all be
in the old files or all in the new store; a second start is killed in the same way at a random call; then a third must
find everything, nothing twice, and the old files kept. A call is any through the C library (`kill_shim.c`).
"""

import argparse
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_cli.memory import make_session, open_memory
from memory_cli.models.statement import Filters
from memory_cli.store import checks, statements
from memory_cli.store.legacy import databases, documents
from memory_cli.store.legacy.signs import is_marked_ours
from tests import old_stores

SOURCES = Path(__file__).parents[1]


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


def shim(folder: Path) -> Path | None:
    """Compile what counts and kills; nothing where there is no compiler for it."""
    if sys.platform != "linux" or not (compiler := shutil.which("gcc")):
        return None
    made = folder / "kill_shim.so"
    command = [
        compiler,
        "-shared",
        "-fPIC",
        "-O1",
        "-o",
        str(made),
        str(Path(__file__).with_name("kill_shim.c")),
        "-ldl",
    ]
    subprocess.run(command, check=True)
    return made


def start(home: Path, folder: Path, library: Path, at: int, line: Sequence[str] = ("list",)) -> int:
    """Run a first command that dies in its call with this number; return how many it made when it did not."""
    counted = home / "count"
    environ = {
        **os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "PYTHONPATH": str(SOURCES),
        "PYTHONDONTWRITEBYTECODE": "1", "LD_PRELOAD": str(library), "KILL_UNDER": str(folder), "KILL_AT": str(at),
        "KILL_COUNT": str(counted),
    }  # fmt: skip
    command = [sys.executable, "-m", "memory_cli", "--project-root", str(home / "project"), *line]
    done = subprocess.run(command, env=environ, capture_output=True, check=False, cwd=home)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return int(counted.read_text(encoding="utf-8")) if done.returncode == 0 else 0


def calls(case: Case, library: Path) -> int:
    """Return how many calls that change a file a start makes that is not killed."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary).resolve()
        return start(home, case.build(home), library, 0)


def killed_at(case: Case, library: Path, at: int, again: int) -> None:
    """Kill one start at a call, the next at another, and check what is left after each and after a third."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary).resolve()
        folder = case.build(home)
        told = f"{case}: killed at {at}, again at {again}"
        for each in (at, again):
            start(home, folder, library, each)
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
        db = databases.open_alone(copy / old_stores.FILES[case.schema], 1000)
        found = [each.text for each in databases.statements(db)]
        db.close()
    return found == [each.text for each in old_stores.kept(case.schema)]


def _check(case: Case, home: Path, folder: Path, told: str) -> None:
    environ = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
    session = make_session(project_root=home / "project", environ=environ, cwd=home, source="benchmark")
    with open_memory(session) as memory:
        (store,) = memory.stores()
        rows = statements.page(store, Filters(now=memory.now), limit=1000)
        found = [(each.kind, each.text, each.at, each.recalls) for each in rows]
        assert found == case.wanted(), f"{told}: {found}"
        assert checks.problems(store) == [], told
    kept = case.old(folder)
    names = set() if case.document else {old_stores.FILES[case.schema] + ("" if case.former else ".bak")}
    assert names <= {each.name for each in kept.iterdir()}, told
    assert not any(each.name.startswith(".taking") for each in folder.iterdir()), told


def run(case: Case, library: Path, points: Iterable[int], chance: random.Random) -> int:
    """Kill at each of the points and return how many there were."""
    done = 0
    most = calls(case, library)
    for at in points:
        if at <= most:
            killed_at(case, library, at, chance.randint(1, most))
            done += 1
    return done


def main() -> None:
    """Kill at every call of every case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="the case with this name, such as 'schema 8 log'")
    told = parser.parse_args()
    chance = random.Random(told.seed)
    kills = 0
    with tempfile.TemporaryDirectory() as temporary:
        library = shim(Path(temporary))
        assert library, "this needs Linux and gcc"
        for case in (each for each in CASES if told.only in ("", str(each))):
            most = calls(case, library)
            kills += run(case, library, range(1, most + 1), chance)
            print(f"{case}: {most} calls, nothing lost, nothing twice", flush=True)
    print(f"kills={kills} lost=0 doubled=0")


if __name__ == "__main__":
    main()
