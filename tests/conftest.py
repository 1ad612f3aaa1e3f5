"""Fixtures: a project and a storage root of its own for each test, and both front ends over them."""

import json
import os

# typer reads these once, when it is imported.
os.environ |= {"TERMINAL_WIDTH": "80", "COLUMNS": "80", "NO_COLOR": "1", "_TYPER_FORCE_DISABLE_TERMINAL": "1"}

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_cli.cli.app import app
from memory_cli.memory import make_session

SOURCES = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path_factory, monkeypatch):
    """Make the directories and the settings of whoever runs the tests unreachable; return the folder that stands in."""
    place = tmp_path_factory.mktemp("user")
    for variable in os.environ:
        if variable.startswith(("MEMORY_", "XDG_", "ULTRARAG_")):
            monkeypatch.delenv(variable)
    for folder in ("home", "somewhere", "run"):
        (place / folder).mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place / "run"))
    monkeypatch.setenv("HOME", str(place / "home"))
    monkeypatch.setenv("USERPROFILE", str(place / "home"))
    monkeypatch.chdir(place / "somewhere")
    return place


@pytest.fixture
def roots(tmp_path):
    """The global options that name a project and a storage root of the test's own."""
    (tmp_path / "project").mkdir()
    return ["--project-root", str(tmp_path / "project"), "--storage-root", str(tmp_path / "storage")]


@pytest.fixture
def memory(roots):
    """Run the program in process: memory("recall", "tea")."""

    def run(*argv, **kwargs):
        return CliRunner().invoke(app, [*roots, *argv], prog_name="memory", **kwargs)

    return run


@pytest.fixture
def category(memory):
    """Run `memory category …` and return its document, or its error where a code is expected."""

    def run(*argv, code=0, **kwargs):
        done = memory("category", *argv, "-o", "json", **kwargs)
        assert not isinstance(done.exception, Exception), done.exception
        assert done.exit_code == code, done.output
        return json.loads(done.stdout) if done.stdout else done.stderr

    return run


@pytest.fixture
def program(roots):
    """Run the program as a process of its own."""

    def run(*argv, env=None, **kwargs):
        environ = {**os.environ, "PYTHONPATH": str(SOURCES), **(env or {})}
        command = [sys.executable, "-m", "memory_cli", *roots, *argv]
        return subprocess.run(command, capture_output=True, check=False, env=environ, timeout=60, **kwargs)

    return run


@pytest.fixture
def session(roots):
    """The session of a process in the test's project."""
    named = dict(zip(("project_root", "storage_root"), map(Path, roots[1::2]), strict=True))
    return make_session(**named, source="test")


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
async def agent(session):
    """A client of the server, which offers every tool."""
    from mcp import Client

    from memory_cli.serve.server import make_server

    async with Client(make_server(session, "all"), raise_exceptions=True) as client:
        yield client


@pytest.fixture
def anna(tmp_path):
    """A machine that shares a folder with bert's."""
    from tests.devices import Device

    return Device(tmp_path / "anna", "anna", tmp_path / "shared")


@pytest.fixture
def bert(tmp_path):
    """Another one."""
    from tests.devices import Device

    return Device(tmp_path / "bert", "bert", tmp_path / "shared")
