"""Forgetting: what a filter takes, origin by origin, and that all of it comes back."""

import json

import pytest

from benchmarks.stores import Letters, opened, roots
from memory_cli.operations.forget import forget
from memory_cli.operations.import_ import import_
from memory_cli.operations.list_ import list_
from memory_cli.operations.pending import embed_batches
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.operations.show import show
from memory_cli.operations.stats import stats
from memory_cli.operations.undo import undo
from memory_cli.operations.update import update
from memory_cli.store import vectors


@pytest.fixture
def place(tmp_path):
    roots(tmp_path)
    return tmp_path


def do(place, operation, *arguments, **options):
    with opened(place) as memory:
        return operation(memory, *arguments, **options)


def listed(place, **filters):
    return [each.text for each in do(place, list_, **filters).units]


def test_the_same_words_by_three_doors_are_one_statement_with_all_that_they_came_from(place):
    for agent, source, tag in (("ann", "chat", "red"), ("bob", "mcp", "green")):
        do(place, record, "tea cools", agent=agent, source=source, tag=[tag])
    do(place, import_, ['{"text": "tea cools", "agent": "cy", "source": "notes", "tags": ["blue"]}'])
    (unit,) = do(place, list_).units
    assert (unit.agents, unit.sources) == (["ann", "bob", "cy"], ["chat", "mcp", "notes"])
    for filters in ({"agent": ["cy"]}, {"source": ["chat"]}, {"tag": ["green"]}, {"agent": ["ann"], "tag": ["red"]}):
        assert listed(place, **filters) == ["tea cools"]
        assert do(place, recall, "tea", words=True, **filters).units[0].id == unit.id
    # Of one origin together: ann never said it with that tag.
    assert listed(place, agent=["ann"], tag=["green"]) == []


def test_forgetting_by_one_origin_leaves_the_others_until_none_is_left(place):
    for agent in ("ann", "bob", "cy"):
        do(place, record, "tea cools", agent=agent, tag=[f"of-{agent}"])
    start = do(place, show, do(place, list_).units[0].id).origins
    answers = [do(place, forget, yes=True, expect_count=1, **by) for by in ({"agent": ["ann"]}, {"tag": ["of-cy"]})]
    assert [(each.matched, each.forgotten) for each in answers] == [(1, 0), (1, 0)]
    assert do(place, list_).units[0].agents == ["bob"] and listed(place, agent=["ann"]) == []
    assert do(place, forget, agent=["BOB"], yes=True, expect_count=1).forgotten == 1
    assert listed(place) == []
    for _ in range(3):
        do(place, undo)
    assert do(place, show, do(place, list_).units[0].id).origins == start


def test_a_hundred_by_tag_go_after_a_preview_and_come_back_byte_for_byte(memory):
    lines = [json.dumps({"text": f"scratch {number}", "tags": ["scratch"]}) for number in range(100)]
    memory("record", "kept")
    memory("import", "-", input="\n".join(lines))
    before = memory("export", "--format", "jsonl").stdout
    refused = memory("forget", "--tag", "scratch")
    assert refused.exit_code == 5 and "--yes --expect 100" in refused.stderr and len(refused.stdout.splitlines()) == 5
    assert memory("forget", "--tag", "scratch", "--yes").exit_code == 5
    assert memory("export", "--format", "jsonl").stdout == before
    assert memory("forget", "--tag", "scratch", "--yes", "--expect", "100").exit_code == 0
    assert memory("list").stdout.splitlines()[0].endswith("kept")
    assert memory("undo").exit_code == 0
    assert memory("export", "--format", "jsonl").stdout == before


def test_what_is_expired_goes_by_itself_and_can_be_left_alone(place):
    do(place, record, "old tea", expires="2020-01-01", tag=["t"])
    do(place, record, "fresh tea", expires="7d", tag=["t"])
    assert do(place, forget, tag=["t"]).matched == 2
    assert do(place, forget, tag=["t"], include_expired=False).matched == 1
    assert do(place, forget, expired=True, yes=True, expect_count=1).forgotten == 1
    assert listed(place, include_expired=True) == ["fresh tea"]
    do(place, undo)
    assert listed(place, include_expired=True) == ["fresh tea", "old tea"] and listed(place) == ["fresh tea"]


def test_an_update_merges_and_removes_what_is_named_and_leaves_the_rest(place):
    id = do(place, record, "tea cools", agent="ann", tag=["red", "green"], meta={"a": 1, "b": {"c": [None]}}).id
    do(place, record, "tea cools", agent="bob", tag=["green"])
    done = do(place, update, id, tag=["Blue", "#RED"], untag=["green"], meta={"a": 2, "d": "x"}, unset_meta=["b"])
    assert set(done.changed) == {"tags", "metadata"}
    unit = do(place, list_).units[0]
    assert (sorted(unit.tags), unit.metadata, unit.agents) == (["Blue", "red"], {"a": 2, "d": "x"}, ["ann", "bob"])
    do(place, update, id, meta={"only": True}, replace_meta=True, superseded=True)
    assert do(place, list_, superseded=True).units[0].metadata == {"only": True}
    assert do(place, update, id, superseded=True).changed == []


def test_only_new_words_are_embedded_again(place):
    id = do(place, record, "tea cools").id
    with opened(place) as memory:
        (store,) = memory.stores()
        embed_batches(memory, store, Letters(), most=9)
        update(memory, id, tag=["x"], meta={"k": 1}, kind="fact", superseded=True)
        assert vectors.pending_count(store, Letters.model) == 0
        update(memory, id, "tea warms")
        assert vectors.pending_count(store, Letters.model) == 1


def test_stats_count_each_origin_in_sql_and_a_terminal_gets_a_chart(memory, tmp_path):
    place = tmp_path
    do(place, record, "tea cools", agent="ann", tag=["red"], at="2026-09-30T23:00:00Z")
    do(place, record, "tea cools", agent="bob", tag=["red", "blue"])
    do(place, record, "tea warms", agent="ann", kind="fact", scope="global", at="2026-10-01T01:00:00Z")
    with opened(place) as open_one:
        asked = []
        for store in open_one.stores():
            store.db.set_trace_callback(asked.append)
        found = stats(open_one)
    assert (found.total, found.by_scope) == (2, {"local": 1, "global": 1})
    assert (found.by_agent, found.by_tag) == ({"ann": 2, "bob": 1}, {"red": 1, "blue": 1})
    assert (found.by_kind, found.by_month) == ({"ITEM": 1, "FACT": 1}, {"2026-09": 1, "2026-10": 1})
    assert found.units_pending == 2 and found.growth.keys() == {"1d", "7d", "30d"}
    assert not [each for each in asked if "s.*" in each] and len(asked) < 30
    table = memory("stats", "-o", "table").stdout
    assert "▇" in table and "2026-09" in table and "last 30d" in table


def test_months_are_those_of_whoever_asks(tmp_path, roots):
    do(tmp_path, record, "tea cools", at="2026-09-30T23:00:00Z")
    months = {}
    for zone in ("UTC", "Pacific/Auckland", "America/New_York"):
        with opened(tmp_path, environ={"TZ": zone}) as memory:
            months[zone] = list(stats(memory).by_month)
    assert months == {"UTC": ["2026-09"], "Pacific/Auckland": ["2026-10"], "America/New_York": ["2026-09"]}
