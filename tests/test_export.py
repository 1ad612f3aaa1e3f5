"""What is exported can be read by people, and comes back whole."""

import json
import os
import stat
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchmarks.stores import opened
from memory_cli.cli.app import app
from memory_cli.memory import LOCAL
from memory_cli.models.statement import Origin, Statement
from memory_cli.operations.export import export
from memory_cli.operations.import_ import import_
from memory_cli.store import journal
from memory_cli.text.identity import identity

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC))
TEXTS = (
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1).map(str.strip).filter(bool)
)
# What a caller may give: odd enough, and never blotted out.
NAMES = st.text(st.sampled_from("abc ÄäßéΣ日本🧵#[]\u200d\u202e"), min_size=1, max_size=8).map(str.strip).filter(bool)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
IDS = st.text(st.sampled_from("abcxyz0189-_:é日"), min_size=1, max_size=12)
ORIGINS = st.lists(
    st.builds(Origin, NAMES, NAMES, st.lists(NAMES, max_size=3, unique_by=str.casefold).map(tuple)),
    min_size=1, max_size=3, unique_by=lambda each: (each.agent.casefold(), each.source.casefold()),
).map(tuple)  # fmt: skip
STATEMENTS = st.builds(
    Statement, number=st.just(0), id=IDS, scope=st.just("local"), sequence=st.just(0),
    kind=st.sampled_from(("ITEM", "RULE", "HANDOFF")), text=TEXTS, at=MOMENTS, updated_at=MOMENTS, origins=ORIGINS,
    aliases=st.lists(IDS, max_size=2, unique=True).map(tuple), expires_at=st.none() | MOMENTS,
    metadata=st.dictionaries(NAMES, JSON, max_size=3), superseded=st.booleans(), recalls=st.integers(0, 2**40),
    last_recalled_at=st.none() | MOMENTS,
)  # fmt: skip


def distinct(found):
    """Return the statements that one store can hold together."""
    ids, words, handoff, kept = set(), set(), False, []
    for each in found:
        names = {each.id, *each.aliases}
        key = identity(each.kind, each.text)
        if names & ids or len(names) <= len(each.aliases) or key in words or (each.kind == "HANDOFF" and handoff):
            continue
        ids, words, handoff = ids | names, words | {key}, handoff or each.kind == "HANDOFF"
        kept.append(each)
    return kept


def exported(folder):
    with opened(folder, assignments=("redact.enabled=false",)) as memory:
        export(memory, format="jsonl", to=str(folder / "out.jsonl"))
    return (folder / "out.jsonl").read_bytes()


def imported(folder, lines):
    with opened(folder, assignments=("redact.enabled=false",)) as memory:
        return import_(memory, lines.decode().split("\n"))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(found=st.lists(STATEMENTS, min_size=1, max_size=6).map(distinct))
def test_export_import_export_is_the_same_to_the_byte(found, tmp_path_factory):
    first, second = tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second")
    for folder in (first, second):
        (folder / "project/.git").mkdir(parents=True)
    with opened(first) as memory, journal.writing(memory.store(LOCAL), "record", memory.who, NOW) as made:
        for each in found:
            journal.add(made, each)
    lines = exported(first)
    assert exported(first) == lines
    done = imported(second, lines)
    assert (done.new, done.failed) == (len(found), [])
    assert exported(second) == lines
    assert imported(second, lines).new == 0
    assert exported(second) == lines


@pytest.fixture
def filled(memory):
    memory("record", "one\n\nmore of one", "--kind", "RULE")
    memory("record", "everywhere", "--scope", "global")
    memory("record", "two <b>", "--tag", "x")
    return memory


def test_a_document_is_a_heading_and_the_statements_newest_first(filled, tmp_path):
    assert filled("export").exit_code == 0
    local = tmp_path / "project/.memory-rag/MEMORY.md"
    assert local.read_text(encoding="utf-8") == "# MEMORY\n\ntwo <b>\n\none\n\nmore of one\n"
    assert (tmp_path / "storage/memory/default/MEMORY.md").read_text(encoding="utf-8") == "# MEMORY\n\neverywhere\n"


def test_a_folder_that_is_named_gets_one_document_a_scope(filled, tmp_path):
    filled("export", "--to", str(tmp_path / "out"), "--scope", "local")
    filled("export", "--to", str(tmp_path / "both"))
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["local"]
    assert {each.name for each in (tmp_path / "both").iterdir()} == {"local", "global"}


def test_only_the_owner_can_read_an_export(filled, tmp_path):
    old = os.umask(0)
    try:
        filled("export")
        filled("export", "--format", "jsonl", "--to", str(tmp_path / "out.jsonl"))
    finally:
        os.umask(old)
    made = [tmp_path / "project/.memory-rag/MEMORY.md", tmp_path / "out.jsonl"]
    assert [stat.S_IMODE(each.stat().st_mode) for each in made] == [0o600, 0o600]


