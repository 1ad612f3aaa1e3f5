"""Models that are missing, broken, replaced or cut short; what must never be fetched, loaded or told to anybody."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.stores import Letters, opened, roots
from memory_cli.embedding import DEFAULT_MODEL, KNOWN
from memory_cli.models.statement import Filters
from memory_cli.operations.pending import embed_batches, pending
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.operations.reindex import reindex
from memory_cli.operations.status import status
from memory_cli.retrieval import meaning
from memory_cli.retrieval.search import search
from memory_cli.store import vectors
from tests.conftest import SOURCES

TEXTS = ("The user prefers dark mode.", "Deploys need two reviews.", "Backups run at night.", "Lunch is at noon.")
# Ends a process that speaks to the network or loads an extension into SQLite.
GUARD = """
import os, sys
FORBIDDEN = ("socket.connect", "socket.getaddrinfo", "sqlite3.enable_load_extension", "sqlite3.load_extension")
def watch(event, arguments):
    if event in FORBIDDEN:
        os.write(2, event.encode())
        os._exit(99)
sys.addaudithook(watch)
"""


class Deaf(Letters):
    """An embedder to which no question is like any statement."""

    model = "deaf@1"

    def embed(self, texts, *, batch_size=16):
        return np.eye(self.dimension, dtype=np.float32)[[0] * len(texts)]

    def embed_query(self, text):
        return np.eye(self.dimension, dtype=np.float32)[1]


@pytest.fixture
def place(tmp_path):
    roots(tmp_path)
    meaning.forget_vectors()
    with opened(tmp_path) as memory:
        for text in TEXTS:
            record(memory, text)
    return tmp_path


@pytest.fixture
def guarded(tmp_path, program):
    """Run the program where it may neither connect nor load an extension."""
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard/sitecustomize.py").write_text(GUARD, encoding="utf-8")
    path = os.pathsep.join((str(tmp_path / "guard"), str(SOURCES)))
    return lambda *argv, **more: program(*argv, env={"PYTHONPATH": path}, **more)


def asked(memory, embedder):
    found = search(memory.stores(), "which theme does she like", Filters(now=memory.now), settings=memory.settings,
                   embedder=embedder, why_not="", limit=1)  # fmt: skip
    return [hit.statement.text for hit in found.hits]


def test_vectors_of_a_former_model_answer_until_the_new_ones_are_complete(place):
    with opened(place) as memory:
        reindex(memory)
        (store,) = memory.stores()
        assert embed_batches(memory, store, Deaf(), most=2) == 2
        assert asked(memory, Deaf()) == [TEXTS[0]]
        assert embed_batches(memory, store, Deaf(), most=10) == 2
        assert asked(memory, Deaf()) == []


def test_embedding_that_was_stopped_goes_on_where_it_was(place):
    with opened(place) as memory:
        (store,) = memory.stores()
        assert embed_batches(memory, store, Letters(), most=3) == 3
    with opened(place) as memory:
        (store,) = memory.stores()
        assert vectors.pending_count(store, Letters.model) == 1
        assert embed_batches(memory, store, Letters(), most=10) == 1


def test_vectors_of_another_model_are_called_stale_and_replaced_by_a_reindex(place):
    with opened(place) as memory:
        embed_batches(memory, *memory.stores(), Letters(), most=10)
        assert any("stale vectors, of letters@1" in note for note in status(memory).notes)
        assert recall(memory, "reviews", words=True).units
        assert (pending(memory), reindex(memory).dropped, pending(memory)) == (4, 4, 0)
        assert not status(memory).notes


def test_a_model_that_is_not_there_leaves_words_and_says_so(place):
    with opened(place, assignments=["dense.embedding_model=of-another-day"]) as memory:
        found = recall(memory, "reviews")
    assert [each.text for each in found.units] == ["Deploys need two reviews."]
    assert not found.semantic_available and "of-another-day" in found.semantic


def test_a_model_file_cut_short_leaves_words_and_the_doctor_names_it(program, tmp_path):
    known = KNOWN[DEFAULT_MODEL]
    package = tmp_path / "site" / known.package
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / known.weights.name).write_bytes(b"\0" * 1024)
    cut = {"PYTHONPATH": os.pathsep.join((str(tmp_path / "site"), str(SOURCES)))}
    assert program("record", "green tea cools", env=cut).returncode == 0
    done = program("-o", "json", "recall", "tea", env=cut)
    found = json.loads(done.stdout)
    assert (len(found["units"]), found["semantic_available"], done.returncode) == (1, False, 0)
    done = program("doctor", env=cut)
    assert done.returncode == 1
    assert all(word in done.stdout.decode() for word in (str(package / known.weights.name), known.weights.sha256))


def test_nothing_is_fetched_loaded_or_told_to_anybody(guarded, elsewhere):
    assert guarded("record", "green tea cools").returncode == 0
    done = guarded("-o", "json", "recall", "what cools")
    assert (done.returncode, json.loads(done.stdout).get("semantic_available", True)) == (0, True), done.stderr
    for line in ("--help", "status"):
        assert guarded(line).returncode == 0
    assert guarded("serve", input=b"").returncode == 0
    left = {path.name for path in (elsewhere / "home").rglob("*")}
    assert left == set(), "a library left something in the home of its user"


def test_a_server_is_ready_before_anything_of_the_model_is_loaded(place):
    code = """
import sys
from memory_cli.memory import make_session
from memory_cli.serve.server import make_server
make_server(make_session(source="mcp"), "all")
print(sorted({"numpy", "onnxruntime", "fastembed", "rich", "typer"} & set(sys.modules)))
"""
    environ = {"PYTHONPATH": str(SOURCES), "HOME": str(place)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environ, cwd=place)
    assert done.stdout == b"[]\n"
