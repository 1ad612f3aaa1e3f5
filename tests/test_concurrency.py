"""Several processes work with one store at once."""

import subprocess
import sys
import threading
from contextlib import ExitStack

import pytest

from benchmarks import concurrency
from benchmarks.stores import opened, roots
from memory_cli.errors import Busy
from memory_cli.memory import LOCAL
from memory_cli.operations.list_ import list_
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.store import checks, connection, statements


@pytest.fixture
def place(tmp_path):
    roots(tmp_path)
    return tmp_path


def test_writers_readers_a_server_and_a_reindex_lose_nothing(place):
    found = concurrency.run(place, writers=4, records=20, readers=1)
    assert (found["kept"], found["failed"], found["errors"], found["problems"]) == (80, [], [], [])
    assert found["wal_bytes"] < 16_000_000


def test_two_processes_that_make_the_same_store_make_one(place):
    here = [
        sys.executable,
        "-m",
        "benchmarks.concurrency",
        "--role",
        "record",
        "--records",
        "1",
        "--folder",
        str(place),
    ]
    makers = [subprocess.Popen([*here, "--name", str(number)]) for number in range(2)]
    assert [maker.wait() for maker in makers] == [0, 0]
    with opened(place) as memory:
        (store,) = memory.stores()
        assert (statements.count(store), checks.problems(store)) == (2, [])


def test_a_read_answers_and_a_write_says_busy_while_another_holds_the_lock(place):
    quick = ["storage.lock_deadline_ms=50", "storage.busy_timeout_ms=10"]
    with opened(place) as memory:
        record(memory, "green tea cools")
    with ExitStack() as stack:
        holder = stack.enter_context(opened(place))
        stack.enter_context(holder.store(LOCAL).transaction())
        with opened(place, assignments=quick) as memory:
            assert recall(memory, "tea", words=True).units
        with pytest.raises(Busy, match="locked by another process"), opened(place, assignments=quick) as memory:
            record(memory, "black tea cools")
    with opened(place) as memory:
        assert list_(memory).total == 1


def test_the_log_stays_short_beside_readers_that_never_all_stop(place, monkeypatch):
    monkeypatch.setattr(connection, "LONGEST_LOG", 200_000)
    with opened(place) as memory:
        record(memory, "green tea cools")
    log = place / "project/.memory-rag/memory.sqlite3-wal"
    ended = threading.Event()

    def read(first, second):
        # One begins before the other ends, so that there is always a reader.
        while not ended.is_set():
            with opened(place) as memory, memory.stores(LOCAL)[0].snapshot():
                statements.count(memory.stores(LOCAL)[0])
                second.set()
                first.wait(0.2)
                first.clear()

    turns = threading.Event(), threading.Event()
    readers = [threading.Thread(target=read, args=pair) for pair in (turns, turns[::-1])]
    for reader in readers:
        reader.start()
    try:
        sizes = []
        for number in range(60):
            with opened(place) as memory:
                record(memory, f"thing {number} is so")
            sizes.append(log.stat().st_size if log.exists() else 0)
    finally:
        ended.set()
        for reader in readers:
            reader.join()
    assert max(sizes) < 1_000_000


def test_a_server_does_not_show_what_another_process_forgot(place):
    from benchmarks.stores import Letters
    from memory_cli.models.statement import Filters
    from memory_cli.operations.forget import forget
    from memory_cli.operations.pending import embed_batches
    from memory_cli.retrieval.search import search

    def ask():
        with opened(place) as memory:
            for store in memory.stores():
                embed_batches(memory, store, Letters(), most=100)
            found = search(memory.stores(), "tea cools", Filters(now=memory.now), settings=memory.settings,
                           embedder=Letters(), why_not="", limit=5)  # fmt: skip
            return [hit.statement.text for hit in found.hits]

    with opened(place) as memory:
        record(memory, "green tea cools")
        record(memory, "black tea cools quickly")
    assert len(ask()) == 2
    with opened(place) as memory:
        forget(memory, "green tea cools")
    assert ask() == ["black tea cools quickly"]


def test_threads_of_one_process_write_one_after_the_other_without_looking_again(place, monkeypatch):
    slept = []

    def write(number):
        with opened(place) as memory:
            record(memory, f"tea number {number}")

    with opened(place) as memory:
        # The last one to close the store would lock it for a moment.
        record(memory, "the first one makes the store")
        monkeypatch.setattr(connection.time, "sleep", slept.append)
        threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert statements.count(memory.stores()[0]) == 9
    assert not slept
