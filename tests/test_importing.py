"""What other programs kept comes in by itself, once, and what cannot is named."""

import hashlib
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent / "fixtures"
# What is imported, what it is told to be, how many statements it has, how many links and how many failures.
FOUND = {
    "server-memory/memory.jsonl": ("server-memory", 7, 2, 0),
    "mcp-memory-service/export.json": ("mcp-memory-service", 2, 0, 0),
    "mcp-memory-service/sqlite_vec.db": ("mcp-memory-service", 2, 0, 0),
    "basic-memory": ("basic-memory", 8, 2, 0),
    "chroma": ("chroma", 2, 0, 0),
    "chroma/chroma.sqlite3": ("chroma", 2, 0, 0),
    "claude/conversations.json": ("claude", 2, 0, 0),
    "chatgpt/conversations.json": ("chatgpt", 2, 0, 0),
    "mem0/get_all.json": ("mem0", 1, 0, 1),
}


@pytest.fixture
def taken(memory):
    """Import something and return the answer with all statements by their text."""

    def take(path, *options, code=0):
        done = memory("import", str(path), *options, "-o", "json")
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)

    return take


@pytest.fixture
def units(memory):
    """Return all statements by their text."""

    def read():
        units = json.loads(memory("list", "--limit", "100", "-o", "json").stdout)["units"]
        return {each["text"]: each for each in units}

    return read


