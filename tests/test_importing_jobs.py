"""A large import is made ready by several processes: that changes nothing but how long it takes, and none is left."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from memory_cli.memory import open_memory
from memory_cli.operations.export import export
from memory_cli.operations.import_ import BATCH, WRITTEN, import_
from memory_cli.operations.importing.crew import workers
from memory_cli.operations.importing.source import Source
from memory_cli.operations.importing.taking import import_from

SEVERAL = pytest.mark.skipif(
    workers(2) < 1 or not Path("/proc/self/stat").exists(),
    reason="one core, or nowhere to see the processes of another",
)
LARGE = 12 * BATCH
WORKER = b"importing.worker"
TOLD = (
    "Deploys of part {0} need two reviews; мост {0} закрыт, 東京タワー{0}.",
    "my key for {0} is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789",
    "a note of #tag{0} on don't/can't and getUserById{0}",
)


def lines(count):
    """Return lines with secrets, tags, other scripts, repetitions and broken ones among them."""
    made = [
        json.dumps({"id": f"n{n}", "text": TOLD[n % 3].format(n), "at": "2026-11-01T10:00Z", "agent": f"a{n % 5}"})
        for n in range(count)
    ]
    made[-2:-2] = ["{", '{"text": 3}', '{"text": "x", "at": "someday"}', made[0]]
    return made


def children(pid):
    """Return the workers of a process that have not ended."""
    return [each for each in _pids() if _parent(each) == pid and _is_worker(each)]


def _pids():
    return [int(each) for each in os.listdir("/proc") if each.isdigit()]


def _parent(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
    except FileNotFoundError:
        return 0


def _is_worker(pid):
    """Tell whether a process is a worker; of one that has ended nothing is told any more."""
    try:
        return WORKER in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def soon(found):
    """Wait until something is found, and return it."""
    end = time.monotonic() + 30
    while not (there := found()) and time.monotonic() < end:
        time.sleep(0.005)
    return there


def has_statements(folder):
    """Tell whether a store below a folder holds any statements yet."""
    return any(_statements(each) for each in folder.rglob("memory.sqlite3"))


def _statements(file):
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as db, suppress(sqlite3.OperationalError):
        return db.execute("select count(*) from statement").fetchone()[0]
    return 0


@pytest.fixture
def importing(roots, tmp_path):
    """Start a large import, and wait until it has a worker, or has written something."""

    @contextmanager
    def start(*, written=False):
        file = tmp_path / "large.jsonl"
        file.write_text("\n".join(lines(LARGE)), encoding="utf-8")
        command = [sys.executable, "-m", "memory_cli", *roots, "import", str(file), "--jobs", "2", "-o", "json"]
        environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            try:
                there = soon(lambda: children(running.pid))
                assert not written or soon(lambda: has_statements(tmp_path))
                yield running, there
            finally:
                running.kill()

    return start


def test_the_same_comes_in_whatever_the_number_of_processes(tmp_path):
    told = []
    for jobs in (1, 2):
        (tmp_path / f"{jobs}").mkdir()
        with open_memory(project_root=tmp_path / f"{jobs}", storage_root=tmp_path / "storage") as memory:
            done = import_(memory, lines(3 * BATCH), scope="local", jobs=jobs)
            export(memory, format="jsonl", to=str(tmp_path / f"{jobs}.jsonl"))
            db = memory.store("local").db
            words = [tuple(each) for each in db.execute("select rowid, text, agent from words order by rowid")]
        exported = (tmp_path / f"{jobs}.jsonl").read_text(encoding="utf-8")
        # When each was taken in differs.
        texts = [{**json.loads(each), "updated_at": ""} for each in exported.splitlines()]
        told.append((done.new, done.already_recorded, done.failed, done.redacted, texts, words))
    assert told[0] == told[1]
    assert told[0][0] == 3 * BATCH and told[0][1] == 1 and len(told[0][2]) == 3 and told[0][3]


@SEVERAL
@pytest.mark.parametrize(("count", "jobs", "started"), [(BATCH, 2, 0), (3 * BATCH, 1, 0), (3 * BATCH, 2, 1)])
def test_only_a_large_import_starts_workers_and_as_many_as_were_asked_for(tmp_path, count, jobs, started):
    made = []

    def texts():
        for number in range(count):
            if number % BATCH == BATCH - 1:
                made.extend(each for each in children(os.getpid()) if each not in made)
            yield f'{{"text": "tea number {number}"}}'

    with open_memory(project_root=tmp_path, storage_root=tmp_path / "storage") as memory:
        import_(memory, texts(), jobs=jobs)
    assert len(made) == started and not children(os.getpid())


@SEVERAL
def test_what_a_killed_worker_had_is_done_without_it(importing):
    with importing() as (running, there):
        assert there
        for each in there:
            os.kill(each, signal.SIGKILL)
        done = json.loads(running.communicate(timeout=60)[0])
    assert (done["new"], len(done["failed"])) == (LARGE, 3)


@SEVERAL
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_import_that_is_ended_leaves_no_worker_and_goes_on_where_it_was(importing, memory, tmp_path, sent):
    with importing(written=True) as (running, there):
        assert there
        running.send_signal(sent)
        told = running.communicate(timeout=30)[1]
    assert running.returncode != 0 and b"Traceback" not in told
    assert soon(lambda: not any(map(_is_worker, there)))
    done = json.loads(memory("import", str(tmp_path / "large.jsonl"), "-o", "json").stdout)
    # Of what is written at once all is there or nothing.
    assert done["already_recorded"] % WRITTEN == 1 and done["already_recorded"] > WRITTEN
    assert done["new"] + done["already_recorded"] == LARGE + 1


def test_progress_counts_the_bytes_of_a_file_and_ends_with_all_of_them(tmp_path):
    told = []
    file = tmp_path / "tea.jsonl"
    file.write_text("".join(f'{{"text": "чай 茶 {number}"}}\n' for number in range(WRITTEN + 10)), encoding="utf-8")
    with open_memory(
        progress=lambda done, total, _message: told.append((done, total)),
        project_root=tmp_path, storage_root=tmp_path / "storage",
    ) as memory:  # fmt: skip
        import_from(memory, Source(file), scope="local", jobs=1)
    whole = file.stat().st_size
    assert [total for _done, total in told] == [whole, whole]
    assert 0 < told[0][0] < told[1][0] == whole
