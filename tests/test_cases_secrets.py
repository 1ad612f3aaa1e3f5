"""A secret is blotted out on every door before any file holds it."""

import json

import pytest

from benchmarks.stores import opened, roots
from memory_cli.errors import UsageError
from memory_cli.memory import make_session, open_memory
from memory_cli.operations.export import export
from memory_cli.operations.handoff import handoff
from memory_cli.operations.import_ import import_
from memory_cli.operations.list_ import list_
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.operations.record_lines import record_lines
from memory_cli.operations.update import update

# What must not be found, and the text that it comes in; put together here, so that no scanner takes them for real.
BODY = "nXq7VwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA4cTz"
SECRETS = {
    "github-token": (BODY[:36], f"ghp_{BODY[:36]}"),
    "openai-key": (BODY, f"sk-{BODY}"),
    "aws-access-key": ("QEVTAVETWT6UL6AB", "AKIA" + "QEVTAVETWT6UL6AB"),
    "aws-secret-key": (BODY[:40], f"aws_secret_access_key={BODY[:40]}"),
    "private-key": (BODY, f"-----BEGIN PRIVATE KEY-----\n{BODY}\n{BODY[::-1]}\n-----END PRIVATE KEY-----"),
    "jwt": (BODY, f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{BODY}"),
    "url-password": ("hunter2hunter2", "postgres://u:hunter2hunter2@h/db"),
}
DOORS = {
    "record": lambda memory, text: record(memory, f"use {text}").redacted,
    "lines": lambda memory, text: record_lines(memory, [f"use {text}"]).recorded[0].redacted,
    "handoff": lambda memory, text: handoff(memory, f"use {text}").redacted,
    "tag": lambda memory, text: record(memory, "tea", tag=[text]).redacted,
    "agent": lambda memory, text: record(memory, "tea", agent=text).redacted,
    "source": lambda memory, text: record(memory, "tea", source=text).redacted,
    "metadata": lambda memory, text: record(memory, "tea", meta={"a": [{"b": text}], text: 1}).redacted,
    "update": lambda memory, text: changed(memory, f"use {text}", tag=[text], meta={"k": text}),
    "import": lambda memory, text: imported(memory, text=text, agent=text, tags=[text], metadata={"k": text}),
}


@pytest.fixture
def place(tmp_path):
    roots(tmp_path)
    return tmp_path


def changed(memory, text, **more):
    update(memory, record(memory, "tea").id, text, **more)
    return update(memory, list_(memory).units[0].id, f"again {text}").redacted


def imported(memory, **fields):
    return list(import_(memory, [json.dumps(fields)]).redacted)


def holders(place, body):
    """Return the files that hold a secret, as it is or as the index folds it; the log is there while it is open."""
    forms = (body.encode(), body.lower().encode())
    files = [path for path in place.rglob("*") if path.is_file()]
    return sorted({path.name for path in files if any(form in path.read_bytes() for form in forms)})


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", SECRETS)
def test_no_file_ever_holds_a_secret_and_the_answer_names_its_kind(kind, door, place):
    body, text = SECRETS[kind]
    if "\n" in text and door not in ("record", "handoff", "import"):
        text = text.replace("\n", "\\n")
    with opened(place) as memory:
        assert kind in DOORS[door](memory, text)
        recall(memory, f"use {text}", words=True)
        export(memory, to=str(place / "out"))
        assert (place / "project/.memory-rag/memory.sqlite3-wal").exists()
        assert holders(place, body) == []


def test_a_value_is_known_for_a_secret_by_the_name_of_its_metadata(place):
    meta = {"aws_secret_access_key": BODY[:40], "login": {"password": "hunter2!x"}, "author": "Bob the builder"}
    with opened(place) as memory:
        record(memory, "tea", meta=meta)
        assert holders(place, BODY[:40]) == holders(place, "hunter2!x") == []
        assert list_(memory).units[0].metadata["author"] == "Bob the builder"


def test_an_id_that_is_a_secret_is_refused_and_who_changes_is_blotted_out(place):
    body, text = SECRETS["github-token"]
    with opened(place) as memory:
        with pytest.raises(UsageError, match="github-token"):
            record(memory, "tea", id=text)
        assert "github-token" in import_(memory, [json.dumps({"text": "tea", "id": text})]).failed[0]
    session = make_session(
        project_root=place / "project", storage_root=place / "storage", cwd=place, source="cli",
        environ={"HOME": str(place), "MEMORY_AGENT": text, "MEMORY_DEVICE": text},
    )  # fmt: skip
    with open_memory(session) as memory:
        record(memory, "tea")
        assert holders(place, body) == []


@pytest.mark.parametrize(
    "text",
    [
        "reset your password",
        "fixed in 3f786850e387550fdab836ed7e6dc881de23001b",
        "123e4567-e89b-12d3-a456-426614174000",
    ],
)
def test_what_is_no_secret_stays(text, place):
    with opened(place) as memory:
        assert record(memory, text, tag=[text], meta={"k": text}).redacted == []
        assert list_(memory).units[0].text == text


@pytest.mark.parametrize("line", [
    "category write {} {{}}", "category append {} {{}}", "category delete {}", "token add {}",
])  # fmt: skip
def test_a_name_that_is_a_secret_is_refused_since_it_would_be_stored_as_it_is(line, memory, tmp_path):
    secret = "ghp_" + "a1B2" * 9
    done = memory(*line.format(secret).split())
    assert done.exit_code == 2 and "secret" in done.stderr
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()]
