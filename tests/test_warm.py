"""A running server answers the command line, and nothing is different for it but the time."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_cli import warm
from memory_cli.memory import make_session, open_memory
from memory_cli.models.document import document, restored
from memory_cli.models.results import Recalled
from memory_cli.operations.record import record
from memory_cli.serve.helper import run
from memory_cli.serve.server import nobody
from memory_cli.serve.warm import Listener
from memory_cli.store.moments import stored
from memory_cli.surface import OPERATIONS

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no such socket")
WORDS = {"query": "how do we deploy", "words": True}
ANSWERED = [each for each in OPERATIONS if each.name in warm.OPERATIONS]
ARGUMENTS = {"recall": WORDS | {"explain": True}, "context": {"budget": 500}}
LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}},
}  # fmt: skip


@pytest.fixture
def told(roots):
    """The session of a command line in the test's project, where two statements are."""
    session = make_session(**named(roots), source="cli")
    with open_memory(session) as memory:
        record(memory, "Deploys need two reviews.", kind="rule", tag=["team"], meta={"n": 1})
        record(memory, "Deploy on Mondays, with 🍵.", scope="global")
    return session


@pytest.fixture
def listener(told):
    """A server's listener beside the test; its clock, unlike the test's, stands still."""
    made = Listener(replace(told, clock=lambda: LONG_AGO), nobody)
    made.start()
    yield made
    made.close()


@pytest.fixture
def hanging(told):
    """Something that listens where a server would, and says nothing."""
    folder = next(warm.folders(told.environ))
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / f"{warm.key(told)[:16]}.1"))
        listening.listen()
        yield listening


@pytest.fixture
def start(roots):
    """Start a server as a process, and return it when it answers."""
    started = []

    def run():
        command = [sys.executable, "-m", "memory_cli", *roots, "serve"]
        environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ)
        started.append(server)
        server.stdin.write(json.dumps(HELLO).encode() + b"\n")
        server.stdin.flush()
        assert server.stdout.readline()
        return server

    yield run
    for each in started:
        each.kill()
        each.wait()
        each.stdin.close()
        each.stdout.close()


def named(roots):
    return dict(zip(("project_root", "storage_root"), map(Path, roots[1::2]), strict=True))


def here(session, operation, **arguments):
    with open_memory(session) as memory:
        return operation(memory, **arguments)


def answered(session, **arguments):
    return warm.ask(session, "recall", WORDS | arguments, Recalled)


@pytest.mark.parametrize("operation", ANSWERED, ids=lambda each: each.name)
def test_the_answer_is_the_same_as_here(told, listener, operation):
    arguments = ARGUMENTS[operation.name]
    there = warm.ask(told, operation.name, arguments, operation.returns)
    assert len(there.units) == 2
    with open_memory(told) as memory:
        for store in memory.stores():
            store.db.execute("update statement set recalls = 0, last_recalled_at = null")
    assert there == here(told, operation.function, **arguments)


@pytest.mark.parametrize("output", ["json", "plain", "table"])
def test_what_is_printed_is_the_same_to_the_byte(told, listener, memory, tmp_path, output):
    for folder in ("project", "storage"):
        shutil.copytree(tmp_path / folder, tmp_path / "kept" / folder)
    asking = ["recall", "how do we deploy", "--words", "--explain", "--limit", "1", "-o", output]
    there = memory(*asking)
    listener.close()
    for folder in ("project", "storage"):
        shutil.rmtree(tmp_path / folder)
        shutil.copytree(tmp_path / "kept" / folder, tmp_path / folder)
    assert (there.stdout, there.stderr) == ((alone := memory(*asking)).stdout, alone.stderr)


@pytest.mark.parametrize("operation", ANSWERED, ids=lambda each: each.name)
def test_a_result_survives_the_way(told, operation):
    with open_memory(told) as memory:
        record(memory, "Go on with tea.", kind="handoff")
    found = here(told, operation.function, **ARGUMENTS[operation.name])
    assert restored(operation.returns, json.loads(json.dumps(document(found)))) == found


def test_it_is_the_server_that_answers_and_a_recall_counts_once(told, listener, memory):
    assert "reviews" in memory("recall", "deploys", "--words").stdout
    with open_memory(told) as memory:
        (counted,) = memory.store("local").db.execute("select recalls, last_recalled_at from statement")
    assert tuple(counted) == (1, stored(LONG_AGO))


def test_other_settings_and_roots_are_no_business_of_a_server(told, listener, roots, tmp_path):
    others = [
        make_session(**named(roots), assignments=["retrieval.limit=3"], source="cli"),
        make_session(storage_root=tmp_path / "storage", source="cli"),
        make_session(project_root=tmp_path / "project", storage_root=tmp_path, source="cli"),
    ]
    assert answered(told)
    assert [answered(each) for each in others] == [None] * 3


def test_another_version_is_not_answered(told, listener, monkeypatch):
    monkeypatch.setattr(warm, "__version__", "0.0.1")
    assert answered(told) is None


def test_a_greeting_of_something_else_is_not_believed(told, hanging):
    def greet():
        wire, _ = hanging.accept()
        with wire:
            wire.sendall(warm.greeting(told).replace(b"memory", b"remember"))

    greeting = threading.Thread(target=greet)
    greeting.start()
    assert answered(told) is None
    greeting.join()


def test_who_asks_and_in_which_zone_is_as_it_would_be_here(told, listener):
    east, west = (replace(told, environ={**told.environ, "TZ": zone}) for zone in ("Etc/GMT-14", "Etc/GMT+12"))
    spans = {"since": "2001-01-01T13:00", "until": "2001-01-01T15:00"}
    with open_memory(replace(told, clock=lambda: LONG_AGO)) as memory:
        record(memory, "Deploys were done by hand.")
    assert [len(answered(each, **spans).units) for each in (east, west)] == [1, 0]


