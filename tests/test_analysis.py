"""The one analysis of text and query: what finds what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_cli.text.analysis import index_tokens, query_terms
from memory_cli.text.stemming import stem


def finds(query, text):
    tokens = index_tokens(text)
    return any(
        token.startswith(term.token) if term.prefix else token == term.token
        for term in query_terms(query).terms
        for token in tokens
    )


def found_wholly(query, text):
    tokens = set(index_tokens(text))
    return all(term.token in tokens for term in query_terms(query).terms if not term.optional)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("we cache sessions in Redis for 15 minutes", "user sessions cached"),
        ("数据库连接池上限是二十", "连接池"),
        ("検索インデックスを再構築した", "再構築"),
        ("배포는 금요일에 금지", "배포"),
        ("锁", "锁"),
        ("用户登录之后加锁", "登录"),
        ("用户登录之后加锁", "锁"),
        ("ภาษาไทยไม่มีช่องว่าง", "ไม่มี"),
        ("written in Go and R, run by CI on k8", "Go"),
        ("written in Go and R, run by CI on k8", "R"),
        ("written in Go and R, run by CI on k8", "CI"),
        ("written in Go and R, run by CI on k8", "k8"),
        ("the multi-agent planner", "multi agent"),
        ("the multi-agent planner", "multiagent"),
        ("a multi agent planner", "multi-agent"),
        ("a multiagent planner", "multi agent"),
        ("the caf\u00e9", "cafe\u0301"),
        ("the caf\u00e9", "cafe"),
        ("das ＡＰＩ", "API"),
        ("zero\u200bwidth", "zerowidth"),
        ("Verwaltung", "verwaltungen"),
        ("die Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("زرنا المكتبات", "مكتبة"),
        ("It said 1,000 users", "1000"),
        ("Caroline's painting", "caroline"),
    ],
)
def test_a_text_is_found_by(text, query):
    assert finds(query, text)


@pytest.mark.parametrize(
    "query", ["retry count", "maxRetryCount", "retry_policy", "http client", "svc-auth-dev", "http_client.retry_policy"]
)
def test_identifiers_are_found_whole_and_in_parts(query):
    assert found_wholly(query, "set maxRetryCount in http_client.retry_policy for svc-auth-dev")


@pytest.mark.parametrize("identifier", ["C++", "C#", "GB/s", "@scope/pkg", "10.0.1.1", "ABC-123", "20.04", "k8"])
def test_an_identifier_is_asked_for_as_a_whole(identifier):
    assert any(term.exact for term in query_terms(f"about {identifier}").terms)
    assert found_wholly(identifier, f"It is ({identifier}).")


@pytest.mark.parametrize(("one", "other"), [("10.0.0.1", "10.0.1.1"), ("C++", "C#"), ("20.04", "2004"), ("1-2", "12")])
def test_identifiers_that_differ_are_different_tokens(one, other):
    assert index_tokens(one)[0] != index_tokens(other)[0]


def test_stop_words_are_dropped_unless_nothing_is_left():
    assert [term.token for term in query_terms("what is the deployment").terms] == ["deploy"]
    assert {term.token for term in query_terms("to be or not to be").terms} >= {"to", "be", "not"}


def test_marks_that_carry_vowels_are_kept():
    assert index_tokens("हिन्दी में") == ["हिन्दी", "में"]
    assert not any(term.exact for term in query_terms("हिन्दी में").terms)
    assert index_tokens("йод") != index_tokens("иод")


def test_every_form_of_a_word_has_one_stem():
    assert {stem(word) for word in ("connect", "connected", "connecting", "connection", "connections")} == {"connect"}
    assert stem("caching") == stem("cached") == stem("caches") == "cach"
    assert [stem(word) for word in ("relational", "hopping", "ties", "go")] == ["relat", "hop", "ti", "go"]


def test_a_question_of_another_language_is_told_from_english():
    assert query_terms("Welches Gericht hat die Klage abgewiesen?").foreign
    assert not query_terms("Which court dismissed the case?").foreign
    assert not query_terms("court case Los Angeles").foreign


@given(st.text())
def test_a_token_has_no_space_and_no_quote_and_the_analysis_never_fails(text):
    for token in [*index_tokens(text), *(term.token for term in query_terms(text).terms)]:
        assert token
        assert not set(token) & set("'\"\0")
        assert not any(char.isspace() for char in token)
        token.encode()


@given(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12))
def test_a_word_finds_itself(word):
    assert not index_tokens(word) or found_wholly(word, f"before {word} after")
