"""What a server keeps open between its calls, and when it lets go of it."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from memory_cli.errors import Refused
from memory_cli.memory import LOCAL, open_memory
from memory_cli.operations.list_ import list_
from memory_cli.operations.record import record
from memory_cli.operations.restore import restore
from memory_cli.operations.snapshot import snapshot
from memory_cli.store import swapping
from memory_cli.store.kept import Kept
from memory_cli.store.legacy import signs
from tests.conftest import SOURCES

LONG = 3600.0


@pytest.fixture
def server(session):
    """Return a session whose connections are kept until the test ends."""
    kept = Kept(quiet=LONG)
    yield replace(session, kept=kept)
    kept.close()


def remember(session, text):
    with open_memory(session) as memory:
        return record(memory, text).id


def texts(session):
    with open_memory(session) as memory:
        return [each.text for each in list_(memory).units]


def executed(session, do):
    """Return the SQL that a call executes on the connection that is kept for it."""
    seen = []
    with open_memory(session) as memory:
        memory.stores(LOCAL)[0].db.set_trace_callback(lambda sql: None if sql.startswith("--") else seen.append(sql))
    do()
    with open_memory(session) as memory:
        memory.stores(LOCAL)[0].db.set_trace_callback(None)
    return seen


def test_many_calls_open_one_connection(server):
    opened = []
    # A hook cannot be taken away, so it stops to listen.
    listening = [True]
    sys.addaudithook(lambda event, given: opened.append(given) if listening and event == "sqlite3.connect" else None)
    for number in range(5):
        remember(server, f"tea number {number}")
    listening.clear()
    assert len([each for each in opened if "mode=rw" in str(each)]) == 1
    assert len(texts(server)) == 5


def test_a_record_is_one_transaction_and_few_statements(server):
    remember(server, "tea is green")
    seen = executed(server, lambda: remember(server, "coffee is black"))
    assert [each.lower() for each in seen].count("commit") == 1
    assert len([each for each in seen if "words_" not in each]) <= 32, seen


def test_a_store_that_is_new_is_known_as_ours_by_its_file(session, server):
    remember(server, "tea is green")
    assert signs.is_marked_ours(session.roots.local_store / "memory.sqlite3")


def test_two_calls_at_once_have_a_connection_each(server):
    remember(server, "tea is green")
    with open_memory(server) as one, open_memory(server) as other:
        assert one.stores(LOCAL)[0].db is not other.stores(LOCAL)[0].db


def test_a_call_that_fails_leaves_no_transaction_to_the_next(server):
    remember(server, "tea is green")
    with pytest.raises(ZeroDivisionError), open_memory(server) as memory:
        memory.stores(LOCAL)[0].db.execute("begin immediate")
        raise ZeroDivisionError
    assert remember(server, "coffee is black")


def test_a_connection_that_broke_fails_no_call_that_was_done(server):
    remember(server, "tea is green")
    with open_memory(server) as memory:
        memory.stores(LOCAL)[0].db.close()
    assert texts(server) == ["tea is green"]


def test_what_another_process_writes_is_read(session, server):
    remember(server, "tea is green")
    remember(session, "coffee is black")
    assert texts(server) == ["coffee is black", "tea is green"]


def test_a_trigger_that_somebody_adds_meanwhile_is_refused(session, server):
    remember(server, "tea is green")
    with closing(sqlite3.connect(session.roots.local_store / "memory.sqlite3")) as db:
        db.execute("create trigger odd after insert on statement begin delete from statement; end")
    with pytest.raises(Refused, match="trigger odd"):
        remember(server, "coffee is black")


def test_a_file_that_took_the_place_of_the_store_is_the_one_that_is_used(session, server, tmp_path):
    remember(session, "tea is green")
    with open_memory(session) as memory:
        kept = snapshot(memory, str(tmp_path / "kept")).directory
    remember(server, "coffee is black")
    with open_memory(server) as memory:
        restore(memory, kept, scope=LOCAL, yes=True)
    assert texts(server) == ["tea is green"]
    remember(server, "milk is white")
    assert texts(session) == ["milk is white", "tea is green"]


def test_a_server_that_nobody_calls_is_in_nobodys_way(session):
    server = replace(session, kept=Kept(quiet=0.01))
    path = session.roots.local_store / "memory.sqlite3"
    remember(server, "tea is green")
    log = path.with_name("memory.sqlite3-wal")
    for _ in range(1000):
        if not log.exists():
            break
        time.sleep(0.01)
    swapping.require_alone(path)
    assert texts(server) == ["tea is green"]


@pytest.fixture
def database(memory, tmp_path):
    assert memory("record", "green tea cools").exit_code == 0
    return tmp_path / "project/.memory-rag/memory.sqlite3"


class Server:
    """A server on standard streams, and what it answers."""

    def __init__(self, roots):
        command = [sys.executable, "-m", "memory_cli", *roots, "serve"]
        environ = {**os.environ, "PYTHONPATH": str(SOURCES)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environ
        )
        told = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.ask("initialize", told)

    def ask(self, method, given):
        said = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
        self.process.stdin.write(json.dumps(said) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def __call__(self, tool, **given):
        return self.ask("tools/call", {"name": tool, "arguments": given})


@contextmanager
def talking(roots):
    server = Server(roots)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


def opened_by(process):
    for file in Path(f"/proc/{process}/fd").iterdir():
        # What was there a moment ago may be closed by now.
        with suppress(FileNotFoundError):
            yield os.readlink(file)


ALONE = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=0)
try:
    print(db.execute("pragma journal_mode = delete").fetchone()[0])
except sqlite3.OperationalError:
    print("in use")
"""


@pytest.mark.skipif(os.name == "nt", reason="There a lock is of its handle.")
@pytest.mark.parametrize("line", [
    "list", "recall tea --words", "status", "doctor", "doctor --fix", "verify", "stats", "context", "reindex --words",
    "snapshot {place}/kept", "export --to {place}/out", "import {place}/project/.memory-rag/memory.sqlite3",
    "sync status --scope local", "sync folder {place}/carried --scope local", "category list",
    "category write base {{}}", "restore {place}/before",
])  # fmt: skip
def test_nothing_that_a_process_does_takes_the_locks_of_its_own_connections_away(memory, database, tmp_path, line):
    memory("snapshot", str(tmp_path / "before"))
    with closing(sqlite3.connect(database)) as db:
        db.execute("select count(*) from statement").fetchone()
        memory(*line.format(place=tmp_path).split())
        asked = subprocess.run([sys.executable, "-c", ALONE, str(database)], capture_output=True, text=True, check=True)
        assert asked.stdout.strip() == "in use"


def test_what_servers_and_commands_record_by_turns_outlives_them_all(roots, program):
    """Each command is the last to close the store, unless it sees that the servers have it open."""
    with talking(roots) as first, talking(roots) as second:
        said = []
        for number, who in enumerate((first, None, first, first, None, second, first, None, second)):
            text = f"statement number {number}"
            if who is None:
                assert program("record", text).returncode == 0
            else:
                assert not who("record_memory", text=text).get("isError")
            said.append(text)
        if Path("/proc").exists():
            for each in (first, second):
                open_files = list(opened_by(each.process.pid))
                assert not [name for name in open_files if "sqlite3" in name and "deleted" in name]
        first.process.kill()
        second.process.kill()
        first.process.wait()
        second.process.wait()
    kept = json.loads(program("list", "-o", "json").stdout)["units"]
    assert sorted(each["text"] for each in kept) == sorted(said)
