import json
import re
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

import memory_cli
from benchmarks.stores import roots as made_roots
from memory_cli.errors import MemoryCliError, UsageError
from memory_cli.web.server import prepare
from tests.web import serving


def test_only_this_machine_is_listened_to(session):
    for host in ("0.0.0.0", "192.168.0.1", "example.com", "::"):
        with pytest.raises(UsageError, match=re.escape(host)):
            prepare(session, host=host, port=0)


@pytest.mark.skipif(not socket.has_ipv6, reason="there is no IPv6")
def test_it_listens_on_the_other_kind_of_address(session):
    with serving(session, "::1") as address, httpx2.Client(follow_redirects=True) as client:
        assert address.startswith("http://[::1]:")
        assert "<title>memory</title>" in client.get(address).text


def test_a_port_that_is_taken_is_said(session, memory):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(MemoryCliError, match=f"{port}.*--port"):
            prepare(session, host="127.0.0.1", port=port)
        done = memory("ui", "--port", str(port))
        assert done.exit_code == 1 and str(port) in done.stderr and done.stdout == ""
        assert memory("ui", "--host", "0.0.0.0").exit_code == 2


@contextmanager
def started(folder, *argv):
    command = [sys.executable, "-m", "memory_cli", *made_roots(folder), *argv]
    environ = {"HOME": str(folder), "PYTHONPATH": str(Path(memory_cli.__file__).parents[1])}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environ, cwd=folder, text=True) as running:
        try:
            yield running
        finally:
            running.kill()


def test_the_command_prints_an_address_that_answers(tmp_path):
    with started(tmp_path, "ui", "--port", "0") as running, httpx2.Client(follow_redirects=True) as client:
        address = running.stdout.readline().strip()
        assert client.get(address).status_code == 200
        for name in ("overview", "statements", "statements?query=tea", "handoff", "history", "health"):
            assert client.get(address.partition("?")[0] + f"api/{name}").status_code == 200, name
        assert not list(tmp_path.rglob("memory.sqlite3"))


HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip


def test_the_server_shows_the_view_beside_its_tools_and_takes_it_along(tmp_path):
    with started(tmp_path, "serve", "--ui", "--ui-port", "0") as running:
        said = running.stderr.readline()
        address = re.search(r"http://\S+", said)[0]
        assert httpx2.get(address).status_code == 303
        running.stdin.write(json.dumps(HELLO) + "\n")
        running.stdin.flush()
        assert json.loads(running.stdout.readline())["id"] == 1
        running.stdin.close()
        running.wait(30)
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(address)


def test_a_taken_port_does_not_keep_the_tools_away(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with started(tmp_path, "serve", "--ui", "--ui-port", port) as running:
            # A server whose input has ended has no time left to say anything.
            said = running.stderr.readline()
            told, more = running.communicate(json.dumps(HELLO) + "\n", timeout=30)
    assert json.loads(told)["id"] == 1
    said += more
    assert port in said and "--ui-port" in said and len(said.splitlines()) == 1
