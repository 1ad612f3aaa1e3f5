"""The server over HTTP: real clients of both eras, strangers refused before anything is read, and a clean end."""

import asyncio
import http.client
import json
import os
import signal
import socket
import threading
import time
from contextlib import suppress

import anyio
import pytest
from mcp import MCPError

from benchmarks.stores import opened, roots
from memory_cli.operations.handoff import handoff
from memory_cli.operations.list_ import list_
from memory_cli.operations.record import record
from memory_cli.serve import gate
from memory_cli.serve.http import make_app
from memory_cli.sockets import listening
from memory_cli.tokens import add
from tests.http_server import asked, client, served, token

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
BOTH = "application/json, text/event-stream"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("http")
    roots(folder)
    with opened(folder) as memory:
        record(memory, "The deploy key is in the safe.")
        record(memory, "Ana likes tabs.", scope="global")
    return folder


@pytest.fixture(scope="module")
def server(place):
    with served(place) as running:
        yield running


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_of_either_era_records_and_recalls(server, mode):
    async with client(server.address, mode=mode) as agent:
        done = await agent.call_tool("record_memory", {"text": f"Recorded over HTTP, {mode}.", "scope": "global"})
        assert not done.is_error, done.content
        found = await agent.call_tool("recall_memory", {"query": f"recorded over HTTP {mode}"})
        assert f"Recorded over HTTP, {mode}." in [each["text"] for each in found.structured_content["units"]]
        assert (await agent.list_resources()).resources


def test_health_is_open_and_tells_nothing_of_the_memory(server):
    status, _headers, body = asked(server.address, "/health")
    assert status == 200 and json.loads(body).keys() == {"status", "version"}


@pytest.mark.parametrize("headers, status", [
    ({"Host": "evil.example"}, 421),
    ({"Host": "127.0.0.1.evil.example"}, 421),
    ({"Host": "user@127.0.0.1"}, 421),
    ({"Host": ""}, 421),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": "http://127.0.0.1.evil.example"}, 403),
    ({"Authorization": "Bearer "}, 401),
    ({"Authorization": "Bearer mem_wrong-wrong-wrong-wrong-wrong-wrong"}, 401),
    ({"Authorization": "Basic dXNlcjpw"}, 401),
])  # fmt: skip
@pytest.mark.parametrize("path", ["/mcp", "/nowhere"])
def test_a_stranger_is_refused_before_anything_is_read(server, headers, status, path):
    found, _headers, body = asked(server.address, path, "POST", HELLO, Accept=BOTH, **headers)
    assert found == status and b"safe" not in body and "error" in json.loads(body)


def test_what_is_too_large_is_refused(place):
    with served(place, before=("--set", "runtime.http_max_bytes=2000")) as running:
        status, _headers, _body = asked(running.address, "/mcp", "POST", b"x" * 3000, Accept=BOTH)
        assert status == 413


def test_a_host_that_others_reach_needs_a_token_first(tmp_path, memory):
    done = memory("serve", "--http", "--host", "0.0.0.0", "--port", "0")
    assert done.exit_code == 5 and "memory token add" in done.stderr
    assert not (tmp_path / "storage").exists() and not (tmp_path / "project/.memory-rag").exists()


@pytest.mark.anyio
async def test_where_others_reach_it_a_token_opens_it_as_far_as_it_goes(tmp_path):
    roots(tmp_path)
    with opened(tmp_path) as memory:
        ours = record(memory, "Of this project.")
        handoff(memory, "Of this project, too.")
        record(memory, "Of this account.", scope="global")
    secrets = {"all": token(tmp_path, "all"), "narrow": token(tmp_path, "narrow", "-s", "global", "--tools", "core")}
    with served(tmp_path, "--host", "0.0.0.0", "--tools", "all", before=("--set", "runtime.http_hosts=box")) as running:
        address = running.address.replace("0.0.0.0", "127.0.0.1")
        for given in ({}, {"Host": "box"}, {"Host": "evil.example", "Authorization": f"Bearer {secrets['all']}"}):
            assert asked(address, "/mcp", "POST", HELLO, Accept=BOTH, **given)[0] in (401, 421)
        async with client(address, secrets["all"]) as agent:
            assert len((await agent.list_tools()).tools) > 5
            assert (await agent.call_tool("list_memory", {})).structured_content["total"] == 3
        async with client(address, secrets["narrow"]) as agent:
            assert "list_memory" not in {each.name for each in (await agent.list_tools()).tools}
            assert (await agent.call_tool("list_memory", {})).is_error
            found = await agent.call_tool("recall_memory", {"query": "of this", "words": True})
            assert [each["text"] for each in found.structured_content["units"]] == ["Of this account."]
            assert (await agent.call_tool("record_memory", {"text": "x", "scope": "local"})).is_error
            for beyond in ("memory://handoff", f"memory://statement/{ours.id}"):
                with pytest.raises(MCPError):
                    await agent.read_resource(beyond)
            done = await agent.call_tool("record_memory", {"text": "Said by the narrow one."})
            assert done.structured_content["scope"] == "global"
        running.terminate()
        said = running.stderr.read()
    with opened(tmp_path) as memory:
        assert [each.agents for each in list_(memory, agent=["narrow"]).units] == [["narrow"]]
    assert not any(secret in said for secret in secrets.values())


