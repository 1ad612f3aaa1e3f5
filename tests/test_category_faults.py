"""Faults that users of such systems met: with categories, each is something that ours does not do."""

import json
import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import ExitStack, closing
from datetime import UTC, datetime

import pytest

from benchmarks.stores import opened
from memory_cli.categories import leaves
from memory_cli.categories.canonical import text_of
from memory_cli.errors import Busy
from memory_cli.operations.category.append import append
from memory_cli.operations.category.list_ import list_
from memory_cli.operations.category.log import log
from memory_cli.operations.category.read import read
from memory_cli.operations.category.write import write
from memory_cli.store import categories, checks
from memory_cli.text.analysis import index_tokens, query_terms
from tests.conftest import SOURCES
from tests.doors import put

APPENDER = """
import sys
from pathlib import Path
from benchmarks.stores import opened
from memory_cli.operations.category.append import append
for number in range(3):
    with opened(Path(sys.argv[1])) as memory:
        append(memory, "log", data={"n": number})
"""
QUICK = ("storage.lock_deadline_ms=50", "storage.busy_timeout_ms=10")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "storage/memory/default/categories"


def test_two_processes_that_write_the_first_category_at_once_make_one_store(tmp_path, roots):
    environ = {**os.environ, "PYTHONPATH": str(SOURCES)}
    makers = [subprocess.Popen([sys.executable, "-c", APPENDER, str(tmp_path)], env=environ) for _ in range(3)]
    assert [each.wait(timeout=60) for each in makers] == [0, 0, 0]
    with opened(tmp_path) as memory:
        assert log(memory, "log", limit=100).total == 9
        assert checks.problems(memory.stores("global")[0]) == []


@pytest.mark.parametrize("drift", ["none", "a log that is behind", "an edit"])
def test_a_read_answers_and_a_write_says_busy_while_another_holds_the_lock(drift, tmp_path, roots, folder):
    with opened(tmp_path) as memory:
        write(memory, "base", data={"a": 1})
        append(memory, "journal", data={"n": 1})
    if drift == "an edit":
        (folder / "base.json").write_text('{"a": 2}', encoding="utf-8")
    with ExitStack() as stack:
        holder = stack.enter_context(opened(tmp_path))
        stack.enter_context(holder.store("global").transaction())
        with opened(tmp_path) as memory:
            name = "base" if drift != "a log that is behind" else "journal"
            found = read(memory, name)
            assert found.data == {"a": 1} or len(found.data["entries"]) == 1
            assert bool(found.note) == (drift == "an edit") and len(list_(memory).categories) == 2
        with pytest.raises(Busy, match="locked by another process"), opened(tmp_path, assignments=QUICK) as memory:
            write(memory, "base", data={"a": 3})
    with opened(tmp_path) as memory:
        assert read(memory, "base").data == {"a": 2 if drift == "an edit" else 1}


def test_a_read_never_pairs_a_text_with_the_hash_of_another(tmp_path, roots):
    def writes():
        for number in range(60):
            with opened(tmp_path) as memory:
                write(memory, "base", data={"n": number, "text": str(number) * 50})
                append(memory, "journal", data={"n": number})

    with opened(tmp_path) as memory:
        write(memory, "base", data={"n": -1})
        append(memory, "journal", data={"n": -1})
    writer = threading.Thread(target=writes)
    writer.start()
    seen = set()
    while writer.is_alive():
        with opened(tmp_path) as memory:
            found, journal = read(memory, "base"), read(memory, "journal")
            assert categories.hash_of(text_of(found.data)) == found.meta.hash
            assert len(journal.data["entries"]) == journal.meta.version
            seen.add(found.meta.hash)
    writer.join()
    assert len(seen) > 1


def test_writes_within_one_second_keep_a_version_each(category):
    hashes = [put(category, "base", {"n": number})["hash"] for number in range(12)]
    versions = category("history", "base")["versions"]
    assert [each["hash"] for each in reversed(versions)] == hashes and all("readable" not in each for each in versions)


@pytest.mark.parametrize("hash", ["0" * 64, "44136fa355b3", ""])
def test_an_expected_hash_holds_where_nothing_is_and_after_a_deletion(hash, category):
    if not hash:
        hash = put(category, "base", {"a": 1})["hash"]
        category("delete", "base")
    category("write", "base", "{}", "--expect", hash, code=5)
    assert category("list")["categories"] == []


