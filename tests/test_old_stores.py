"""What servers of the first seed left is taken in: every schema, losing nothing, once."""

import json
import os
import random
import sqlite3
import stat
import subprocess
from pathlib import Path

import pytest

from benchmarks import migration_kills
from benchmarks.migration_kills import Case
from tests import old_stores
from tests.old_stores import DOCUMENT, FILES, INDEX, RECORD, SCHEMAS, VECTORS, Kept, build, expected

ours = pytest.mark.parametrize("schema", SCHEMAS)


@pytest.fixture
def folder(roots, tmp_path):
    """The folder of the project's store, where an older server kept its own."""
    made = tmp_path / "project" / ".memory-rag"
    made.mkdir(parents=True)
    return made


def old(folder, schema, **how):
    """Make an old store whose files were last written at a known time."""
    path = build(folder, schema, **how)
    for each in folder.iterdir():
        os.utime(each, (old_stores.UNDATED.timestamp(),) * 2)
    return path


@pytest.fixture
def listed(memory):
    """Return what is listed: kind, text, time and recalls, newest first."""

    def run(scope="local"):
        done = memory("list", "--scope", scope, "--limit", "1000", "-o", "json")
        assert done.exit_code == 0, done.output
        return [(each["kind"], each["text"]) for each in json.loads(done.stdout)["units"]]

    return run


@pytest.fixture
def whole(memory):
    """Return everything of the statements of the project, newest first."""

    def run():
        done = memory("export", "--format", "jsonl", "--scope", "local")
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in reversed(done.stdout.splitlines())]

    return run


def told(rows):
    return [(each["kind"], each["text"], each["at"].replace("Z", "+00:00"), each.get("recalls", 0)) for each in rows]


def instants(rows):
    from datetime import datetime

    return [(kind, text, datetime.fromisoformat(at), recalls) for kind, text, at, recalls in rows]


@ours
def test_every_text_kind_date_count_and_place_is_taken_over(folder, whole, schema):
    old(folder, schema)
    assert instants(told(whole())) == instants(expected(schema))


@ours
def test_a_schema_is_taken_in_whatever_its_file_is_called(folder, listed, schema):
    old(folder, schema, name=RECORD)
    assert listed() == [(kind, text) for kind, text, *_rest in expected(schema)]


@ours
def test_what_stands_in_the_log_alone_is_taken_over(folder, listed, schema):
    path = old(folder, schema, wal=True)
    assert path.with_name(f"{path.name}-wal").stat().st_size > 1000
    assert listed() == [(kind, text) for kind, text, *_rest in expected(schema)]


@ours
def test_the_old_files_stay_beside_under_another_name(folder, listed, schema):
    old(folder, schema)
    before = old_stores.statements(folder / FILES[schema])
    listed()
    assert old_stores.statements(folder / f"{FILES[schema]}.bak") == before
    left = {each.name for each in folder.iterdir()}
    assert left & {INDEX, VECTORS, ".taking-in", f"{RECORD}-wal"} == set()
    assert {each.name for each in folder.glob("*.bak")} == {
        f"{name}.bak" for name in ({INDEX, VECTORS} if schema < 5 else {RECORD})
    }


def test_where_files_have_one_name_only_the_old_store_is_kept_as_a_copy(folder, listed, monkeypatch):
    def refused(*_names):
        raise OSError("no second names here")

    old(folder, 8)
    before = old_stores.statements(folder / RECORD)
    monkeypatch.setattr(os, "link", refused)
    assert len(listed()) == len(expected(8))
    assert old_stores.statements(folder / f"{RECORD}.bak") == before


def test_a_folder_that_cannot_be_written_is_named_and_left_as_it_is(folder, memory):
    old(folder, 8)
    (folder / ".taking-in").write_text("in the way", encoding="utf-8")
    done = memory("list")
    assert done.exit_code == 1 and str(folder) in done.stderr
    (folder / ".taking-in").unlink()
    assert memory("list").exit_code == 0