def test_what_a_server_refuses_is_refused_here(told, listener, memory):
    assert answered(told, query=" ") is None
    refused = memory("recall", " ")
    assert refused.exit_code == 2 and "query is empty" in refused.stderr


def test_a_server_that_hangs_is_passed_over(told, hanging, memory):
    assert answered(told) is None
    assert "reviews" in memory("recall", "deploys", "--words").stdout


def test_a_dead_socket_is_passed_over_and_the_next_server_removes_it(told, hanging):
    hanging.close()
    assert answered(told) is None
    living = Listener(told, nobody)
    living.start()
    assert answered(told) and len(list(warm.listening(told))) == 1
    living.close()
    assert not next(warm.folders(told.environ)).exists()


def test_only_the_owner_can_reach_a_socket(told, listener):
    (path,) = warm.listening(told)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.parent.chmod(0o755)
    assert not list(warm.listening(told))


def test_the_process_at_the_other_end_must_be_the_users(monkeypatch):
    one, other = socket.socketpair()
    with one, other:
        assert warm.is_own(one)
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        assert not warm.is_own(one)


def test_without_a_folder_of_its_own_a_server_says_that_it_answers_nobody(told, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    made = Listener(replace(told, environ={"XDG_RUNTIME_DIR": str(tmp_path), "TMPDIR": str(tmp_path)}), nobody)
    made.start()
    made.close()
    assert "gets no answers from this server" in caplog.text


def test_a_path_too_long_for_a_socket_leads_to_the_next_folder(told, tmp_path):
    far = tmp_path / ("x" * 100)
    far.mkdir(mode=0o700)
    session = replace(told, environ={"XDG_RUNTIME_DIR": str(far)})
    made = Listener(session, nobody)
    made.start()
    assert answered(session)
    made.close()


def test_a_client_that_goes_or_talks_nonsense_does_no_harm(told, listener, caplog):
    (path,) = warm.listening(told)
    for said in (b"", b"{", b"nonsense\n", b'{"operation": "record"}\n', b"[]\n", b"x" * (warm.LONGEST_REQUEST + 2)):
        with socket.socket(socket.AF_UNIX) as wire:
            wire.connect(str(path))
            try:
                wire.sendall(said)
            except BrokenPipeError:
                assert len(said) > warm.LONGEST_REQUEST
    while not (found := answered(told)):
        continue
    assert found.units and not caplog.text


def test_many_ask_at_once_and_each_gets_its_answer_or_none(told, listener):
    found = []
    asking = [threading.Thread(target=lambda: found.append(answered(told))) for _ in range(12)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert len(found) == 12 and {len(each.units) for each in found if each} == {2}


def test_only_what_reads_is_answered():
    assert {each.effect.value for each in ANSWERED} == {"reads"} and len(ANSWERED) == len(warm.OPERATIONS)


def test_a_second_server_goes_on_when_the_first_ends_and_nothing_is_left(told, start):
    first, second = start(), start()
    assert len(list(warm.listening(told))) == 2
    first.send_signal(signal.SIGTERM)
    assert first.wait(10) == -signal.SIGTERM
    assert len(list(warm.listening(told))) == 1 and answered(told)
    second.stdin.close()
    assert second.wait(10) == 0
    assert not next(warm.folders(told.environ)).exists()


def helping(session, idle, **how):
    """Run a helper in a thread, and return the thread when the helper answers or has ended."""
    thread = threading.Thread(target=run, args=(session, idle), kwargs=how)
    thread.start()
    while thread.is_alive() and not answered(session):
        continue
    return thread


def test_a_helper_answers_is_shown_by_status_and_stopped_by_its_command(told, memory):
    thread = helping(told, 600)
    assert "A helper (process" in memory("status").stderr
    stopped = memory("helper", "stop", "-o", "json")
    thread.join()
    assert json.loads(stopped.stdout) == {"stopped": 1}
    assert answered(told) is None and not next(warm.folders(told.environ)).exists()
    assert json.loads(memory("helper", "stop", "-o", "json").stdout) == {"stopped": 0}


def test_a_helper_ends_when_it_is_idle_and_when_its_memory_is_gone(told):
    helping(told, 0.01).join()
    assert not list(warm.listening(told))
    thread = helping(told, 600, look=0.01)
    for folder in (told.roots.project, told.roots.storage):
        shutil.rmtree(folder)
    thread.join()
    assert not list(warm.listening(told))


def test_one_helper_is_enough_and_a_server_is_never_stopped(told, listener, memory):
    run(told, 600)
    assert json.loads(memory("helper", "stop", "-o", "json").stdout) == {"stopped": 0}
    (path,) = warm.listening(told)
    assert not warm.stop(path) and answered(told)


def test_a_recall_by_meaning_leaves_a_helper_where_one_is_wanted(told, program, memory):
    wanted = ("--set", "runtime.helper=600")
    assert program(*wanted, "recall", "deploys", "--words").returncode == 0
    assert not list(warm.sockets(told.environ))
    assert program(*wanted, "recall", "deploys").returncode == 0
    while not any(each.name.endswith(warm.HELPER) for each in warm.sockets(told.environ)):
        time.sleep(0.01)
    assert program(*wanted, "status").stderr.count(b"A helper") == 1
    assert json.loads(memory("helper", "stop", "-o", "json").stdout) == {"stopped": 1}
