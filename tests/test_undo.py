"""Every change can be taken back, in any order that makes sense, and nothing is lost on the way."""

import contextlib
import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.stores import opened, roots
from memory_cli.errors import MemoryCliError, NotFound, Refused
from memory_cli.models.statement import Filters
from memory_cli.operations.forget import forget
from memory_cli.operations.handoff import handoff
from memory_cli.operations.history import history
from memory_cli.operations.import_ import WRITTEN, import_
from memory_cli.operations.jsonl import lines
from memory_cli.operations.record import record
from memory_cli.operations.undo import undo
from memory_cli.operations.update import update
from memory_cli.store import checks
from tests.doors import by_client, by_command_line


@pytest.fixture
def place(tmp_path):
    roots(tmp_path)
    return tmp_path


def exported(place):
    with opened(place) as memory:
        assert [checks.problems(store) for store in memory.stores()] in ([], [[]], [[], []])
        wanted = Filters(now=memory.now, include_expired=True)
        return [line for store in memory.stores() for line in lines(store, wanted, ids=set())]


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


def test_one_undo_takes_back_a_whole_import_of_many_batches(place):
    do(place, record, "green tea cools")
    before = exported(place)
    do(place, import_, [f'{{"text": "statement {number}"}}' for number in range(WRITTEN + 100)])
    assert do(place, history, budget=0).changes[0].count == WRITTEN + 100
    assert len(do(place, undo).ids) == WRITTEN + 100
    assert exported(place) == before


def test_an_import_that_others_wrote_in_between_is_more_than_one_change(place):
    def lines():
        for number in range(WRITTEN + 100):
            # What was read before is written.
            if number == WRITTEN:
                do(place, record, "black tea cools")
            yield f'{{"text": "statement {number}"}}'

    do(place, import_, lines(), jobs=1)
    assert [each.count for each in do(place, history, budget=0).changes] == [100, 1, WRITTEN]


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


NAMES = ("ann", "bob")


def walk(chance, count):
    """Yield what to call until so many calls changed something, and take what each answers."""
    ids, changed = ["none"], 0
    while changed < count:
        command, given = _next(chance, ids)
        if command == "undo":
            _done, found = yield "history", {"limit": 6, "budget": 0}
            given = {"change": chance.choice(found["changes"])["change"]}
        done, answer = yield command, given
        changed += done
        if done and command in ("record", "handoff"):
            ids = [*ids[-20:], answer["id"]]


def _next(chance, ids):
    text, agent, scope = chance.choice(TEXTS), chance.choice(NAMES), chance.choice(["local", "global"])
    given = {
        "record": {"text": text, "agent": agent, "tag": [agent], "scope": scope, "meta": {"n": chance.randrange(9)}},
        "again": {"text": text, "agent": agent, "id": chance.choice(["x1", "x2", "x3"])},
        "update": {"id": chance.choice(ids), "text": text, "tag": [text[:5]], "meta": {agent: {"deep": [1.5, None]}}},
        "mark": {"id": chance.choice(ids), "kind": "fact", "superseded": True, "expires": "7d"},
        "forget": {"id": [chance.choice(ids)]},
        "origin": {"agent": [agent], "kind": ["ITEM"], "yes": True, "expect_count": chance.randrange(1, 4)},
        "handoff": {"text": text},
        "clear": {"clear": True},
        "undo": {},
    }
    kind = chance.choice(["record", *given])
    commands = {"again": "record", "mark": "update", "origin": "forget", "clear": "handoff"}
    return commands.get(kind, kind), given[kind]


def back(first):
    """Yield what takes everything back that was done after the first changes, one by one, newest first."""
    _done, found = yield "history", {"limit": 1000, "budget": 0}
    for each in found["changes"][: found["total"] - first]:
        done, answer = yield "undo", {"change": each["change"]}
        assert done, answer


def whole(memory):
    return memory("export", "--format", "jsonl").stdout


def begun(memory):
    memory("record", "green tea cools", "--tag", "first")
    memory("record", "white tea", "--scope", "global", "--expires", "2020-01-01", "--meta-json", '{"a": {"b": null}}')
    memory("handoff", "last: the lexer")
    return whole(memory), 3