def test_the_second_of_two_who_read_one_version_is_told_what_is_there_now(category):
    for number in range(3):
        hash = put(category, "base", {"n": number, "same": 1})["hash"]
    winner = put(category, "base", {"n": 4, "same": 1}, "--expect", hash)
    told = put(category, "base", {"n": 5, "same": 1, "more": 1}, "--expect", hash, code=5)
    assert f"version 4 with hash {winner['hash']}" in told and "n, more" in told


def test_a_search_finds_signs_and_holds_every_filter_and_both_at_once(category):
    put(category, "base", {"rate": "100%", "theme": "dark_mode", "path": "a/b"})
    put(category, "other", {"rate": "7 of 100"})
    for query, key in (("100%", "rate"), ("dark_mode", "theme"), ("%", ""), ("_", ""), ("a/b", "path")):
        hits = category("search", query, "--category", "base")["hits"]
        assert ([each["key_path"] for each in hits] or [""])[0] == key, query
    assert category("search", "dark_mode", "--category", "other")["hits"] == []
    assert category("search", "dark_mode", "--actor", "nobody")["hits"] == []


def test_times_are_compared_as_moments_whatever_zone_they_are_written_in(category, tmp_path, roots):
    with opened(tmp_path, now=datetime(2026, 6, 1, 12, tzinfo=UTC)) as memory:
        write(memory, "base", data={"editor": "vim"})
    for after, there in (("2026-06-01T13:30:00+02:00", 1), ("2026-06-01T07:30:00-05:00", 0), ("2026-06-01T11:59Z", 1)):
        assert len(category("search", "vim", "--updated-after", after)["hits"]) == there, after
        assert len(category("search", "vim", "--updated-before", after)["hits"]) == 1 - there, after


def test_what_was_read_and_edited_and_written_back_holds_nothing_but_the_users_keys(category):
    put(category, "base", {"a": 1})
    data = category("read", "base")["data"]
    put(category, "base", data | {"b": 2})
    assert category("read", "base")["data"] == {"a": 1, "b": 2}


def test_a_corrupt_file_is_never_taken_for_another_kind_and_never_overwritten(category, folder):
    category("append", "journal", '{"n": 1}')
    category("read", "journal")
    (folder / "journal.json").write_text("{", encoding="utf-8")
    category("write", "journal", "{}", code=5)
    assert category("log", "journal")["total"] == 1
    assert (folder / "journal.json").read_text(encoding="utf-8") == "{"
    (folder / "unknown.json").write_text("{", encoding="utf-8")
    for argv in (("append", "unknown", "{}"), ("write", "unknown", "{}")):
        category(*argv, code=2)
    assert (folder / "unknown.json").read_text(encoding="utf-8") == "{"


def test_the_file_of_a_category_follows_an_undo_at_once(category, memory, folder):
    put(category, "base", {"a": 1})
    put(category, "base", {"a": 2})
    category("delete", "base")
    for there in ({"a": 2}, {"a": 1}):
        memory("undo")
        assert json.loads((folder / "base.json").read_text(encoding="utf-8")) == there
        assert memory("verify").exit_code == 0
    memory("undo")
    assert not (folder / "base.json").exists() and memory("verify").exit_code == 0


def test_not_found_lists_what_there_is_and_the_nearest_name(category):
    put(category, "projects", {})
    put(category, "base", {})
    told = category("read", "project", code=3)
    assert "The nearest is projects." in told and "base" in told
    assert "none yet" in category("read", "x", "--scope", "local", code=3)


def test_stats_and_status_count_the_categories_that_are_there(category, memory):
    for name in ("base", "gone"):
        put(category, name, {})
    category("delete", "gone")
    assert json.loads(memory("stats", "-o", "json").stdout)["categories"] == 1
    scopes = json.loads(memory("status", "-o", "json").stdout)["scopes"]
    assert [each.get("categories", 0) for each in scopes] == [0, 1]


def test_a_list_tells_the_size_of_a_log_too(category):
    category("append", "journal", '{"text": "äöü"}')
    assert category("list")["categories"][0]["size"] == len('{"text":"äöü"}'.encode())
    category("delete", "journal")
    assert category("list", "--deleted")["categories"][0]["size"] == 0


