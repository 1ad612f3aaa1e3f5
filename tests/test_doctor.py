"""What the doctor finds in the files of a store, and what it mends without losing anything."""

import json
import os
import sqlite3
import time

import pytest

from benchmarks.stores import opened
from memory_cli.operations import housekeeping
from memory_cli.operations.record import record

COUNT = 160


@pytest.fixture
def folder(tmp_path, roots):
    """The folder of a store of many statements."""
    with opened(tmp_path) as memory:
        for number in range(COUNT):
            record(memory, f"Statement {number} says something long enough to fill a page. " + "It does. " * 20)
    return tmp_path / "project/.memory-rag"


@pytest.fixture
def doctor(memory):
    def run(*options):
        done = memory("doctor", *options, "-o", "json")
        assert not isinstance(done.exception, Exception), done.exception
        return done.exit_code, json.loads(done.stdout)["findings"]

    return run


def pages_of(folder, table):
    """Return the numbers of the leaf pages of a table, where SQLite was built to tell, else of its whole file."""
    db = sqlite3.connect(folder / "memory.sqlite3")
    try:
        root = db.execute("select rootpage from sqlite_master where name = ?", (table,)).fetchone()[0]
        last = db.execute("pragma page_count").fetchone()[0]
        size = db.execute("pragma page_size").fetchone()[0]
    finally:
        db.close()
    return root, last, size


def overwritten(folder, pages, size):
    with open(folder / "memory.sqlite3", "r+b") as file:
        for page in pages:
            file.seek((page - 1) * size)
            file.write(os.urandom(size))


def leaves(folder, size):
    """Return the pages that hold rows of statements, told by their words."""
    raw = (folder / "memory.sqlite3").read_bytes()
    pages = [raw[at : at + size] for at in range(0, len(raw), size)]
    return [number for number, page in enumerate(pages, 1) if page.count(b" says something long") > 3 and page[0] == 13]


def test_what_is_left_of_a_damaged_memory_is_read_into_a_new_one(folder, doctor, memory):
    _root, _last, size = pages_of(folder, "statement")
    harmed = leaves(folder, size)[3:6]
    overwritten(folder, harmed, size)
    before = (folder / "memory.sqlite3").read_bytes()
    code, found = doctor()
    assert code == 1 and "damaged" in found[0]["problem"] and (folder / "memory.sqlite3").read_bytes() == before
    code, found = doctor("--fix")
    assert code == 0 and found[0]["mended"]
    (parked,) = folder.glob("parked-*")
    # The header tells how the file was locked.
    assert (parked / "memory.sqlite3").read_bytes()[100:] == before[100:]
    left = json.loads(memory("list", "--limit", "1", "-o", "json").stdout)["total"]
    assert COUNT * 0.5 < left < COUNT
    assert doctor() == (0, [])
    assert memory("record", "It goes on.").exit_code == 0 and memory("verify").exit_code == 0


def test_statements_whose_origins_are_lost_stay(folder, doctor, memory):
    db = sqlite3.connect(folder / "memory.sqlite3")
    root = db.execute("select rootpage from sqlite_master where name = 'origin'").fetchone()[0]
    size = db.execute("pragma page_size").fetchone()[0]
    db.close()
    overwritten(folder, [root], size)
    code, found = doctor("--fix")
    assert code == 0 and f"{COUNT} statements" in found[0]["problem"] and "origin" in found[0]["problem"]
    assert json.loads(memory("list", "--source", "salvage", "--limit", "1", "-o", "json").stdout)["total"] == COUNT


@pytest.mark.parametrize("harm", ["random", "cut", "empty header"])
def test_a_memory_of_which_nothing_can_be_read_stays_as_it_is(folder, doctor, harm):
    path = folder / "memory.sqlite3"
    raw = path.read_bytes()
    path.write_bytes({"random": os.urandom(8192), "cut": raw[:1000], "empty header": bytes(4096) + raw[4096:]}[harm])
    before = path.read_bytes()
    code, found = doctor("--fix")
    assert code == 1 and not any(each.get("mended") for each in found)
    assert path.read_bytes() == before and not list(folder.glob("parked-*"))
    assert not [each for each in folder.iterdir() if each.name.endswith(".new")]


def test_a_damaged_memory_that_others_use_is_not_mended(folder, doctor, tmp_path):
    _root, _last, size = pages_of(folder, "statement")
    with opened(tmp_path) as other:
        other.stores()[0].db.execute("select count(*) from counter").fetchone()
        overwritten(folder, leaves(folder, size)[3:4], size)
        code, found = doctor("--fix")
    assert code == 1 and "open" in found[0]["problem"]


def test_what_was_begun_and_never_finished_goes_when_it_is_old(folder, doctor):
    for name, age in ((".memory.sqlite3.1234.new", 7200), (".config.toml.5678.new", 7200), (".young.new", 0)):
        (folder / name).write_text("half", encoding="utf-8")
        (folder / name).chmod(0o600)
        os.utime(folder / name, (time.time() - age,) * 2)
    code, found = doctor()
    assert code == 1 and len(found) == 2
    assert doctor("--fix")[0] == 0 and [each.name for each in folder.glob(".*.new")] == [".young.new"]


def test_a_long_log_is_written_back(folder, doctor, tmp_path):
    with opened(tmp_path) as other, other.stores()[0].snapshot():
        other.stores()[0].db.execute("select count(*) from statement").fetchone()
        with opened(tmp_path) as writer:
            store = writer.stores()[0]
            store.db.execute("pragma wal_autocheckpoint = 0")
            for _ in range(3):
                with store.transaction():
                    store.db.execute("insert or replace into counter values ('x', 1)")
                    store.db.execute("create table filler as select randomblob(4000000) as x")
                    store.db.execute("drop table filler")
            code, found = doctor()
            assert (code, "log" in found[0]["problem"]) == (1, True)
        code, found = doctor("--fix")
        assert (code, "no other process" in found[0]["remedy"]) == (1, True)
    assert doctor("--fix")[0] == 0


def test_a_folder_that_others_synchronise_is_a_warning(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from memory_cli.cli.app import app

    project = tmp_path / "Dropbox/project"
    project.mkdir(parents=True)
    options = ["--project-root", str(project), "--storage-root", str(tmp_path / "storage")]
    CliRunner().invoke(app, [*options, "record", "tea"])
    done = CliRunner().invoke(app, [*options, "doctor", "-o", "json"])
    (found,) = json.loads(done.stdout)["findings"]
    assert (done.exit_code, found["warning"], "Dropbox" in found["problem"]) == (0, True, True)


def test_a_network_file_system_is_told_by_the_systems_table(tmp_path):
    table = f"/dev/sda1 / ext4 rw 0 0\nserver:/x {tmp_path} nfs4 rw 0 0\ntmpfs {tmp_path}/inner tmpfs rw 0 0\n"
    assert housekeeping.remote_kind(tmp_path / "store", table.splitlines()) == "nfs4"
    assert housekeeping.remote_kind(tmp_path / "inner/store", table.splitlines()) == ""
