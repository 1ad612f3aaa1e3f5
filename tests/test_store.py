"""The file of a scope: who may read it, what is refused, and what a read leaves alone."""

import os
import sqlite3
import stat
import subprocess
import sys

import pytest

from benchmarks.stores import opened, roots
from memory_cli.errors import MemoryCliError, Refused, UsageError
from memory_cli.memory import LOCAL
from memory_cli.operations.list_ import list_
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.operations.status import status
from memory_cli.store import connection


@pytest.fixture
def place(tmp_path):
    roots(tmp_path)
    return tmp_path


@pytest.fixture
def database(place):
    with opened(place) as memory:
        record(memory, "green tea cools")
    return place / "project/.memory-rag/memory.sqlite3"


def modes(folder):
    return {(path.name, path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in (folder, *folder.rglob("*"))}


def test_folders_and_files_are_private_whatever_the_umask(place):
    before = os.umask(0)
    try:
        with opened(place) as memory:
            record(memory, "tea")
            record(memory, "tea", scope="global")
            made = modes(place / "project/.memory-rag") | modes(place / "storage/memory")
    finally:
        os.umask(before)
    assert {name for name, _, _ in made} >= {"memory.sqlite3", "memory.sqlite3-wal", ".gitignore"}
    assert {mode for _, folder, mode in made if folder} == {0o700}
    assert {mode for _, folder, mode in made if not folder} == {0o600}


def test_a_new_project_memory_is_hidden_from_git_until_its_gitignore_is_deleted(database, place):
    assert (database.parent / ".gitignore").read_text(encoding="utf-8") == "*\n"
    (database.parent / ".gitignore").unlink()
    with opened(place) as memory:
        record(memory, "black tea")
    assert not (database.parent / ".gitignore").exists()


def test_a_read_makes_no_store(place):
    for operation in (list_, status):
        with opened(place) as memory:
            operation(memory)
    with opened(place) as memory:
        assert recall(memory, "tea").units == []
    assert not (place / "project/.memory-rag").exists()
    assert not list((place / "storage").iterdir())


def test_recalls_change_nothing_but_the_counts(database, place):
    def dump():
        with sqlite3.connect(database) as db:
            text = "\n".join(line for line in db.iterdump() if "sqlite_sequence" not in line)
        db.close()
        return text

    before = dump()
    for _ in range(5):
        with opened(place) as memory:
            recall(memory, "tea", words=True)
    with sqlite3.connect(database) as db:
        assert db.execute("select recalls from statement").fetchone() == (5,)
        db.execute("update statement set recalls = 0, last_recalled_at = null")
        db.commit()
    db.close()
    assert dump() == before


def test_a_newer_schema_is_refused_by_version_and_left_as_it_is(database, place):
    with sqlite3.connect(database) as db:
        db.execute("pragma user_version = 9999")
    db.close()
    before = database.read_bytes()
    for write in (False, True):
        with pytest.raises(Refused, match="9999"), opened(place) as memory:
            record(memory, "x") if write else list_(memory)
    assert database.read_bytes() == before


def test_another_programs_database_is_refused_and_left_as_it_is(place):
    folder = place / "project/.memory-rag"
    folder.mkdir()
    with sqlite3.connect(folder / "memory.sqlite3") as db:
        db.execute("create table theirs (x)")
    db.close()
    before = (folder / "memory.sqlite3").read_bytes()
    with pytest.raises(Refused, match="another program"), opened(place) as memory:
        record(memory, "x")
    assert (folder / "memory.sqlite3").read_bytes() == before


def test_a_damaged_store_is_named_and_not_written(database, place):
    database.write_bytes(b"SQLite format 3\0" + os.urandom(8192))
    before = database.read_bytes()
    with pytest.raises(MemoryCliError, match=r"damaged|cannot be"), opened(place) as memory:
        record(memory, "x")
    assert database.read_bytes() == before


def test_doctor_names_a_damaged_store_and_goes_on_with_the_other(database, place):
    from memory_cli.operations.doctor import doctor

    with opened(place) as memory:
        record(memory, "black tea", scope="global")
    database.write_bytes(os.urandom(8192))
    with opened(place) as memory:
        found = doctor(memory)
    assert [(each.scope, str(database) in each.problem) for each in found.findings] == [("local", True)]
    assert len(found.checked) == 1


def test_an_upgrade_that_is_cut_short_is_begun_again(place, monkeypatch):

    whole = connection.MIGRATIONS
    with monkeypatch.context() as patch:
        patch.setattr(connection, "MIGRATIONS", (lambda db: (whole[0](db), (_ for _ in ()).throw(KeyboardInterrupt)),))
        with pytest.raises(KeyboardInterrupt), opened(place) as memory:
            record(memory, "tea")
    with opened(place) as memory:
        record(memory, "tea")
        assert list_(memory).total == 1


def test_without_fts5_nothing_is_made(place):
    code = """
import sqlite3, sys
from pathlib import Path
real = sqlite3.connect
class Connection(sqlite3.Connection):
    def execute(self, sql, *rest):
        if "compile_options" in sql or "module_list" in sql:
            return iter([("THREADSAFE=1",)])
        return super().execute(sql, *rest)
sqlite3.connect = lambda *a, **k: real(*a, **{"factory": Connection} | k)
from benchmarks.stores import opened
from memory_cli.errors import UsageError
from memory_cli.operations.record import record
try:
    with opened(Path(sys.argv[1])) as memory:
        record(memory, "tea")
except UsageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code, str(place)], capture_output=True, text=True, check=True)
    assert "FTS5" in done.stdout
    assert sys.executable in done.stdout
    assert not (place / "project/.memory-rag").exists()


def test_a_local_write_without_a_project_is_refused_and_makes_nothing(tmp_path):
    from memory_cli.memory import make_session, open_memory

    home = tmp_path / "home"
    home.mkdir()
    session = make_session(environ={"HOME": str(home)}, cwd=home, storage_root=home / "s", source="cli")
    with pytest.raises(Refused, match="memory init"), open_memory(session) as memory:
        record(memory, "tea", scope="local")
    assert list(home.iterdir()) == []
    with open_memory(session) as memory:
        assert "global" in record(memory, "tea").note


@pytest.mark.parametrize("text", ["", " \n", "a\0b", "a\ud800b", "x" * 1_000_001])
def test_a_text_that_cannot_be_stored_is_refused_by_name(text, place):
    with pytest.raises(UsageError, match="text"), opened(place) as memory:
        record(memory, text)
    assert not (place / "project/.memory-rag").exists()


@pytest.mark.parametrize(
    "text", ["naïve 日本", "🦊" * 250_000, "שלום עולם", "a\u200db\u200cc", "`id` $(id) \"q\" 'p' \\"]
)
def test_a_text_is_stored_whole(text, place):
    with opened(place) as memory:
        record(memory, text)
        (store,) = memory.stores(LOCAL)
        assert [row["text"] for row in store.db.execute("select text from statement")] == [text]