def test_no_log_is_left_when_the_last_who_uses_a_store_has_gone(category, program, folder):
    put(category, "base", {"a": 1})
    call = {"method": "tools/call", "params": {"name": "memory_write", "arguments": {"category": "b", "data": {}}}}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    said = [{"method": "initialize", "params": hello}, call]
    lines = "".join(json.dumps({"jsonrpc": "2.0", "id": id, **each}) + "\n" for id, each in enumerate(said))
    done = program("serve", "--tools", "mcp-memory-rs", input=lines.encode())
    assert done.returncode == 0 and b"new_hash" in done.stdout
    assert not [each.name for each in folder.parent.glob("*-wal") if each.stat().st_size]


def test_only_a_category_that_was_there_is_called_deleted(category):
    hash = put(category, "base", {})["hash"]
    category("delta", "nothing", "--since-hash", hash, code=3)
    category("delete", "base")
    assert category("delta", "base", "--since-hash", hash)["deleted"] is True


@pytest.mark.parametrize("argv", [("serve", "--htpp"), ("category", "read", "base", "--feilds", "a"), ("--htpp",),
                                  ("--set", "storage.journal_mode=wall", "category", "list"),
                                  ("--set", "storage.jurnal_mode=wal", "category", "list"),
                                  ("serve", "--tools", "mcp-memory")])  # fmt: skip
def test_an_unknown_flag_key_mode_or_set_of_tools_starts_nothing(argv, memory, tmp_path):
    done = memory(*argv)
    assert done.exit_code == 2 and not isinstance(done.exception, Exception)
    assert not (tmp_path / "storage").exists()


@pytest.mark.anyio
async def test_tools_refuse_names_that_lead_elsewhere_and_arguments_that_are_none(agent, tmp_path):
    (tmp_path / "storage").mkdir()
    precious = tmp_path / "storage/precious.json"
    precious.write_text('{"mine": 1}', encoding="utf-8")
    for tool, more in (("read", {}), ("write", {"data": {}}), ("append", {"data": {}}), ("delete", {}),
                       ("history", {}), ("delta", {"since_hash": "0"}), ("restore", {})):  # fmt: skip
        for name in ("../../../precious", str(precious.with_suffix("")), "..", "a/../b"):
            done = await agent.call_tool(f"category_{tool}", {"category": name, **more})
            assert done.is_error and "is no name" in done.content[0].text, (tool, name)
        told = await agent.call_tool(f"category_{tool}", {"key": "base", **more})
        assert told.is_error and "Did you mean category?" in told.content[0].text
    assert precious.read_text(encoding="utf-8") == '{"mine": 1}'


@pytest.mark.anyio
async def test_a_context_of_categories_keeps_its_budget(agent):
    for number in range(20):
        data = {f"key {each}": "word " * 200 for each in range(20)}
        await agent.call_tool("category_write", {"category": f"c{number}", "data": data})
    names = [f"c{number}" for number in range(20)]
    done = await agent.call_tool("memory_context", {"category": names, "budget": 2000})
    assert len(json.dumps(done.structured_content)) < 10_000
    assert any(each.get("cut") for each in done.structured_content["categories"])


TEXTS = ("say hello", "happy sky", "multi-agent planner", "maxRetryCount in http_client.retry_policy", "café crème",
         "ABC-123 at 10.0.1.1", "1,000 users", "dying ties flies", "C:\\temp\\x", "don't GB/s C++ k8s", "a-b-cd e_f",
         "数据库连接池", "foo::bar->baz @scope/pkg 50%", "ski skies eyes", "U.S.A. e-mail", "R Go CI")  # fmt: skip
ASKED = ("multiagent", "saying", "happiness", "retry", "abcd", "email", "1000", "usa", "cafe", "连接", "sky")


def test_a_text_that_answers_is_never_passed_over_for_its_beginnings():
    met = 0
    for query in (*ASKED, *(word for text in TEXTS for word in text.split())):
        begun, tokens = leaves.beginnings(query), {each.token for each in query_terms(query).terms}
        for text in TEXTS:
            if tokens & set(index_tokens(text)):
                met += 1
                assert not begun or leaves.may_answer(text, begun), (query, text)
    assert met > len(TEXTS) and not leaves.may_answer("nothing alike", leaves.beginnings("vim"))


def test_what_a_sync_brought_or_deleted_has_its_file_at_once(category, memory, tmp_path):
    bus, there = tmp_path / "bus", tmp_path / "other"
    other = ("--storage-root", str(there))

    def synced():
        assert memory("sync", "folder", str(bus)).exit_code == 0
        assert memory(*other, "sync", "folder", str(bus)).exit_code == 0
        assert memory(*other, "verify").exit_code == 0
        return sorted(each.name for each in (there / "memory/default/categories").iterdir())

    put(category, "base", {"a": 1})
    category("append", "journal", '{"n": 1}')
    assert synced() == ["base.json", "journal.json"]
    put(category, "base", {"a": 2})
    synced()
    assert json.loads((there / "memory/default/categories/base.json").read_text(encoding="utf-8")) == {"a": 2}
    category("delete", "base")
    assert synced() == ["journal.json"]


