"""What people lost with tools of this kind: mass deletions, copies, broken imports, damaged indexes, huge inputs."""

import json
import os
import sqlite3
import stat

import pytest

from benchmarks import size
from memory_cli.surface import OPERATIONS

READS = (
    "list",
    "recall nothing --words",
    "context",
    "handoff",
    "history",
    "stats",
    "status",
    "config list",
    "export --format jsonl",
)
ALL = ("--format", "jsonl")


@pytest.fixture
def database(memory, tmp_path):
    assert memory("record", "green tea cools").exit_code == 0
    return tmp_path / "project/.memory-rag/memory.sqlite3"


def everything(memory):
    return memory("export", *ALL).stdout


def execute(database, sql):
    with sqlite3.connect(database) as db:
        db.execute(sql)
    db.close()


def test_a_recall_warns_of_a_damaged_word_index_and_the_doctor_mends_it(memory, database):
    memory("record", "black tea cools too")
    execute(database, "delete from words where rowid = 2")
    assert "word index" in memory("recall", "tea", "--words").stderr
    assert "word index" in json.loads(memory("-o", "json", "recall", "tea", "--words").stdout)["warning"]
    assert memory("doctor").exit_code == 1
    assert (memory("doctor", "--fix").exit_code, memory("doctor").exit_code) == (0, 0)
    done = memory("recall", "tea", "--words")
    assert len(done.stdout.splitlines()) == 2 and "word index" not in done.stderr


def test_a_hundred_that_were_forgotten_come_back_to_the_byte(memory):
    memory("record", "--lines", "--tag", "scratch", input="".join(f"thing {number}\n" for number in range(100)))
    memory("record", "stays")
    before = everything(memory)
    for agreed in ((), ("--yes",), ("--yes", "--expect", "99")):
        assert memory("forget", "--tag", "scratch", *agreed).exit_code == 5
    assert everything(memory) == before
    assert memory("forget", "--tag", "scratch", "--yes", "--expect", "100").exit_code == 0
    assert len(everything(memory).splitlines()) == 1
    assert memory("undo").exit_code == 0
    assert everything(memory) == before


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("--tag scratc --yes --expect 1", 3),
        ("--kind NOPE --yes --expect 0", 3),
        ("--agent nobody", 3),
        ("--tgg x --yes", 2),
        ("--kind 4711 --yes", 2),
        ("--since someday --yes", 2),
        ("--yes --expect 1", 2),
    ],
)
def test_a_filter_that_matches_nothing_or_is_misspelt_deletes_nothing(memory, database, line, code):
    before = everything(memory)
    assert memory("forget", *line.split()).exit_code == code
    assert everything(memory) == before


def test_copies_by_several_are_one_until_the_last_of_them_forgets(memory):
    for agent, source, tag in (("anna", "chat", "a"), ("ben", "file", "b"), ("carl", "chat", "c")):
        memory("record", " exact copy\n", "--agent", agent, "--source", source, "--tag", tag)
    (unit,) = json.loads(memory("-o", "json", "list").stdout)["units"]
    assert (unit["agents"], unit["tags"]) == (["anna", "ben", "carl"], ["a", "b", "c"])
    for agent, left in (("anna", [["ben", "carl"]]), ("ben", [["carl"]]), ("carl", [])):
        assert memory("forget", "--agent", agent, "--yes", "--expect", "1").exit_code == 0
        assert [each["agents"] for each in json.loads(memory("-o", "json", "list").stdout)["units"]] == left


def test_what_differs_in_little_is_kept(memory):
    texts = ["router is 10.0.0.1", "router is 10.0.1.1", "use tabs", "do not use tabs", "port 80", "port 8080", "/Data",
             "/data", *(f"host {number} is patched monthly" for number in range(100))]  # fmt: skip
    memory("record", "--lines", input="\n".join(texts))
    assert [json.loads(line)["text"] for line in everything(memory).splitlines()] == texts


MORE = {"category write": ["{}"], "category append": ["{}"], "category compact": ["--keep-versions", "1"]}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.command)
def test_every_command_leaves_a_store_of_a_later_version_alone(memory, database, operation, monkeypatch):
    monkeypatch.setenv("MEMORY_SYNC_REMOTES", "box=http://127.0.0.1:9")
    monkeypatch.setenv("MEMORY_SYNC_TOKEN", "x" * 40)
    execute(database, "pragma user_version = 9999")
    before = database.read_bytes()
    parameters = list(operation.parameters())
    given = ["x" for each in parameters if each.kind is not each.KEYWORD_ONLY]
    given = given[: 1 + operation.command.endswith("link")] + MORE.get(operation.command, [])
    if operation.command == "sync resolve":
        given = ["1"]
    elif operation.group == "sync" and operation.command != "sync folder":
        given = []
    if operation.group in ("category", "sync"):
        given += ["--scope", "local"]
    done = memory(*operation.command.split(), *given)
    if operation.command == "doctor":
        # What is wrong with a store is what it is asked for.
        assert (done.exit_code, "9999" in done.stdout + done.stderr) == (1, True)
    elif operation.command not in ("trust", "verify", "restore", "token add", "token list", "token revoke"):
        assert (done.exit_code, "9999" in done.stderr) == (5, True)
    assert database.read_bytes() == before
    assert {path.name for path in database.parent.iterdir()} <= {".gitignore", "memory.sqlite3"}


