"""What a start costs, in counts: modules imported, files opened, statements executed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memory_cli.memory import open_memory
from memory_cli.operations.import_ import import_
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.store.connection import NAME as STORE

SOURCES = Path(__file__).parents[1]
QUERY = "two kinds of tea"
# What Typer itself imports for one command does not count.
RUN = """
import json, sys
import typer
app = typer.Typer()
app.command()(lambda: None)
try:
    app([])
except SystemExit:
    pass
before = set(sys.modules)
opened = []
sys.addaudithook(lambda event, given: opened.append([event, str(given[0])]) if event in WATCHED else None)
from memory_cli.cli.main import main
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
finally:
    new = sorted(set(sys.modules) - before)
    print(json.dumps({"modules": new, "opened": opened}), file=sys.stderr)
""".replace("WATCHED", '{"open", "sqlite3.connect", "socket.connect", "subprocess.Popen"}')
HEAVY = {"asyncio", "fastembed", "hashlib", "mcp", "numpy", "onnxruntime", "rich", "socket", "zoneinfo"}
# The modules of ours and of others that a command may import: a few more than it did when this was measured.
AT_MOST = {
    "--version": (6, 2),
    "--help": (206, 30),
    "recall tea --words": (102, 14),
    "list": (84, 14),
    "show ID": (104, 17),
    "context": (102, 16),
    "record coffee": (112, 20),
}


@pytest.fixture
def ran(tmp_path, roots):
    """Run a command in a process of its own and return the modules that it imported and the files that it opened."""

    def run(line):
        flags = [] if line == "--version" else roots
        # No servers but the test's own may be found.
        environ = {"PYTHONPATH": str(SOURCES), "HOME": str(tmp_path), "TMPDIR": str(tmp_path / "none")}
        # -B: what Python compiles for the next start is no cost of this one.
        command = [sys.executable, "-B", "-c", RUN, *flags, *line.split()]
        done = subprocess.run(command, capture_output=True, check=True, text=True, env=environ)
        return json.loads(done.stderr.splitlines()[-1])

    return run


@pytest.mark.parametrize("line", AT_MOST)
def test_a_command_imports_what_it_needs(line, ran, session):
    with open_memory(session) as memory:
        made = record(memory, "tea is green")
    modules = ran(line.replace("ID", made.id))["modules"]
    ours = [each for each in modules if each.startswith("memory_cli")]
    others = [each for each in modules if not each.startswith("memory_cli")]
    allowed = {"hashlib"} if line.startswith(("record", "show", "--help")) else set()
    assert HEAVY.intersection(others) <= allowed
    assert len(ours) <= AT_MOST[line][0] and len(others) <= AT_MOST[line][1], (ours, others)


def test_a_command_imports_no_other_operation(ran):
    found = set(ran("list")["modules"])
    assert not {f"memory_cli.operations.{each}" for each in ("recall", "record", "forget", "import_")} & found


def test_a_recall_by_words_opens_the_stores_and_nothing_else(ran, session):
    with open_memory(session) as memory:
        record(memory, "tea is green")
        record(memory, "tea is black", scope="global")
    opened = ran("recall tea --words")["opened"]
    code = (".py", ".pyc", ".so", ".pth")
    files = [path for event, path in opened if event == "open" and not path.endswith(code)]
    stores = [path for event, path in opened if event == "sqlite3.connect" and path != ":memory:"]
    # What each begins with tells whose it is.
    assert len(stores) == 2 and len(files) <= 2 and all(STORE in path for path in (*files, *stores))
    assert not [each for each in opened if each[0] not in ("open", "sqlite3.connect")]


def test_a_recall_executes_as_many_statements_in_a_large_store_as_in_a_small_one(session):
    counts = []
    for new in (20, 400):
        lines = (json.dumps({"text": f"there are two kinds of tea, and this is {new}.{each}"}) for each in range(new))
        executed = []
        with open_memory(session) as memory:
            import_(memory, lines, scope="local")
            for store in memory.stores():
                store.db.set_trace_callback(executed.append)
            assert recall(memory, QUERY, words=True).units
        # What the index executes for itself has a comment's dashes before it, or names its own tables.
        counts.append(len([each for each in executed if not each.startswith("--") and "'words" not in each]))
    assert counts[0] == counts[1] <= 40, executed