def test_an_export_of_a_store_that_was_lost_is_read_as_memory(filled, tmp_path):
    filled("export", "--scope", "local")
    for each in (tmp_path / "project/.memory-rag").glob("memory.sqlite3*"):
        each.unlink()
    listed = json.loads(filled("list", "--scope", "local", "-o", "json").stdout)["units"]
    assert [each["text"] for each in listed] == ["two <b>", "one", "more of one"]


def test_a_filtered_export_holds_what_the_filter_lets_through(filled, tmp_path):
    filled("export", "--to", str(tmp_path / "out"), "--kind", "rule", "--scope", "local")
    assert "two" not in (tmp_path / "out/local/MEMORY.md").read_text(encoding="utf-8")


def test_three_imports_add_nothing_and_a_broken_line_stops_nothing(filled, tmp_path):
    out = tmp_path / "out.jsonl"
    filled("export", "--format", "jsonl", "--to", str(out))
    lines = out.read_text(encoding="utf-8").splitlines()
    out.write_text("\n".join([lines[0], "{broken", *lines[1:], '{"text": "new"}']), encoding="utf-8")
    done = filled("import", str(out), "-o", "json")
    told = json.loads(done.stdout)
    assert (done.exit_code, told["new"]) == (1, 1) and "line 2" in told["failed"][0]
    out.write_text("\n".join(lines), encoding="utf-8")
    for _ in range(3):
        assert json.loads(filled("import", str(out), "-o", "json").stdout)["new"] == 0


@pytest.fixture
def other(tmp_path):
    """Run the program over a second project and a second account."""

    def run(*argv):
        roots = ["--project-root", str(tmp_path / "other"), "--storage-root", str(tmp_path / "account")]
        return CliRunner().invoke(app, [*roots, *argv], prog_name="memory")

    (tmp_path / "other/.git").mkdir(parents=True)
    return run


@pytest.fixture
def lived(filled, tmp_path):
    """A memory with a history of every kind, and its export with that."""
    filled("handoff", "go on")
    filled("update", json.loads(filled("list", "-o", "json").stdout)["units"][1]["id"], "two changed", "--tag", "y")
    filled("forget", "one more of one")
    filled("undo")
    filled("record", "one\n\nmore of one", "--kind", "RULE", "--agent", "ann")
    filled("forget", "everywhere")
    filled("handoff", "go on further")
    assert filled("export", "--format", "jsonl", "--history", "--to", str(tmp_path / "all.jsonl")).exit_code == 0
    return tmp_path / "all.jsonl"


def test_a_history_comes_back_with_the_statements_to_the_byte(lived, other, tmp_path):
    assert other("import", str(lived)).exit_code == 0
    other("export", "--format", "jsonl", "--history", "--to", str(tmp_path / "again.jsonl"))
    assert (tmp_path / "again.jsonl").read_bytes() == lived.read_bytes()
    assert b'"change": 1' in lived.read_bytes()


def test_what_came_with_its_history_can_be_undone(lived, other, memory):
    other("import", str(lived))
    for run in (memory, other):
        assert run("undo").exit_code == 0
        assert run("record", "and on").exit_code == 0
    texts = [
        [each["text"] for each in json.loads(run("list", "-o", "json").stdout)["units"]] for run in (memory, other)
    ]
    assert texts[0] == texts[1] and "everywhere" not in texts[0]
    assert other("doctor").exit_code == 0


def test_a_history_is_passed_over_where_there_is_one(lived, other):
    other("record", "mine")
    done = other("import", str(lived), "-o", "json")
    assert "history here already" in done.stdout
    assert json.loads(other("import", str(lived), "-o", "json").stdout)["new"] == 0
    assert other("doctor").exit_code == 0


def test_a_history_that_is_broken_is_named(other, tmp_path):
    file = tmp_path / "broken.jsonl"
    change = {"change": 1, "at": "2026-01-01", "operation": "record", "agent": "a", "device": "d", "device_number": 1}
    lines = [change, change | {"items": [{"statement": "x", "effect": "eaten"}]}, change | {"items": []}]
    lines += [change | {"items": []}, change | {"change": 2, "undoes": 9, "items": []}, {"text": "here", "sequence": 4}]
    lines += [{"text": "there", "sequence": 4}]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = other("import", str(file), "-o", "json")
    told = json.loads(done.stdout)
    assert (done.exit_code, told["new"]) == (1, 2)
    assert [each.partition(":")[0] for each in told["failed"]] == ["line 1", "line 2", "line 4", "line 5"]


def test_a_document_takes_no_history(filled):
    assert filled("export", "--history").exit_code == 2
