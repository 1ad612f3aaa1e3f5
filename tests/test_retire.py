"""An old document goes when the memory has all that it says, and what older servers left goes on request."""

import json
import sqlite3

import pytest

from benchmarks import migration_kills
from tests import old_stores
from tests.old_stores import DOCUMENT, RECORD, build, expected


@pytest.fixture
def folder(roots, tmp_path):
    made = tmp_path / "project" / ".memory-rag"
    made.mkdir()
    return made


@pytest.fixture
def texts(memory):
    def run():
        done = memory("list", "--limit", "1000", "-o", "json")
        return [each["text"] for each in json.loads(done.stdout)["units"]]

    return run


def retired(memory, *line):
    done = memory("retire-document", *line, "-o", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def write(folder, *blocks):
    (folder / DOCUMENT).write_text("\n\n".join(("# MEMORY", *blocks)) + "\n", encoding="utf-8")


def test_what_the_record_lacks_is_taken_in_and_the_file_removed(folder, memory, texts):
    memory("record", "tea is green", "--kind", "RULE")
    memory("record", "one\n\ntwo")
    write(folder, "new\nlines", "RULE: tea is green", "PLAN: coffee", "one", "two", "two")
    done = retired(memory)
    assert [each["text"] for each in done["taken"]] == ["new\nlines", "coffee", "two"]
    assert (done["removed"], done["known"]) == ([str(folder / DOCUMENT)], 2 + 1)
    assert texts() == ["new\nlines", "coffee", "two", "one\n\ntwo", "tea is green"]
    assert not (folder / DOCUMENT).exists()


def test_an_export_is_removed_and_nothing_of_it_comes_back(folder, memory, texts):
    for each in ("one", "two", "three"):
        memory("record", each)
    memory("export", "--scope", "local")
    memory("forget", "two")
    memory("undo")
    memory("forget", "--purge", "two", "--yes")
    assert retired(memory).get("taken", []) == []
    assert texts() == ["three", "one"]


@pytest.mark.parametrize("gone", [["forget", "old words"], ["update", "it", "new words"]])
def test_what_the_history_knows_is_not_taken_in_again(folder, memory, texts, gone):
    memory("record", "old words", "--id", "it")
    memory(*gone)
    before = texts()
    write(folder, "old words")
    assert "taken" not in retired(memory)
    assert texts() == before


def test_a_document_where_no_record_is_is_retired_at_once(folder, memory, texts):
    write(folder, "RULE: one", "two")
    assert "taken" not in retired(memory)
    assert texts() == ["one", "two"]


def test_without_a_document_it_says_so(memory):
    assert memory("retire-document").exit_code == 3


def test_a_second_handoff_in_a_document_becomes_a_statement(folder, memory):
    memory("handoff", "the real one")
    write(folder, "HANDOFF: an older one")
    (taken,) = retired(memory)["taken"]
    assert json.loads(memory("show", taken["id"], "-o", "json").stdout)["unit"]["kind"] == "ITEM"
    assert "the real one" in memory("handoff").stdout


def test_a_link_is_left_alone(folder, memory, tmp_path):
    (tmp_path / "elsewhere.md").write_text("x\n", encoding="utf-8")
    (folder / DOCUMENT).symlink_to(tmp_path / "elsewhere.md")
    assert memory("retire-document").exit_code == 5
    assert (tmp_path / "elsewhere.md").exists()


def test_secrets_of_a_document_are_blotted_out_and_known_again(folder, memory, texts):
    block = "the token is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for _ in range(2):
        write(folder, block)
        retired(memory)
    (text,) = texts()
    assert "ghp_" not in text.replace("[redacted", "")


def test_the_store_of_an_older_server_goes_when_all_of_it_is_here(folder, memory, texts):
    build(folder, 8)
    before = texts()
    assert memory("doctor").exit_code == 0 and (folder / f"{RECORD}.bak").exists()
    done = memory("doctor", "--fix")
    assert done.exit_code == 0 and f"{RECORD}.bak" in done.output
    assert not (folder / f"{RECORD}.bak").exists()
    assert texts() == before


def test_what_an_older_server_wrote_later_is_taken_in_before_its_store_goes(folder, memory, texts):
    build(folder, 8)
    memory("forget", "port 80")
    before = texts()
    old = sqlite3.connect(folder / f"{RECORD}.bak")
    old.execute("insert into unit values ('written later', 'k', 'PLAN', '-1', '2999-01-01T00:00:00+00:00', 0)")
    old.commit()
    old.close()
    assert memory("doctor", "--fix").exit_code == 0
    assert texts() == ["written later", *before]


def test_the_store_of_an_older_server_stays_while_that_one_has_it_open(folder, memory, texts):
    build(folder, 8)
    assert len(texts()) == len(expected(8))
    old = sqlite3.connect(folder / f"{RECORD}.bak", isolation_level=None)
    old.execute("begin")
    old.execute("select * from unit").fetchall()
    done = memory("--set", "storage.lock_deadline_ms=50", "--set", "storage.busy_timeout_ms=10", "doctor", "--fix")
    old.close()
    assert done.exit_code == 1 and "older server" in done.output
    assert old_stores.statements(folder / f"{RECORD}.bak")


def test_old_vectors_go_with_the_old_index(folder, memory, texts):
    build(folder, 4)
    texts()
    assert memory("doctor", "--fix").exit_code == 0
    assert list(folder.glob("*.bak*")) == []


@pytest.mark.skipif(not migration_kills.is_possible(), reason="calls are counted by a small library")
def test_a_kill_never_removes_the_document_before_its_words_are_stored(tmp_path, folder, memory, texts):
    memory("record", "before")
    write(folder, "only here")
    at = 0
    with migration_kills.starter(tmp_path) as starter:
        while (folder / DOCUMENT).exists():
            starter.start(tmp_path, folder, at := at + 1, "retire_document")
            assert (folder / DOCUMENT).exists() or "only here" in texts()
    assert at > 20 and texts() == ["only here", "before"]
