"""No secret reaches the disk through any door, wherever in a statement it stands, and the answer says its kind."""

import json
import sqlite3
import tempfile

import numpy as np
import pytest

from benchmarks.stores import opened
from memory_cli.operations.pending import embed_batches
from tests.doors import by_client, by_command_line

# Joined here from parts, so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "aZ3kQ9xB7mT1cW5vN8rJ2pY6dL4sH0gFtR4u"
PASSWORD = "mV9" + "xQ2tL7wB4n"
SECRETS = {
    "github-token": TOKEN,
    "aws-access-key": "AKIA" + "Q7ZK2MXJ4RWT9VBN",
    "url-password": f"postgres://app:{PASSWORD}@db.internal/app",
    "jwt": ".".join("ey" + part for part in ("JhbGciOiJIUzI1NiJ9", "JzdWIiOiIxMjM0NTY3ODkwIn0"))
    + ".SflKxwRJSMeKKF2QT4fwpM",
    "private-key": "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEowIBAAKCAQEA7bq9\n-----END RSA PRIVATE " + "KEY-----",
    "password": f"password={PASSWORD}",
}  # fmt: skip
PLAIN = "reset your password; commit 0d1f8c6a5b3e2f4d7c9a8b6e5f4d3c2b1a0f9e8d; 3f2b8c1e-5d4a-4f6b-9c8d-7e1a2b3c4d5e"


