"""Whatever several devices do, and however their syncs are cut off, they come to the same, and nothing is lost."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks import devices
from memory_cli.sync import merging
from memory_cli.sync.contents import hash_of
from memory_cli.sync.merging import STRATEGIES
from memory_cli.sync.vectors import Order, compare, joined

# `python -m benchmarks.devices` does the same for longer.
SEEDS = range(5)
VECTORS = st.dictionaries(st.sampled_from("abc"), st.integers(1, 4))
TEXTS = st.sampled_from(("tea", "milk", "port 8080"))
AGENTS = st.sampled_from(("anna", "Anna", "bert"))
ORIGINS = st.tuples(AGENTS, st.just("chat"), st.lists(st.sampled_from("xyX"), max_size=2))
STATEMENTS = st.fixed_dictionaries({
    "kind": st.sampled_from(("ITEM", "RULE")), "text": TEXTS, "at": st.integers(0, 3), "updated_at": st.integers(0, 3),
    "expires_at": st.none() | st.integers(5, 6), "metadata": st.dictionaries(st.sampled_from("kl"), TEXTS),
    "superseded": st.booleans(),
    "origins": st.lists(ORIGINS.map(list), min_size=1, max_size=2),
    "aliases": st.lists(st.sampled_from(("one", "two")), unique=True),
})  # fmt: skip
DOCUMENTS = st.dictionaries(st.sampled_from("klm"), st.sampled_from((0, 1, True, "tea", None)), max_size=3)


@pytest.mark.parametrize("seed", SEEDS)
def test_devices_come_to_the_same_and_nothing_is_lost(seed, tmp_path):
    assert devices.round_of(tmp_path, seed) <= 3


def test_a_sync_that_is_killed_is_finished_by_the_next_ones(tmp_path):
    assert devices.round_of(tmp_path, 100, steps=30, kills=0.7) <= 3


def test_the_same_words_of_two_devices_become_one_statement_that_both_ids_name(tmp_path):
    world = devices.World(
        [devices.Device(tmp_path / name, name, 0, "global", "last_write_wins") for name in ("anna", "bert")],
        random.Random(1),
    )
    ids = []
    for tick, device in enumerate(world.devices):
        with device.open(tick) as memory:
            ids.append(devices.record(memory, "tea at four", scope="global", tag=[device.name]).id)
    devices.come_together(world, tmp_path / "shared")
    for device in world.devices:
        with device.open(9) as memory:
            told, _links, _documents = devices.state(memory, "global")
            assert list(told) == [ids[0]] and told[ids[0]][5] == (ids[1],)
            assert [tags for _agent, _source, tags in told[ids[0]][-1]] == [("anna",), ("bert",)]


@given(VECTORS, VECTORS)
def test_of_two_states_each_knows_of_the_other_or_not_whoever_asks(one, other):
    swapped = {Order.BEFORE: Order.AFTER, Order.AFTER: Order.BEFORE}
    order = compare(one, other)
    assert compare(other, one) == swapped.get(order, order)
    both = joined(one, other)
    assert both == joined(other, one)
    assert {compare(one, both), compare(other, both)} <= {Order.BEFORE, Order.EQUAL}


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(STATEMENTS, STATEMENTS, STATEMENTS)
def test_two_states_of_a_statement_come_to_one_whichever_is_met_first(one, other, base):
    both = [merging.statements(*pair, base=base).content for pair in ((one, other), (other, one))]
    assert hash_of(both[0]) == hash_of(both[1])
    for name in merging.WORDS:
        # Who left it alone has no say.
        assert one[name] != base[name] or both[0][name] == other[name]
    for mine, theirs in ((one, other), (other, one)):
        merged = merging.statements(mine, theirs)
        assert hash_of(merged.content) == hash_of(merging.statements(theirs, mine).content)
        kept, lost = merged.content, merged.lost or {}
        assert {mine["text"], theirs["text"]} <= {kept["text"], lost.get("text")}
        for key, value in mine["metadata"].items():
            assert value in (kept["metadata"][key], lost.get("metadata", {}).get(key))


@given(DOCUMENTS, DOCUMENTS, st.none() | DOCUMENTS, st.booleans())
def test_a_document_keeps_what_one_side_wrote_and_the_other_left_alone(mine, theirs, base, kept):
    merged, contested = merging.documents(mine, theirs, base, kept=kept)
    assert (merged, contested) == merging.documents(theirs, mine, base, kept=not kept)
    for key in merged.keys() | mine.keys() | theirs.keys():
        sides = [each[key] for each in (mine, theirs) if key in each]
        assert key not in merged or any(merged[key] is each or merged[key] == each for each in sides)
        if base is None or key not in base:
            assert key in merged


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_choice_that_differs_by_device_is_a_write_of_its_own(strategy, tmp_path):
    pair = [devices.Device(tmp_path / name, name, 0, "global", strategy) for name in ("anna", "bert")]
    world = devices.World(pair, random.Random(1))
    with pair[0].open(0) as memory:
        id = devices.record(memory, "tea", scope="global").id
    devices.meet(world, *pair, "run")
    for tick, device in enumerate(pair, 1):
        with device.open(tick) as memory:
            devices.update(memory, id, f"tea of {device.name}", scope="global")
    devices.meet(world, *pair, "push")
    devices.come_together(world, tmp_path / "shared")
    with pair[0].open(9) as memory:
        found = {each[1] for each in devices.state(memory, "global")[0].values()}
    # The receiver of the first push was bert, whose write is also the later one.
    kept = {"local_wins": {"tea of bert"}, "remote_wins": {"tea of anna"}, "last_write_wins": {"tea of bert"}}
    assert found == kept.get(strategy, {"tea of anna", "tea of bert"})


def test_who_keeps_its_own_in_a_sync_gives_it_to_the_other(tmp_path):
    anna = devices.Device(tmp_path / "anna", "anna", 0, "global", "local_wins")
    bert = devices.Device(tmp_path / "bert", "bert", 86_400, "global", "last_write_wins")
    world = devices.World([anna, bert], random.Random(1))
    with anna.open(0) as memory:
        id = devices.record(memory, "tea", scope="global").id
    devices.meet(world, anna, bert, "run")
    for device in (anna, bert):
        with device.open(1) as memory:
            devices.update(memory, id, f"tea of {device.name}", scope="global")
    devices.meet(world, anna, bert, "run")
    for device in (anna, bert):
        with device.open(2) as memory:
            assert devices.state(memory, "global")[0][id][1] == "tea of anna"
    # The other wording is kept by whoever chose.
    with anna.open(3) as memory:
        assert "tea of bert" in str(devices.sync.conflicts(memory.store("global")))
