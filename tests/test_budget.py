"""Answers are never longer than asked, and what was shortened or left out is said."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.stores import opened, roots
from memory_cli.models.document import document
from memory_cli.operations.context import context
from memory_cli.operations.handoff import handoff
from memory_cli.operations.history import history
from memory_cli.operations.import_ import import_
from memory_cli.operations.list_ import list_
from memory_cli.operations.recall import recall
from memory_cli.operations.shown import BYTES_A_TOKEN, tokens
from memory_cli.operations.stats import stats
from memory_cli.operations.status import status
from memory_cli.operations.update import update

WORDS = ["tea", 'the "green" pot', "港口", "\\path\\to", "naïve", "🦊", "x" * 300, "deploys on Friday\n"]


def filled(place, texts, kinds=("ITEM", "RULE", "PREFERENCE")):
    lines = [
        json.dumps(
            {"text": text, "kind": kinds[place % len(kinds)], "tags": [f"t{place % 7}"], "agent": f"a{place % 5}"}
        )
        for place, text in enumerate(texts)
    ]
    with opened(place) as memory:
        assert not import_(memory, lines).failed


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    chance = random.Random(5)
    folder = tmp_path_factory.mktemp("budget")
    roots(folder)
    texts = [f"{number} " + " ".join(chance.choices(WORDS, k=chance.randrange(1, 60))) for number in range(500)]
    filled(folder, [*texts, "tea " * 85_000])
    with opened(folder) as memory:
        handoff(memory, "next: the parser. " + "It is long. " * 500)
    return folder


@settings(max_examples=30, deadline=None)
@given(budget=st.integers(120, 6000), query=st.sampled_from(["", "tea deploys", "港口"]))
def test_a_context_fits_its_budget_with_the_handoff_first(budget, query, place):
    with opened(place) as memory:
        found = context(memory, query, budget=budget)
    answer = document(found)
    assert tokens(found) <= budget
    assert len(json.dumps(answer, ensure_ascii=False)) <= budget * BYTES_A_TOKEN
    assert list(answer) == sorted(answer, key=["units", "handoff", "left_out", "semantic", "hint"].index)
    assert answer["left_out"] == 501 - len(answer["units"])
    if budget >= 300:
        assert answer["handoff"]["text"].startswith("next: the parser.")


@settings(max_examples=30, deadline=None)
@given(budget=st.integers(80, 4000), limit=st.integers(1, 50))
def test_texts_are_shortened_before_hits_are_dropped(budget, limit, place):
    with opened(place) as memory:
        whole = recall(memory, "tea", words=True, limit=limit, budget=0)
        fitted = recall(memory, "tea", words=True, limit=limit, budget=budget)
    assert tokens(fitted) <= budget
    assert [each.id for each in fitted.units] == [each.id for each in whole.units][: len(fitted.units)]
    for shown, meant in zip(fitted.units, whole.units, strict=False):
        assert shown.cut == (shown.text != meant.text)
        assert meant.text.startswith(shown.text.removesuffix("…"))
    if len(fitted.units) < len(whole.units):
        assert fitted.truncated
        assert fitted.next == len(fitted.units)


@pytest.mark.parametrize(
    "read",
    [
        lambda memory: recall(memory, "tea deploys", words=True), list_, history, context, stats, status,
    ],
)  # fmt: skip
def test_every_read_with_its_defaults_stays_under_two_thousand_tokens(read, place):
    with opened(place) as memory:
        for unit in list_(memory, kind=["ITEM"], limit=30, budget=0).units:
            update(memory, unit.id, kind="changed")
        assert tokens(read(memory)) < 2000


def test_rules_and_preferences_come_before_the_newest_and_global_ones_before_local(tmp_path):
    roots(tmp_path)
    filled(tmp_path, ["a local rule", "a local item", "the newest item"], kinds=("RULE", "ITEM", "ITEM"))
    with opened(tmp_path) as memory:
        import_(memory, ['{"text": "a global rule", "kind": "RULE"}'], scope="global")
        texts = [unit.text for unit in context(memory).units]
    assert texts == ["a global rule", "a local rule", "the newest item", "a local item"]


def test_whoever_asks_for_more_than_a_page_gets_more_tokens(place):
    with opened(place) as memory:
        assert len(list_(memory, limit=200).units) > 5 * len(list_(memory).units)
