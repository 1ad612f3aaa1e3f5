import sqlite3
import time
from dataclasses import replace

import pytest

from benchmarks.stores import roots
from memory_cli.memory import make_session, open_memory
from memory_cli.operations.pending import pending
from memory_cli.operations.record import record
from memory_cli.serve.background import Background
from memory_cli.settings.dense import Dense

LONG = 3600.0


@pytest.fixture
def session(tmp_path):
    roots(tmp_path)
    return make_session(
        project_root=tmp_path / "project", storage_root=tmp_path / "storage", cwd=tmp_path, source="mcp",
        environ={"HOME": str(tmp_path)},
    )  # fmt: skip


@pytest.fixture
def started(session):
    """Start the background of a session; it ends with the test."""
    running = []

    def start(delay):
        background = Background(session, delay=delay)
        background.start()
        running.append(background)
        return background

    yield start
    for each in running:
        each.stop()


@pytest.fixture
def database(session):
    remember(session, "tea is green")
    return session.roots.local_store / "memory.sqlite3"


def remember(session, text):
    with open_memory(session) as memory:
        record(memory, text)


def waiting(session):
    with open_memory(session) as memory:
        return pending(memory)


def until(true):
    for _ in range(3000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come to that")


def test_what_a_process_left_is_embedded_after_the_start(session, database, started):
    started(0)
    until(lambda: waiting(session) == 0)


def test_what_comes_later_is_embedded_when_woken(session, started):
    background = started(LONG)
    for number in range(40):
        remember(session, f"tea number {number}")
    background.wake()
    until(lambda: waiting(session) == 0)


def test_nothing_is_made_where_there_is_no_store(session, tmp_path, started):
    before = sorted(tmp_path.rglob("*"))
    background = started(0)
    background.wake()
    background.stop()
    assert sorted(tmp_path.rglob("*")) == before


def test_it_gives_way_to_a_writer_and_goes_on_when_woken(session, database, started):
    writer = sqlite3.connect(database, isolation_level=None)
    writer.execute("begin immediate")
    background = started(0)
    until(lambda: background.patience is not None and background.patience > 0)
    assert waiting(session) == 1
    writer.execute("rollback")
    writer.close()
    background.wake()
    until(lambda: waiting(session) == 0)


def test_a_missing_model_is_told_once_and_left_alone(session, database, caplog):
    other = replace(session.loaded.settings, dense=Dense(embedding_model="of-another-day"))
    background = Background(replace(session, loaded=session.loaded._replace(settings=other)), delay=LONG)
    assert background.look() is None
    assert background.look() is None
    assert caplog.text.count("Nothing is embedded in the background") == 1
    assert "of-another-day" in caplog.text


def test_it_outlives_a_store_that_cannot_be_read(session, database, caplog):
    kept = database.read_bytes()
    background = Background(session, delay=LONG)
    database.write_bytes(b"no database" * 1000)
    assert background.look() is None
    assert background.look() is None
    assert caplog.text.count("Nothing is embedded in the background") == 1
    database.write_bytes(kept)
    background.look()
    assert waiting(session) == 0
