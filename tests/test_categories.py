"""Categories: every version kept, files for people, and no write lost or mistaken."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.stores import opened, roots
from memory_cli.categories.canonical import text_of
from memory_cli.operations.category.append import append
from memory_cli.operations.category.read import read
from memory_cli.operations.category.write import write
from memory_cli.store import categories, checks
from tests.conftest import SOURCES
from tests.doors import put


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "storage/memory/default/categories"


def test_a_text_has_one_form_and_its_hash_is_the_categorys(category, folder):
    assert text_of({"b": 2, "a": [1, "x"]}).encode() == (b'{\n  "a": [\n    1,\n    "x"\n  ],\n  "b": 2\n}')
    done = put(category, "base", {"b": 2, "a": [1, "x"]})
    assert done["hash"] == "1c847f68d64a96dc975772c0a5b3534ffae9c0bd91f5e312633a540a4b4cffa4"
    assert categories.hash_of((folder / "base.json").read_text(encoding="utf-8")) == done["hash"]
    assert put(category, "empty", {})["hash"] == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_a_read_keeps_what_is_told_apart_from_what_was_written(category):
    data = {"meta": {"hash": "mine"}, "version": 7, "näme": "日本"}
    put(category, "base", data)
    found = category("read", "base")
    assert found["data"] == data and found["meta"]["version"] == 1 and found["meta"]["updated_by"] == "cli"
    some = category("read", "base", "--fields", "version, nope")
    assert some["data"] == {"version": 7} and some["missing"] == ["nope"]


def test_a_merge_changes_some_keys_and_null_takes_one_out(category):
    put(category, "base", {"a": 1, "b": {"x": 1}, "c": 3})
    done = category("write", "base", "--merge", "-", input='{"b": {"y": 2}, "c": null, "d": 4}')
    assert (done["changed"], done["old_version"], done["version"]) == (True, 1, 2)
    assert category("read", "base")["data"] == {"a": 1, "b": {"y": 2}, "d": 4}
    assert put(category, "base", {"d": 4, "b": {"y": 2}, "a": 1})["changed"] is False
    assert category("history", "base")["total"] == 2


def test_two_who_read_one_version_do_not_overwrite_each_other(category):
    hash = put(category, "base", {"a": 1})["hash"]
    second = put(category, "base", {"a": 2}, "--expect", hash)
    said = put(category, "base", {"a": 3, "b": 1}, "--expect", hash, code=5)
    assert second["hash"] in said and "version 2" in said and "a, b" in said
    assert "none" in put(category, "new", {}, "--expect", hash, code=5)
    put(category, "new", {}, "--expect", "absent")
    put(category, "new", {"x": 1}, "--expect", "absent", code=5)


def test_every_version_is_read_byte_for_byte_also_after_a_delete(category):
    versions = [{"n": number, "text": "x" * 1000 + str(number)} for number in range(5)]
    for each in versions:
        put(category, "base", each, "-m", f"step {each['n']}")
    category("delete", "base", "-m", "done")
    category("read", "base", code=3)
    told = category("history", "base")["versions"]
    assert [each["operation"] for each in told] == ["delete"] + ["write"] * 5 and told[1]["reason"] == "step 4"
    assert [category("read", "base", "--version", str(number + 1))["data"] for number in range(5)] == versions
    assert category("restore", "base")["version"] == 7 and category("read", "base")["data"] == versions[4]
    category("restore", "base", "--version", "2")
    assert category("read", "base")["data"] == versions[1]


def test_what_differs_is_shown_by_key_and_by_line(category):
    hash = put(category, "base", {"a": 1, "b": 2})["hash"]
    put(category, "base", {"a": 1, "b": 3, "c": 4})
    told = category("delta", "base", "--since-hash", hash)
    assert (told["added"], told["changed"]) == ({"c": 4}, {"b": 3}) and not told["unchanged"]
    assert category("delta", "base", "--since-hash", told["hash"])["unchanged"]
    assert category("delta", "base", "--since-hash", "0" * 64)["known"] is False
    assert '+  "c": 4' in category("diff", "base", "1", "2")["lines"]


def test_a_log_is_bounded_and_its_numbers_are_never_given_again(category):
    for number in range(7):
        done = category("append", "journal", json.dumps({"n": number}), "--max-entries", "5" if number == 0 else "0")
    assert (done["entry"], done["pruned"]) == (7, 1)
    found = category("log", "journal")
    assert [each["id"] for each in found["entries"]] == [3, 4, 5, 6, 7] and found["total"] == 5
    assert [each["data"]["n"] for each in category("read", "journal")["data"]["entries"]] == [2, 3, 4, 5, 6]
    category("delete", "journal")
    assert category("append", "journal", '{"n": 8}')["entry"] == 8 and category("log", "journal")["total"] == 1
    category("restore", "journal", "--version", "7")
    assert [each["id"] for each in category("log", "journal")["entries"]] == [3, 4, 5, 6, 7]
    put(category, "journal", {}, code=2)
    put(category, "plain", {})
    category("append", "plain", "{}", code=2)


def test_an_append_costs_the_same_however_long_the_log_is(tmp_path, roots):
    counts = []
    with opened(tmp_path) as memory:
        for number in range(300):
            asked = []
            memory.store("global").db.set_trace_callback(asked.append)
            append(memory, "journal", data={"n": number}, max_entries=1000)
            memory.store("global").db.set_trace_callback(None)
            counts.append(len(asked))
    assert max(counts[1:]) == min(counts[1:])


def test_a_change_is_taken_back_and_its_file_follows(category, memory, folder):
    put(category, "base", {"a": 1})
    put(category, "base", {"a": 2})
    memory("undo")
    assert category("read", "base")["data"] == {"a": 1}
    assert json.loads((folder / "base.json").read_text(encoding="utf-8")) == {"a": 1}
    category("delete", "base")
    assert not (folder / "base.json").exists()
    memory("undo")
    assert category("read", "base")["data"] == {"a": 1} and (folder / "base.json").exists()
    category("append", "log", '{"n": 1}')
    category("append", "log", '{"n": 2}')
    memory("undo")
    assert [each["id"] for each in category("log", "log")["entries"]] == [1]


def test_a_file_that_somebody_edited_becomes_a_version(category, folder):
    put(category, "base", {"a": 1})
    (folder / "base.json").write_text('{"a": 5,   "z": 1}', encoding="utf-8")
    found = category("read", "base")
    assert found["data"] == {"a": 5, "z": 1} and found["meta"]["updated_by"] == "file"
    assert (folder / "base.json").read_text(encoding="utf-8") == text_of({"a": 5, "z": 1})
    (folder / "base.json").write_text('{"a": 1}', encoding="utf-8")
    assert category("read", "base")["data"] == {"a": 1}
    (folder / "by-hand.json").write_text('{"made": "by hand"}', encoding="utf-8")
    assert [each["category"] for each in category("list")["categories"]] == ["base", "by-hand"]


@pytest.mark.parametrize("text", ["{broken", "[1]", '{"a": 1e999}', '{"n": ' + "9" * 400 + "}", "\xff\xfe", "[" * 500])
def test_a_file_that_is_no_document_stays_and_the_record_answers(category, folder, text):
    put(category, "base", {"a": 1})
    (folder / "base.json").write_bytes(text.encode("latin-1"))
    found = category("read", "base")
    assert found["data"] == {"a": 1} and "record answers" in found["note"]
    assert (folder / "base.json").read_bytes() == text.encode("latin-1")
    put(category, "base", {"a": 2}, code=2)
    assert (folder / "base.json").read_bytes() == text.encode("latin-1")


def test_a_missing_file_is_written_again_and_a_link_is_not_followed(category, folder, tmp_path):
    put(category, "base", {"a": 1})
    (folder / "base.json").unlink()
    assert category("read", "base")["data"] == {"a": 1} and (folder / "base.json").exists()
    (tmp_path / "precious").write_text('{"mine": 1}', encoding="utf-8")
    (folder / "base.json").unlink()
    (folder / "base.json").symlink_to(tmp_path / "precious")
    assert category("read", "base")["data"] == {"a": 1}
    put(category, "base", {"a": 2}, code=5)
    assert (tmp_path / "precious").read_text(encoding="utf-8") == '{"mine": 1}'


@pytest.mark.parametrize(
    "name", ["../x", "a/b", ".hidden", "", "a" * 129, "a b", "x\n", "con", "NUL.txt", "é", "%2e%2e"]
)
def test_a_name_that_is_none_is_refused_at_every_command(category, name):
    for argv in (("read", name), ("write", name, "{}"), ("append", name, "{}"), ("delete", name), ("history", name)):
        category(*argv, code=2)


def test_names_that_differ_in_case_alone_are_refused(category):
    put(category, "Base", {})
    assert "Base" in put(category, "base", {}, code=2)


@pytest.mark.parametrize("text", ["{", "[]", "5", '{"a": NaN}', '{"a": 1e400}', '{"n": ' + "1" * 5000 + "}",
                                  '{"a":' * 200 + "1" + "}" * 200])  # fmt: skip
def test_data_that_cannot_be_kept_is_refused_by_name(category, text):
    assert "Traceback" not in category("write", "base", "-", input=text, code=2)


def test_secrets_are_blotted_out_of_data_and_reasons(category, tmp_path):
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC3dEf"
    put(category, "base", {"key": token}, "-m", f"because {token}")
    category("append", "log", json.dumps({"said": token}))
    assert token not in json.dumps(category("read", "base"))
    raw = b"".join(path.read_bytes() for path in (tmp_path / "storage").rglob("*") if path.is_file())
    assert token.encode() not in raw


def test_values_are_found_with_the_keys_that_lead_to_them(category):
    put(category, "base", {"editor": {"name": "vim", "theme": "dark_mode"}, "rate": "100%", "list": [{"x": "kettle"}]})
    put(category, "other", {"note": "nothing of the kind"})
    hits = category("search", "vim")["hits"]
    assert [(each["category"], each["key_path"]) for each in hits] == [("base", "editor.name")]
    assert category("search", "kettles")["hits"][0]["key_path"] == "list[0].x"
    for query in ("100%", "dark_mode", '"', "NEAR(", "*"):
        category("search", query)
    assert category("search", "vim", "--category", "other")["hits"] == []
    assert category("search", "vim", "--updated-after", "2099-01-01")["hits"] == []
    assert category("search", "vim", "--actor", "nobody")["hits"] == []
    put(category, "drinks", {"morning": "a cup of green tea with honey"})
    assert category("search", "favourite hot beverage at breakfast", "--hybrid")["hits"][0]["key_path"] == "morning"


def test_a_compaction_does_what_it_was_asked_and_says_how_much(category):
    for number in range(6):
        put(category, "base", {"n": number, "text": os.urandom(3000).hex()})
    category("compact", code=2)
    would = category("compact", "--keep-versions", "2", "--dry-run")
    assert (would["versions"], category("history", "base")["total"]) == (4, 6)
    done = category("compact", "--keep-versions", "2")
    assert (done["versions"], done["bytes"]) == (4, would["bytes"]) and done["bytes"] > 4000
    assert [each["version"] for each in category("history", "base")["versions"]] == [6, 5]
    category("read", "base", "--version", "1", code=5)
    assert category("compact", "--older-than", "1d")["versions"] == 0


def test_a_project_may_have_its_own_and_a_read_falls_back_to_the_other(category):
    put(category, "base", {"of": "account"})
    put(category, "here", {"of": "project"}, "--scope", "local")
    found = category("read", "here")
    assert found["meta"]["scope"] == "local" and "project" in found["note"]
    category("read", "here", "--scope", "global", code=3)
    assert "here" in category("read", "her", code=3)


def test_categories_are_exported_by_a_snapshot_and_verified(category, memory, tmp_path, folder):
    put(category, "base", {"a": 1})
    assert memory("snapshot", str(tmp_path / "kept")).exit_code == 0
    put(category, "base", {"a": 2})
    memory("restore", str(tmp_path / "kept"), "--yes")
    assert category("read", "base")["data"] == {"a": 1}
    assert memory("verify").exit_code == 0
    (folder / "base.json").write_text("{", encoding="utf-8")
    assert memory("verify").exit_code == 1
    assert "base.json" in memory("doctor").stdout


WRITER = """
import sys
from pathlib import Path
from benchmarks.stores import opened
from memory_cli.errors import Refused
from memory_cli.operations.category.append import append
from memory_cli.operations.category.read import read
from memory_cli.operations.category.write import write
folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    with opened(folder) as memory:
        append(memory, "log", data={"by": name, "n": number}, max_entries=100000)
    while True:
        with opened(folder) as memory:
            found = read(memory, "counter")
            try:
                write(memory, "counter", data={"n": found.data["n"] + 1}, expected_hash=found.meta.hash)
                break
            except Refused:
                continue
    print(number, flush=True)