def leaked(folder, *secrets):
    """Return the files of both roots that hold the telling part of a secret."""
    telling = [PASSWORD if PASSWORD in each else each.split("\n")[each.count("\n") // 2][-16:] for each in secrets]
    found = [(path.name, path.read_bytes().lower()) for path in folder.rglob("*") if path.is_file()]
    return {name for name, data in found for each in telling if each.lower().encode() in data}


def held_open(folder):
    """Open the project's store as a process that only waits, so that the log stays beside it."""
    db = sqlite3.connect(folder / "project/.memory-rag/memory.sqlite3")
    db.execute("select count(*) from statement").fetchone()
    return db


def through_text(memory, secret):
    return memory("record", f"the key is {secret} here")


def through_lines(memory, secret):
    return memory("record", "--lines", input=f"first line\nthe key is {secret.splitlines()[0]} here\n")


def through_file(memory, secret):
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(f"the key is {secret} here")
        file.flush()
        return memory("record", "--file", file.name)


def through_update(memory, secret):
    return memory("update", "plain", f"the key is {secret} here")


def through_handoff(memory, secret):
    return memory("handoff", f"the key is {secret} here")


def through_import(memory, secret):
    return memory("import", "-", input=json.dumps({"text": f"the key is {secret} here", "tags": [secret[:200]]}))


DOORS = [through_text, through_file, through_update, through_handoff, through_import]


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("door", DOORS)
def test_a_secret_stops_at_every_door_of_the_command_line(memory, tmp_path, door, kind):
    memory("record", PLAIN, "--id", "plain")
    waiting = held_open(tmp_path)
    done = door(memory, SECRETS[kind])
    assert done.exit_code == 0, done.stderr
    assert "Blotted out" in done.stderr
    assert list(tmp_path.rglob("*-wal")) and leaked(tmp_path, SECRETS[kind]) == set()
    waiting.close()
    assert "[redacted: " in memory("export", "--format", "jsonl").stdout


def test_lines_lose_their_secrets_too(memory, tmp_path):
    for kind in ("github-token", "aws-access-key", "jwt", "password"):
        done = through_lines(memory, SECRETS[kind])
        assert done.exit_code == 0 and "Blotted out" in done.stderr
    assert leaked(tmp_path, *SECRETS.values()) == set()


@pytest.mark.anyio
@pytest.mark.parametrize("kind", SECRETS)
async def test_a_secret_stops_at_every_tool(memory, agent, tmp_path, kind):
    secret = SECRETS[kind]
    memory("record", PLAIN, "--id", "plain")
    for command, given in [
        ("record", {"text": f"the key is {secret} here", "metadata": {"note": [secret], "deep": {"er": secret}}}),
        ("update", {"id": "plain", "text": f"now {secret}", "meta": {"note": secret}, "tag": [secret]}),
        ("handoff", {"text": f"next: {secret}"}),
    ]:
        done, answer = await by_client(agent, command, given)
        assert done and answer["redacted"], (command, answer)
    assert leaked(tmp_path, secret) == set()


@pytest.mark.parametrize(
    "given", [["--tag", TOKEN], ["--agent", TOKEN], ["--source", f"from {TOKEN}"], ["--meta", f"k={TOKEN}"],
              ["--meta-json", json.dumps({TOKEN: [{"a": TOKEN}]})], ["--meta", f"password={PASSWORD}"]],
)  # fmt: skip
def test_a_secret_stops_wherever_it_stands(memory, tmp_path, given):
    done = memory("record", "tea", *given, "-o", "json")
    assert json.loads(done.stdout)["redacted"]
    assert leaked(tmp_path, TOKEN, PASSWORD) == set()


def test_an_id_that_is_a_secret_is_refused_and_stored_nowhere(memory, tmp_path):
    done = memory("record", "tea", "--id", TOKEN)
    assert done.exit_code == 2 and "github-token" in done.stderr and TOKEN not in done.stderr
    done = memory("import", "-", input=json.dumps({"text": "tea", "id": TOKEN}))
    assert done.exit_code == 1 and TOKEN not in done.stderr
    assert leaked(tmp_path, TOKEN) == set()


def test_who_changes_something_is_named_without_a_secret(memory, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORY_AGENT", TOKEN)
    monkeypatch.setenv("MEMORY_DEVICE", TOKEN)
    memory("record", "tea")
    memory("forget", "tea")
    assert memory("history").exit_code == 0 and leaked(tmp_path, TOKEN) == set()


def test_neither_vectors_nor_an_export_bring_a_secret_to_the_disk(memory, tmp_path):
    memory("record", f"the key is {TOKEN}")
    with opened(tmp_path) as open_one:
        for store in open_one.stores():
            seen = []
            letters = type("Seen", (), {"model": "seen@1", "dimension": 1, "embed": staticmethod(embedding(seen))})()
            embed_batches(open_one, store, letters, most=10)
    memory("export")
    assert seen and TOKEN not in "".join(seen) and leaked(tmp_path, TOKEN) == set()


def embedding(seen):
    def embed(texts, *, batch_size=16):
        seen.extend(texts)
        return np.ones((len(texts), 1), np.float32)

    return embed


def test_what_is_no_secret_stays(memory):
    done = memory("record", PLAIN, "--meta", "note=reset your password", "-o", "json")
    assert "redacted" not in json.loads(done.stdout)
    assert memory("list").stdout.rstrip("\n").endswith(PLAIN)


@pytest.mark.parametrize("purge", [[], ["--purge"]])
def test_the_original_words_find_what_was_stored_without_its_secret(memory, purge):
    memory("record", f"the key is {TOKEN} here")
    assert memory("forget", f"the key is {TOKEN} here", *purge).exit_code == 0
    assert memory("list").stdout == ""


def test_settings_say_what_is_a_secret(memory):
    text = f"badge ACME-123456 and {TOKEN}"
    assert TOKEN in shown(memory, "--set", "redact.enabled=false", text=text)
    assert TOKEN in shown(memory, "--set", f"redact.allow={TOKEN}", text=text)
    told = shown(memory, "--set", r"redact.patterns=ACME-\d+", text=text)
    assert told == "badge [redacted: custom] and [redacted: github-token]"


def shown(memory, *options, text):
    assert memory(*options, "record", text).exit_code == 0
    return memory("list", "--limit", "1").stdout.rstrip("\n").split("\t")[4]


@pytest.mark.parametrize("command", [["record", "tea"], ["import", "-"], ["record", "--lines"], ["handoff", "tea"]])
@pytest.mark.parametrize("pattern", ["(unclosed", "(a+)+b", "x*"])
def test_a_broken_pattern_is_refused_by_name_before_anything_is_touched(memory, tmp_path, command, pattern):
    (tmp_path / "mine.toml").write_text(f"redact.patterns = ['{pattern}']", encoding="utf-8")
    done = memory("--config", str(tmp_path / "mine.toml"), *command, input='{"text": "tea"}\n')
    assert done.exit_code == 2
    assert "mine.toml" in done.stderr and "redact.patterns" in done.stderr and pattern in done.stderr
    assert not list(tmp_path.rglob("*.sqlite3"))


def test_both_doors_say_the_same_kinds(memory):
    answer = by_command_line(memory, "record", {"text": " ".join(SECRETS.values())})[1]
    assert len(answer["redacted"]) >= 5