def test_a_broken_record_in_the_middle_is_named_and_the_rest_goes_in(memory):
    lines = [json.dumps({"text": f"thing {number}"}) for number in range(1200)]
    lines[700:700] = ['{"text": ', '{"kind": "ITEM"}', '{"text": "x", "at": "someday"}', '{"text": "x", "tags": [1]}']
    done = memory("import", "-", input="\n".join(lines))
    assert (done.exit_code, done.stdout.splitlines()[:3]) == (1, ["new\t1200", "already recorded\t0", "failed\t4"])
    assert all(f"line {number}: " in done.stderr for number in range(701, 705))


def test_five_megabytes_are_refused_with_the_limit_or_taken_whole(memory, tmp_path):
    huge = "word " * 1_000_000
    done = memory("record", "-", input=huge)
    assert done.exit_code == 2 and "1,000,000" in done.stderr and "record.max_characters" in done.stderr
    assert not (tmp_path / "project/.memory-rag").exists()
    assert memory("--set", "record.max_characters=6000000", "record", "-", input=huge).exit_code == 0
    (unit,) = json.loads(memory("-o", "json", "recall", "word", "--words").stdout)["units"]
    assert unit["cut"] and json.loads(everything(memory))["text"] == huge.strip()


def test_what_json_can_hold_and_no_text_may_is_refused_by_name(memory):
    lines = (
        '{"text": "half \\ud800"}',
        '{"text": "a\\u0000b"}',
        '{"text": "ok", "tags": ["\\udfff"]}',
        '{"text": "ok"}',
    )
    done = memory("import", "-", input="\n".join(lines))
    assert (done.exit_code, done.stderr.count("Unicode"), done.stderr.count("NUL")) == (1, 2, 1)
    assert json.loads(everything(memory))["text"] == "ok"


def test_reading_writes_nothing(memory, database):
    before = database.read_bytes(), database.stat().st_mtime_ns
    for line in READS * 3:
        assert memory(*line.split()).exit_code in (0, 3), line
    assert (database.read_bytes(), database.stat().st_mtime_ns) == before
    assert {path.name for path in database.parent.iterdir()} == {".gitignore", "memory.sqlite3"}


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_exports_and_what_leads_to_them_are_private_whatever_the_umask(memory, tmp_path):
    before = os.umask(0)
    try:
        memory("record", "tea")
        memory("record", "mint", "--scope", "global")
        memory("export", "--to", str(tmp_path / "out/deep"))
        memory("export")
        memory("export", *ALL, "--to", str(tmp_path / "lines/all.jsonl"))
    finally:
        os.umask(before)
    made = [
        path for name in ("out", "lines", "storage", "project/.memory-rag") for path in (tmp_path / name).rglob("*")
    ]
    assert sum(path.name == "MEMORY.md" for path in made) == 4 and tmp_path / "lines/all.jsonl" in made
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700, 0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_file()} == {0o600}


def test_a_store_stays_small_however_often_it_is_changed(tmp_path):
    found = size.run(tmp_path, count=150, updates=10)
    assert found["bytes_a_statement"] < size.MOST
    assert found["bytes_a_statement_changed"] < 1.5 * size.MOST


@pytest.mark.parametrize("deep", [51, 900, 100_000])
def test_metadata_that_is_nested_too_deep_is_refused_by_name_and_the_rest_goes_in(memory, deep):
    line = '{"text": "deep", "metadata": {"a": ' + "[" * deep + "]" * deep + "}}"
    answer = memory("import", "-", input=f'{line}\n{{"text": "plain"}}\n')
    assert answer.exit_code == 1 and "nested too deep" in answer.stderr
    assert "plain" in memory("list").stdout


def test_a_count_that_could_not_be_counted_on_is_refused(memory):
    line = '{"text": "often", "recalls": 9223372036854775807}\n'
    answer = memory("import", "-", input=line)
    assert answer.exit_code == 1 and "`recalls` is not a count" in answer.stderr
