"""Folders of documents: what becomes of them, and of what changes and goes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from memory_cli.memory import open_memory
from memory_cli.operations.forget import forget
from memory_cli.operations.index import index
from memory_cli.operations.list_ import list_
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.operations.undo import undo
from memory_cli.text.markdown import pieces
from tests.conftest import SOURCES

GUIDE = """---
title: secretly out
---
Before any heading.

# Guide
Hello.

## Install ##
Run it.

```sh
# no heading
```

Setext
------
Below a line.
"""


@pytest.fixture
def docs(roots, tmp_path):
    folder = tmp_path / "project" / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
    (folder / "sub" / "tea.txt").write_text("Tea is green.\n\nCoffee is black.", encoding="utf-8")
    return folder


@pytest.fixture
def opened(session):
    with open_memory(session) as memory:
        yield memory


def counts(done):
    return {name: getattr(done, name) for name in ("new", "changed", "unchanged", "retired") if getattr(done, name)}


def texts(memory, **filters):
    return sorted(each.text for each in list_(memory, limit=100, **filters).units)


def test_pieces_stand_under_their_headings_and_front_matter_is_left_out():
    found = [(each.headings, each.text) for each in pieces(GUIDE, 2000)]
    assert found == [
        ((), "Before any heading."),
        (("Guide",), "Hello."),
        (("Guide", "Install"), "Run it.\n\n```sh\n# no heading\n```"),
        (("Guide", "Setext"), "Below a line."),
    ]
    assert [each.line for each in pieces(GUIDE, 2000)] == [4, 7, 10, 18]


@pytest.mark.parametrize(
    "text", ["", "---\n", "---\nno end", "#\n", "#no heading", "a\n\n---\n\nb", "\r\n# A\r\nb\r\n"]
)
def test_no_words_of_a_document_are_lost(text):
    found = " ".join(" ".join((*each.headings, each.text)) for each in pieces(text, 50))
    assert set(text.replace("#", " ").split()) - {"---"} <= set(found.replace("#", " ").split())


def test_documents_are_found_by_their_words_and_say_where_they_stand(opened, docs):
    assert counts(index(opened, [str(docs)], tag=["manual"], agent="anna")) == {"new": 5}
    found = recall(opened, "how is it installed", words=True).units
    assert not found or found[0].text.startswith("docs/guide.md")
    unit = list_(opened, source=["markdown"], tag=["manual"], agent=["anna"], limit=1, kind=["DOC"]).units[0]
    assert unit.metadata["path"].startswith("docs/")
    assert "docs/guide.md › Guide › Setext: Below a line." in texts(opened)


def test_a_second_index_adds_nothing_and_reads_nothing(opened, docs):
    index(opened, [str(docs)])
    before = list_(opened, limit=100)
    assert counts(index(opened, [str(docs), str(docs / "guide.md")])) == {"unchanged": 5}
    os.utime(docs / "guide.md", (1, 1))
    assert counts(index(opened, [str(docs.parent)])) == {"unchanged": 5}
    assert list_(opened, limit=100) == before


def test_what_changes_is_changed_and_what_is_gone_is_retired(opened, docs):
    index(opened, [str(docs)])
    (docs / "guide.md").write_text(GUIDE.replace("Hello.", "Good day.").replace("Before any heading.\n", ""), "utf-8")
    (docs / "sub" / "tea.txt").unlink()
    preview = index(opened, [str(docs)], dry_run=True)
    done = index(opened, [str(docs)])
    assert counts(preview) == counts(done) == {"changed": 1, "unchanged": 2, "retired": 2}
    assert "docs/guide.md › Guide: Good day." in texts(opened) and len(texts(opened)) == 3


def test_one_undo_takes_an_index_back_and_the_next_one_brings_it_again(opened, docs):
    index(opened, [str(docs)])
    undo(opened)
    assert texts(opened) == []
    assert counts(index(opened, [str(docs)])) == {"new": 5}


def test_what_was_forgotten_by_hand_stays_forgotten_until_its_document_says_something_else(opened, docs):
    index(opened, [str(docs)])
    forget(opened, "docs/guide.md › Guide: Hello.")
    (docs / "guide.md").write_text(f"{GUIDE}\nMore.", encoding="utf-8")
    index(opened, [str(docs)])
    assert not any("Hello" in each for each in texts(opened))


def test_pieces_that_move_take_their_words_along(opened, docs):
    words = [f"Paragraph {number} " + "word " * 300 for number in range(4)]
    file = docs / "long.md"
    for order in ((0, 1, 2, 3), (1, 2, 3), (3, 0, 1, 2), (2, 2, 1)):
        file.write_text("\n\n".join(words[each] for each in order), encoding="utf-8")
        assert index(opened, [str(file)]).failed == []
        found = [each for each in texts(opened) if "Paragraph" in each]
        assert sorted(each.split()[2] for each in found) == sorted({str(each) for each in order})


def test_a_bad_document_is_named_and_the_rest_goes_in(memory, docs):
    (docs / "binary.md").write_bytes(b"a\x00b")
    (docs / "latin.md").write_bytes("Käse".encode("latin-1"))
    done = memory("index", str(docs), "-o", "json")
    told = json.loads(done.stdout)
    assert done.exit_code == 1 and told["new"] == 5 and len(told["failed"]) == 2
    assert "binary.md" in told["failed"][0] and "latin.md: it is not in UTF-8 (byte 1)" in told["failed"][1]


def test_a_document_that_cannot_be_read_any_more_is_not_retired(opened, docs):
    index(opened, [str(docs)])
    (docs / "guide.md").write_bytes(b"\xff")
    assert counts(index(opened, [str(docs)])) == {"unchanged": 1}
    assert len(texts(opened)) == 5


def test_ignored_hidden_and_linked_files_are_left_out(opened, docs, tmp_path):
    (docs.parent / ".git").mkdir()
    (docs.parent / ".gitignore").write_text("draft*\n*.txt\n/docs/build/\n", encoding="utf-8")
    (docs / "sub" / ".gitignore").write_text("!tea.txt\n", encoding="utf-8")
    for name in ("draft.md", "build/out.md", ".hidden/a.md", "other.txt", "code.py"):
        (docs / name).parent.mkdir(exist_ok=True)
        (docs / name).write_text(f"left out {name}", encoding="utf-8")
    (tmp_path / "outside.md").write_text("outside", encoding="utf-8")
    (docs / "link.md").symlink_to(tmp_path / "outside.md")
    (docs / "loop").symlink_to(docs, target_is_directory=True)
    done = index(opened, [str(docs)])
    assert done.files == 2 and any("tea.txt" in each for each in texts(opened))


def test_two_projects_and_the_global_memory_know_their_own_documents(opened, docs):
    index(opened, [str(docs)])
    assert counts(index(opened, [str(docs)], scope="global")) == {"new": 5}
    assert len(texts(opened, scope="local")) == len(texts(opened, scope="global")) == 5


def test_secrets_of_documents_are_blotted_out(memory, docs):
    (docs / "key.md").write_text("The key is AKIAIOSFODNN7EXAMPLA here.", encoding="utf-8")
    memory("index", str(docs))
    assert "AKIAIOSFODNN7EXAMPLA" not in memory("list").stdout


def test_a_folder_that_is_not_there_is_an_error_and_retires_nothing(memory, docs):
    memory("index", str(docs))
    done = memory("index", str(docs / "gone"))
    assert done.exit_code == 3 and "There is no" in done.stderr
    assert len(memory("list").stdout.splitlines()) == 5


def test_what_was_recorded_by_another_door_too_outlives_its_document(opened, docs):
    index(opened, [str(docs)])
    record(opened, "docs/guide.md › Guide: Hello.", kind="DOC", source="chat")
    (docs / "guide.md").unlink()
    index(opened, [str(docs)])
    assert "docs/guide.md › Guide: Hello." in texts(opened)


def test_an_index_that_is_killed_goes_on_where_it_was(opened, docs, program, roots):
    for number in range(400):
        (docs / f"n{number:03}.md").write_text(f"# N{number}\nThis is note {number}.\n\n## Sub\nmore", encoding="utf-8")
    command = [sys.executable, "-m", "memory_cli", *roots, "index", str(docs)]
    running = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(SOURCES)}, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while not (opened.stores("local") and texts(opened)) and time.monotonic() < until:
        time.sleep(0.01)
    running.kill()
    running.wait()
    there = list_(opened, limit=1).total
    done = index(opened, [str(docs)])
    assert done.unchanged >= there - 5 > 0 or there == 0
    assert done.new + done.unchanged == 805 == list_(opened, limit=1).total


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_watching_takes_in_what_changes_and_ends_with_ctrl_c(docs, roots):
    pytest.importorskip("watchfiles")
    command = [sys.executable, "-m", "memory_cli", *roots, "index", str(docs), "--watch"]
    environ = {**os.environ, "PYTHONPATH": str(SOURCES)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environ, **pipes) as running:
        late = threading.Timer(30, running.kill)
        late.start()
        for line in running.stderr:
            if "Watching" in line:
                break
        (docs / "new.md").write_text("A new one.", encoding="utf-8")
        lines = [running.stdout.readline(), running.stdout.readline()]
        running.send_signal(signal.SIGINT)
        rest = running.stderr.read()
        late.cancel()
    assert [line.split("\t")[1] for line in lines] == ["5", "1"]
    assert running.returncode in (0, 130) and "Traceback" not in rest