def test_a_folder_of_categories_that_is_a_link_is_neither_read_nor_written(category, memory, tmp_path):
    put(category, "mine", {"a": 1})
    put(category, "base", {"a": 1}, "--scope", "local")
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "keys.json").write_text('{"secret": "of the user"}', encoding="utf-8")
    here = tmp_path / "project/.memory-rag/categories"
    (here / "base.json").unlink()
    here.rmdir()
    here.symlink_to(precious)
    listed = category("list")
    assert [each["category"] for each in listed["categories"]] == ["base", "mine"] and "is a link" in listed["notes"][0]
    category("read", "keys", code=3)
    assert category("read", "base")["data"] == {"a": 1}
    for argv in (("write", "base", '{"a": 2}'), ("write", "new", "{}"), ("delete", "base")):
        assert "is a link" in category(*argv, "--scope", "local", code=5)
    assert memory("doctor", "--fix").exit_code == 1 and memory("verify").exit_code == 1
    memory("reindex")
    assert [each.name for each in precious.iterdir()] == ["keys.json"]
    assert precious.stat().st_mode & 0o077 and "is a link" in memory("status").stderr


def test_the_doctor_closes_files_of_categories_that_others_can_read(category, memory, folder):
    put(category, "base", {})
    (folder / "base.json").chmod(0o644)
    folder.chmod(0o755)
    assert memory("doctor").exit_code == 1 and memory("doctor", "--fix").exit_code == 0
    assert (folder.stat().st_mode & 0o777, (folder / "base.json").stat().st_mode & 0o777) == (0o700, 0o600)


def test_secrets_are_blotted_out_of_files_that_somebody_edited_or_that_are_built_anew(
    category, memory, folder, tmp_path
):
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC3dEf"
    put(category, "base", {"a": 1})
    category("append", "journal", '{"n": 1}')
    category("read", "journal")
    (folder / "base.json").write_text(json.dumps({"key": token}), encoding="utf-8")
    assert token not in json.dumps(category("read", "base"))
    journal = (folder / "journal.json").read_text(encoding="utf-8").replace('"n": 1', f'"n": "{token}"')
    (folder / "journal.json").write_text(journal, encoding="utf-8")
    for each in folder.parent.glob("memory.sqlite3*"):
        each.unlink()
    memory("reindex")
    assert category("read", "journal")["meta"]["kind"] == "log"
    raw = b"".join(path.read_bytes() for path in (tmp_path / "storage").rglob("*") if path.is_file())
    assert token.encode() not in raw


def test_a_search_finds_what_somebody_wrote_into_a_file(category, folder):
    put(category, "base", {"editor": "vim"})
    category("append", "journal", '{"did": "nothing"}')
    (folder / "base.json").write_text('{"editor": "emacs", "shell": "fish"}', encoding="utf-8")
    (folder / "new.json").write_text('{"pager": "emacs less"}', encoding="utf-8")
    hits = category("search", "emacs")["hits"]
    assert {(each["category"], each["key_path"]) for each in hits} == {("base", "editor"), ("new", "pager")}
    assert category("search", "vim")["hits"] == []


@pytest.mark.parametrize("harm", [
    "update category_payload set content = zeroblob(length(content))",
    "delete from category_payload",
    "delete from category_version",
])  # fmt: skip
def test_a_record_of_categories_that_does_not_hold_is_told_by_verify_and_doctor(harm, category, memory, folder):
    put(category, "base", {"text": "x" * 1000})
    assert memory("verify").exit_code == 0
    with closing(sqlite3.connect(folder.parent / "memory.sqlite3")) as db:
        db.execute(harm)
        db.commit()
    for command in ("verify", "doctor"):
        done = memory(command)
        assert done.exit_code == 1 and "categories" in done.output and "Traceback" not in done.output
    if "content" in harm:
        for argv in (("read", "base"), ("search", "x"), ("diff", "base", "1", "1")):
            assert "is damaged" in category(*argv, code=5)
    if "version" in harm:
        assert "is damaged" in category("read", "base", code=5) and "is damaged" in category("list", code=5)