def packed(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def contents(path):
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    return {str(each): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


@pytest.mark.parametrize("name", FOUND)
def test_it_is_recognised_and_three_imports_are_one(name, taken, tmp_path):
    _format, new, links, failed = FOUND[name]
    place = tmp_path / "there" / Path(name).name
    place.parent.mkdir()
    (shutil.copytree if (FIXTURES / name).is_dir() else shutil.copy)(FIXTURES / name, place)
    before = contents(place.parent)
    would = taken(place, "--dry-run", code=int(failed > 0))
    first = taken(place, code=int(failed > 0))
    assert (would["new"], first["new"], first.get("links", 0)) == (new, new, links)
    assert len(first.get("failed", [])) == len(would.get("failed", [])) == failed
    for _again in range(2):
        again = taken(place, code=int(failed > 0))
        assert (again["new"], again["already_recorded"], again.get("links", 0)) == (0, new, 0)
    assert contents(place.parent) == before


@pytest.mark.parametrize("name", FOUND)
def test_the_format_can_be_named_and_another_is_refused(name, taken, memory):
    assert taken(FIXTURES / name, "--from", FOUND[name][0], code=int(FOUND[name][3] > 0))["new"] == FOUND[name][1]
    refused = memory("import", str(FIXTURES / name), "--from", "shared-memory")
    assert refused.exit_code == 2 and "shared-memory" in refused.stderr


def test_a_graph_keeps_its_entities_types_and_relations(taken, units, memory):
    taken(FIXTURES / "server-memory" / "memory.jsonl")
    found = units()
    assert found["Zürich (city)"]["tags"] == ["Zürich"]
    said = found["Ada Lovelace wrote programs for Analytical Engine"]
    assert said["metadata"] == {"from": "Ada Lovelace", "relation": "wrote programs for", "to": "Analytical Engine"}
    one, other = found["Ada Lovelace: prefers short answers"], found["Analytical Engine: was never finished"]
    links = json.loads(memory("links", one["id"], "-o", "json").stdout)["links"]
    assert (one["id"], other["id"], "related") in {(each["from_id"], each["to_id"], each["type"]) for each in links}


def test_a_broken_line_of_a_graph_is_named_and_the_rest_goes_in(taken, tmp_path):
    lines = (FIXTURES / "server-memory" / "memory.jsonl").read_text(encoding="utf-8").splitlines()
    lines[1:2] = ['{"type": "entity", "name": 7}', "{", '{"type": "song"}']
    file = tmp_path / "memory.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    done = taken(file, code=1)
    assert done["new"] == 5 and [each.split(":")[0] for each in done["failed"]] == ["line 2", "line 3", "line 4"]


def test_notes_keep_category_tags_context_and_lead_to_each_other(taken, units):
    taken(FIXTURES / "basic-memory")
    found = units()
    method = found["Coffee Brewing: Pour over needs a medium grind"]
    assert method["tags"] == ["brewing", "kitchen"] and method["metadata"]["category"] == "method"
    assert method["metadata"]["context"] == "measured in May"
    assert "Tea: Green tea is steeped at 70 degrees." in found and "Tea replaces Coffee Brewing" in found


def test_a_memory_that_was_deleted_there_does_not_come(taken, units):
    taken(FIXTURES / "mcp-memory-service" / "sqlite_vec.db")
    staging = units()["The staging server runs Debian 12."]
    assert (staging["kind"], staging["tags"], staging["agents"]) == ("NOTE", ["ops", "servers"], ["laptop"])


def test_chroma_keeps_ids_times_and_metadata(taken, units):
    taken(FIXTURES / "chroma")
    order = units()["Order ABC-123 was refunded."]
    assert (order["id"], order["agents"], order["sources"]) == ("note::2", ["sales"], ["sessions"])
    assert order["superseded"] and order["metadata"]["weight"] == 1.5 and order["metadata"]["count"] == 3
    assert units()["Ship the beta on Friday."]["at"] == "2026-10-01T09:12:00Z"


def test_what_was_said_is_kept_with_when_by_whom_and_where(taken, units):
    taken(FIXTURES / "claude" / "conversations.json")
    taken(FIXTURES / "chatgpt" / "conversations.json")
    found = units()
    answer, cat = found["They go to the cellar server every night."], found["What would suit this cat?"]
    assert (answer["kind"], answer["sources"], answer["agents"]) == ("TRANSCRIPT", ["chat"], ["claude"])
    assert answer["metadata"] == {"conversation": "Backups of the wiki", "role": "assistant"}
    assert (answer["at"], cat["at"]) == ("2026-03-01T09:00:09Z", "2026-01-01T00:00:01Z")
    assert cat["tags"] == ["Names for the cat"] and cat["id"] == "g-1"


@pytest.mark.parametrize("name", ["claude", "chatgpt"])
def test_conversations_come_out_of_an_archive(name, taken, tmp_path):
    data = (FIXTURES / name / "conversations.json").read_bytes()
    archive = packed(tmp_path / "export.zip", {"users.json": b"[]", "data/conversations.json": data})
    assert taken(archive)["new"] == 2 and taken(archive)["new"] == 0


def test_a_long_message_comes_in_parts(taken, units, tmp_path):
    message = {"uuid": "u1", "sender": "human", "text": "\n\n".join(f"{n}. " + "tea " * 200 for n in range(30))}
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{"name": "Long", "chat_messages": [message]}]), encoding="utf-8")
    assert taken(file)["new"] > 2 and taken(file)["new"] == 0
    assert max(map(len, units())) <= 8000


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"conversations.json": b" " * 50_000_000}, "would grow"),
        ({"../conversations.json": b"[]"}, "named as no export"),
        ({"/conversations.json": b"[]"}, "named as no export"),
        ({"notes.txt": b"tea"}, "holds no conversations.json"),
        ({"conversations.json": b"{"}, "not a JSON document"),
        ({"conversations.json": b"[" * 100_000}, "not a JSON document"),
    ],
)
def test_an_archive_that_is_no_export_is_refused(entries, said, memory, tmp_path):
    done = memory("import", str(packed(tmp_path / "export.zip", entries)))
    assert done.exit_code == 2 and said in done.stderr, done.output


def test_a_file_that_only_begins_like_an_archive_is_refused(memory, tmp_path):
    (tmp_path / "export.zip").write_bytes(b"PK\x03\x04 and no more")
    assert memory("import", str(tmp_path / "export.zip")).exit_code == 2


def test_rules_come_one_by_one_under_their_headings(taken, units, tmp_path):
    shutil.copy(FIXTURES / "rules" / "project.md", tmp_path / "AGENTS.md")
    assert taken(tmp_path / "AGENTS.md")["new"] == 5
    found = units()
    assert {each["kind"] for each in found.values()} == {"RULE"}
    assert {"Work in small steps.", "Testing: Run `pytest -q` from the root.", "Style: British spelling."} <= set(found)
    mocks = next(each for each in found if "mock" in each)
    assert "It hides what breaks." in mocks and "# not a heading" in mocks


