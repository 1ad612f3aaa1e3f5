"""The program as a shell meets it: exit codes, streams, encodings, slips of the hand."""

import os
import shlex
import signal
import sqlite3
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from memory_cli.cli.app import app
from tests.conftest import SOURCES


def test_success_is_0_and_a_failed_part_of_the_input_is_1(memory):
    assert memory("record", "tea").exit_code == 0
    done = memory("import", "-", input='{"text": "mint"}\nnonsense\n{"text": "sage"}\n')
    assert (done.exit_code, done.stdout.splitlines()[0]) == (1, "new\t2")
    assert done.stderr.startswith("memory: line 2: this is not JSON")


@pytest.mark.parametrize(
    "argv",
    [
        ["recall", "tea", "--limit", "0"],
        ["recall", " "],
        ["list", "--kind", "no kind"],
        ["--set", "no.such=1", "list"],
        ["--config", "nowhere.toml", "list"],
        ["import", "nowhere.jsonl"],
        ["nonsense"],
        ["list", "--output", "yaml"],
    ],
)  # fmt: skip
def test_a_usage_error_is_2_and_makes_nothing(memory, tmp_path, argv):
    done = memory(*argv)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr
    assert not (tmp_path / "storage").exists() and not list((tmp_path / "project").iterdir())


@pytest.mark.parametrize("line", ["undo ''", "handoff ''", "record ''", "record -", "record --lines", "import ''"])
def test_empty_input_is_2_and_does_nothing(memory, line):
    memory("handoff", "go on")
    assert memory(*shlex.split(line)).exit_code == 2
    assert memory("handoff").stdout.endswith("\tgo on\n")


def test_what_is_not_there_is_3_and_said_in_one_line(memory):
    done = memory("show", "nosuchid")
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.startswith("memory: No statement has the id nosuchid") and done.stderr.count("\n") == 1


def test_a_store_locked_past_the_deadline_is_4(memory, tmp_path):
    memory("record", "tea")
    other = sqlite3.connect(tmp_path / "project/.memory-rag/memory.sqlite3", isolation_level=None)
    other.execute("begin immediate")
    done = memory("--set", "storage.lock_deadline_ms=0", "record", "mint")
    other.close()
    assert (done.exit_code, done.stdout) == (4, "")


def test_what_was_not_agreed_to_is_5_and_a_preview(memory):
    memory("record", "tea", "--tag", "x")
    done = memory("forget", "--tag", "x", "--quiet")
    assert (done.exit_code, done.stdout.split("\t")[1:]) == (5, ["local", "tea\n"])
    assert "`--yes --expect 1`" in done.stderr
    assert memory("forget", "--tag", "x", "--yes", "--expect", "1").exit_code == 0


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_an_interrupt_is_130_and_silent(roots, tmp_path):
    os.mkfifo(tmp_path / "text")
    command = [sys.executable, "-m", "memory_cli", *roots, "record", "--file", str(tmp_path / "text")]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(SOURCES)})
    # The pipe opens for us when the program has opened it, and so is past its start.
    with child, (tmp_path / "text").open("wb"):
        child.send_signal(signal.SIGINT)
        _out, said = child.communicate(timeout=60)
    assert (child.returncode, said) == (130, b"")


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise there")
def test_a_reader_that_goes_away_is_no_error(program, roots):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "memory_cli", *roots, "status"]
    environ = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False, env=environ)
    os.close(writing)
    assert done.stderr == b""


def test_a_bug_is_1_and_keeps_its_traceback(program, tmp_path):
    # Schema 1 of ours without its tables is nothing that anybody could act on.
    assert program("record", "tea").returncode == 0
    with sqlite3.connect(tmp_path / "project/.memory-rag/memory.sqlite3") as db:
        db.execute("alter table statement rename column text to words")
    db.close()
    done = program("list")
    assert done.returncode == 1 and b"Traceback" in done.stderr


@pytest.mark.parametrize("line, hint", [("recal x", "Did you mean 'recall'?"), ("recall x --limt 3", "--limit")])
def test_a_slip_of_the_hand_is_answered_with_the_nearest(memory, line, hint):
    done = memory(*line.split())
    assert done.exit_code == 2 and hint in done.stderr


def test_a_global_option_after_the_command_is_told_where_it_goes(memory):
    done = memory("list", "--project-root", "x")
    assert done.exit_code == 2 and "--project-root goes before the command" in done.stderr


@pytest.mark.parametrize("environ", [{"PYTHONIOENCODING": "ascii"}, {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
def test_any_locale_keeps_the_words(program, environ):
    def printed(*argv):
        done = program(*argv, env={"LC_ALL": "C", **environ})
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    printed("record", "naïve 日本")
    assert "\tnaïve 日本\t" in printed("recall", "日本", "--words")
    assert '"naïve 日本"' in printed("export", "--format", "jsonl")
    assert "recall" in printed("--help")


@pytest.mark.skipif(os.name == "nt", reason="arguments are Unicode there")
def test_bytes_that_are_no_utf8_are_refused_by_name(program):
    for argv, given in ((["record", b"a\xffb"], b""), (["record", "-"], b"a\xffb")):
        done = program(*argv, input=given)
        assert done.returncode == 2 and b"not valid Unicode" in done.stderr
    assert program("list").stdout == b""


def test_the_version_is_told_at_once_and_by_the_program(program, memory):
    assert memory("--version").stdout == program("--version").stdout.decode() == memory("-V").stdout
    assert memory("--version").stdout.startswith("memory ")


def test_help_needs_no_store_and_no_valid_settings(memory, tmp_path):
    done = memory("--set", "no.such=1", "recall", "--help")
    assert done.exit_code == 0 and "Examples:\n  memory recall" in done.stdout


def test_bounds_are_shown_and_kept(memory):
    assert "1<=x<=1000" in memory("list", "--help").stdout
    assert "1<=x<=1000" in memory("recall", "tea", "--limit", "1001").stderr


@pytest.mark.parametrize("folder", ["home", "somewhere"])
def test_without_a_project_a_record_goes_to_the_global_memory_and_says_so(tmp_path, elsewhere, monkeypatch, folder):
    def run(*argv):
        return CliRunner().invoke(app, ["--storage-root", str(tmp_path / "storage"), *argv])

    monkeypatch.chdir(elsewhere / folder)
    done = run("record", "tea")
    assert done.stdout.split("\t")[1] == "global" and "No project was found" in done.stderr
    for argv in (["record", "tea", "--scope", "local"], ["handoff", "go on"]):
        done = run(*argv)
        assert done.exit_code == 5 and "`memory init`" in done.stderr
    assert not list((elsewhere / folder).iterdir())


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("recall", "two", "words"), "in quotes"),
        (("record", "-5 degrees"), "after --"),
        (("search", "tea"), "'recall'"),
        (("add", "tea"), "'record'"),
    ],
)
def test_a_common_slip_is_told_with_the_way_out(memory, argv, told):
    done = memory(*argv)
    assert (done.exit_code, told in done.stderr) == (2, True)
