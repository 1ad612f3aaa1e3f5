"""Indexes can be built anew at any time, whole or in part, and say what they did."""

import json
import sqlite3

import pytest

from benchmarks.stores import Letters, opened
from memory_cli.memory import LOCAL
from memory_cli.operations.pending import GROUP, embed_batches
from memory_cli.store import checks, vectors


def reindexed(memory, *line):
    done = memory("reindex", *line, "-o", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture
def damaged(memory, tmp_path):
    """A store whose word index lacks a statement, and that has a vector of none."""
    for each in ("green tea", "black coffee"):
        memory("record", each)
    path = tmp_path / "project/.memory-rag/memory.sqlite3"
    db = sqlite3.connect(path)
    db.execute("delete from words where rowid = 1")
    db.execute("insert into model (name, dimension) values ('old@1', 1)")
    db.execute("insert into vector (model, statement, components) values (1, 77, x'00000000')")
    db.commit()
    db.close()
    return path


def test_no_embed_builds_the_words_and_collects_what_belongs_to_nothing(damaged, memory):
    done = reindexed(memory, "--no-embed")
    assert (done["words"], done["embedded"], done["orphans"], done["units_pending"]) == (2, 0, 1, 2)
    assert json.loads(memory("recall", "green", "--words", "-o", "json").stdout)["units"]


def test_words_touches_no_vector(damaged, memory):
    done = reindexed(memory, "--words")
    assert done["words"] == 2 and "orphans" not in done


def test_vectors_leaves_the_words(damaged, memory):
    done = reindexed(memory, "--vectors", "--no-embed")
    assert (done["words"], done["orphans"]) == (0, 1)
    assert memory("doctor").exit_code == 1


def test_what_is_embedded_stays_when_it_is_cut_short(tmp_path, memory):
    (tmp_path / "project/.git").mkdir()

    class Stops(Letters):
        calls = 0

        def embed(self, texts, *, batch_size=16):
            self.calls += 1
            if self.calls == 2:
                raise KeyboardInterrupt
            return super().embed(texts, batch_size=batch_size)

    memory("record", "--lines", input="".join(f"statement {number}\n" for number in range(GROUP + 3)))
    with opened(tmp_path, assignments=("runtime.batch=1",)) as opened_memory:
        store = opened_memory.store(LOCAL)
        with pytest.raises(KeyboardInterrupt):
            embed_batches(opened_memory, store, Stops(), most=100)
        assert vectors.pending_count(store, Letters.model) == 3
        assert embed_batches(opened_memory, store, Letters(), most=100) == 3
        assert checks.problems(store) == []


def test_a_vector_of_the_wrong_length_is_found_and_made_anew(tmp_path):
    from benchmarks.stores import Letters, opened, roots
    from memory_cli.operations.doctor import doctor
    from memory_cli.operations.pending import embed_batches
    from memory_cli.operations.record import record

    roots(tmp_path)
    with opened(tmp_path) as memory:
        record(memory, "green tea")
        (store,) = memory.stores()
        embed_batches(memory, store, Letters(), most=9)
        store.db.execute("update vector set components = x'00'")
    with opened(tmp_path) as memory:
        assert ["wrong length" in each.problem for each in doctor(memory).findings] == [True]
        assert [each.mended for each in doctor(memory, fix=True).findings] == [True]
        assert doctor(memory).findings == []