@pytest.mark.parametrize("seed", [1])
def test_three_hundred_commands_are_undone_to_the_end(seed, memory, monkeypatch):
    monkeypatch.setenv("MEMORY_STORAGE_SYNCHRONOUS", "normal")
    start, first = begun(memory)
    for calls in (walk(random.Random(seed), 300), back(first)):
        with contextlib.suppress(StopIteration):
            call = next(calls)
            while True:
                call = calls.send(by_command_line(memory, *call))
    assert whole(memory) == start


@pytest.mark.anyio
@pytest.mark.parametrize("seed", [4])
async def test_three_hundred_calls_of_tools_are_undone_to_the_end(seed, memory, agent):
    start, first = begun(memory)
    for calls in (walk(random.Random(seed), 300), back(first)):
        with contextlib.suppress(StopIteration):
            call = next(calls)
            while True:
                call = calls.send(await by_client(agent, *call))
    assert whole(memory) == start


def test_the_id_of_a_statement_takes_its_newest_change_back(place):
    id, other = do(place, record, "green tea cools").id, do(place, record, "black tea cools").id
    do(place, update, id, "green tea warms")
    do(place, update, other, tag=["x"])
    assert do(place, undo, id[:5]).undone == "local:3"
    do(place, forget, id=[id])
    assert do(place, undo, id).undone == "local:6"
    assert do(place, undo, id).undone == "local:1"
    with pytest.raises(NotFound, match=r"no change of statement"):
        do(place, undo, id)


def test_an_id_that_could_mean_more_is_not_taken_back(place):
    do(place, record, "green tea cools", id="1")
    do(place, record, "black tea cools", id="both", tag=["x"])
    do(place, record, "white tea cools", id="both", scope="global")
    for ambiguous, said in (("1", r"local:1"), ("both", r"scope")):
        with pytest.raises(Refused, match=said):
            do(place, undo, ambiguous)
    do(place, undo, "both", scope="global")
    do(place, forget, tag=["x"], yes=True, expect_count=1)
    do(place, import_, ['{"text": "a", "id": "a1"}', '{"text": "b", "id": "b1"}'])
    with pytest.raises(Refused, match=r"local:4, which touched 2"):
        do(place, undo, "a1")
    with pytest.raises(NotFound):
        do(place, undo, "nothing-such")


def test_what_was_purged_does_not_keep_an_undo_from_what_was_done_before(place):
    do(place, record, "green tea cools")
    do(place, forget, id=[do(place, record, "black tea cools").id], purge=True)
    assert do(place, undo).undone == "local:1"


def test_a_long_chain_of_undos_of_undos_is_no_burden(place):
    change = "local:1"
    do(place, record, "green tea cools")
    with opened(place) as memory:
        for _ in range(1200):
            change = undo(memory, change).change
    assert '"green tea cools"' in exported(place)[0]
    assert do(place, undo).undone == "local:1"


def test_history_is_told_by_statement_agent_and_time(place):
    id = do(place, record, "green tea cools", scope="global").id
    do(place, record, "black tea cools")
    do(place, forget, id=[id])
    assert [each.operation for each in do(place, history, id).changes] == ["forget", "record"]
    with opened(place, environ={"MEMORY_AGENT": "Ann"}) as memory:
        update(memory, record(memory, "white tea").id, tag=["x"])
    by_ann = do(place, history, agent=["ann"])
    assert ([each.operation for each in by_ann.changes], by_ann.total) == (["update", "record"], 2)
    assert do(place, history, until="yesterday").total == 0
    assert do(place, history, since="today", agent=["ann"], scope="global").total == 0


def test_what_one_call_forgot_in_both_memories_comes_back_by_one_undo(memory):
    for scope in ("local", "global"):
        memory("record", f"scratch of {scope}", "--tag", "scratch", "--scope", scope)
    assert memory("forget", "--tag", "scratch", "--yes", "--expect", "2").exit_code == 0
    done = json.loads(memory("undo", "-o", "json").stdout)
    assert len(done["ids"]) == 2 and len(done["also"]) == 1
    assert len(json.loads(memory("list", "-o", "json").stdout)["units"]) == 2
