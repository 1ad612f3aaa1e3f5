"""Recall by words alone: what matches, in what order, and when nothing is answered."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_cli.models.history import Who
from memory_cli.models.statement import Filters, Origin, Statement
from memory_cli.retrieval.search import search, similar_words
from memory_cli.settings import Settings
from memory_cli.store import checks, journal, words
from memory_cli.store.connection import open_store

NOW = datetime(2026, 11, 30, tzinfo=UTC)
VERBS, NOUNS = ("load", "flush", "lock", "index", "merge"), ("cache", "queue", "token", "schema", "socket", "thread")
CODE = [f"The {verb}_{noun} step of the {noun} pipeline returns early" for verb in VERBS for noun in NOUNS]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with open_store(tmp_path_factory.mktemp("store"), "local", Settings().storage, create=True) as opened:
        yield opened


@pytest.fixture
def empty(store):
    with store.transaction():
        store.db.execute("delete from statement")
        store.db.execute("delete from words")
    return store


def remember(store, *texts, agent="me", kind="ITEM", at=NOW, **fields):
    origins = (Origin(agent, "cli"),)
    with journal.writing(store, "record", Who("me", "here"), NOW) as made:
        given = [
            Statement(0, f"{kind}{hash(text)}", "local", 0, kind, text, at, NOW, origins, **fields) for text in texts
        ]
        return [journal.add(made, each) for each in given]


def recalled(stores, query, limit=10, offset=0, settings=None, **filters):
    stores = stores if isinstance(stores, list) else [stores]
    found = search(
        stores,
        query,
        Filters(now=NOW, **filters),
        settings=settings or Settings(),
        embedder=None,
        why_not="",
        limit=limit,
        offset=offset,
    )
    return [hit.statement.text for hit in found.hits]


@given(
    st.text()
    | st.sampled_from(
        ["GB/s", "a*", '"unclosed', "NEAR(", "title:x", "x AND", "NOT", "^x", "-x", "{}", "\\", "--", "%"]
    )
)
@settings(max_examples=200, deadline=None)
def test_no_query_is_syntax(store, query):
    recalled(store, query)


def test_any_word_may_match_and_more_is_better(empty):
    remember(empty, "tea is kept dry", "green tea is kept cold", "coffee is ground fresh")
    assert recalled(empty, "how is green tea kept")[0] == "green tea is kept cold"
    assert recalled(empty, "please, the green tea from yesterday") == ["green tea is kept cold", "tea is kept dry"]


def test_an_absent_word_does_not_empty_the_answer(empty):
    remember(empty, "we cache sessions in Redis for 15 minutes", *CODE)
    assert recalled(empty, "how long do we keep user sessions cached please")[0].startswith("we cache sessions")


def test_nonsense_gets_nothing(empty):
    remember(empty, *CODE)
    assert recalled(empty, "purple elephant tax return") == []


def test_a_whole_identifier_counts_more_than_its_parts(empty):
    remember(empty, "retry the policy of the client", "policy, policy and retry", "see retry_policy")
    assert recalled(empty, "retry_policy")[0] == "see retry_policy"


def test_neither_dates_nor_counts_are_words(empty):
    remember(empty, "tea", "written in 2026")
    assert recalled(empty, "2026") == ["written in 2026"]
    assert recalled(empty, "0") == []


def test_filters_hold_before_the_pool_is_cut(empty):
    remember(empty, *(f"the tea of day {day}" for day in range(300)))
    remember(empty, "tea, tea and the rule of tea", kind="RULE", agent="bob")
    assert recalled(empty, "tea", kinds=("RULE",)) == ["tea, tea and the rule of tea"]
    assert recalled(empty, "tea", agents=("bob",)) == ["tea, tea and the rule of tea"]
    assert len(recalled(empty, "tea", limit=50)) == 50


def test_of_many_rows_those_with_rare_words_are_weighed_and_others_where_too_few_of_them_pass(empty):
    shallow = replace(Settings(), retrieval=replace(Settings().retrieval, pool_depth=10))
    remember(empty, *(f"oolong tea of day {day}" for day in range(210)))
    remember(empty, *(f"tea of the year {year}" for year in range(300)), agent="bob")
    asked = []
    empty.db.set_trace_callback(asked.append)
    assert len(recalled(empty, "oolong tea year", settings=shallow)) == 10
    (first,) = [each for each in asked if "bm25" in each]
    assert "words match '{text} : (\"oolong\")'" in first
    assert len(recalled(empty, "oolong tea year", settings=shallow, agents=("bob",))) == 10
    empty.db.set_trace_callback(None)


def test_what_expired_is_not_recalled(empty):
    remember(empty, "tea today")
    remember(empty, "tea yesterday", expires_at=NOW - timedelta(days=1))
    assert recalled(empty, "tea") == ["tea today"]


def test_the_named_agent_is_preferred_and_nobody_excluded(empty):
    remember(empty, "the painting hangs in the hall", agent="Bob")
    remember(empty, "the painting stands in the attic", agent="Caroline")
    remember(empty, *CODE, agent="Bob")
    assert recalled(empty, "Where is Caroline's painting?")[0] == "the painting stands in the attic"
    assert len(recalled(empty, "Where is Caroline's painting?")) == 2
    assert recalled(empty, "Caroline") == ["the painting stands in the attic"]


def test_the_answer_to_a_question_is_lifted_by_it(empty):
    remember(empty, "When does the ferry to the island leave?", "the ferry is red")
    remember(empty, "The ferry? At noon.", "a ferry", at=NOW - timedelta(days=9))
    assert recalled(empty, "when does the ferry leave for the island")[:2] == [
        "When does the ferry to the island leave?", "the ferry is red",
    ]  # fmt: skip


def test_newness_settles_ties_and_nothing_else(empty):
    remember(empty, "tea at four, old", at=NOW - timedelta(days=900))
    remember(empty, "tea at four, new", *CODE)
    assert recalled(empty, "tea at four") == ["tea at four, new", "tea at four, old"]
    assert recalled(empty, "old tea at four")[0] == "tea at four, old"


def test_what_is_superseded_comes_last(empty):
    remember(empty, "deploy on Friday, deploy", superseded=True)
    remember(empty, "deploy on Monday after tests that take a long while and are run twice")
    assert [text[:16] for text in recalled(empty, "deploy")] == ["deploy on Monday", "deploy on Friday"]


def test_pages_follow_each_other(empty):
    remember(empty, *(f"tea number {number}" for number in range(30)))
    pages = [recalled(empty, "tea", limit=10, offset=start) for start in (0, 10, 20)]
    assert len({text for page in pages for text in page}) == 30


def test_two_stores_answer_on_one_scale(empty, tmp_path):
    with open_store(tmp_path / "global", "global", Settings().storage, create=True) as other:
        remember(empty, "the gateway listens on a port", *CODE)
        remember(other, "the gateway of svc-auth-dev listens on port 8443")
        assert recalled([empty, other], "port of the svc-auth-dev gateway")[0].endswith("8443")
        assert len(recalled([empty, other], "gateway port")) == 2


def test_statements_that_share_nearly_all_words_are_similar(empty):
    remember(empty, "the gateway listens on port 80", "the gateway is written in Go", *CODE)
    [new] = remember(empty, "the gateway listens on port 8080")
    assert [each.text for each in similar_words(empty, new)] == ["the gateway listens on port 80"]


def test_the_index_mends_what_was_deleted_from_it(empty):
    remember(empty, "green tea", "black tea")
    empty.db.execute("delete from words where rowid = (select min(rowid) from words)")
    found = search([empty], "tea", Filters(now=NOW), settings=Settings(), embedder=None, why_not="", limit=5)
    assert (found.unindexed, len(found.hits)) == (("local",), 1)
    assert checks.problems(empty)
    assert words.rebuild(empty) == 2
    assert (checks.problems(empty), len(recalled(empty, "tea"))) == ([], 2)


def test_many_updates_leave_the_index_sound(empty):
    [statement] = remember(empty, "tea")
    with empty.transaction():
        for number in range(1000):
            words.put(empty, statement.number, f"tea number {number}", ("me",))
    assert checks.problems(empty) == []
    assert words.size(empty) == words.Size(1, 3)
