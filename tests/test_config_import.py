"""Settings of the first seed are taken over where they still mean something, and named where they do not."""

import json

import pytest

from memory_cli.settings import KEYS
from memory_cli.settings.layers import FIRST_SEED


@pytest.fixture
def theirs(elsewhere, monkeypatch):
    """Write the first seed's own file; return the path of ours."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(elsewhere / "config"))

    def write(text):
        path = elsewhere / "config/memory-ultra-rag-mcp/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return elsewhere / "config/memory-cli/config.toml"

    return write


def told(memory):
    done = memory("config", "import", "-o", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_what_still_means_something_is_taken_over(theirs, memory):
    ours = theirs("[retrieval]\npool_depth = 80 # more\nrrf_k = 60\nrelative_margin = 0.2\n[nonsense]\nx = 1\n")
    done = told(memory)
    assert done["taken"] == ["retrieval.pool_depth"]
    assert "pool_depth = 80" in ours.read_text(encoding="utf-8")
    for name in ("retrieval.rrf_k", "retrieval.relative_margin", "nonsense.x"):
        assert any(name in each for each in done["passed"]), name
    assert (
        json.loads(memory("config", "get", "retrieval.pool_depth", "-o", "json").stdout)["settings"][0]["value"] == 80
    )


def test_a_variable_counts_more_than_the_file(theirs, memory, monkeypatch):
    ours = theirs("[retrieval]\nbm25_weight = 2.0\n")
    monkeypatch.setenv("MEMORY_ULTRARAG_RETRIEVAL_BM25_WEIGHT", "3")
    monkeypatch.setenv("MEMORY_ULTRARAG_MODEL_CACHE_ROOT", "x")
    monkeypatch.setenv("MEMORY_ULTRARAG_UI_PORT", "5052")
    monkeypatch.setenv("MEMORY_ULTRARAG_STORAGE_ROOT", "x")
    done = told(memory)
    assert "bm25_weight = 3.0" in ours.read_text(encoding="utf-8")
    passed = " ".join(done["passed"])
    assert "runtime.model_cache_root" in passed and "MEMORY_ULTRARAG_UI_PORT" in passed and "STORAGE" not in passed


def test_what_is_set_already_stays(theirs, memory):
    ours = theirs("[retrieval]\npool_depth = 80\n")
    memory("config", "set", "retrieval.pool_depth", "90")
    before = ours.read_text(encoding="utf-8")
    done = told(memory)
    assert done["taken"] == [] and "already" in done["passed"][0]
    assert ours.read_text(encoding="utf-8") == before


def test_a_value_out_of_bounds_is_named_and_the_rest_taken(theirs, memory):
    theirs("[retrieval]\nduplicate_cosine = 2.0\nbm25_weight = 1.5\n")
    done = told(memory)
    assert done["taken"] == ["retrieval.bm25_weight"] and "duplicate_cosine" in done["passed"][0]


def test_with_nothing_to_take_over_it_says_so(theirs, memory):
    assert memory("config", "import").exit_code == 3


def test_a_broken_file_is_named(theirs, memory):
    theirs("[retrieval\n")
    done = memory("config", "import")
    assert done.exit_code == 2 and "memory-ultra-rag-mcp" in done.stderr


def test_every_key_of_the_first_seed_is_taken_or_named(theirs, memory):
    values = {"dense.embedding_model": '"m"', "dense.reranker_model": '""', "runtime.model_cache_root": '"c"'}
    theirs("\n".join(f"{name} = {values.get(name, '1')}" for name in sorted(FIRST_SEED)))
    done = told(memory)
    assert set(done["taken"]) <= FIRST_SEED & KEYS.keys()
    assert all(name in done["taken"] or name in " ".join(done["passed"]) for name in FIRST_SEED)
