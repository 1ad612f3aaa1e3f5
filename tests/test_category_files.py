"""Files of categories: built anew from, drifted, left behind, and never taken from somebody else."""

import json
import subprocess

import pytest

from tests.doors import put


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "storage/memory/default/categories"


def lose_database(folder):
    for each in folder.parent.glob("memory.sqlite3*"):
        each.unlink()


def test_categories_are_built_anew_from_their_files_when_the_database_is_lost(category, memory, folder):
    put(category, "base", {"b": 2, "a": [1, "ü"]})
    for number in range(3):
        category("append", "journal", json.dumps({"n": number}))
    base, journal = category("read", "base"), category("read", "journal")
    lose_database(folder)
    assert "reindex" in memory("status").stderr and category("list")["categories"] == []
    done = json.loads(memory("reindex", "-o", "json").stdout)
    assert done["categories"] == 2
    found = category("read", "base")
    assert found["data"] == base["data"] and found["meta"]["hash"] == base["meta"]["hash"]
    again = category("read", "journal")
    assert again["data"] == journal["data"] and again["meta"]["kind"] == "log"
    assert category("append", "journal", '{"n": 3}')["entry"] == 4
    assert "categories" not in json.loads(memory("reindex", "-o", "json").stdout)
    assert memory("doctor").exit_code == 0


def test_what_only_looks_like_a_log_is_built_anew_as_what_it_is(category, memory, folder):
    put(category, "base", {"entries": [{"at": "noon", "by": "me", "data": 1, "id": 1}]})
    put(category, "more", {"entries": []})
    lose_database(folder)
    memory("reindex")
    assert {each["kind"] for each in category("list")["categories"]} == {"memory"}


def test_a_file_that_cannot_be_read_is_named_by_a_rebuild_and_the_rest_comes_back(category, memory, folder):
    put(category, "base", {"a": 1})
    (folder / "broken.json").write_text("{", encoding="utf-8")
    (folder / "a b.json").write_text("{}", encoding="utf-8")
    lose_database(folder)
    done = memory("reindex")
    assert done.exit_code == 1 and "broken.json" in done.stderr and "a b" in done.stderr
    assert category("read", "base")["data"] == {"a": 1}


def test_a_drifted_file_is_named_by_status_doctor_and_verify_and_mended(category, memory, folder):
    for name in ("gone", "edited", "broken"):
        put(category, name, {"of": name})
    (folder / "gone.json").unlink()
    (folder / "edited.json").write_text('{"of": "me"}', encoding="utf-8")
    (folder / "broken.json").write_text("{", encoding="utf-8")
    for command, code in (("status", 0), ("doctor", 1), ("verify", 1)):
        done = memory(command)
        assert done.exit_code == code
        assert all(words in done.output for words in ("gone.json is missing", "edited.json", "broken.json is not JSON"))
    memory("reindex")
    assert (folder / "gone.json").exists() and category("read", "edited")["data"] == {"of": "me"}
    assert "broken.json" in memory("status").stderr and "gone.json" not in memory("status").stderr
    (folder / "broken.json").unlink()
    memory("doctor", "--fix")
    assert memory("verify").exit_code == 0


def test_a_file_that_came_with_a_repository_is_not_taken_for_the_users_own(category, memory, tmp_path):
    put(category, "base", {"a": 1}, "--scope", "local")
    folder = tmp_path / "project/.memory-rag/categories"
    for name in ("base", "new"):
        (folder / f"{name}.json").write_text('{"said": "by somebody else"}', encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "project", check=True)
    subprocess.run(["git", "add", "-f", ".memory-rag/categories"], cwd=tmp_path / "project", check=True)
    local = ("--scope", "local")
    assert category("read", "base", *local)["data"] == {"a": 1}
    listed = category("list", *local)
    assert [each["category"] for each in listed["categories"]] == ["base"] and len(listed["notes"]) == 2
    assert "memory trust" in put(category, "base", {"b": 2}, "--merge", *local, code=5)
    assert memory("reindex").exit_code == 1
    memory("trust")
    assert category("read", "new", *local)["data"] == {"said": "by somebody else"}


def test_the_file_of_a_log_is_of_its_newest_reader_and_being_behind_is_no_drift(category, memory, folder, tmp_path):
    def written():
        file = folder / "journal.json"
        return [each["id"] for each in json.loads(file.read_text(encoding="utf-8"))["entries"]] if file.exists() else []

    for number, reader in enumerate((("log", "journal"), ("read", "journal"), ("list",)), 1):
        category("append", "journal", json.dumps({"n": number}))
        assert written() == list(range(1, number))
        assert [memory(command).exit_code for command in ("verify", "doctor")] == [0, 0]
        assert "journal" not in memory("status").stderr
        category(*reader)
        assert written() == list(range(1, number + 1))
    category("append", "journal", '{"n": 4}')
    memory("snapshot", str(tmp_path / "kept"))
    (kept,) = (tmp_path / "kept").rglob("journal.json")
    assert len(json.loads(kept.read_text(encoding="utf-8"))["entries"]) == 4


def test_a_reader_of_a_log_that_was_killed_before_its_rename_leaves_no_edit_behind(category, folder):
    category("append", "journal", '{"n": 1}')
    category("read", "journal")
    behind = (folder / "journal.json").read_bytes()
    category("append", "journal", '{"n": 2}')
    category("read", "journal")
    (folder / "journal.json").rename(folder / ".journal.json.0011.new")
    (folder / "journal.json").write_bytes(behind)
    category("append", "journal", '{"n": 3}')
    found = category("read", "journal")
    assert "note" not in found and [each["data"]["n"] for each in found["data"]["entries"]] == [1, 2, 3]
    assert sorted(each.name for each in folder.iterdir()) == ["journal.json"]