@pytest.mark.parametrize("name", [RECORD, INDEX, DOCUMENT])
def test_a_folder_in_the_place_of_a_file_is_no_old_store(folder, memory, name):
    (folder / name).mkdir()
    done = memory("list")
    assert done.exit_code == (1 if name == RECORD else 0) and "Traceback" not in done.output


@ours
def test_a_second_start_takes_nothing_in_again(folder, listed, memory, schema):
    old(folder, schema)
    first = listed()
    before = {each.name: each.stat().st_ino for each in folder.iterdir()}
    assert listed() == first
    assert memory("record", "one more").exit_code == 0
    assert listed() == [("ITEM", "one more"), *first]
    assert {each.name: each.stat().st_ino for each in folder.iterdir()}.items() >= before.items()


def test_no_two_fixtures_have_the_same_tables(tmp_path):
    tables = set()
    for schema in SCHEMAS:
        db = sqlite3.connect(build(tmp_path / str(schema), schema))
        beside = sorted(each.name for each in (tmp_path / str(schema)).iterdir())
        made = db.execute("select sql from sqlite_master where name not like 'unit_%' order by name").fetchall()
        tables.add((str(made), str(beside)))
        db.close()
    # The word index of 3 and of 5 differ in what else there is.
    assert len(tables) == len(SCHEMAS)


@pytest.mark.parametrize("first", [["record", "new"], ["handoff", "go on"], ["recall", "tabs"], ["status"], ["stats"]])
def test_whatever_the_first_command_is(folder, memory, listed, first):
    old(folder, 8)
    assert memory(*first).exit_code == 0
    texts = {text for _kind, text in listed()}
    assert {text for kind, text, *_rest in expected(8) if kind != "HANDOFF"} <= texts


def test_one_handoff_stays_one(folder, memory, whole):
    old(folder, 8)
    rows = whole()
    assert [each["text"] for each in rows if each["kind"] == "HANDOFF"] == ["Parser done; next: error messages."]
    spare = next(each for each in rows if each["text"] == "An old next step.")
    assert spare["origins"][0]["tags"] == ["handoff"]
    assert "Parser done" in memory("handoff").stdout


def test_an_odd_kind_is_kept_in_the_metadata(folder, whole):
    old(folder, 8)
    assert next(each for each in whole() if "odd" in each["text"])["metadata"] == {"kind": "API2"}


@pytest.mark.parametrize("schema", [6, 7])
def test_when_it_was_last_recalled_is_kept(folder, whole, schema):
    old(folder, schema)
    found = next(each for each in whole() if each.get("recalls") == 50)
    assert found["last_recalled_at"].startswith("2026-04-01T00:00:00")


def test_a_newer_schema_is_refused_by_name_and_left_as_it_is(folder, memory):
    path = old(folder, 8)
    db = sqlite3.connect(path)
    db.execute("update meta set value = '9'")
    db.commit()
    db.close()
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    for line in (["list"], ["record", "x"]):
        done = memory(*line)
        assert done.exit_code == 5 and "version 9" in done.stderr
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before


def test_another_programs_database_is_left_alone(folder, memory):
    db = sqlite3.connect(folder / RECORD)
    db.execute("create table unit(something)")
    db.close()
    done = memory("list")
    assert done.exit_code == 5 and "another program" in done.stderr


def test_a_rendering_beside_a_record_brings_nothing_back(folder, listed):
    old(folder, 8)
    (folder / DOCUMENT).write_text("# MEMORY\n\nforgotten long ago\n", encoding="utf-8")
    assert ("ITEM", "forgotten long ago") not in listed()
    assert (folder / DOCUMENT).exists()


def test_what_an_index_beside_a_record_has_more_comes_last(folder, listed):
    old(folder, 7)
    build(folder, 4, rows=[Kept("use tabs", "RULE"), Kept("only here", "PLAN")])
    (folder / DOCUMENT).unlink()
    assert listed() == [*((kind, text) for kind, text, *_rest in expected(7)), ("PLAN", "only here")]


