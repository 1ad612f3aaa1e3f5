"""What is purged leaves no trace in any file, and what cannot be cleaned is named."""

import json
import os
import random
import sqlite3
import string
import subprocess
import sys

import pytest

from benchmarks.stores import Letters, opened, roots
from memory_cli.errors import NotFound
from memory_cli.memory import LOCAL
from memory_cli.operations import purging
from memory_cli.operations.doctor import doctor
from memory_cli.operations.export import export
from memory_cli.operations.forget import forget
from memory_cli.operations.handoff import handoff
from memory_cli.operations.history import history
from memory_cli.operations.import_ import import_
from memory_cli.operations.list_ import list_
from memory_cli.operations.pending import embed_batches
from memory_cli.operations.record import record
from memory_cli.operations.update import update
from tests.conftest import SOURCES

SECRET = "zanzibar-plover-quixotic"


@pytest.fixture
def place(tmp_path):
    roots(tmp_path)
    do(tmp_path, import_, [json.dumps({"text": f"statement {number} about nothing much"}) for number in range(60)])
    return tmp_path


def do(place, operation, *arguments, assignments=(), **options):
    with opened(place, assignments=assignments) as memory:
        return operation(memory, *arguments, **options)


def traces(place):
    """Return the files in which a part of the secret stands, in any form that the index could give it."""
    found = set()
    for path in (each for each in place.rglob("*") if each.is_file()):
        data = path.read_bytes().lower()
        found |= {path.name for word in (b"zanzibar", b"plover", b"quixot") if word in data}
    return found


def embed(memory):
    for store in memory.stores():
        embed_batches(memory, store, Letters(), most=1000)


@pytest.mark.parametrize(
    "before",
    [
        lambda place, id: None,
        lambda place, id: do(place, embed),
        lambda place, id: do(place, update, id, "now something else", meta={"k": SECRET}, tag=[SECRET]),
        lambda place, id: do(place, forget, id=[id]),
        lambda place, id: do(place, record, f"Mind the {SECRET}", kind="odd", id="another"),
    ],
)
@pytest.mark.parametrize("how", ["id", "words", "filter"])
def test_a_purged_statement_leaves_no_trace(before, how, place):
    id = do(place, record, f"Mind the {SECRET}", kind="odd").id
    before(place, id)
    assert traces(place)
    forgotten = do(place, list_, kind=["odd"]).total == 0
    if how == "id" or (forgotten and how == "filter"):
        answer = do(place, forget, id=[id], purge=True)
    elif how == "words" and (forgotten or do(place, list_, kind=["odd"]).units[0].text != "now something else"):
        answer = do(place, forget, f"Mind the {SECRET}", purge=True)
    else:
        answer = do(place, forget, kind=["odd"], purge=True, yes=True, expect_count=1)
    assert (answer.purged, answer.note, answer.exit_code) == (True, "", 0)
    assert traces(place) == set()
    assert do(place, list_).total == 60
    assert id not in {
        item.statement for change in do(place, history, limit=100, budget=0).changes for item in change.items
    }


def test_a_purged_handoff_leaves_no_trace(place):
    id = do(place, handoff, f"next: {SECRET}").id
    do(place, handoff, "next: the parser")
    do(place, forget, id=[id], purge=True)
    assert traces(place) == set()


def test_a_reader_that_holds_the_log_is_named_and_cleaned_up_after(place):
    id = do(place, record, f"Mind the {SECRET}").id
    with opened(place) as reader:
        store = reader.stores(LOCAL)[0]
        with store.snapshot():
            list(store.db.execute("select * from statement"))
            answer = do(place, forget, id=[id], purge=True)
    assert (answer.exit_code, "reading" in answer.note) == (4, True)
    assert [each.mended for each in do(place, doctor, fix=True).findings] == [True]
    assert traces(place) == set()
    assert do(place, doctor).findings == []


def test_an_export_that_still_holds_the_text_is_named(place):
    id = do(place, record, f"Mind the {SECRET}").id
    do(place, export)
    answer = do(place, forget, id=[id], purge=True)
    assert (answer.exit_code, "MEMORY.md" in answer.note) == (4, True)


