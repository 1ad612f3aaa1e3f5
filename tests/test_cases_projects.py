"""A project's memory goes where the project goes, and git never sees it."""

import os
import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from memory_cli.cli.app import app

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="there is no git here")


def git(folder, *argv):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *identity, *argv], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "begin")
    return folder


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Run the program from a folder, as a shell does."""

    def run(folder, *argv, **more):
        monkeypatch.chdir(folder)
        return CliRunner().invoke(app, ["--storage-root", str(tmp_path / "storage"), *argv], **more)

    return run


def texts(here, folder):
    return sorted(line.split("\t")[-1] for line in here(folder, "list").stdout.splitlines())


def test_git_shows_nothing_after_any_command(here, repository):
    (repository / "deep").mkdir()
    lines = (
        "record tea", "handoff next", "recall tea --words", "context", "list", "history", "stats", "status", "export",
        "export --format jsonl --to ../.memory-rag/all.jsonl", "import ../.memory-rag/all.jsonl", "reindex --words",
        "doctor --fix", "undo", "trust", "config list", "forget tea --purge", "init",
    )  # fmt: skip
    for line in lines:
        done = here(repository / "deep", *line.split())
        assert done.exit_code in (0, 3, 4), (line, done.output)
        assert git(repository, "status", "--porcelain") == "", line


def test_what_is_recorded_in_a_worktree_is_recalled_in_the_other(here, repository, tmp_path):
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    here(repository, "record", "of the first")
    here(tmp_path / "tree", "record", "of the second")
    assert texts(here, repository) == texts(here, tmp_path / "tree") == ["of the first", "of the second"]
    assert git(tmp_path / "tree", "status", "--porcelain") == ""


def test_a_moved_project_and_every_way_to_it_find_its_memory(here, repository, tmp_path):
    here(repository, "record", "tea")
    moved = tmp_path / "elsewhere"
    repository.rename(moved)
    (moved / "deep").mkdir()
    (tmp_path / "link").symlink_to(moved)
    for folder in (moved, moved / "deep", tmp_path / "link"):
        assert texts(here, folder) == ["tea"]
    for root in (f"{moved}{os.sep}", str(moved / "deep" / ".."), str(tmp_path / "link")):
        done = here(tmp_path, "--project-root", root, "list")
        assert done.stdout.endswith("\ttea\n")


def test_the_nearest_memory_wins_and_status_says_why(here, repository):
    child = repository / "child"
    (child / ".memory-rag").mkdir(parents=True)
    here(child, "record", "of the child")
    assert (texts(here, repository), texts(here, child)) == ([], ["of the child"])
    assert ".memory-rag" in here(child, "status").stdout.splitlines()[2]


def test_where_there_is_no_project_a_handoff_is_refused_and_nothing_made(here, tmp_path, elsewhere):
    for argv in (("handoff", "next"), ("record", "tea", "--scope", "local"), ("record", "go on", "--kind", "HANDOFF")):
        done = here(elsewhere / "home", *argv)
        assert (done.exit_code, "memory init" in done.stderr) == (5, True)
    assert not list((elsewhere / "home").iterdir()) and not (tmp_path / "storage").exists()
    assert "global" in here(elsewhere / "home", "record", "tea").stderr
    assert not list((elsewhere / "home").iterdir())


@pytest.mark.parametrize("line", ["import {}/lines.jsonl", "index {}/notes.md"])
def test_what_goes_to_the_account_for_want_of_a_project_says_so(line, tmp_path, monkeypatch):
    (tmp_path / "lines.jsonl").write_text('{"text": "tea"}\n', encoding="utf-8")
    (tmp_path / "notes.md").write_text("Tea is green.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["--storage-root", str(tmp_path / "storage"), *line.format(tmp_path).split()])
    assert done.exit_code == 0 and "global memory" in done.stderr