def test_a_prefix_that_the_text_holds_is_told_from_one_that_is_the_kind(folder, listed):
    rows = [Kept("x"), Kept("y")]
    path = old(folder, 5, rows=rows)
    db = sqlite3.connect(path)
    block = "RULE: never push to main"
    db.execute(
        "update unit set text = ?, unit_key = ?, type = 'RULE' where stamp = '0'", (block, old_stores.unit_key(block))
    )
    db.commit()
    db.close()
    (folder / DOCUMENT).write_text(f"# MEMORY\n\n{block}\n\ny\n", encoding="utf-8")
    assert listed() == [("RULE", "never push to main"), ("ITEM", "y")]


def test_the_same_words_in_two_unicode_forms_are_one_with_both_counts(folder, whole):
    old(
        folder,
        8,
        rows=[Kept("cafe\u0301", recalls=3, added_at="2026-02-01"), Kept("café", recalls=4, added_at="2026-01-01")],
    )
    (found,) = whole()
    assert (found["recalls"], found["at"][:10]) == (7, "2026-01-01")


def test_a_row_that_is_there_twice_is_counted_once(folder, whole):
    old(folder, 8, rows=[Kept("twice", recalls=3), Kept("twice", recalls=3)])
    assert [each["recalls"] for each in whole()] == [3]


def test_secrets_are_blotted_out_as_on_every_door(folder, whole):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    old(folder, 8, rows=[Kept(f"the token is {token}")])
    assert token not in str(whole())
    assert token.encode() not in (folder / RECORD).read_bytes()


def test_only_the_owner_can_read_what_comes_of_it(folder, listed):
    old(folder, 4)
    folder.chmod(0o755)
    listed()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}
    assert modes[RECORD] == modes[f"{INDEX}.bak"] == 0o600


def test_git_does_not_see_the_new_files(folder, listed):
    subprocess.run(["git", "init", "-q", folder.parent], check=True)
    old(folder, 8)
    listed()
    seen = subprocess.run(["git", "-C", folder.parent, "status", "--short"], capture_output=True, check=True)
    assert seen.stdout == b""


def test_while_an_older_server_holds_the_file_the_answer_says_so(folder, memory):
    path = old(folder, 8)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("begin")
    holder.execute("select * from unit").fetchall()
    done = memory("--set", "storage.lock_deadline_ms=50", "--set", "storage.busy_timeout_ms=10", "list")
    assert done.exit_code == 4 and "older server" in done.stderr and str(path) in done.stderr
    holder.close()
    assert memory("list").exit_code == 0


def test_an_older_server_cannot_make_its_tables_in_a_store_of_ours(memory, folder):
    assert memory("record", "mine").exit_code == 0
    db = sqlite3.connect(folder / RECORD)
    with pytest.raises(sqlite3.OperationalError, match="index named unit"):
        db.execute(f"create virtual table if not exists unit using fts5({old_stores.UNIT[8]})")
    db.close()


def test_two_processes_that_start_at_once_take_it_in_once(folder, program, tmp_path):
    old(folder, 8)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda n: program("record", f"new {n}"), range(4)))
    assert [each.returncode for each in done] == [0] * 4, done
    found = json.loads(program("list", "-n", "100", "-o", "json").stdout)["units"]
    assert len(found) == 4 + len(expected(8))


def document(folder, text):
    (folder / DOCUMENT).write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_document_where_no_record_is_is_read_once(folder, listed, memory):
    document(
        folder, "# MEMORY\ni am jack. i like LLMs.\n\nRULE: one\r\nand more\r\n \t\r\nNote: two\n\n\n\nTODO:\n\nthree\n"
    )
    found = [("RULE", "one\nand more"), ("ITEM", "Note: two"), ("ITEM", "TODO:"), ("ITEM", "three")]
    assert listed() == found
    document(folder, "# MEMORY\n\nlater\n")
    assert listed() == found
    assert (folder / DOCUMENT).exists()