def test_an_idle_connection_keeps_no_trace_alive(place):
    id = do(place, record, f"Mind the {SECRET}").id
    with opened(place) as reader:
        assert list(reader.stores(LOCAL)[0].db.execute("select count(*) from statement"))
        assert do(place, forget, id=[id], purge=True).exit_code == 0
        assert {path.name for path in place.rglob("*") if "-wal" in path.name or "-shm" in path.name}
        assert traces(place) == set()


def test_several_are_purged_at_once_in_both_scopes(place):
    ids = [do(place, record, f"{number} {SECRET}", tag=["odd"]).id for number in range(3)]
    do(place, record, f"9 {SECRET}", scope="global", tag=["odd"])
    do(place, forget, id=[ids[0]])
    assert do(place, forget, id=ids[:2], purge=True).forgotten == 2
    assert do(place, forget, tag=["odd"], purge=True, yes=True, expect_count=2).forgotten == 2
    assert traces(place) == set()
    assert do(place, list_).total == 60


def test_a_purged_origin_leaves_no_trace_and_the_others_stay(place):
    do(place, record, "tea cools", agent="ann", tag=["kept"], kind="odd")
    do(place, record, "tea cools", agent="bob", tag=[SECRET], kind="odd")
    answer = do(place, forget, tag=[SECRET], purge=True, yes=True, expect_count=1)
    assert (answer.matched, answer.forgotten, answer.exit_code) == (1, 0, 0)
    assert traces(place) == set()
    (left,) = do(place, list_, kind=["odd"]).units
    assert (left.agents, left.tags) == (["ann"], ["kept"])
    assert do(place, doctor).findings == []


def test_an_export_that_holds_what_was_forgotten_before_is_named_too(place):
    id = do(place, record, f"Mind the {SECRET}").id
    do(place, export)
    do(place, forget, id=[id])
    document = place / "project/.memory-rag/MEMORY.md"
    document.write_bytes(document.read_bytes() + b"\xff")
    assert "MEMORY.md" in do(place, forget, id=[id], purge=True).note


def test_a_writer_that_holds_the_store_is_named_and_what_was_purged_stays_so(place, monkeypatch):
    id = do(place, record, f"Mind the {SECRET}").id
    holder = sqlite3.connect(place / "project/.memory-rag/memory.sqlite3", isolation_level=None)
    after = purging.cleaned

    def held(doomed):
        holder.execute("begin immediate")
        return after(doomed)

    monkeypatch.setattr(purging, "cleaned", held)
    answer = do(place, forget, id=[id], purge=True, assignments=["storage.lock_deadline_ms=100"])
    holder.close()
    assert (answer.exit_code, "writing" in answer.note) == (4, True)
    with pytest.raises(NotFound):
        do(place, history, id)
    assert [each.mended for each in do(place, doctor, fix=True).findings] == [True]
    assert traces(place) == set()


@pytest.mark.skipif(os.name == "nt", reason="there are no such limits")
def test_a_full_disk_is_named_and_what_was_purged_stays_so(place):
    id = do(place, record, f"Mind the {SECRET}").id
    for _ in range(4):
        do(place, record, " ".join(random.Random(1).choices(string.ascii_lowercase, k=200_000)))
        do(place, handoff, " ".join(random.Random(2).choices(string.ascii_lowercase, k=200_000)))
    code = f"""
import resource, sys
from pathlib import Path
from benchmarks.stores import opened
from memory_cli.operations.forget import forget
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
with opened(Path({str(place)!r})) as memory:
    answer = forget(memory, id=[{id!r}], purge=True)
print(answer.exit_code, answer.note)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=SOURCES, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("4 What was purged can be read no more"), done
    assert "doctor --fix" in done.stdout and do(place, list_, kind=["odd"]).total == 0
    do(place, doctor, fix=True)
    assert traces(place) == set()


def test_what_nobody_knows_cannot_be_purged(place):
    with pytest.raises(NotFound):
        do(place, forget, "never said", purge=True)
    with pytest.raises(NotFound):
        do(place, forget, id=["nothing-such"], purge=True)
