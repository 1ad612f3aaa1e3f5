"""Reading and changing settings from the command line."""

import json
import sys

import pytest

from memory_cli.settings.directories import user_directory


@pytest.fixture
def mine(elsewhere):
    import os

    return user_directory("config", os.environ) / "config.toml"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_setting_that_is_set_counts_and_is_told_with_its_layer(memory, mine):
    assert memory("config", "set", "retrieval.limit", "5").exit_code == 0
    row = json.loads(memory("config", "get", "retrieval.limit", "-o", "json").stdout)["settings"][0]
    assert (row["value"], row["layer"], row["file"]) == (5, "user", str(mine))
    assert memory("config", "unset", "retrieval.limit").exit_code == 0
    assert memory("config", "get", "retrieval.limit").stdout.split("\t")[1:3] == ["10", "default"]


def test_comments_and_order_of_the_file_stay(memory, mine):
    text = '# mine\n[retrieval]\nlimit = 7 # seven\nbudget = 900\n\n[redact]\nallow = ["x"]\n'
    write(mine, text)
    memory("config", "set", "retrieval.budget", "800")
    assert mine.read_text(encoding="utf-8") == text.replace("900", "800")
    memory("config", "set", "redact.allow", "x, y")
    memory("config", "unset", "retrieval.budget")
    assert mine.read_text(encoding="utf-8") == text.replace("budget = 900\n", "").replace('["x"]', '["x", "y"]')


def test_the_file_is_private(memory, mine):
    memory("config", "set", "retrieval.limit", "5")
    assert (mine.stat().st_mode & 0o777, mine.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("set", "retrieval.limt", "5"), "retrieval.limit"),
        (("set", "retrieval.limit", "five"), "whole number"),
        (("set", "retrieval.limit", "0"), "at least 1"),
        (("set", "dense.embedding_model", "x", "--scope", "local"), "project's file"),
        (("get", "no.such"), "no.such"),
        (("unset", "retrieval.limt"), "retrieval.limit"),
    ],
)
def test_what_a_read_would_refuse_is_refused_before_it_is_written(memory, mine, argv, told):
    write(mine, "[retrieval]\nlimit = 7\n")
    done = memory("config", *argv)
    assert (done.exit_code, told in done.stderr) == (2, True)
    assert mine.read_text(encoding="utf-8") == "[retrieval]\nlimit = 7\n"


def test_a_projects_own_setting_goes_into_its_folder_which_git_does_not_show(memory, tmp_path):
    folder = tmp_path / "project/.memory-rag"
    assert memory("config", "set", "retrieval.limit", "3", "--scope", "local").exit_code == 0
    assert (folder / ".gitignore").read_text(encoding="utf-8") == "*\n"
    assert memory("config", "get", "retrieval.limit").stdout.split("\t")[1:3] == ["3", "project"]
    assert not (folder / "memory.sqlite3").exists()


def editor(tmp_path, monkeypatch, code):
    script = tmp_path / "editor.py"
    script.write_text(f"import sys, pathlib\npath = pathlib.Path(sys.argv[1])\n{code}\n", encoding="utf-8")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")


def test_an_edited_file_takes_the_old_ones_place(memory, mine, tmp_path, monkeypatch):
    editor(tmp_path, monkeypatch, "path.write_text('[retrieval]\\nlimit = 4\\n')")
    assert memory("config", "edit").exit_code == 0
    assert mine.read_text(encoding="utf-8") == "[retrieval]\nlimit = 4\n"


def test_an_edited_file_that_is_wrong_is_kept_beside_and_the_old_one_stays(memory, mine, tmp_path, monkeypatch):
    write(mine, "[retrieval]\nlimit = 7\n")
    editor(tmp_path, monkeypatch, "path.write_text('[retrieval]\\nlimit = \"x\"\\n')")
    done = memory("config", "edit")
    assert (done.exit_code, "as it was" in done.stderr) == (2, True)
    assert mine.read_text(encoding="utf-8") == "[retrieval]\nlimit = 7\n"


def test_a_broken_file_can_be_edited(memory, mine, tmp_path, monkeypatch):
    write(mine, "[retrieval\n")
    assert memory("list").exit_code == 2
    editor(tmp_path, monkeypatch, "path.write_text('')")
    assert memory("config", "edit").exit_code == 0
    assert memory("list").exit_code == 0


def test_an_editor_that_fails_changes_nothing(memory, mine, tmp_path, monkeypatch):
    editor(tmp_path, monkeypatch, "sys.exit(3)")
    assert memory("config", "edit").exit_code == 1
    monkeypatch.delenv("VISUAL")
    monkeypatch.delenv("EDITOR", raising=False)
    assert memory("config", "edit").exit_code == 2
    assert not mine.exists()
