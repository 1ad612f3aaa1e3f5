"""The server over HTTP as a process of its own, and requests to it as they are on the wire."""

import http.client
import json
import os
import re
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from urllib.parse import urlsplit

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from typer.testing import CliRunner

from benchmarks.stores import opened, roots
from memory_cli.cli.app import app
from memory_cli.operations.category.write import write
from memory_cli.operations.record import record
from tests.conftest import SOURCES


@contextmanager
def served(folder, *options, before=()):
    """Run `memory serve --http` over the memory in folder; yield its process, which knows its address."""
    environ = {**os.environ, "HOME": str(folder), "PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-m", "memory_cli", *roots(folder), *before, "serve", "--http", "--port", "0", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environ, text=True) as running:
        try:
            said = running.stderr.readline()
            assert "http://" in said, said + running.stderr.read()
            running.address = re.search(r"http://[^/]+", said)[0]
            yield running
        finally:
            running.kill()


def asked(address, path, method="GET", body=None, **headers):
    """Make one request, with these headers and no others; return status, headers and body."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    try:
        raw = json.dumps(body).encode() if isinstance(body, dict) else body
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        given |= {"Content-Type": "application/json"} if isinstance(body, dict) else {}
        connection.request(method, path, raw, given)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


async def in_process(session, secret, name, body):
    """Ask the API of a server that is no process of its own; return status and document."""
    from memory_cli.serve.http import make_app

    app = make_app(session, host="127.0.0.1", called=print, api=True)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1") as wire:
        answer = await wire.post(f"/api/v1/{name}", json=body, headers={"Authorization": f"Bearer {secret}"})
    return answer.status_code, answer.json()


def token(folder, name, *options):
    """Make a token and return its secret."""
    done = CliRunner().invoke(app, [*roots(folder), "token", "add", name, *options, "-o", "json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["token"]


@asynccontextmanager
async def client(address, secret="", **options):
    """A client of the server, with a token or without."""
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as wire,
        Client(streamable_http_client(f"{address}/mcp", http_client=wire), **options) as agent,
    ):
        yield agent


def stocked(folder):
    """Make a memory with a statement and a category, for what is served; return its folder."""
    roots(folder)
    with opened(folder) as memory:
        record(memory, "The deploy key is in the safe.", id="safe")
        write(memory, "base", data={"a": 1})
    return folder
