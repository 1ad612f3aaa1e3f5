"""A repository that is against its user can bring any file into a project; none may reach out of it."""

import os
import sqlite3
import struct
import subprocess

import pytest

from memory_cli.errors import Refused
from memory_cli.private import write_private
from memory_cli.store.files import JOURNAL_OF_MANY, refuse_journal_of_many
from memory_cli.store.legacy.databases import open_alone, schema

STORE = ".memory-rag/memory.sqlite3"


@pytest.fixture
def clone(memory, tmp_path):
    """A project under git with a memory in it."""
    assert memory("record", "Tea is better.").exit_code == 0
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "project", check=True)
    return tmp_path / "project"


def track(clone, *names):
    subprocess.run(["git", "add", "-f", "--", *names], cwd=clone, check=True)


def journal_naming(database, victim):
    """Put a journal beside a database that says: a change of several databases, kept by the victim, was cut off."""
    name = str(victim).encode()
    head = JOURNAL_OF_MANY + struct.pack(">IIIII", 0, 1, database.stat().st_size // 4096, 512, 4096)
    end = struct.pack(">I", 0x40000000 // 4096 + 1) + name + struct.pack(">II", len(name), sum(name)) + JOURNAL_OF_MANY
    database.with_name(f"{database.name}-journal").write_bytes(head.ljust(512, b"\0") + end)


@pytest.mark.parametrize("command", ["list", "recall tea", "record more", "doctor", "export"])
def test_a_journal_that_would_delete_a_file_of_the_users_is_refused(command, clone, memory, tmp_path):
    (tmp_path / "precious").write_text("mine", encoding="utf-8")
    journal_naming(clone / STORE, tmp_path / "precious")
    answer = memory(*command.split())
    assert answer.exit_code and "memory.sqlite3-journal names another file" in answer.output
    assert (tmp_path / "precious").exists()


@pytest.mark.parametrize("made", [
    "create trigger harm after insert on statement begin delete from statement; end",
    "create view harm as select load_extension('x')",
])  # fmt: skip
def test_a_store_that_would_run_something_of_its_own_is_refused(made, clone, memory):
    db = sqlite3.connect(clone / STORE)
    db.execute(made)
    db.commit()
    db.close()
    before = (clone / STORE).read_bytes()
    for command in ("record more", "recall tea --words"):
        answer = memory(*command.split())
        assert answer.exit_code == Refused.exit_code and "harm" in answer.stderr
    assert (clone / STORE).read_bytes() == before


@pytest.mark.parametrize("opening", [schema, lambda path: open_alone(path, 100), refuse_journal_of_many])
def test_such_a_journal_beside_an_older_servers_database_is_refused_too(opening, tmp_path):
    database = tmp_path / "index.sqlite3"
    database.write_bytes(b"SQLite format 3\0".ljust(4096, b"\0"))
    journal_naming(database, tmp_path / "precious")
    with pytest.raises(Refused, match="names another file"):
        opening(database)


@pytest.mark.parametrize("log", ["-wal", "-journal"])
def test_a_log_that_git_tracks_makes_the_store_foreign(log, clone, memory):
    assert "foreign" not in memory("list").stdout
    (clone / f"{STORE}{log}").touch()
    track(clone, f"{STORE}{log}")
    (clone / f"{STORE}{log}").unlink()
    assert memory("list").stdout.endswith("\tforeign\n")


@pytest.mark.parametrize("name", [".memory-rag", STORE])
def test_a_link_that_git_tracks_is_not_followed(name, clone, memory, tmp_path):
    os.rename(clone / name, tmp_path / "elsewhere")
    (clone / name).symlink_to(tmp_path / "elsewhere")
    # One that the user made is.
    assert "Tea is better." in memory("list").stdout
    track(clone, name)
    answer = memory("record", "Led astray.")
    assert answer.exit_code == Refused.exit_code and "is a link that came with the repository" in answer.stderr


def test_a_file_is_not_written_through_a_link_that_guesses_its_first_name(tmp_path):
    (tmp_path / "precious").write_text("mine", encoding="utf-8")
    (tmp_path / f".MEMORY.md.{os.getpid()}.new").symlink_to("precious")
    write_private(tmp_path / "MEMORY.md", "theirs")
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "mine"
