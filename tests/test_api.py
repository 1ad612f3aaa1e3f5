"""The HTTP API: each operation at its place, each failure with its code, and nothing without a token."""

import json
import shutil
import socket
import subprocess
import sys

import pytest

from benchmarks.stores import opened, roots
from memory_cli.memory import make_session
from memory_cli.operations.category.write import write
from memory_cli.operations.record import record
from memory_cli.serve.api.openapi import FAILURES, described
from memory_cli.serve.api.table import rows
from memory_cli.surface import OPERATIONS
from memory_cli.sync.asking import PREFIX
from tests.conftest import SOURCES
from tests.doors import by_command_line
from tests.http_server import asked, client, in_process, served, stocked, token
from tests.test_surface import CALLS, settled

ROWS = rows()
# Calls of what is no tool, and of what links need.
MORE = {
    "show": {"id": "green"},
    "unlink": {"from_id": "green", "to_id": "black"},
    "category diff": {"category": "base"},
    "category log": {"category": "journal"},
    "sync resolve": {"number": 1, "keep": "lost"},
}
SEEDS = {"read", "write", "append", "search", "list", "delete", "history", "delta", "status", "doctor"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return stocked(tmp_path_factory.mktemp("api"))


@pytest.fixture(scope="module")
def bearer(place):
    return {"Authorization": f"Bearer {token(place, 'laptop')}"}


@pytest.fixture(scope="module")
def server(place, bearer):
    with served(place, "--api", before=("--set", "runtime.http_max_bytes=20000")) as running:
        yield running


@pytest.fixture
def api(server, bearer):
    """Ask the API, with the token: api("read", {"category": "base"}) or api("read?category=base")."""

    def ask(name, body=None, method="", **headers):
        method = method or ("GET" if body is None else "POST")
        status, told, raw = asked(server.address, f"{PREFIX}/{name}", method, body, **{**bearer, **headers})
        return status, json.loads(raw) if raw else None, told

    return ask


def test_what_the_seed_had_is_there_and_every_path_is_one_operations():
    assert {each.name for each in ROWS} >= SEEDS and len({each.path for each in ROWS}) == len(ROWS)


def test_a_category_is_written_read_and_protected_from_two_who_write(api):
    status, done, _headers = api("write", {"category": "mine", "data": {"a": 1}, "expected_hash": "absent"})
    assert status == 200 and done["version"] == 1
    assert api("read?category=mine&fields=a")[1]["data"] == {"a": 1}
    assert api("read", {"category": "mine"})[1]["meta"]["updated_by"] == "laptop"
    status, said, _headers = api("write", {"category": "mine", "data": {}, "expected_hash": "absent"})
    assert status == 409 and done["hash"] in said["error"]


def test_a_statement_is_recorded_under_the_name_of_the_token_and_recalled(api):
    status, done, _headers = api("record", {"text": "Kettles are descaled monthly.", "tag": "kitchen,home"})
    assert status == 200
    status, found, _headers = api("recall?query=kettle&words=true&tag=home&tag=kitchen")
    unit = found["units"][0]
    assert (unit["id"], unit["agents"], unit["sources"]) == (done["id"], ["laptop"], ["http"])
    assert api("statements/list?limit=1")[1]["total"] >= 1 and api(f"show?id={done['id']}")[0] == 200


@pytest.mark.parametrize("method, name, body, status, says", [
    ("GET", "read?category=nowhere", None, 404, "base"),
    ("GET", "read?categori=base", None, 422, "Did you mean category?"),
    ("GET", "read", None, 422, "category"),
    ("GET", "read?category=base&category=mine", None, 422, "category"),
    ("GET", "read?category=../x", None, 422, "../x"),
    ("GET", "read?category=%2e%2e%2fx", None, 422, "../x"),
    ("GET", "read?category=base&version=99999999999999999999999", None, 422, "version"),
    ("GET", "read?category=base&version=-1", None, 422, "version"),
    ("GET", "statements/list?offset=99999999999999999999999", None, 422, "offset"),
    ("GET", "statements/list?meta={%22a%22:[1]}", None, 422, "Metadata"),
    ("POST", "statements/list", {"meta": {"a\x00": 1}}, 422, "NUL"),
    ("POST", "statements/list", {"meta": {"a": 10**30, "b": 10**400}}, 200, ""),
    ("GET", "recall?query=%FF", None, 200, ""),
    ("GET", "write?category=base", None, 405, "Allow"),
    ("PUT", "read?category=base", None, 405, "Allow"),
    ("OPTIONS", "read", None, 405, "Allow"),
    ("TRACE", "read", None, 405, "Allow"),
    ("GET", "nowhere", None, 404, "/api/v1/nowhere"),
    ("GET", "read/../../../etc/passwd", None, 404, "nothing"),
    ("POST", "read?category=base", b"", 422, "body"),
    ("POST", "doctor", {"fix": True}, 422, "fix"),
    ("POST", "write", {"category": "../x", "data": {}}, 422, "../x"),
    ("POST", "write", {"category": "base"}, 422, "data"),
    ("POST", "write", {"category": "base", "data": {"a\x00": "\x00"}}, 200, ""),
    ("POST", "record", {"text": "a\x00b"}, 422, "NUL"),
    ("POST", "record", {"text": "a\ud800"}, 422, "surrogate"),
    ("POST", "recall", {"query": "a\ud800"}, 422, "surrogate"),
    ("POST", "record", {"text": "tea", "meta": {"n": "\udfff"}}, 422, "surrogate"),
    ("POST", "forget", {"tag": ["nobody"], "kind": [""]}, 422, "kind"),
    ("POST", "forget", {"text": "Nobody said that."}, 404, "recall"),
    ("POST", "restore", {"category": "base", "version": 99}, 404, "version 99"),
])  # fmt: skip
def test_each_slip_has_its_code_and_a_sentence(api, method, name, body, status, says):
    found, said, headers = api(name, body, method)
    assert found == status and says in str(said)
    assert "Traceback" not in str(said) and (status == 200 or said.keys() == {"error"})
    assert headers["content-type"] == "application/json" and (status == 405) == ("allow" in headers)


@pytest.mark.parametrize("body, kind, status", [
    (b"{", "application/json", 400),
    (b'{"text": NaN}', "application/json", 400),
    (b'{"text": "\xff"}', "application/json", 400),
    (b'{"text": "tea", "meta": ' + b'{"a":' * 3000 + b"1" + b"}" * 3001, "application/json", 400),
    (b'{"text": "tea", "meta": {"n": ' + b"9" * 5000 + b"}}", "application/json", 400),
    (b"[1]", "application/json", 422),
    (b'"text"', "application/json; charset=utf-8", 422),
    (b'{"category": "deep", "data": ' + b'{"a":' * 900 + b"1" + b"}" * 901, "application/json", 422),
    (b'{"category": "base", "data": {"n": 1e400}}', "application/json", 422),
    (b"text=tea", "application/x-www-form-urlencoded", 415),
    (b'{"text": "tea"}', "", 415),
    (b'{"text": "' + b"x" * 30000 + b'"}', "application/json", 413),
])  # fmt: skip
def test_a_body_that_cannot_be_taken_is_said_to_be_so(api, body, kind, status):
    name = "write" if b"category" in body else "record"
    found, said, _headers = api(name, body, "POST", **({"Content-Type": kind} if kind else {}))
    assert found == status and said["error"]


def test_a_body_without_a_length_is_bounded_too(server, bearer):
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as wire:
        lines = [f"POST {PREFIX}/record HTTP/1.1", f"Host: {host}", "Content-Type: application/json",
                 f"Authorization: {bearer['Authorization']}", "Transfer-Encoding: chunked", "", ""]  # fmt: skip
        wire.sendall("\r\n".join(lines).encode() + b"7530\r\n" + b"x" * 30000 + b"\r\n")
        assert b" 413 " in wire.recv(4096)


@pytest.mark.parametrize("headers, status", [
    ({}, 401),
    ({"Authorization": "Bearer "}, 401),
    ({"Authorization": "Bearer"}, 401),
    ({"Authorization": ""}, 401),
    ({"Authorization": "Bearer mem_wrong-wrong-wrong-wrong-wrong-wrong"}, 401),
    ({"Authorization": "Basic dXNlcjpw"}, 401),
    ({"Host": "evil.example"}, 421),
    ({"Origin": "https://evil.example"}, 403),
])  # fmt: skip
def test_without_a_token_nothing_answers_but_health(server, headers, status):
    paths = [*described()["paths"], f"{PREFIX}", f"{PREFIX}/", "/api", "/", "/mcp", "//api/v1/list", "/docs"]
    for path in paths:
        for method in ("GET", "POST", "HEAD", "OPTIONS", "DELETE"):
            found, told, raw = asked(server.address, path, method, **headers)
            if path == "/health" and status == 401:
                assert found in (200, 405)
            else:
                assert found == status and b"safe" not in raw, (method, path)
                assert status != 401 or "www-authenticate" in told


def test_the_description_is_what_is_served(api):
    status, told, _headers = api("openapi.json")
    assert status == 200 and told == json.loads(json.dumps(described()))
    assert {int(code) for each in told["paths"].values() for one in each.values() for code in one["responses"]} == {
        200, *FAILURES
    }  # fmt: skip


def test_a_head_is_a_get_without_its_body(api):
    status, said, headers = api("list", method="HEAD")
    assert (status, said) == (200, None) and int(headers["content-length"]) > 10


@pytest.mark.parametrize("row", [each for each in ROWS if each.operation in OPERATIONS], ids=lambda each: each.name)
async def test_an_answer_is_the_document_of_the_command(row, memory, tmp_path, monkeypatch, anyio_backend):
    monkeypatch.setenv("MEMORY_AGENT", "tester")
    for text, *options in (["green tea", "--id", "green"], ["black tea", "--id", "black"], ["tea", "-s", "global"]):
        assert memory("record", text, *options).exit_code == 0
    memory("link", "green", "black")
    for data in ('{"a": "tea"}', '{"a": "coffee"}'):
        memory("category", "write", "base", data)
    memory("category", "append", "journal", "{}")
    secret = token(tmp_path, "tester")
    for folder in ("project", "storage"):
        shutil.copytree(tmp_path / folder, tmp_path / "copy" / folder)
    given = MORE.get(row.operation.command, CALLS.get(row.operation.command, {}))
    done, told = by_command_line(memory, row.operation.command, given)
    copy = make_session(project_root=tmp_path / "copy/project", storage_root=tmp_path / "copy/storage", source="mcp")
    status, answer = await in_process(copy, secret, row.name, given)
    if row.name == "sync/resolve":
        # There is no conflict here: the failure is the same, too.
        assert status == 404 and not done and answer["error"] in told
    else:
        assert done and status == 200, (told, answer)
        assert settled(answer, tmp_path) == settled(told, tmp_path)


def test_a_busy_store_is_said_and_may_be_asked_again(place, bearer):
    with served(place, "--api", before=("--set", "storage.lock_deadline_ms=50")) as running, opened(place) as other:
        with other.stores("local")[0].transaction():
            status, told, raw = asked(running.address, f"{PREFIX}/record", "POST", {"text": "Meanwhile."}, **bearer)
        assert status == 503 and told["retry-after"] and "try again" in json.loads(raw)["error"]
        assert asked(running.address, f"{PREFIX}/record", "POST", {"text": "Meanwhile."}, **bearer)[0] == 200


def test_a_damaged_store_is_said_without_a_traceback(tmp_path):
    roots(tmp_path)
    secret = token(tmp_path, "laptop")
    with opened(tmp_path) as memory:
        write(memory, "base", data={})
    (tmp_path / "storage/memory/default/memory.sqlite3").write_bytes(b"no database" * 1000)
    with served(tmp_path, "--api") as running:
        status, _told, raw = asked(running.address, f"{PREFIX}/list", Authorization=f"Bearer {secret}")
        assert status == 503 and b"damaged" in raw and b"Traceback" not in raw


@pytest.mark.anyio
async def test_a_token_opens_its_scopes_and_its_sets_of_tools_alone(tmp_path):
    roots(tmp_path)
    with opened(tmp_path) as memory:
        record(memory, "Of this project.")
        record(memory, "Of this account.", scope="global")
    narrow = {"Authorization": f"Bearer {token(tmp_path, 'narrow', '-s', 'global', '--tools', 'core')}"}
    with served(tmp_path, "--api", "--tools", "all") as running:
        found = asked(running.address, f"{PREFIX}/recall?query=of+this&words=1", **narrow)
        assert [each["text"] for each in json.loads(found[2])["units"]] == ["Of this account."]
        for name, body in (("list", {}), ("status", {}), ("record", {"text": "x", "scope": "local"})):
            status, _told, raw = asked(running.address, f"{PREFIX}/{name}", "POST", body, **narrow)
            assert status == 403 and json.loads(raw)["error"], name
        async with client(running.address, narrow["Authorization"].split()[1]) as agent:
            assert not (await agent.call_tool("recall_memory", {"query": "x"})).is_error


def test_a_revoked_token_opens_nothing_from_then_on(tmp_path, memory):
    bearer = {"Authorization": f"Bearer {token(tmp_path, 'laptop')}"}
    with served(tmp_path, "--api") as running:
        assert asked(running.address, f"{PREFIX}/list", **bearer)[0] == 200
        memory("token", "revoke", "laptop")
        assert asked(running.address, f"{PREFIX}/list", **bearer)[0] == 401


def test_without_any_token_it_does_not_start_and_touches_nothing(tmp_path, memory):
    done = memory("serve", "--http", "--api", "--port", "0")
    assert done.exit_code == 5 and "memory token add" in done.stderr
    assert not (tmp_path / "storage").exists() and not (tmp_path / "project/.memory-rag").exists()
    assert memory("serve", "--api").exit_code == 2


def test_nothing_but_the_server_imports_the_api():
    code = "import sys, memory_cli.cli.commands.serve; assert 'memory_cli.serve' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_page_about_it_names_every_path_and_code():
    page = (SOURCES / "docs/api.md").read_text(encoding="utf-8")
    assert [each.name for each in ROWS if f"`{each.name}`" not in page] == []
    assert [code for code in (405, *FAILURES) if f"\n| {code} |" not in page] == []