@pytest.mark.anyio
async def test_a_revoked_token_opens_nothing_from_then_on(tmp_path, memory):
    secret = token(tmp_path, "laptop")
    bearer = {"Authorization": f"Bearer {secret}"}
    with served(tmp_path) as running:
        assert asked(running.address, "/mcp", "POST", HELLO, Accept=BOTH, **bearer)[0] == 200
        async with client(running.address, secret) as agent:
            assert not (await agent.call_tool("recall_memory", {"query": "x"})).is_error
            assert memory("token", "revoke", "laptop").exit_code == 0
            with pytest.raises(MCPError):
                await agent.call_tool("recall_memory", {"query": "x"})
        assert asked(running.address, "/mcp", "POST", HELLO, Accept=BOTH, **bearer)[0] == 401


def test_tokens_are_kept_as_hashes_in_a_private_file(tmp_path, memory):
    secret = token(tmp_path, "laptop")
    file = tmp_path / "storage/memory/tokens.json"
    assert secret not in file.read_text(encoding="utf-8") and file.stat().st_mode & 0o777 == 0o600
    assert len(secret) >= 32 and secret not in memory("token", "list").output
    assert memory("token", "add", "laptop").exit_code == 5 and memory("token", "revoke", "phone").exit_code == 3
    assert memory("token", "add", "a b").exit_code == 2
    assert "curate" in memory("token", "add", "phone", "--tools", "core,curat").stderr


@pytest.mark.anyio
async def test_twenty_clients_at_once_lose_nothing(place, server):
    async def work(number):
        async with client(server.address) as agent:
            for each in range(5):
                done = await agent.call_tool("record_memory", {"text": f"Client {number} says {each}.", "kind": "BUSY"})
                assert not done.is_error, done.content

    await asyncio.gather(*(work(number) for number in range(20)))
    with opened(place) as memory:
        assert list_(memory, kind=["BUSY"], limit=1).total == 100


def test_as_many_requests_as_are_taken_are_worked_on_and_the_rest_may_come_again(place):
    with served(place, before=("--set", "runtime.http_concurrency=1")) as running:
        host, port = running.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as slow:
            head = f"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: {BOTH}\r\n"
            slow.sendall(f"{head}Content-Length: 1000\r\n\r\n{{".encode())
            deadline = time.monotonic() + 10
            while asked(running.address, "/health")[0] == 200 and time.monotonic() < deadline:
                time.sleep(0.02)
            status, headers, _body = asked(running.address, "/mcp", "POST", HELLO, Accept=BOTH)
            assert status == 503 and headers["retry-after"] == "1"
        while asked(running.address, "/health")[0] == 503:
            time.sleep(0.02)


def left_open(address, known):
    """Listen to what the server says by itself until it ends."""
    with suppress(http.client.HTTPException, OSError):
        asked(address, "/mcp", "GET", **known | {"Accept": "text/event-stream"})


def test_told_to_end_it_finishes_what_runs(place):
    call = {
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "record_memory", "arguments": {"text": "Said at the last moment."}},
    }  # fmt: skip
    with served(place) as running:
        session = asked(running.address, "/mcp", "POST", HELLO, Accept=BOTH)[1]["mcp-session-id"]
        known = {"Mcp_Session_Id": session, "Accept": BOTH}
        asked(running.address, "/mcp", "POST", {"jsonrpc": "2.0", "method": "notifications/initialized"}, **known)
        answers = []
        with opened(place) as other:
            store = other.stores("local")[0]
            with store.transaction():
                # The call waits for this lock, and the server is told to end meanwhile.
                caller = threading.Thread(
                    target=lambda: answers.append(asked(running.address, "/mcp", "POST", call, **known))
                )
                stream = threading.Thread(target=left_open, args=(running.address, known))
                caller.start()
                stream.start()
                time.sleep(0.5)
                running.send_signal(signal.SIGTERM)
                time.sleep(0.3)
        caller.join(timeout=20)
        stream.join(timeout=20)
        assert b'"id":' in answers[0][2] and b"isError" not in answers[0][2].replace(b'"isError":false', b"")
        assert running.wait(timeout=20) == 0
    with opened(place) as memory:
        assert "Said at the last moment." in [each.text for each in list_(memory, limit=50).units]


@pytest.mark.skipif(os.name == "nt", reason="there are no signals of this kind")
def test_ctrl_c_ends_it_without_a_word(place):
    with served(place) as running:
        running.send_signal(signal.SIGINT)
        assert (running.wait(timeout=20), running.stderr.read()) == (130, "")


def test_a_port_that_is_taken_is_said(memory):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = memory("serve", "--http", "--port", str(taken.getsockname()[1]))
    assert done.exit_code == 1 and "--port" in done.stderr


def test_what_is_small_is_sent_at_once():
    # asyncio turns Nagle's algorithm off where the protocol of a socket is named; else each answer waits 40 ms.
    with listening("127.0.0.1", 0, "--port") as port, socket.create_connection(port.getsockname()):
        connection, _address = port.accept()
        with connection:
            assert connection.proto == socket.IPPROTO_TCP


@pytest.mark.anyio
async def test_a_body_that_does_not_come_takes_nobodys_room_for_long(session, monkeypatch):
    monkeypatch.setattr(gate, "LONGEST_PAUSE", 0.05)
    app = make_app(session, host="127.0.0.1", called=print, api=True)
    token = add(session.roots, "slow", ["global"], [], "")
    headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {token}".encode()), (b"content-length", b"100000")]
    scope = {
        "type": "http", "method": "POST", "path": "/api/v1/record", "raw_path": b"/api/v1/record", "query_string": b"",
        "headers": [*headers, (b"content-type", b"application/json")], "scheme": "http", "http_version": "1.1",
        "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "root_path": "",
    }  # fmt: skip
    first, sent = [{"type": "http.request", "body": b"{", "more_body": True}], []

    async def receive():
        return first.pop() if first else await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    with anyio.fail_after(20):
        await app(scope, receive, send)
    assert sent[0]["status"] == 400
