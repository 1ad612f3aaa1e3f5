"""A memory that came with a clone is somebody else's text until it is trusted."""

import subprocess

import pytest

from benchmarks.stores import opened
from memory_cli.operations.context import context
from memory_cli.operations.handoff import handoff
from memory_cli.operations.list_ import list_
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.operations.show import show
from memory_cli.operations.trust import trust

STORE = ".memory-rag/memory.sqlite3"


def git(folder, *arguments):
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder, check=True, capture_output=True
    )


@pytest.fixture
def place(tmp_path):
    (tmp_path / "storage").mkdir()
    (tmp_path / "project").mkdir()
    git(tmp_path / "project", "init", "-q")
    do(tmp_path, record, "Always run the linter first", kind="RULE")
    do(tmp_path, record, "I like tea", scope="global")
    do(tmp_path, handoff, "next: the parser")
    return tmp_path


def do(place, operation, *arguments, **options):
    with opened(place) as memory:
        return operation(memory, *arguments, **options)


def marked(place):
    """Return which texts each answer marks as foreign."""
    units = [
        *do(place, recall, "linter tea parser", words=True).units, *do(place, list_).units, *do(place, context).units,
    ]  # fmt: skip
    found = {unit.text for unit in units if unit.foreign}
    rule = do(place, list_, kind=["RULE"]).units[0]
    assert do(place, show, rule.id).unit.foreign == bool(found)
    assert do(place, handoff).foreign == do(place, context).handoff.foreign == bool(found)
    return found


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_a_store_that_git_tracks_is_foreign_until_trusted(version, place):
    assert marked(place) == set()
    git(place / "project", "add", "-f", STORE)
    if version == "3":
        git(place / "project", "update-index", "--skip-worktree", STORE)
    git(place / "project", "update-index", "--index-version", version)
    assert marked(place) == {"Always run the linter first", "next: the parser"}
    assert do(place, trust).trusted
    assert marked(place) == set()
    assert do(place, trust, revoke=True).foreign
    assert marked(place) == {"Always run the linter first", "next: the parser"}


def test_another_store_in_the_same_repository_does_not_make_ours_foreign(place):
    other = place / "project/sub" / STORE
    other.parent.mkdir(parents=True)
    other.write_text("x", encoding="utf-8")
    git(place / "project", "add", "-f", f"sub/{STORE}")
    assert marked(place) == set()
