"""Statements of like meaning are linked when their vectors are made, by whatever way is the faster one."""

import json

import pytest

from benchmarks.stores import Letters, opened, roots
from memory_cli.memory import LOCAL
from memory_cli.operations.import_ import import_
from memory_cli.operations.pending import embed_batches
from memory_cli.operations.record import record
from memory_cli.operations.update import update
from memory_cli.retrieval import likenesses
from memory_cli.store import links

WORDS = ("amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heron", "inlet", "jasper")


def filled(memory, count):
    texts = (f"{WORDS[number % 10]} {WORDS[number // 10 % 10]} {WORDS[number // 100]}" for number in range(count))
    import_(memory, [json.dumps({"text": each, "id": f"n{place}"}) for place, each in enumerate(texts)])


def linked(store):
    rows = store.db.execute("select statement, other, score from likeness order by statement, score desc, other desc")
    found = {}
    for row in rows:
        found.setdefault(row["statement"], []).append((row["other"], row["score"]))
    return found


def best(store, embedder, least):
    """The five nearest for each statement up to the end of its window of 100, looked up one pair at a time."""
    rows = dict(store.db.execute("select number, text from statement").fetchall())
    vector = {number: embedder.embed([text])[0] for number, text in rows.items()}
    place = dict(store.db.execute("select statement, number from vector").fetchall())
    expected = {}
    for one in rows:
        near = [
            (other, float(vector[one] @ vector[other]))
            for other in rows
            if other != one and place[other] <= -(-place[one] // 100) * 100
        ]
        near = sorted(((n, c) for n, c in near if c >= least), key=lambda each: -each[1])[:5]
        if near:
            expected[one] = [round(cosine, 3) for _other, cosine in near]
    return expected


@pytest.fixture
def place(tmp_path):
    roots(tmp_path)
    return tmp_path


def test_very_many_new_vectors_are_linked_to_the_nearest_older_ones(place, monkeypatch):
    monkeypatch.setattr(likenesses, "WINDOW", 100)
    monkeypatch.setattr(likenesses, "BLOCK", 64)
    with opened(place, assignments=["links.threshold=0.93"]) as memory:
        filled(memory, 250)
        store = memory.store(LOCAL)
        embed_batches(memory, store, Letters(), most=1000)
        found = {one: [round(score, 3) for _other, score in others] for one, others in linked(store).items()}
        assert len(found) > 200
        expected = best(store, Letters(), 0.93)
        assert found.keys() == expected.keys()
        assert all(found[one] == pytest.approx(expected[one], abs=0.002) for one in expected)


def test_a_few_new_vectors_are_linked_to_the_nearest_of_all(place):
    with opened(place) as memory:
        filled(memory, 20)
        store = memory.store(LOCAL)
        embed_batches(memory, store, Letters(), most=1000)
        new = record(memory, "amber amber amber heron")
        embed_batches(memory, store, Letters(), most=1000)
        (mine,) = [each for number, each in linked(store).items() if number > 20]
        assert new.id and len(mine) == 5
        assert [score for _other, score in mine] == sorted((score for _other, score in mine), reverse=True)


def test_no_link_is_below_the_threshold_and_none_is_made_where_none_is_wanted(place):
    with opened(place, assignments=["links.threshold=1"]) as memory:
        filled(memory, 50)
        embed_batches(memory, memory.store(LOCAL), Letters(), most=20)
        assert not [one for others in linked(memory.store(LOCAL)).values() for one in others if one[1] < 0.9999]
    with opened(place, assignments=["links.similar=0"]) as memory:
        store = memory.store(LOCAL)
        had = linked(store)
        embed_batches(memory, store, Letters(), most=1000)
        assert linked(store) == had and links.count_waiting(store, Letters.model) == 0


def test_linking_goes_on_where_it_was_stopped(place):
    with opened(place) as memory:
        filled(memory, 60)
        store = memory.store(LOCAL)
        embed_batches(memory, store, Letters(), most=1000)
        whole = linked(store)
        with store.transaction():
            store.db.execute("delete from likeness")
            links.note_done(store, 0)
        options = {"embedder": Letters(), "wanted": memory.settings.links, "now": memory.now}
        likenesses.derive(store, **options, most=40)
        assert links.count_waiting(store, Letters.model) == 20
        likenesses.derive(store, **options, most=1000)
        assert set(linked(store)) >= set(whole) and links.count_waiting(store, Letters.model) == 0


def test_new_words_let_go_of_the_likenesses_of_the_old_ones(place):
    with opened(place) as memory:
        filled(memory, 10)
        store = memory.store(LOCAL)
        embed_batches(memory, store, Letters(), most=1000)
        update(memory, "n3", "zzz qqq xxx")
        assert not list(store.db.execute("select * from likeness where 4 in (statement, other)"))
        embed_batches(memory, store, Letters(), most=1000)
        assert links.count_waiting(store, Letters.model) == 0
