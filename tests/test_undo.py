"""Every change can be taken back, in any order that makes sense, and nothing is lost on the way."""

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.stores import opened, roots
from memory_cli.errors import MemoryCliError, NotFound, Refused
from memory_cli.models.statement import Filters
from memory_cli.operations.forget import forget
from memory_cli.operations.handoff import handoff
from memory_cli.operations.history import history
from memory_cli.operations.import_ import import_
from memory_cli.operations.jsonl import lines
from memory_cli.operations.record import record
from memory_cli.operations.undo import undo
from memory_cli.operations.update import update
from memory_cli.store import checks


@pytest.fixture
def place(tmp_path):
    roots(tmp_path)
    return tmp_path


def exported(place):
    with opened(place) as memory:
        assert [checks.problems(store) for store in memory.stores()] in ([], [[]], [[], []])
        wanted = Filters(now=memory.now, include_expired=True)
        return [line for store in memory.stores() for line in lines(store, wanted)]


def do(place, operation, *arguments, **options):
    with opened(place) as memory:
        return operation(memory, *arguments, **options)


@pytest.mark.parametrize(
    "change",
    [
        lambda memory, id: record(memory, "black tea cools"),
        lambda memory, id: record(memory, "green tea cools", agent="bob", tag=["tea"], meta={"a": [1]}),
        lambda memory, id: record(memory, "green tea warms", id=id),
        lambda memory, id: record(memory, "green tea cools", id="mine"),
        lambda memory, id: update(memory, id, "green tea warms", kind="fact", tag=["x"], meta={"b": 2}, expires="7d"),
        lambda memory, id: update(memory, id, superseded=True),
        lambda memory, id: forget(memory, id=[id]),
        lambda memory, id: forget(memory, kind=["ITEM"], yes=True, expect_count=1),
        lambda memory, id: handoff(memory, "next: the parser"),
        lambda memory, id: handoff(memory, clear=True),
        lambda memory, id: import_(
            memory, ['{"text": "a"}', '{"text": "b"}', '{"text": "green tea cools", "id": "z"}']
        ),
    ],
)
def test_an_undo_gives_back_what_was_there_and_an_undo_of_it_too(change, place):
    id = do(place, record, "green tea cools", tag=["old"]).id
    do(place, handoff, "last: the lexer")
    before = exported(place)
    do(place, change, id)
    after = exported(place)
    assert after != before
    done = do(place, undo)
    assert exported(place) == before
    do(place, undo, done.change)
    assert exported(place) == after


def test_a_newer_change_of_the_same_statement_stands_in_the_way(place):
    id = do(place, record, "green tea cools").id
    do(place, update, id, "green tea warms")
    do(place, update, id, "green tea is hot")
    with pytest.raises(Refused, match=r"local:3"):
        do(place, undo, "local:2")
    do(place, undo, "local:3")
    do(place, undo, "local:2")
    assert '"green tea cools"' in exported(place)[0]
    with pytest.raises(Refused, match=r"already"):
        do(place, undo, "local:2")


def test_changes_of_other_statements_stand_in_nobodys_way(place):
    do(place, record, "green tea cools")
    do(place, record, "black tea cools")
    do(place, undo, "local:1")
    assert [line for line in exported(place) if "green" in line] == []


def test_what_cannot_be_taken_back_is_said(place):
    with pytest.raises(NotFound):
        do(place, undo)
    id = do(place, record, "green tea cools").id
    with pytest.raises(NotFound, match=r"local:7"):
        do(place, undo, "local:7")
    do(place, forget, id=[id], purge=True)
    with pytest.raises(MemoryCliError, match=r"purged|nothing"):
        do(place, undo, "local:1")


def test_history_tells_who_changed_what_from_what_to_what(place):
    id = do(place, record, "green tea cools").id
    do(place, update, id, "green tea warms")
    newest = do(place, history, id).changes[0]
    assert (newest.operation, newest.agent, newest.device) == ("update", "benchmark", "bench")
    assert (newest.items[0].before, newest.items[0].after) == ({"text": "green tea cools"}, {"text": "green tea warms"})


TEXTS = [f"{colour} tea {verb}" for colour in ("green", "black", "white") for verb in ("cools", "warms")]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["record", "again", "update", "forget", "origin", "handoff", "import", "undo"]),
        st.integers(0, 5), st.integers(0, 5), st.sampled_from(["ann", "bob"]),
    ),
    min_size=1, max_size=30,
)  # fmt: skip


def step(place, kind, one, other, agent):
    with opened(place) as memory, contextlib.suppress(NotFound, Refused):
        ids = [found.id for found in _all(memory)]
        if kind in ("record", "again"):
            record(memory, TEXTS[one], agent=agent, tag=[TEXTS[other][:5]], id="" if kind == "record" else f"id{other}")
        elif kind == "update" and ids:
            update(memory, ids[one % len(ids)], TEXTS[other], tag=[agent], meta={agent: one})
        elif kind == "forget" and ids:
            forget(memory, id=[ids[one % len(ids)]])
        elif kind == "origin":
            forget(memory, agent=[agent], yes=True, expect_count=one)
        elif kind == "handoff":
            handoff(memory, TEXTS[one])
        elif kind == "import":
            import_(memory, [f'{{"text": "{TEXTS[one]}", "agent": "{agent}"}}', f'{{"text": "{TEXTS[other]}"}}'])
        elif kind == "undo":
            changes = history(memory, limit=50, budget=0).changes
            undo(memory, changes[one % len(changes)].change if changes else "")


def _all(memory):
    from memory_cli.store import statements

    return [each for store in memory.stores() for each in statements.page(store, Filters(now=memory.now), limit=100)]


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_whatever_was_done_is_undone_to_the_end(steps, tmp_path_factory):
    place = tmp_path_factory.mktemp("undo")
    roots(place)
    do(place, record, "green tea cools", tag=["first"])
    do(place, handoff, "last: the lexer")
    start, first = exported(place), len(do(place, history, budget=0).changes)
    for each in steps:
        step(place, *each)
    for change in do(place, history, limit=200, budget=0).changes[:-first]:
        with contextlib.suppress(Refused):
            do(place, undo, change.change)
    assert exported(place) == start
