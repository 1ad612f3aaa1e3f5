"""Snapshots that are whole, verifications that touch nothing, and restores that lose nothing."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import migration_kills
from benchmarks.stores import opened, roots
from memory_cli.errors import Busy
from memory_cli.operations.record import record
from tests.conftest import SOURCES

TEXTS = ("Deploys need two reviews.", "Tea is green.", "The cellar has no lamp.")


@pytest.fixture
def kept(memory, tmp_path):
    """A snapshot of a memory of both scopes, to which something was added since."""
    for text in TEXTS:
        assert memory("record", text).exit_code == 0
    memory("record", "I prefer tabs.", "--scope", "global")
    made = memory("snapshot", str(tmp_path / "kept"), "-o", "json")
    assert made.exit_code == 0, made.output
    memory("record", "Said after the snapshot.")
    return tmp_path / "kept"


def texts(memory, *options):
    return [each["text"] for each in json.loads(memory("list", *options, "-o", "json").stdout)["units"]]


def everything(folder):
    """Return each file below a folder with its bytes, mode and time."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path: (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns) for path in found}


def test_a_snapshot_brings_back_what_was_there_and_parks_what_came_since(memory, kept, tmp_path):
    told = memory("restore", str(kept))
    assert told.exit_code == 5 and "--yes" in told.stderr and "Said after the snapshot." in texts(memory)
    done = json.loads(memory("restore", str(kept), "--yes", "-o", "json").stdout)
    assert sorted(texts(memory)) == sorted([*TEXTS, "I prefer tabs."])
    parked = Path(done["parked"][0])
    assert parked.parent == tmp_path / "project/.memory-rag"
    shutil.copy(parked / "memory.sqlite3", tmp_path / "project/.memory-rag/memory.sqlite3")
    assert "Said after the snapshot." in texts(memory)


def test_a_restored_memory_goes_on_with_everything(memory, kept):
    memory("restore", str(kept), "--yes")
    assert memory("record", "Said after the restore.").exit_code == 0
    assert json.loads(memory("doctor", "-o", "json").stdout)["findings"] == []
    assert json.loads(memory("recall", "tea", "-o", "json").stdout)["units"][0]["text"] == "Tea is green."
    assert memory("undo").exit_code == 0 and memory("verify").exit_code == 0


def test_the_files_of_categories_are_those_of_the_memory_that_came_back(memory, tmp_path):
    for number in (1, 2):
        assert memory("category", "write", "base", "--data", f"a={number}").exit_code == 0
        if number == 1:
            assert memory("snapshot", str(tmp_path / "kept")).exit_code == 0
    (file,) = tmp_path.glob("storage/**/categories/base.json")
    assert memory("restore", str(tmp_path / "kept"), "--yes").exit_code == 0
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": "1"}
    assert json.loads(memory("doctor", "-o", "json").stdout)["findings"] == []


def test_a_lost_memory_is_restored(memory, kept, tmp_path):
    shutil.rmtree(tmp_path / "project/.memory-rag")
    shutil.rmtree(tmp_path / "storage")
    assert memory("restore", str(kept), "--yes").exit_code == 0
    assert sorted(texts(memory)) == sorted([*TEXTS, "I prefer tabs."])


def test_one_scope_of_a_snapshot_is_restored_alone(memory, kept):
    memory("record", "I prefer spaces.", "--scope", "global")
    assert memory("restore", str(kept), "--scope", "global", "--yes").exit_code == 0
    assert texts(memory, "--scope", "global") == ["I prefer tabs."]
    assert "Said after the snapshot." in texts(memory, "--scope", "local")


def test_a_snapshot_and_what_a_restore_leaves_are_private(memory, kept, tmp_path):
    memory("restore", str(kept), "--yes")
    for place in (kept, tmp_path / "project/.memory-rag", tmp_path / "storage/memory"):
        for path in [place, *place.rglob("*")]:
            assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_nothing_is_written_over_an_older_snapshot(memory, kept):
    before = everything(kept)
    done = memory("snapshot", str(kept))
    assert done.exit_code == 5 and everything(kept) == before


def test_a_snapshot_under_writes_holds_each_moment_whole(tmp_path):
    roots(tmp_path)
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    environ = {**os.environ, "PYTHONPATH": str(SOURCES)}
    with opened(tmp_path) as memory:
        record(memory, "the first")
    writers = [subprocess.Popen([*command, str(number)], env=environ) for number in range(2)]
    try:
        for number in range(4):
            program(tmp_path, "snapshot", str(tmp_path / f"kept{number}"))
            assert (
                json.loads(program(tmp_path, "verify", str(tmp_path / f"kept{number}"), "-o", "json"))["problems"] == []
            )
    finally:
        for each in writers:
            each.kill()
            each.wait()


WRITER = """
import sys
from pathlib import Path
from benchmarks.stores import opened
from memory_cli.errors import Busy
from memory_cli.operations.record import record
number = 0
while True:
    number += 1
    with opened(Path(sys.argv[1])) as memory:
        record(memory, f"written by {sys.argv[2]}, number {number}")
"""