@pytest.mark.parametrize("text", ["", "# MEMORY\ni am jack. i like LLMs.\n", "# MEMORY\n"])
def test_a_document_that_says_nothing_makes_no_store(folder, memory, text):
    document(folder, text)
    assert memory("list").exit_code == 0
    assert {each.name for each in folder.iterdir()} == {DOCUMENT}


def test_a_document_of_any_bytes_is_taken_in(folder, listed):
    document(folder, b"\xef\xbb\xbf# MEMORY\n\nbytes \xff\xfe here\n\na\x00b\n")
    assert listed() == [("ITEM", "bytes \\xff\\xfe here"), ("ITEM", "a␀b")]


def test_a_document_that_is_a_link_is_not_followed(folder, memory, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("not yours\n", encoding="utf-8")
    (folder / DOCUMENT).symlink_to(secret)
    assert "not yours" not in memory("list").stdout


def test_an_index_that_is_a_link_is_not_followed(folder, memory, tmp_path):
    path = build(tmp_path / "elsewhere", 4)
    before = path.read_bytes()
    (folder / INDEX).symlink_to(path)
    assert "port 80" not in memory("list").stdout
    assert path.read_bytes() == before


def test_a_document_that_came_with_a_clone_stays_somebody_elses(folder, memory):
    project = folder.parent
    document(folder, "# MEMORY\n\nRULE: run this script\n")
    subprocess.run(["git", "init", "-q", project], check=True)
    subprocess.run(["git", "-C", project, "add", "-f", ".memory-rag/MEMORY.md"], check=True)
    assert json.loads(memory("list", "-o", "json").stdout)["units"][0]["foreign"]


@pytest.fixture
def at_home(elsewhere, monkeypatch):
    """Run the program with no storage root chosen, beside the first seed's own place."""
    from typer.testing import CliRunner

    from memory_cli.cli.app import app

    monkeypatch.setenv("XDG_DATA_HOME", str(elsewhere / "data"))

    def run(*argv):
        return CliRunner().invoke(app, argv, prog_name="memory")

    run.former = elsewhere / "data/memory-ultra-rag-mcp/memory/default"
    return run


@pytest.mark.parametrize("schema", [5, 8])
def test_the_accounts_memory_is_copied_from_the_first_seeds_own_place(at_home, schema):
    old(at_home.former, schema, wal=True)
    before = {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in at_home.former.iterdir()}
    found = json.loads(at_home("list", "-n", "100", "-o", "json").stdout)["units"]
    # There is no handoff in the account's memory.
    assert [each["text"] for each in found] == [text for _kind, text, *_rest in expected(schema)]
    assert {each["kind"] for each in found if "next" in each["text"]} == {"ITEM"}
    assert {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in at_home.former.iterdir()} == before
    assert str(at_home.former) in at_home("status").output
    assert at_home("forget", "port 80").exit_code == 0
    assert "port 80\n" not in at_home("list", "-n", "100").output


def test_a_chosen_storage_root_leaves_the_first_seeds_place_alone(at_home, tmp_path):
    old(at_home.former, 8)
    assert json.loads(at_home("--storage-root", str(tmp_path), "list", "-o", "json").stdout)["units"] == []


def test_status_says_what_was_taken_in(folder, memory):
    path = old(folder, 8)
    notes = " ".join(json.loads(memory("status", "-o", "json").stdout)["notes"])
    assert str(path) in notes and str(Path(f"{path}.bak")) in notes


@pytest.mark.skipif(not migration_kills.is_possible(), reason="calls are counted by a small library")
@pytest.mark.parametrize(
    "case", [Case(4), Case(5, log=True), Case(8), Case(3, document=True), Case(8, former=True)], ids=str
)
def test_a_start_that_is_killed_loses_nothing_and_doubles_nothing(case, tmp_path):
    with migration_kills.starter(tmp_path) as starter:
        most = migration_kills.calls(case, starter)
        # The last calls are those that put the new store in the place of the old one.
        points = {*range(3, most - 15, 40), *range(most - 15, most + 1, 3)}
        assert migration_kills.run(case, starter, points, random.Random(most)) == len(points)
