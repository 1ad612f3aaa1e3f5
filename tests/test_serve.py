import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from benchmarks.stores import opened, roots
from memory_cli.operations.pending import pending
from memory_cli.operations.record import record

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "piper", "version": "1"}},
}  # fmt: skip
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
# What a library does to a server that lets it: it prints while it is imported, and so does a child of it.
NOISE = """
import os
import sys
class Noise:
    def find_spec(self, name, path=None, target=None):
        if name == "fastembed":
            print("a library says hello"); os.write(1, b"at once\\n"); os.system("echo from a child")
sys.meta_path.insert(0, Noise())
"""


def call(id, tool, **arguments):
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


@contextmanager
def served(folder, *, python_path=""):
    """Start the program in folder; nothing but what the block does ends it."""
    command = [sys.executable, "-m", "memory_cli", *roots(folder), "serve"]
    environ = {"HOME": str(folder), "PATH": os.environ["PATH"], "PYTHONPATH": str(python_path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environ, cwd=folder) as server:
        try:
            yield server
        finally:
            server.kill()


def say(server, *messages):
    for each in messages:
        server.stdin.write((each if isinstance(each, str) else json.dumps(each)).encode() + b"\n")
    server.stdin.flush()


def hear(server):
    return json.loads(server.stdout.readline())


@pytest.fixture(scope="module")
def conversation(tmp_path_factory):
    """Talk to a server as a careless client does: no `initialized`, broken lines, a library that prints."""
    folder, noisy = tmp_path_factory.mktemp("quiet"), tmp_path_factory.mktemp("noisy")
    (noisy / "sitecustomize.py").write_text(NOISE, encoding="utf-8")
    with served(folder, python_path=noisy) as server:
        say(server, HELLO, LIST)
        heard = [hear(server), hear(server)]
        before = sorted(path.name for path in folder.rglob("*"))
        say(server, "this is no JSON", call(3, "record_memory", text="tea is green"))
        heard += [hear(server), hear(server)]
        say(server, call(4, "record_memory", text="half \ud83d"), call(5, "recall_memory", query="green"))
        heard += [hear(server), hear(server)]
        rest, log = server.communicate(timeout=30)
    return {each["id"]: each for each in heard}, before, rest, log.decode(), server.returncode


def test_the_answers_come_without_any_notification(conversation):
    answers, *_ = conversation
    assert answers[1]["result"]["serverInfo"]["name"] == "memory"
    assert answers[1]["result"]["instructions"]
    assert len(answers[2]["result"]["tools"]) == 5
    assert answers[5]["result"]["structuredContent"]["units"][0]["text"] == "tea is green"


def test_nothing_is_made_to_shake_hands(conversation):
    _answers, before, *_ = conversation
    assert before == [".git", "project", "storage"]


def test_a_line_that_is_no_message_is_answered_and_half_a_character_is_refused_by_name(conversation):
    answers, *_ = conversation
    assert answers[None]["error"]["code"] == -32700
    assert answers[4]["result"]["isError"] and "text" in answers[4]["result"]["content"][0]["text"]


def test_what_a_library_prints_goes_to_the_log(conversation):
    *_, rest, log, _code = conversation
    assert rest == b""
    assert all(words in log for words in ("a library says hello", "at once", "from a child"))


def test_the_server_ends_with_its_input(conversation):
    assert conversation[-1] == 0


def test_requests_that_are_piped_in_are_answered_before_the_end(tmp_path):
    with served(tmp_path) as server:
        lines = [json.dumps(each) for each in (HELLO, LIST, call(3, "record_memory", text="tea is green"))]
        told, log = server.communicate("\n".join(lines).encode(), timeout=30)
    assert sorted(json.loads(line)["id"] for line in told.splitlines() if b"result" in line) == [1, 2, 3]
    assert (log, server.returncode) == (b"", 0)


def test_the_server_ends_with_its_input_while_it_embeds(tmp_path):
    roots(tmp_path)
    with opened(tmp_path) as memory:
        for number in range(150):
            record(memory, f"{number} " + "how the cache is warmed before the release " * 40)
    with served(tmp_path) as server:
        say(server, HELLO, call(2, "memory_context"))
        assert {hear(server)["id"], hear(server)["id"]} == {1, 2}
        server.communicate(timeout=30)
    assert server.returncode == 0
    with opened(tmp_path) as memory:
        assert pending(memory) > 0


@pytest.mark.skipif(os.name == "nt", reason="there are no signals of this kind")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_at_once(tmp_path, sent):
    with served(tmp_path) as server:
        say(server, HELLO)
        hear(server)
        server.send_signal(sent)
        _told, log = server.communicate(timeout=30)
    assert (server.returncode, log) == (-sent, b"")


def test_a_server_that_nobody_asks_anything_ends_with_its_input(tmp_path):
    with served(tmp_path) as server:
        assert server.communicate(timeout=30) == (b"", b"")
        assert server.returncode == 0


@pytest.mark.parametrize("number", [0, ""])
def test_what_is_no_message_leaves_every_request_its_answer_at_the_end(tmp_path, number):
    with served(tmp_path) as server:
        say(server, HELLO, call(2, "record_memory", text="the first one makes the store"))
        hear(server)
        hear(server)
        (path,) = tmp_path.rglob("memory.sqlite3")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("begin immediate")
            say(server, call(number, "record_memory", text="this one waits"), "this is no JSON")
            assert hear(server)["id"] is None
            server.stdin.close()
            # The server has seen the end by then, and the answer is still due.
            time.sleep(0.3)
        answered = hear(server)
    # The SDK answers what it drops with an error.
    assert (answered["id"], "result" in answered) == (number, True)


def test_a_client_that_stops_reading_is_no_error(tmp_path):
    with served(tmp_path) as server:
        say(server, HELLO)
        hear(server)
        server.stdout.close()
        say(server, LIST)
        server.stdin.close()
        assert server.wait(timeout=30) == 0
        assert server.stderr.read() == b""


def test_a_client_that_stops_reading_ends_the_server_though_its_input_stays_open(tmp_path):
    with served(tmp_path) as server:
        say(server, HELLO)
        hear(server)
        server.stdout.close()
        say(server, LIST)
        assert server.wait(timeout=30) == 0


def test_a_record_that_waits_for_another_process_holds_up_nobody(tmp_path):
    with served(tmp_path) as server:
        say(server, HELLO, call(2, "record_memory", text="the first one makes the store"))
        hear(server)
        hear(server)
        (path,) = tmp_path.rglob("memory.sqlite3")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("begin immediate")
        say(server, call(3, "record_memory", text="this one waits"), call(4, "recall_memory", query="the first one"))
        answered = hear(server)
        assert answered["id"] == 4
        assert [each["text"] for each in answered["result"]["structuredContent"]["units"]] == [
            "the first one makes the store"
        ]
        other.execute("rollback")
        other.close()
        answered = hear(server)
        assert answered["id"] == 3
        assert not answered["result"]["structuredContent"].get("already_recorded")


def test_answers_larger_than_a_pipe_wait_for_a_client_that_sends_first(tmp_path):
    roots(tmp_path)
    with opened(tmp_path) as memory:
        for number in range(8):
            record(memory, f"{number} " + "how the cache is warmed before the release " * 60)
    with served(tmp_path) as server:
        asked = [call(number, "memory_context", budget=8000) for number in range(2, 42)]
        say(server, HELLO, *asked)
        answers = [server.stdout.readline() for _ in range(1 + len(asked))]
    assert sum(map(len, answers)) > 4 * 65536
    assert sorted(json.loads(line)["id"] for line in answers) == [1, *(each["id"] for each in asked)]


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell closes the streams")
@pytest.mark.parametrize("closed", ["0<&-", "1>&-"])
def test_a_caller_that_closed_a_stream_is_told_so(tmp_path, closed):
    command = [sys.executable, "-m", "memory_cli", *roots(tmp_path), "serve"]
    ended = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *command], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "one of them is closed" in ended.stderr and "Traceback" not in ended.stderr


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell closes the streams")
def test_a_caller_that_closed_the_log_is_served(tmp_path):
    command = [sys.executable, "-m", "memory_cli", *roots(tmp_path), "serve"]
    lines = "\n".join(json.dumps(each) for each in (HELLO, call(3, "record_memory", text="tea is green")))
    ended = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", *command],
        input=lines, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 0
    assert sorted(json.loads(line)["id"] for line in ended.stdout.splitlines()) == [1, 3]


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.mark.anyio
async def test_the_sdk_s_client_talks_to_it_in_the_newest_protocol(tmp_path):
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "memory_cli", *roots(tmp_path), "serve", "--tools", "all"],
        env={"HOME": str(tmp_path)}, cwd=tmp_path,
    )  # fmt: skip
    async with Client(server) as client:
        await client.call_tool("record_memory", {"text": "over a pipe"})
        found = await client.call_tool("list_memory")
    assert [each["text"] for each in found.structured_content["units"]] == ["over a pipe"]
