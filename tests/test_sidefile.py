"""The files of codes beside a store: what is in them can cost time, and never an answer."""

import os
import random
import shutil
import stat
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from benchmarks.stores import opened, roots
from memory_cli.memory import LOCAL
from memory_cli.models.statement import Filters
from memory_cli.operations.forget import forget
from memory_cli.operations.record_lines import record_lines
from memory_cli.retrieval import codes, meaning, nearest
from memory_cli.retrieval.search import search
from memory_cli.store import sidefiles, vectors

DIMENSION = 48
STATEMENTS = 300
NOW = datetime(2030, 1, 1, tzinfo=UTC)


class Directions:
    """An embedder whose vectors are spread like those of a model: a few directions hold most of the length."""

    model, dimension = "directions@1", DIMENSION

    def embed(self, texts, *, batch_size=16):
        rows = np.array([self._vector(text) for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, text):
        return self.embed([text])[0]

    def _vector(self, text):
        given = random.Random(text)
        return [given.gauss(0, 1) / (1 + place) for place in range(DIMENSION)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    roots(folder)
    with opened(folder) as memory:
        record_lines(memory, [f"statement {number}" for number in range(STATEMENTS)])
        embed(memory.stores(LOCAL)[0])
    return folder


@pytest.fixture
def place(made, tmp_path, monkeypatch):
    monkeypatch.setattr(nearest, "LARGE", 128)
    monkeypatch.setattr(nearest, "SMALL", 32)
    nearest.forget()
    yield shutil.copytree(made, tmp_path / "place")
    nearest.forget()


@contextmanager
def store_of(place):
    with opened(place) as memory:
        yield memory.stores(LOCAL)[0]


def embed(store):
    while rows := vectors.pending_batch(store, Directions.model, 50):
        made = Directions().embed([text for _number, text in rows])
        with store.transaction():
            vectors.put(store, Directions.model, DIMENSION, [(*row, new) for row, new in zip(rows, made, strict=True)])


def best(store, query, limit=10, **filters):
    like = meaning.likeness(store, Directions(), Directions().embed_query(query), 0.5)
    return like.best(limit, Filters(now=NOW, **filters))


def scanned(store, query, limit=10):
    rows = vectors.matrix(store, Directions.model, DIMENSION, 1, vectors.last(store))
    order = np.argsort(-(rows.matrix @ Directions().embed_query(query)), kind="stable")
    return rows.statements[order[:limit]].tolist()


def files(place):
    return sorted((place / "project").rglob("vectors-*"))


def is_exact(place):
    nearest.forget()
    with store_of(place) as store:
        return all(best(store, f"question {number}") == scanned(store, f"question {number}") for number in range(20))


def test_the_best_ten_are_those_of_a_scan_of_every_vector(place):
    assert is_exact(place)
    assert [each.name.split("-")[2:] for each in files(place)] == [
        ["1", "128.codes"], ["129", "256.codes"], ["257", "288.codes"],
    ]  # fmt: skip
    assert {stat.S_IMODE(each.stat().st_mode) for each in files(place)} == {0o600}


@pytest.mark.parametrize("limit", [1, 3, 50, 299, 300, 1000])
def test_any_number_of_the_best_is_exact(limit, place):
    with store_of(place) as store:
        found = best(store, "question", limit)
        assert found == scanned(store, "question", limit)[: len(found)]
        assert len(found) >= min(limit, 50)


def test_a_bound_is_never_below_the_cosine(place):
    with store_of(place) as store:
        held = nearest.held(store, Directions())
        rows = vectors.matrix(store, Directions.model, DIMENSION, 1, vectors.last(store))
        for number in range(50):
            query = Directions().embed_query(f"{number}")
            assert (nearest.Scan(held, query).bounds() >= rows.matrix @ query).all()


def spoil_header(data):
    return data[:20] + b"x" + data[21:]


def spoil_code(data):
    return data[:-1] + bytes([data[-1] ^ 0x55])


@pytest.mark.parametrize(
    "spoil", [spoil_header, spoil_code, lambda data: data[:-100], lambda data: b"", lambda data: b"x" * 5000]
)
def test_a_spoilt_file_is_noticed_and_built_anew(spoil, place):
    assert is_exact(place)
    whole = files(place)[0].read_bytes()
    files(place)[0].write_bytes(spoil(whole))
    assert is_exact(place)
    assert files(place)[0].read_bytes() == whole


def test_a_lost_file_is_built_anew(place):
    assert is_exact(place)
    for each in files(place):
        each.unlink()
    assert is_exact(place)
    assert len(files(place)) == 3


def test_codes_of_another_store_are_refused(place, tmp_path):
    assert is_exact(place)
    kept = [each.read_bytes() for each in files(place)]
    with store_of(place) as store, store.transaction():
        store.db.execute("update vector set components = (select components from vector where number = 1)")
    for each, data in zip(files(place), kept, strict=True):
        each.write_bytes(data)
    nearest.forget()
    with store_of(place) as store:
        best(store, "question")
    assert [each.read_bytes() for each in files(place)] != kept


def test_what_changed_or_went_is_never_found_by_its_old_vector(place):
    with store_of(place) as store:
        first, second = best(store, "question", 2)
        with store.transaction():
            vectors.delete(store, [first])
        assert first not in best(store, "question")
        vectors.requeue(store)
        embed(store)
        assert best(store, "question", 2) == [first, second]


def test_a_purge_leaves_no_codes(place):
    with store_of(place) as store:
        best(store, "question")
    assert files(place)
    with opened(place) as memory:
        forget(memory, "statement 7", purge=True)
    assert files(place) == []
    assert is_exact(place)


def test_codes_that_were_made_across_a_purge_do_not_stay(place):
    with store_of(place) as store, store.snapshot():
        vectors.last(store)
        with opened(place) as memory:
            forget(memory, "statement 7", purge=True)
        best(store, "question")
    assert files(place) == []


def test_several_processes_may_build_at_once(place):
    def search():
        with store_of(place) as store:
            answers.append(nearest._segment(store, Directions(), (1, 128), 0))

    answers = []
    threads = [threading.Thread(target=search) for _ in range(8)]
    for each in (*threads, *threads):
        each.start() if each.ident is None else each.join()
    assert len(answers) == 8
    assert [each.name for each in files(place) if each.suffix != ".codes"] == []


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_costs_no_answer(place):
    folder = files(place)[0].parent if files(place) else place / "project" / ".memory-rag"
    folder.chmod(0o500)
    try:
        assert is_exact(place)
    finally:
        folder.chmod(0o700)


@pytest.mark.parametrize("most", [10, 100_000])
def test_filters_hold_whether_few_or_many_pass(most, place, monkeypatch):
    monkeypatch.setattr(meaning, "LISTED", most)
    with store_of(place) as store, store.transaction():
        store.db.execute("update statement set kind = 'ODD' where number % 2 = 1")
    with store_of(place) as store:
        found = best(store, "question", kinds=("ODD",))
        assert found == [each for each in scanned(store, "question", 300) if each % 2][:10]


def codes_read(store, query):
    """Search, and return how many bytes of codes that read, and how many there are."""
    segments = nearest.held(store, Directions()).segments.values()
    before = sum(each.bytes_read for each in segments)
    best(store, query, 5)
    return sum(each.bytes_read for each in segments) - before, sum(each.size for each in segments)


def test_codes_are_read_twice_and_then_kept(place):
    with store_of(place) as store:
        for expected in (1, 1, 0):
            read, size = codes_read(store, "question")
            assert size and read == expected * size


def test_codes_are_kept_as_far_as_there_is_room(place, monkeypatch):
    with store_of(place) as store:
        _, size = codes_read(store, "question")
    nearest.forget()
    monkeypatch.setattr(nearest, "KEPT", size - 1)
    with store_of(place) as store:
        for _ in range(2):
            codes_read(store, "question")
        read, _ = codes_read(store, "question")
        assert 0 < read < size / 2
        assert best(store, "question") == scanned(store, "question")


def test_a_search_reads_few_vectors(place):
    with store_of(place) as store:
        best(store, "question")
        rows: list[str] = []
        store.db.set_trace_callback(rows.append)
        best(store, "another", 5)
        store.db.set_trace_callback(None)
        read = [each.count(",") for each in rows if "from vector" in each and " in (" in each]
        assert 0 < sum(read) < STATEMENTS / 3


def test_a_recall_by_words_and_meaning_executes_few_statements_and_reads_vectors_in_few_batches(place):
    def recalled(text):
        wanted = Filters(now=NOW)
        given = {"settings": memory.settings, "embedder": Directions(), "why_not": "", "limit": 3}
        return search([store], text, wanted, **given).hits

    with opened(place, assignments=["retrieval.pool_depth=6"]) as memory:
        store = memory.stores(LOCAL)[0]
        assert recalled("statement 7")
        seen: list[str] = []
        store.db.set_trace_callback(lambda sql: None if sql.startswith("--") else seen.append(sql))
        assert recalled("statement 8")
        store.db.set_trace_callback(None)
    read = [each.count(",") for each in seen if "from vector" in each and "statement in (" in each]
    assert len(read) <= 3 and sum(read) < STATEMENTS / 3, read
    assert len(seen) <= 30, len(seen)


def test_a_segment_keeps_its_promise_without_any_vector():
    none = np.empty(0, np.int64)
    parts = codes.built(none, none, np.empty((0, 4), np.float32), {"dimension": 4})
    codes.in_memory(parts).bounds(np.ones(4, np.float32), np.empty(0, np.float32))


def test_files_are_listed_by_their_store_alone(place):
    Path(place / "project" / "vectors-of-another.codes").touch()
    with store_of(place) as store:
        best(store, "question")
        assert len(sidefiles.listed(store)) == 3


def test_many_vectors_are_compared_by_threads_and_a_spoilt_file_is_noticed_all_the_same(place, monkeypatch):
    monkeypatch.setattr(nearest, "THREADED", 1)
    assert is_exact(place)
    whole = files(place)[0].read_bytes()
    files(place)[0].write_bytes(spoil_code(whole))
    assert is_exact(place)
    assert files(place)[0].read_bytes() == whole


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_forked_process_reads_files_of_its_own(place, monkeypatch):
    monkeypatch.setattr(nearest, "KEPT", 0)

    def is_right(number):
        with store_of(place) as store:
            return best(store, f"{number}") == scanned(store, f"{number}")

    assert is_right(0)
    handles = [each._handle for held in nearest._held.values() for each in held.segments.values()]
    places = [each.seek(0) for each in handles]
    if (child := os.fork()) == 0:
        # No clean-up of the parent's is done in its child.
        os._exit(0 if all(map(is_right, range(5))) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [os.lseek(each.fileno(), 0, os.SEEK_CUR) for each in handles] == places


def test_no_thread_is_left_behind_by_a_search_that_ends_well_or_badly(place, monkeypatch):
    monkeypatch.setattr(nearest, "THREADED", 1)

    def threads():
        return [each for each in threading.enumerate() if each.name == "bounds"]

    with store_of(place) as store:
        best(store, "question")
        assert threads() == []
        nearest.Scan(nearest.held(store, Directions()), Directions().embed_query("given up"))
        for each in threads():
            each.join(10)
        assert threads() == []


def test_vectors_that_are_all_alike_are_all_compared(place):
    with store_of(place) as store, store.transaction():
        store.db.execute("update vector set components = (select components from vector where number = 1)")
    nearest.forget()
    with store_of(place) as store:
        same = [best(store, text, limit) for text in ("statement 0", "statement 0") for limit in (1, 10, STATEMENTS)]
    assert [len(set(each)) for each in same] == [1, 10, STATEMENTS] * 2


def test_a_statement_alone_and_none_at_all_are_searched(tmp_path):
    roots(tmp_path)
    with opened(tmp_path) as memory:
        store = memory.store(LOCAL)
        with store.snapshot():
            assert best(store, "statement 1") == []
        record_lines(memory, ["statement 1"])
        embed(store)
        assert len(best(store, "statement 1")) == 1


def test_vectors_of_another_model_are_never_among_the_best(place):
    with store_of(place) as store:
        there = store.db.execute("select statement, components from vector where statement % 2 = 0").fetchall()
        with store.transaction():
            store.db.execute("insert into model (name, dimension) values ('other@1', ?)", (DIMENSION,))
            model = store.db.execute("select number from model where name = 'other@1'").fetchone()[0]
            query = Directions().embed_query("question 1").astype("<f4").tobytes()
            rows = [(model, row["statement"], query) for row in there]
            store.db.executemany("insert into vector (model, statement, part, components) values (?, ?, 0, ?)", rows)
    assert is_exact(place)


def test_what_another_process_writes_during_a_recall_comes_with_the_next(place):
    with store_of(place) as store:
        with store.snapshot():
            before = best(store, "question", 300)
            with store_of(place) as other, other.transaction():
                vectors.delete(other, before[:1])
            with opened(place) as memory:
                record_lines(memory, ["written meanwhile"])
                embed(memory.stores(LOCAL)[0])
            assert best(store, "question", 300) == before
        after = best(store, "question", 300)
        assert before[0] not in after
        assert after == scanned(store, "question", 300)[: len(after)]
