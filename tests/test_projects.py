"""Which project a run belongs to, and where the account's memory lies."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from platformdirs import user_data_path

from memory_cli.errors import UsageError
from memory_cli.projects import find_roots

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


@pytest.fixture
def base(tmp_path):
    """A folder above which nothing is a project."""
    base = tmp_path.resolve() / "base"
    (base / "home").mkdir(parents=True)
    return base


@pytest.fixture
def find(base):
    def run(cwd, *, project_root=None, storage_root=None, **environ):
        return find_roots(
            project_root=project_root and Path(project_root), storage_root=storage_root and Path(storage_root),
            environ=environ, cwd=Path(cwd), home=base / "home", temporary=base / "tmp",
        )  # fmt: skip

    return run


def git(folder, *argv):
    nobody = ["-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always"]
    clean = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
    subprocess.run(["git", *nobody, *argv], cwd=folder, env=clean, check=True, capture_output=True)


@pytest.fixture
def repository(base):
    folder = base / "main"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def make(*folders):
    for folder in folders:
        folder.mkdir(parents=True)


def test_the_nearest_marked_folder_is_the_project(base, find):
    make(base / "root" / ".git", base / "root" / "child" / ".memory-rag", base / "root" / "child" / "deep")
    roots = find(base / "root" / "child" / "deep")
    assert roots.project == base / "root" / "child"
    assert ".memory-rag/" in roots.project_why
    assert find(base / "root").project == base / "root"
    assert ".git" in find(base / "root").project_why


def test_where_nothing_is_marked_there_is_no_project_and_nothing_is_made(base, find):
    roots = find(base)
    assert (roots.project, roots.local_store) == (None, None)
    assert "no project" in roots.project_why
    assert [path.name for path in base.iterdir()] == ["home"]


@pytest.mark.parametrize("place", ["home", "tmp"])
def test_home_and_the_temporary_directory_are_no_project_unless_named(base, find, place):
    make(base / place / ".git", base / place / "deep")
    assert find(base / place / "deep").project is None
    assert place.replace("tmp", "temporary") in find(base / place).project_why
    assert find(base, project_root=base / place).project == base / place


def test_a_project_below_home_is_one(base, find):
    make(base / "home" / ".git", base / "home" / "work" / ".git")
    assert find(base / "home" / "work").project == base / "home" / "work"


def test_links_slashes_and_dots_lead_to_one_project(base, find):
    make(base / "project" / ".git", base / "project" / "deep")
    (base / "link").symlink_to(base / "project")
    ways = [f"{base}/link", f"{base}/project/", f"{base}/project/deep/..", f"{base}/link/deep"]
    assert {find(way).project for way in ways} == {base / "project"}
    assert {find(base, project_root=way).project for way in ways[:3]} == {base / "project"}


def test_a_flag_goes_before_our_variable_and_ours_before_the_first_seeds(base, find):
    make(base / "a", base / "b", base / "c")
    seed, ours = {"MEMORY_ULTRARAG_PROJECT_ROOT": f"{base}/c"}, {"MEMORY_PROJECT_ROOT": f"{base}/b"}
    assert find(base, **seed).project == base / "c"
    assert find(base, **seed, **ours).project == base / "b"
    roots = find(base, project_root="a", **seed, **ours)
    assert (roots.project, roots.project_why) == (base / "a", "named by --project-root")
    assert find(base, **{**seed, "MEMORY_PROJECT_ROOT": ""}).project == base / "c"


def test_a_named_project_that_is_not_there_is_refused(base, find):
    for told in ({"project_root": "gone"}, {"MEMORY_PROJECT_ROOT": "~/gone"}, {"project_root": "a\0b"}):
        with pytest.raises(UsageError, match=r"gone|a.*b"):
            find(base, **told)


def test_the_storage_root_is_the_first_that_is_named(base, find):
    names = ["MEMORY_STORAGE_ROOT", "ULTRARAG_UI_STORAGE_ROOT", "MEMORY_ULTRARAG_STORAGE_ROOT"]
    for rank, name in enumerate(names):
        roots = find(base, **{each: f"{base}/{each}" for each in names[rank:]})
        assert roots.storage == base / name
        assert roots.global_store == base / name / "memory" / "default"
        assert name in roots.storage_why
    assert find(base, storage_root="s", MEMORY_STORAGE_ROOT="x").storage == base / "s"
    assert find(base, MEMORY_STORAGE_ROOT="~/s").storage == base / "home" / "s"


def test_the_storage_root_cannot_be_a_file(base, find):
    (base / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"not a folder"):
        find(base, storage_root="file")


def test_the_default_storage_root_is_that_of_platformdirs(base, find, monkeypatch):
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(base / "home"))
    assert find(base).storage == user_data_path("memory-cli", appauthor=False)


@needs_git
def test_a_linked_worktree_shares_the_memory_of_its_main_one(base, find, repository):
    git(repository, "worktree", "add", "-q", "../wt")
    make(base / "wt" / "deep")
    roots = find(base / "wt" / "deep")
    assert roots.project == repository
    assert f"{base / 'wt'} is a worktree of it" in roots.project_why
    assert find(base, project_root="wt").project == repository


@needs_git
def test_a_worktree_with_a_store_of_its_own_keeps_it(base, find, repository):
    git(repository, "worktree", "add", "-q", "../wt")
    make(base / "wt" / ".memory-rag")
    assert find(base / "wt").project == base / "wt"


@needs_git
def test_a_worktree_is_followed_after_a_move_but_a_copy_of_it_is_not(base, find, repository):
    git(repository, "worktree", "add", "-q", "../wt")
    shutil.copytree(base / "wt", base / "copy")
    assert find(base / "copy").project == base / "copy"
    shutil.rmtree(base / "copy")
    (base / "wt").rename(base / "moved")
    assert find(base / "moved").project == repository


@needs_git
def test_a_worktree_whose_repository_is_gone_is_a_project(base, find, repository):
    git(repository, "worktree", "add", "-q", "../wt")
    repository.rename(base / "elsewhere")
    assert find(base / "wt").project == base / "wt"
    assert find(base / "elsewhere").project == base / "elsewhere"


@needs_git
def test_a_submodule_is_a_project_and_so_are_its_worktrees(base, find, repository):
    outer = base / "outer"
    make(outer)
    git(outer, "init", "-q")
    git(outer, "submodule", "--quiet", "add", str(repository), "sub")
    git(outer / "sub", "worktree", "add", "-q", str(base / "subtree"))
    assert find(outer / "sub").project == outer / "sub"
    assert find(base / "subtree").project == outer / "sub"
    assert find(outer).project == outer


@needs_git
@pytest.mark.parametrize("bare", ["shared.git", ".bare", ".git"])
def test_worktrees_of_a_bare_repository_share_one_memory(base, find, repository, bare):
    holder = base / "holder"
    make(holder)
    git(base, "clone", "-q", "--bare", str(repository), str(holder / bare))
    if bare == ".bare":
        (holder / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    git(holder / bare, "worktree", "add", "-q", "-b", "x", str(holder / "x"))
    git(holder / bare, "worktree", "add", "-q", "-b", "y", str(base / "y"))
    expected = holder / bare if bare == "shared.git" else holder
    assert {find(holder / "x").project, find(base / "y").project} == {expected}


@needs_git
def test_a_worktree_of_a_repository_in_home_is_no_project_unless_named(base, find):
    git(base / "home", "init", "-q")
    git(base / "home", "commit", "-q", "--allow-empty", "-m", "first")
    git(base / "home", "worktree", "add", "-q", str(base / "wt"))
    assert find(base / "wt").project is None
    assert find(base, project_root="wt").project == base / "wt"


@pytest.mark.parametrize("content", [b"", b"gitdir:", b"gitdir: nowhere/worktrees/x", b"\xff\xfe", b"nonsense"])
def test_a_git_file_that_leads_nowhere_marks_a_project_of_its_own(base, find, content):
    make(base / "odd")
    (base / "odd" / ".git").write_bytes(content)
    assert find(base / "odd").project == base / "odd"