def test_a_folder_of_rules_is_read_where_tools_keep_them(taken, tmp_path):
    for name in (".github/copilot-instructions.md", ".cursor/rules/style.mdc", ".cursorrules", "README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"---\nalwaysApply: true\n---\nMind {name}.\n", encoding="utf-8")
    assert taken(tmp_path)["new"] == 3


def chunks(path):
    """Make what shared-memory keeps, as its README tells of it."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode = wal")
    db.execute("create table chunks (id text primary key, document text, metadata text)")
    db.execute("create table links (from_id text, to_id text, type text, score real, created_at text)")
    told = {"agent": "notes", "source": "markdown", "kind": "doc", "timestamp": "2026-10-01T09:12:00+02:00", "page": 3}
    db.execute("insert into chunks values ('n::1', 'The beta ships on Friday.', ?)", (json.dumps(told),))
    db.execute("insert into chunks values ('n 2', 'The beta ships on Monday.', '{\"superseded\": true}')")
    db.execute("insert into chunks values ('n::3', 'broken', '[')")
    db.execute("insert into links values ('n::1', 'n 2', 'llm', 0.9, ''), ('n::1', 'n 2', 'similar', 0.9, '')")
    return db


@pytest.mark.parametrize("variable", ["SHARED_MEMORY_DB", "SHARED_MEMORY_HOME", "XDG_DATA_HOME", "HOME"])
def test_shared_memory_is_found_and_read_while_it_is_in_use(variable, taken, units, tmp_path, monkeypatch):
    below = {"HOME": ".local/share/shared-memory", "XDG_DATA_HOME": "shared-memory"}
    folder = tmp_path / "kept" / below.get(variable, "")
    folder.mkdir(parents=True)
    file = folder / "memory.sqlite"
    monkeypatch.setenv(variable, str(file if variable == "SHARED_MEMORY_DB" else tmp_path / "kept"))
    with closing(chunks(file)):
        done = taken("", "--from", "shared-memory", code=1)
        assert (done["new"], done["links"], len(done["failed"])) == (2, 1, 1) and "n::3" in done["failed"][0]
        assert taken("", "--from", "shared-memory", code=1)["new"] == 0
    friday, monday = units()["The beta ships on Friday."], units()["The beta ships on Monday."]
    assert (friday["id"], friday["scope"], friday["kind"], friday["at"]) == (
        "n::1", "global", "DOC", "2026-10-01T07:12:00Z",
    )  # fmt: skip
    assert friday["metadata"]["page"] == 3 and monday["superseded"] and monday["metadata"]["original_id"] == "n 2"


def test_what_came_superseded_by_a_link_alone_is_marked(taken, units, tmp_path):
    with closing(chunks(tmp_path / "memory.sqlite")) as db:
        db.execute("insert into chunks values ('n::4', 'The beta ships on Sunday.', '{}')")
        db.execute("insert into links values ('n::1', 'n::4', 'supersedes', 1.0, '')")
        taken(tmp_path / "memory.sqlite", code=1)
    marked = {text for text, each in units().items() if each.get("superseded")}
    assert marked == {"The beta ships on Monday.", "The beta ships on Sunday."}


def test_vectors_of_the_model_in_use_are_kept_and_others_made_anew(taken, memory, tmp_path):
    with closing(chunks(tmp_path / "memory.sqlite")) as db:
        db.execute("create table vectors (chunk_id text, model text, embedding blob)")
        rows = [
            ("n::1", "x/all-MiniLM-L6-v2-int8", 384),
            ("n 2", "voyage-4", 1024),
            ("n::3", "x/all-MiniLM-L6-v2-int8", 3),
        ]
        for id, model, width in rows:
            db.execute("insert into vectors values (?, ?, ?)", (id, model, struct.pack(f"<{width}f", *[0.5] * width)))
        assert taken(tmp_path / "memory.sqlite", code=1)["note"] == "1 vectors of the same model were kept."
        assert "note" not in taken(tmp_path / "memory.sqlite", code=1)
    status = json.loads(memory("status", "-o", "json").stdout)
    assert status["units_pending"] == 1


def test_secrets_are_blotted_out_of_what_comes(taken, tmp_path, roots):
    secret = "ghp_" + "a1B2" * 9
    message = {"uuid": "u1", "sender": "human", "text": f"my token is {secret}"}
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{"name": secret, "chat_messages": [message]}]), encoding="utf-8")
    assert taken(file)["redacted"]
    kept = [each.read_bytes() for place in roots[1::2] for each in Path(place).rglob("*") if each.is_file()]
    assert kept and not any(secret.encode() in each for each in kept)


def test_documents_come_through_standard_input_too(memory):
    for name in ("server-memory/memory.jsonl", "mcp-memory-service/export.json", "claude/conversations.json"):
        done = memory("import", "-", "-o", "json", input=(FIXTURES / name).read_bytes())
        assert json.loads(done.stdout)["new"] == FOUND[name][1]


def test_an_import_that_was_killed_goes_on_where_it_was(program, roots, tmp_path):
    messages = [{"uuid": f"u{n}", "sender": "human", "text": f"tea number {n}"} for n in range(4000)]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{"name": "Tea", "chat_messages": messages}]), encoding="utf-8")
    running = subprocess.Popen([sys.executable, "-m", "memory_cli", *roots, "import", str(file)], env=_here())
    store = tmp_path / "project" / ".memory-rag" / "memory.sqlite3"
    while running.poll() is None and _count(store) < 500:
        pass
    running.kill()
    running.wait()
    had = _count(store)
    done = json.loads(program("import", str(file), "-o", "json").stdout)
    assert had % 1000 == 0 and (done["new"], done["already_recorded"]) == (4000 - had, had)


@pytest.mark.parametrize("name", ["nothing", "a folder"])
def test_what_is_in_no_known_format_is_refused(name, memory, tmp_path):
    (tmp_path / "a folder").mkdir()
    done = memory("import", str(tmp_path / name))
    assert done.exit_code == 2 and name in done.stderr.replace("\n", " ")


def test_nothing_named_is_refused_with_the_way_out(memory):
    done = memory("import")
    assert done.exit_code == 2 and "standard input" in done.stderr


def _here():
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}


def _count(store):
    try:
        with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as db:
            return db.execute("select count(*) from statement").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_lines_that_repeat_each_other_are_one_statement_and_keep_their_order(tmp_path, taken, units):
    path = tmp_path / "lines.jsonl"
    lines = [
        {"text": "first #one"}, {"text": "second", "id": "two"}, {"text": "first #one", "agent": "b", "tags": ["more"]},
        {"text": "third"}, {"text": "other words", "id": "two"}, {"text": "second", "id": "again"}, {"text": "fourth"},
        {"text": "where we are", "kind": "HANDOFF"}, {"text": "elsewhere", "kind": "HANDOFF"}, {"text": "last"},
    ]  # fmt: skip
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
    told = taken(path, code=1)
    assert told["new"] == 6 and len(told["failed"]) == 2
    found = units()
    assert list(found) == ["last", "where we are", "fourth", "third", "second", "first #one"]
    assert found["second"]["id"] == "two"
    assert sorted(found["first #one"]["tags"]) == ["more", "one"]


@pytest.mark.parametrize("document, name", [
    ({"results": [{"id": "m1", "memory": "Likes pizza."}]}, "mem0"),
    ([{"id": "m1", "memory": "Likes pizza."}], "mem0"),
    ({"memories": [{"content": "Likes pizza.", "content_hash": "h"}]}, "mcp-memory-service"),
])  # fmt: skip
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("piped", [False, True])
def test_a_document_is_the_same_on_one_line_and_on_many(document, name, indent, named, piped, memory, tmp_path):
    text = json.dumps(document, indent=indent) + "\n"
    (tmp_path / "export.json").write_text(text, encoding="utf-8")
    place = "-" if piped else str(tmp_path / "export.json")
    done = memory("import", place, *(["--from", name] if named else []), "-o", "json", input=text)
    assert done.exit_code == 0 and json.loads(done.stdout)["new"] == 1, done.output


@pytest.mark.parametrize("text", ['{"text": "one"}\n', '{"text": "one"}', '\n{"text": "one"}\n\n{"text": "two"}\n'])
@pytest.mark.parametrize("piped", [False, True])
def test_one_line_of_ours_is_a_line(text, piped, memory, tmp_path):
    (tmp_path / "lines.jsonl").write_text(text, encoding="utf-8")
    done = memory("import", "-" if piped else str(tmp_path / "lines.jsonl"), "-o", "json", input=text)
    assert json.loads(done.stdout)["new"] == text.count("text")


def test_what_is_in_no_known_format_is_said_with_the_way_out(memory, tmp_path):
    (tmp_path / "odd.json").write_text('{"things": [1, 2]}\n', encoding="utf-8")
    done = memory("import", str(tmp_path / "odd.json"))
    assert done.exit_code == 1 and "--from" in done.stderr and "memory index" in done.stderr


def test_code_stays_with_the_line_above_it(taken, units, tmp_path):
    (tmp_path / "CLAUDE.md").write_text(
        "# Rules\n\nUse these commands:\n\n```\nmake\n```\n\nBe kind.\n", encoding="utf-8"
    )
    assert taken(tmp_path / "CLAUDE.md")["new"] == 2
    assert any("Use these commands:" in text and "make" in text for text in units())