"""


def started(folder, name, count):
    environ = {**os.environ, "PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-c", WRITER, str(folder), name, str(count)]
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)


def test_several_processes_lose_no_append_and_no_update(tmp_path, roots):
    with opened(tmp_path) as memory:
        write(memory, "counter", data={"n": 0})
    running = [started(tmp_path, f"w{number}", 15) for number in range(3)]
    assert [each.wait(timeout=60) for each in running] == [0, 0, 0]
    [each.stdout.close() for each in running]
    with opened(tmp_path) as memory:
        assert read(memory, "counter").data == {"n": 45}
        entries = read(memory, "log").data["entries"]
    assert len({(each["data"]["by"], each["data"]["n"]) for each in entries}) == len(entries) == 45


def test_a_killed_write_is_whole_or_absent_and_its_file_agrees(tmp_path, roots):
    with opened(tmp_path) as memory:
        write(memory, "counter", data={"n": 0})
    folder = tmp_path / "storage/memory/default/categories"
    chance, done = random.Random(5), 0
    for _ in range(6):
        running = started(tmp_path, "w", 1000)
        running.stdout.readline()
        time.sleep(chance.random() / 20)
        running.kill()
        done += 1 + len(running.stdout.read().split())
        running.wait()
        running.stdout.close()
        with opened(tmp_path) as memory:
            found = read(memory, "counter")
            assert found.data["n"] >= done and not found.note
            assert (folder / "counter.json").read_text(encoding="utf-8") == text_of(found.data)
            write(memory, "counter", data=found.data | {"seen": done})
            write(memory, "counter", data={"n": found.data["n"]})
            done = found.data["n"]
            assert checks.problems(memory.stores("global")[0]) == []
        assert not [each for each in folder.iterdir() if each.name.startswith(".counter")]


@pytest.mark.parametrize("rules, name, allowed", [
    ((), "anything", True),
    (("acl.admin_devices=laptop",), "anything", True),
    (("acl.device_categories=laptop",), "laptop", True),
    (("acl.device_categories=laptop",), "workflow_laptop", True),
    (("acl.device_categories=laptop",), "base", False),
    (("acl.admin_devices=boss", "acl.device_name=foo-agent"), "foo_notes", True),
    (("acl.admin_devices=boss", "acl.device_name=foo-agent"), "bar_notes", False),
])  # fmt: skip
def test_who_may_write_what(category, memory, rules, name, allowed):
    options = [each for rule in ("acl.device_name=laptop", *rules) for each in ("--set", rule)]
    done = memory(*options, "category", "write", name, "{}")
    assert done.exit_code == (0 if allowed else 5), done.output
    assert memory(*options, "category", "list").exit_code == 0


def test_the_context_and_a_recall_read_categories_when_asked(category, memory):
    put(category, "base", {"editor": "The user works in vim."})
    found = json.loads(memory("context", "--category", "base", "-o", "json").stdout)
    assert found["categories"] == [
        {"category": "base", "scope": "global", "data": {"editor": "The user works in vim."}}
    ]
    told = json.loads(memory("recall", "which editor is it, vim?", "--categories", "-o", "json").stdout)
    assert told["categories"][0]["key_path"] == "editor"


def test_an_edit_goes_through_the_editor_and_never_over_what_others_wrote(category, memory, monkeypatch, tmp_path):
    put(category, "base", {"a": 1})
    script = tmp_path / "editor.sh"
    script.write_text("#!/bin/sh\nsed -i 's/1/2/' \"$1\"\n", encoding="utf-8")
    script.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(script))
    assert memory("category", "edit", "base").exit_code == 0 and category("read", "base")["data"] == {"a": 2}
    environ = f"{sys.executable} -m memory_cli {' '.join(roots(tmp_path))} category write base '{{\"b\": 1}}'"
    script.write_text(f'#!/bin/sh\n{environ} >/dev/null\necho \'{{"mine": 1}}\' > "$1"\n', encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(SOURCES))
    done = memory("category", "edit", "base")
    assert done.exit_code == 1 and "is kept in" in done.stderr and category("read", "base")["data"] == {"b": 1}
    Path(done.stderr.split("is kept in ")[1].strip().rstrip(".")).unlink()
