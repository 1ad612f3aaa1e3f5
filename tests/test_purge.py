"""What is purged leaves no trace in any file, and what cannot be cleaned is named."""

import pytest

from benchmarks.stores import Letters, opened, roots
from memory_cli.errors import NotFound
from memory_cli.memory import LOCAL
from memory_cli.operations.doctor import doctor
from memory_cli.operations.export import export
from memory_cli.operations.forget import forget
from memory_cli.operations.handoff import handoff
from memory_cli.operations.history import history
from memory_cli.operations.list_ import list_
from memory_cli.operations.pending import embed_batches
from memory_cli.operations.record import record
from memory_cli.operations.update import update

SECRET = "zanzibar-plover-quixotic"


@pytest.fixture
def place(tmp_path):
    roots(tmp_path)
    for number in range(60):
        do(tmp_path, record, f"statement {number} about nothing much")
    return tmp_path


def do(place, operation, *arguments, **options):
    with opened(place) as memory:
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


def test_what_nobody_knows_cannot_be_purged(place):
    with pytest.raises(NotFound):
        do(place, forget, "never said", purge=True)
    with pytest.raises(NotFound):
        do(place, forget, id=["nothing-such"], purge=True)
