"""The memory as a Python program uses it."""

import doctest
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import memory_cli
from memory_cli import Entry, forget, list_, make_session, open_memory, recall, record, record_many, undo, update
from tests.conftest import SOURCES

DOCS = Path(__file__).parents[1] / "docs" / "python.md"


@pytest.fixture
def named(roots):
    return dict(zip(("project_root", "storage_root"), roots[1::2], strict=True))


def test_the_page_about_python_is_true(named):
    project, storage = named.values()
    done = doctest.testfile(str(DOCS), module_relative=False, globs={"project": project, "storage": storage})
    assert done.failed == 0 and done.attempted > 10


def test_importing_the_package_imports_nothing_else_of_it():
    code = "import sys, memory_cli; print(*(each for each in sys.modules if each.startswith('memory_cli')))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, env={"PYTHONPATH": str(SOURCES)}
    )
    assert done.stdout.split() == ["memory_cli"]


@pytest.mark.parametrize("name", memory_cli.__all__)
def test_every_name_is_there_and_says_what_it_is(name):
    assert getattr(memory_cli, name).__doc__


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="recal"):
        _ = memory_cli.recal


def test_an_agent_can_be_named_once(named):
    with open_memory(**named, agent="anna") as memory:
        record(memory, "tea")
        assert list_(memory).units[0].agents == ["anna"] and list_(memory).units[0].sources == ["python"]


def test_one_text_where_several_may_be_given_is_one_and_not_its_letters(named):
    with open_memory(**named) as memory:
        first = record(memory, "tea", tag="hot")
        assert list_(memory, tag="hot", agent="python").total == 1
        assert update(memory, first.id, tag="drink", untag="hot").changed == ["tags"]
        assert list_(memory).units[0].tags == ["drink"]
        assert forget(memory, id=first.id).ids == [first.id]


def test_many_are_recorded_by_one_change_and_known_ids_are_updated(named):
    entries = [Entry(f"statement {number}", id=f"n{number}") for number in range(1200)]
    with open_memory(**named) as memory:
        assert len(record_many(memory, entries).recorded) == 1200
        assert record_many(memory, [Entry("another", id="n7")]).recorded[0].updated
        assert record_many(memory, entries[:7]).recorded[0].already_recorded
        assert list_(memory).total == 1200
    with open_memory(**named) as memory:
        for _ in range(3):
            undo(memory)
        assert list_(memory).total == 0


def test_ready_vectors_are_taken_with_their_model_only(named):
    model = memory_cli.status
    with open_memory(**named) as memory:
        model = memory.model().id
        vector = memory.embedder()[0].embed_query("a storm is near").tolist()
        done = record_many(memory, [Entry("xyzzy", vector=vector), Entry("bad", vector=[1.0, 1.0])], model=model)
        refused = record_many(memory, [Entry("tea", vector=vector)])
        found = recall(memory, "bad weather is coming, a storm").units
    assert len(done.failed) == 1 and refused.failed and not refused.recorded
    assert "xyzzy" in [each.text for each in found]


def test_threads_share_a_session_and_no_memory(named):
    session = make_session(**{name: Path(each) for name, each in named.items()}, source="thread")

    def work(thread):
        for number in range(20):
            with open_memory(session) as memory:
                record(memory, f"statement {thread} {number}")
        return thread

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(work, range(2))) == [0, 1]
    with open_memory(session) as memory:
        assert list_(memory).total == 40
