"""Vectors from a service: asked as its makers say, and no loss when it fails."""

import json
import os

import pytest

from memory_cli.embedding import remote
from tests.provider import providing

KEY = "sk-test-0123456789abcdefghijklmnop"
TEXTS = ("The kettle boils on the stove.", "Storms flood the harbour in autumn.", "Ana prefers dark mode.")
QUESTION = "what does she like for her editor?"


@pytest.fixture
def provider():
    with providing() as server:
        yield server


@pytest.fixture
def remembers(memory, provider, monkeypatch):
    """Run the program with the provider chosen, and no service that failed before left alone."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("VOYAGE_API_KEY", KEY)
    remote._made.clear()

    def run(*argv, name="openai", **kwargs):
        chosen = ["--set", f"dense.provider={name}", "--set", f"dense.base_url={provider.address}"]
        return memory(*chosen, *argv, **kwargs)

    for text in TEXTS:
        assert run("record", text).exit_code == 0
    return run


def recalled(remembers, *options, query=QUESTION):
    done = remembers(*options, "recall", query, "-o", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_provider_makes_the_vectors_and_each_answer_says_so(remembers, provider):
    answer = recalled(remembers)
    assert answer["units"][0]["text"] == TEXTS[2] and "units_pending" not in answer
    assert provider.address in answer["semantic"] and answer.get("semantic_available", True)
    path, headers, body = provider.asked[0]
    assert (path, headers["Authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert (body["model"], sorted(body["input"])) == ("text-embedding-3-small", sorted(TEXTS))
    status = json.loads(remembers("status", "-o", "json").stdout)
    assert any(provider.address in note for note in status["notes"]) and KEY not in json.dumps(status)


def test_voyage_is_told_what_is_a_question(remembers, provider):
    answer = recalled(lambda *argv: remembers(*argv, name="voyage"))
    assert answer["units"][0]["text"] == TEXTS[2]
    assert [body["input_type"] for _path, _headers, body in provider.asked] == ["document", "query"]
    assert provider.asked[0][2]["model"] == "voyage-4"


def test_recording_sends_nothing(remembers, provider):
    assert provider.asked == []


@pytest.mark.parametrize("mood", [429, 500, 503, "short"])
def test_what_may_pass_is_tried_again(remembers, provider, mood):
    provider.moods = [mood, mood]
    assert "units_pending" not in recalled(remembers)
    assert len(provider.asked) == 4


@pytest.mark.parametrize("mood", [401, 404, "moved", "slow", "broken", "fewer", "zero"])
def test_a_provider_that_fails_leaves_words_answering_and_work_queued(remembers, provider, mood):
    provider.mood = mood
    answer = recalled(remembers, "--set", "dense.request_ms=300", "--set", "dense.query_ms=300", query="dark mode")
    assert answer["units"][0]["text"] == TEXTS[2] and answer["units_pending"] == len(TEXTS)
    assert answer["semantic_available"] is False and provider.address in answer["semantic"]
    assert KEY not in json.dumps(answer)
    assert len(provider.asked) == 1


def test_a_provider_that_never_recovers_is_given_up_in_time(remembers, provider):
    provider.mood = 503
    answer = recalled(remembers, "--set", "dense.request_ms=200", "--set", "dense.query_ms=200", query="dark mode")
    assert "503" in answer["semantic"] and answer["units"]


def test_a_question_that_fails_after_its_statements_is_answered_by_words(remembers, provider):
    recalled(remembers)
    provider.mood = 400
    answer = recalled(remembers, query="dark mode")
    assert answer["units"][0]["text"] == TEXTS[2] and "400" in answer["semantic"]


def test_a_service_that_failed_is_left_alone_for_a_while(remembers, provider):
    provider.mood = 401
    recalled(remembers, query="dark mode")
    recalled(remembers, query="kettle")
    assert len(provider.asked) == 1


def test_vectors_of_another_length_are_refused_by_name(remembers, provider):
    recalled(remembers)
    remote._made.clear()
    provider.mood = "narrow"
    remembers("record", "A new statement about tea.")
    answer = recalled(remembers, query="tea")
    assert "100" in answer["semantic"] and "384" in answer["semantic"] and answer["units_pending"] == 1


def test_a_reindex_says_why_it_stopped_and_goes_on_later(remembers, provider):
    provider.mood = 400
    done = remembers("reindex", "--vectors")
    assert done.exit_code == 1 and "400" in done.stderr
    provider.mood = ""
    remote._made.clear()
    assert json.loads(remembers("reindex", "--vectors", "-o", "json").stdout)["embedded"] == len(TEXTS)


def test_no_key_no_request(memory, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    memory("record", TEXTS[0])
    answer = json.loads(memory("--set", "dense.provider=openai", "recall", "kettle", "-o", "json").stdout)
    assert "OPENAI_API_KEY" in answer["semantic"] and answer["units"]


def test_offline_sends_nothing(remembers, provider):
    answer = recalled(remembers, "--set", "runtime.offline=true", query="kettle")
    assert "runtime.offline" in answer["semantic"] and answer["units"] and not provider.asked


def test_the_key_may_be_in_a_file_that_nobody_else_reads(remembers, provider, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n", encoding="utf-8")
    file.chmod(0o644)
    named = ("--set", f"dense.api_key_file={file}")
    if os.name != "nt":
        assert "chmod 600" in recalled(remembers, *named, query="kettle")["semantic"]
    file.chmod(0o600)
    recalled(remembers, *named)
    assert provider.asked[0][1]["Authorization"] == f"Bearer {KEY}"


def test_secrets_of_a_question_and_the_end_of_a_long_text_are_not_sent(remembers, provider):
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC3dEf"
    remembers("record", "word " * 5000)
    recalled(remembers, query=f"who uses {token} here?")
    assert token not in json.dumps(provider.asked) and max(map(len, provider.texts)) <= 8000


@pytest.mark.parametrize("address", ["http://example.org/v1", "ftp://x/v1", "https://u:p@example.org/v1"])
def test_an_address_that_would_lay_texts_open_is_refused(memory, address):
    memory("record", TEXTS[0])
    done = memory("--set", "dense.provider=openai", "--set", f"dense.base_url={address}", "recall", "kettle")
    assert done.exit_code == 2 and "dense.base_url" in done.stderr


def test_another_provider_means_embedding_again(remembers, memory):
    recalled(remembers)
    status = json.loads(memory("status", "-o", "json").stdout)
    assert status["units_pending"] == len(TEXTS) and any("stale" in note for note in status["notes"])
    assert memory("--set", "dense.provider=openai", "model", "use", "all-MiniLM-L6-v2-int8").exit_code == 5
