"""How answers look: JSON, plain lines, tables; and that no stored text drives a terminal."""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import SOURCES

EVIL = "evil \x1b[2J\x1b]0;x\x07 \x9b31m \u202e txet \u2066 \x7f"


def test_plain_is_one_record_a_line_the_id_first(memory):
    memory("record", "one\ttwo\nthree", "--id", "a")
    memory("record", "four", "--id", "b")
    lines = memory("list").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["b", "a"]
    assert lines[1].split("\t")[4] == "one\\ttwo\\nthree"


@pytest.mark.parametrize("mode", ["table", "plain", "json"])
@pytest.mark.parametrize("line", ["list", "recall evil", "show a", "history", "context"])
def test_a_statement_cannot_drive_the_terminal(memory, mode, line):
    memory("record", EVIL, "--id", "a")
    shown = memory(*line.split(), "-o", mode)
    assert shown.exit_code == 0 and "a" in shown.stdout
    for text in (shown.stdout, shown.stderr):
        assert not set(text) & set("\x1b\x07\x9b\u202e\u2066\x7f")


def test_json_means_what_was_stored(memory):
    memory("record", EVIL)
    assert json.loads(memory("list", "-o", "json").stdout)["units"][0]["text"] == EVIL


def test_an_error_cannot_drive_the_terminal_either(memory):
    assert "\x1b" not in memory("show", "a\x1b[2J").stderr


def test_brackets_and_other_scripts_are_shown_as_they_are(memory):
    memory("record", "use [bold]x[/bold] 東京\u3000都 👩\u200d💻")
    for mode in ("table", "plain"):
        assert "use [bold]x[/bold] 東京\u3000都 👩\u200d💻" in memory("recall", "bold", "-o", mode).stdout


def test_the_mode_after_the_command_beats_the_one_before_it(memory):
    memory("record", "tea", "--id", "a")
    assert memory("-o", "json", "list").stdout.startswith("{")
    assert memory("-o", "json", "list", "-o", "plain").stdout.startswith("a\t")


def test_notes_go_to_standard_error_and_keep_quiet_when_asked(memory):
    memory("record", "Deploys need two reviews.")
    spoken, quiet = memory("record", "Deploys need three reviews."), memory("--quiet", "recall", "purple elephant")
    assert "Nearly the same" in spoken.stderr and spoken.stdout.count("\n") == 1
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (0, "", "")
    assert memory("recall", "purple elephant").stderr.startswith("memory: Nothing here")


def test_an_id_of_an_answer_is_taken_at_once(memory):
    memory("record", "green tea cools")
    id = memory("recall", "tea").stdout.split("\t")[0]
    for argv in (["show", id], ["update", id, "--tag", "x"], ["forget", "--id", id]):
        assert memory(*argv).exit_code == 0


def test_a_long_text_is_wrapped_whole(memory):
    text = " ".join(f"word{number}" for number in range(60))
    memory("record", text)
    shown = memory("list", "-o", "table").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert all(word in shown for word in text.split())


def test_a_page_says_how_to_go_on(memory):
    for number in range(3):
        memory("record", f"tea number {number}")
    done = memory("list", "--limit", "2")
    assert "of 3; --offset 2 goes on" in done.stderr
    assert len(memory("list", "--limit", "2", "--offset", "2").stdout.splitlines()) == 1


@pytest.mark.parametrize("command", ["status", "stats", "history", "handoff", "undo", "reindex"])
@pytest.mark.parametrize("mode", ["table", "plain"])
def test_every_answer_has_a_table_and_lines(memory, command, mode):
    memory("handoff", "go on")
    done = memory(command, "-o", mode)
    assert done.exit_code == 0 and done.stdout.strip(), done.stderr


def test_settings_are_listed_with_the_layer_that_set_each(memory, tmp_path):
    lines = memory("--set", "retrieval.limit=5", "config", "list").stdout.splitlines()
    assert "retrieval.limit\t5\tset\t--set" in lines
    rows = json.loads(memory("config", "list", "-o", "json").stdout)["settings"]
    assert {"key", "value", "layer", "default"} <= rows[0].keys()
    assert not (tmp_path / "storage").exists()


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals")
def test_a_terminal_gets_a_table_and_its_bar_leaves_nothing_behind(memory, roots):
    memory("record", "tea", "--id", "a")
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "memory_cli", *roots, "list"]
    environ = {**os.environ, "PYTHONPATH": str(SOURCES), "TERM": "xterm"}
    subprocess.run(command, stdout=theirs, stderr=theirs, check=True, env=environ)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "ITEM local" in shown and "\t" not in shown


def test_the_block_for_a_client_names_the_roots(memory, tmp_path):
    block = json.loads(memory("serve", "--print-config", "claude-code", "--tools", "all").stdout)
    server = block["mcpServers"]["memory"]
    assert server["args"][-3:] == ["serve", "--tools", "all"]
    assert str(tmp_path / "project") in server["args"]


@pytest.mark.parametrize("line", ["recall --categories vim", "context --category base"])
def test_what_categories_say_stands_in_the_answer_and_not_in_json_alone(line, memory):
    assert memory("category", "write", "base", "--data", "editor=vim").exit_code == 0
    for mode in ("plain", "table"):
        done = memory(*line.split(), "-o", mode)
        assert "base" in done.stdout and "vim" in done.stdout and "Nothing" not in done.stderr