def program(folder, *argv):
    command = [sys.executable, "-m", "memory_cli", "--project-root", str(folder / "project")]
    environ = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(
        [*command, "--storage-root", str(folder / "storage"), *argv], capture_output=True, text=True, env=environ,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("damage", ["cut", "changed", "missing", "added", "trigger", "manifest"])
def test_a_snapshot_that_is_not_what_it_was_touches_nothing(memory, kept, tmp_path, damage):
    harm(kept, damage)
    before = everything(tmp_path / "project")
    done = memory("restore", str(kept), "--yes")
    assert done.exit_code == 1 and "Traceback" not in done.output, done.output
    assert everything(tmp_path / "project").keys() == before.keys()
    assert "Said after the snapshot." in texts(memory)
    assert memory("verify", str(kept)).exit_code == 1


def harm(snapshot, damage):
    file = snapshot / "local/memory.sqlite3"
    raw = file.read_bytes()
    if damage == "cut":
        file.write_bytes(raw[:4096])
    elif damage == "changed":
        file.write_bytes(raw.replace(b"Tea is green.", b"Tea is black."))
    elif damage == "missing":
        file.unlink()
    elif damage == "added":
        (snapshot / "more").write_text("x", encoding="utf-8")
    elif damage == "manifest":
        (snapshot / "manifest.json").write_text('{"format": 1', encoding="utf-8")
    else:
        rehashed(snapshot, file)


def rehashed(snapshot, file):
    """Give a database a trigger and the manifest its new hash, as somebody would who means harm."""
    import hashlib
    import sqlite3

    db = sqlite3.connect(file)
    db.execute("create trigger harm after insert on statement begin delete from statement; end")
    db.commit()
    db.close()
    told = json.loads((snapshot / "manifest.json").read_text(encoding="utf-8"))
    raw = file.read_bytes()
    told["files"]["local/memory.sqlite3"] = {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
    (snapshot / "manifest.json").write_text(json.dumps(told), encoding="utf-8")


def test_a_folder_that_is_no_snapshot_is_refused(memory, tmp_path):
    memory("record", "tea")
    assert memory("restore", str(tmp_path), "--yes").exit_code == 1
    assert memory("verify", str(tmp_path / "nowhere")).exit_code == 1


def test_a_restore_finds_who_uses_the_memory(memory, kept, tmp_path):
    with opened(tmp_path) as other:
        list(other.stores())
        other.stores()[0].db.execute("select count(*) from statement").fetchone()
        done = memory("restore", str(kept), "--yes")
    assert done.exit_code == 4 and "serve" in done.stderr
    assert not list((tmp_path / "project/.memory-rag").glob("parked-*"))
    assert memory("restore", str(kept), "--yes").exit_code == 0


def test_the_process_that_has_a_memory_open_is_named(memory, kept, tmp_path):
    code = (
        WRITER.partition("number = 0")[0]
        + """
with opened(Path(sys.argv[1])) as memory:
    record(memory, "held")
    print(memory.stores(), flush=True)
    sys.stdin.read()
"""
    )
    environ = {**os.environ, "PYTHONPATH": str(SOURCES)}
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environ) as other:
        other.stdout.readline()
        done = memory("restore", str(kept), "--yes")
        other.stdin.close()
    assert done.exit_code == 4 and (str(other.pid) in done.stderr or not Path("/proc/locks").exists())


def test_a_write_that_waited_for_a_restore_does_not_go_into_the_parked_file(memory, kept, tmp_path):
    with opened(tmp_path) as late:
        (store,) = late.stores("local")
        store.db.execute("pragma journal_mode = delete")
        # It was opened before the restore, and holds nothing while the restore goes on.
        assert memory("restore", str(kept), "--scope", "local", "--yes").exit_code == 0
        with pytest.raises(Busy, match="try again"):
            record(late, "too late")
    assert "too late" not in texts(memory)


def test_a_damaged_memory_is_restored_and_kept(memory, kept, tmp_path):
    file = tmp_path / "project/.memory-rag/memory.sqlite3"
    raw = bytearray(file.read_bytes())
    raw[100:] = os.urandom(len(raw) - 100)
    file.write_bytes(raw)
    assert memory("restore", str(kept), "--yes").exit_code == 0
    assert sorted(texts(memory, "--scope", "local")) == sorted(TEXTS)
    (parked,) = (tmp_path / "project/.memory-rag").glob("parked-*")
    assert (parked / "memory.sqlite3").read_bytes() == bytes(raw)


def test_a_verification_changes_nothing_while_others_write_or_nobody_can(memory, kept, tmp_path):
    before = everything(tmp_path)
    assert memory("verify").exit_code == 0 and memory("verify", str(kept)).exit_code == 0
    assert everything(tmp_path) == before
    with opened(tmp_path) as other:
        record(other, "still in the log")
        before = everything(tmp_path)
        assert memory("verify").exit_code == 0
        assert {path.name for path in everything(tmp_path)} == {path.name for path in before}


def test_a_verification_names_what_disagrees(memory, kept, tmp_path):
    import sqlite3

    db = sqlite3.connect(tmp_path / "project/.memory-rag/memory.sqlite3")
    db.execute("delete from words where rowid = 1")
    db.execute("update words_content set c0 = 'other words' where id = 2")
    db.commit()
    db.close()
    done = memory("verify", "-o", "json")
    assert done.exit_code == 1 and len(json.loads(done.stdout)["problems"]) == 2


@pytest.mark.skipif(not migration_kills.is_possible(), reason="calls are counted by a small library")
def test_a_restore_that_is_killed_anywhere_leaves_the_old_memory_or_the_new_one(tmp_path):
    from benchmarks import restore_kills

    with migration_kills.starter(tmp_path) as starter:
        most = restore_kills.calls(starter)
        points = random.Random(most).sample(range(1, most + 1), 8)
        assert restore_kills.run(starter, points) == len(points)
