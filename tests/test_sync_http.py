"""Two memories that sync over HTTP: real stores, a real server, and what may go wrong between them."""

import gzip
import json
import os

import pytest
from typer.testing import CliRunner

from benchmarks import devices_http
from benchmarks.stores import opened, roots
from memory_cli.cli.app import app
from memory_cli.memory import make_session
from memory_cli.operations.category.append import append
from memory_cli.operations.category.delete import delete
from memory_cli.operations.category.read import read
from memory_cli.operations.category.write import write
from memory_cli.operations.forget import forget
from memory_cli.operations.link import link
from memory_cli.operations.list_ import list_
from memory_cli.operations.record import record
from memory_cli.serve.api.table import ASKING
from memory_cli.serve.bind import answer, bind
from tests.between import between
from tests.doors import BY_NAME
from tests.http_server import asked, served, token

API = "/api/v1"


@pytest.fixture
def places(tmp_path):
    """The folders of two devices; the second one is served."""
    for name in ("laptop", "hub"):
        roots(tmp_path / name)
    return tmp_path / "laptop", tmp_path / "hub"


@pytest.fixture
def secret(places, monkeypatch):
    made = token(places[1], "laptop")
    monkeypatch.setenv("MEMORY_SYNC_TOKEN", made)
    monkeypatch.setenv("MEMORY_DEVICE", "laptop")
    return made


@pytest.fixture
def hub(places, secret):
    with served(places[1], "--api") as running:
        yield running


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    """A hub that takes little at a time, for what it refuses."""
    place = tmp_path_factory.mktemp("standing")
    roots(place)
    token(place, "laptop")
    before = ("--set", "sync.max_bytes=100000", "--set", "runtime.http_max_bytes=200000")
    with served(place, "--api", before=before) as running:
        running.place = place
        yield running


@pytest.fixture
def known(standing, monkeypatch):
    """The token of this test at the standing hub."""
    made = token(standing.place, f"t{os.urandom(4).hex()}")
    monkeypatch.setenv("MEMORY_SYNC_TOKEN", made)
    return made


@pytest.fixture
def sync(places):
    """Run `memory sync …` on the laptop, with the hub at an address; return the result and its document."""

    def run(address, *argv, options=()):
        remote = ("--set", f"sync.remotes=hub={address}", *options)
        done = CliRunner().invoke(app, [*roots(places[0]), *remote, "sync", *argv, "-o", "json"])
        assert not isinstance(done.exception, Exception), done.exception
        return done, json.loads(done.stdout) if done.stdout else None

    return run


def put(place, name, data):
    with opened(place) as memory:
        return write(memory, name, data=data)


def kept(place, name):
    with opened(place) as memory:
        return read(memory, name).data


def texts(place):
    with opened(place) as memory:
        return sorted(each.text for each in list_(memory, scope="global", limit=1000).units)


def test_what_either_has_comes_to_both_and_then_nothing_moves(places, hub, sync):
    laptop, other = places
    put(laptop, "base", {"editor": "vim"})
    put(other, "projects", {"memory": "open"})
    with opened(laptop) as memory:
        tea = record(memory, "Tea is drunk at four.", scope="global", tag=["home"])
        rule = record(memory, "Kettles are descaled.", kind="RULE", scope="global")
        link(memory, tea.id, rule.id, type="supports")
        append(memory, "journal", data={"did": "tests"})
    with opened(other) as memory:
        record(memory, "Coffee comes first.", scope="global")
    done, told = sync(hub.address, "run")
    assert done.exit_code == 0 and told["synced"][0]["equal"] is True
    assert texts(laptop) == texts(other) == ["Coffee comes first.", "Kettles are descaled.", "Tea is drunk at four."]
    assert kept(other, "base") == {"editor": "vim"} and kept(laptop, "projects") == {"memory": "open"}
    assert [each["data"] for each in kept(other, "journal")["entries"]] == [{"did": "tests"}]
    again = sync(hub.address, "run")[1]["synced"][0]
    assert again["equal"] and not {"pushed", "pulled", "bytes"} & again.keys()
    assert sync(hub.address, "diff")[1]["equal"] and sync(hub.address, "status")[1]["remotes"][0]["equal"]


def test_a_deletion_travels_and_stays_one(places, hub, sync):
    laptop, other = places
    put(laptop, "base", {"a": 1})
    with opened(laptop) as memory:
        record(memory, "Of no use.", scope="global", id="useless")
    sync(hub.address, "run")
    with opened(other) as memory:
        delete(memory, "base")
        forget(memory, id=["useless"])
    sync(hub.address, "run")
    sync(hub.address, "run")
    with opened(laptop) as memory:
        assert not list_(memory, scope="global").units
    done = CliRunner().invoke(app, [*roots(laptop), "category", "read", "base"])
    assert done.exit_code == 3


def test_keys_that_each_changed_are_joined_and_what_loses_is_kept(places, hub, sync):
    laptop, other = places
    put(laptop, "base", {"a": 1, "b": 1, "c": 1})
    sync(hub.address, "run")
    put(laptop, "base", {"a": 2, "b": 1, "c": 2})
    put(other, "base", {"a": 1, "b": 2, "c": 3})
    done, told = sync(hub.address, "run")
    assert done.exit_code == 0 and told["synced"][0]["conflicts"][0]["key"] == "base"
    assert kept(laptop, "base") == kept(other, "base") and kept(laptop, "base") == {"a": 2, "b": 2, "c": 3}
    assert sync(hub.address, "conflicts")[1]["conflicts"][0]["lost"]


def test_one_direction_moves_in_that_direction_alone(places, hub, sync):
    laptop, other = places
    put(laptop, "mine", {})
    put(other, "theirs", {})
    assert sync(hub.address, "push")[1]["synced"][0]["pushed"] == 1
    assert kept(other, "mine") == {} and not (laptop / "storage/memory/default/categories/theirs.json").exists()
    assert sync(hub.address, "pull")[1]["synced"][0]["pulled"] == 1 and kept(laptop, "theirs") == {}


def test_a_project_syncs_with_the_project_that_is_served(places, hub, sync):
    with opened(places[0]) as memory:
        record(memory, "Of this project.", scope="local")
    sync(hub.address, "run", "--scope", "local")
    with opened(places[1]) as memory:
        assert [each.text for each in list_(memory, scope="local").units] == ["Of this project."]
    assert texts(places[1]) == []


def test_what_is_too_much_at_a_time_is_moved_in_parts_and_what_is_too_much_alone_is_named(places, secret, sync):
    laptop, other = places
    with opened(laptop) as memory:
        for number in range(20):
            record(memory, f"Statement {number}. " + os.urandom(500).hex(), scope="global")
        whole = record(memory, os.urandom(6000).hex(), scope="global").id
    with served(other, "--api", before=("--set", "sync.max_bytes=10000")) as running:
        done, said = sync(running.address, "run")
    assert done.exit_code == 1 and [each["key"] for each in said["synced"][0]["refused"]] == [whole]
    assert said["synced"][0]["pushed"] == 20 and len(texts(other)) == 20


def test_small_batches_bring_all_over(places, hub, sync):
    laptop, other = places
    with opened(laptop) as memory:
        for number in range(25):
            record(memory, f"Statement {number}.", scope="global")
    assert sync(hub.address, "run", options=("--set", "sync.batch_items=4"))[1]["synced"][0]["pushed"] == 25
    assert texts(laptop) == texts(other)


@pytest.mark.parametrize("refusal, code, says", [
    ("token", 5, "memory token add"),
    ("no token", 2, "MEMORY_SYNC_TOKEN"),
    ("odd token", 2, "holds what no token does"),
    ("narrow", 5, "does not open sync/digest"),
    ("offline", 5, "runtime.offline"),
    ("nobody", 1, "hub"),
    ("elsewhere", 1, "404"),
])  # fmt: skip
def test_a_remote_that_refuses_is_named_with_the_way_out(
    places, standing, known, sync, monkeypatch, refusal, code, says
):
    put(places[0], "base", {"a": 1})
    address, options = standing.address, ()
    if refusal == "token":
        monkeypatch.setenv("MEMORY_SYNC_TOKEN", "mem_" + "x" * 40)
    elif refusal == "no token":
        monkeypatch.delenv("MEMORY_SYNC_TOKEN")
    elif refusal == "odd token":
        monkeypatch.setenv("MEMORY_SYNC_TOKEN", "mem_x\r\nHost: evil")
    elif refusal == "narrow":
        monkeypatch.setenv("MEMORY_SYNC_TOKEN", token(standing.place, "narrow", "--tools", "core"))
    elif refusal == "offline":
        options = ("--set", "runtime.offline=true")
    elif refusal == "nobody":
        address = "http://127.0.0.1:9"
    elif refusal == "elsewhere":
        address = f"{standing.address}/elsewhere"
    done, _told = sync(address, "run", options=options)
    assert done.exit_code == code and says in done.stderr and "Traceback" not in done.output, done.output
    assert not (standing.place / "storage/memory/default/categories/base.json").exists()


def test_a_token_gives_what_its_device_may_write_and_the_rest_is_named(places, secret, sync):
    laptop, other = places
    rules = ("--set", "acl.admin_devices=hub", "--set", "acl.device_categories=laptop", "--set", "acl.device_name=hub")
    put(laptop, "laptop", {"mine": 1})
    put(laptop, "base", {"not": "mine"})
    with opened(laptop) as memory:
        record(memory, "A statement goes along.", scope="global")
    with served(other, "--api", before=rules) as running:
        done, told = sync(running.address, "run")
        assert done.exit_code == 1
        refused = told["synced"][0]["refused"]
        assert [each["key"] for each in refused] == ["base"] and "admin_devices" in refused[0]["why"]
        assert kept(other, "laptop") == {"mine": 1} and texts(other) == ["A statement goes along."]
        assert [each["key"] for each in sync(running.address, "push")[1]["synced"][0]["refused"]] == ["base"]
    assert not (other / "storage/memory/default/categories/base.json").exists()


def test_a_sync_that_was_cut_off_goes_on(places, secret, sync):
    laptop, other = places
    with opened(laptop) as memory:
        for number in range(12):
            record(memory, f"Statement {number}.", scope="global")
    small = ("--set", "sync.batch_items=3")
    with served(other, "--api") as running, between(running.address, fails_after=5) as broken:
        done, _told = sync(broken.address, "run", options=small)
        assert done.exit_code == 1 and "hub" in done.stderr
        assert 0 < len(texts(other)) < 12
        done, told = sync(running.address, "run", options=small)
        assert told["synced"][0]["equal"] and texts(other) == texts(laptop)


@pytest.mark.parametrize("mood", ["moved", "nonsense", "list", "endless", "huge number", "bad vector"])
def test_what_a_remote_answers_is_not_believed(places, secret, sync, mood):
    put(places[0], "base", {"a": 1})
    with between("", mood=mood) as odd:
        done, _told = sync(odd.address, "run", options=("--set", "sync.max_bytes=100000"))
    assert done.exit_code == 1 and "hub" in done.stderr, done.output
    assert odd.elsewhere == []
    assert kept(places[0], "base") == {"a": 1}


@pytest.mark.parametrize("body, kind, status", [
    (b"", "application/gzip", 422),
    (b"no envelope", "application/gzip", 422),
    (gzip.compress(b"0" * 50_000_000, mtime=0), "application/gzip", 413),
    (gzip.compress(b'{"format": "memory-sync", "version": 9}\n', mtime=0), "application/gzip", 409),
    (b"{}", "application/json", 415),
    (b"0" * 200_001, "application/gzip", 413),
], ids=["empty", "no gzip", "huge", "of another version", "no envelope", "too large"])  # fmt: skip
def test_an_envelope_that_is_none_is_refused(standing, known, body, kind, status):
    bearer = {"Authorization": f"Bearer {known}", "Content-Type": kind}
    found, _told, raw = asked(standing.address, f"{API}/sync/import", "POST", body, **bearer)
    assert found == status and json.loads(raw)["error"]


def test_what_an_export_gives_an_import_takes(places, hub, secret):
    put(places[1], "base", {"a": 1})
    bearer = {"Authorization": f"Bearer {secret}"}
    digest = json.loads(asked(hub.address, f"{API}/sync/digest", "POST", {}, **bearer)[2])
    rows = json.loads(asked(hub.address, f"{API}/sync/rows", "POST", {"buckets": [*digest["buckets"]]}, **bearer)[2])
    assert [each["key"] for each in rows["rows"]] == ["base"]
    assert json.loads(asked(hub.address, f"{API}/manifest", **bearer)[2])["root"] == digest["root"]
    status, headers, raw = asked(hub.address, f"{API}/sync/export", "POST", {"items": ["category/base/"]}, **bearer)
    assert (status, headers["content-type"]) == (200, "application/gzip") and b'"a\\": 1' in gzip.decompress(raw)
    packed = {**bearer, "Content-Type": "application/gzip"}
    taken = json.loads(asked(hub.address, f"{API}/sync/import", "POST", raw, **packed)[2])
    assert taken == {"unchanged": 1}
    for odd in ("base", "category/base", "//", "nothing/x/"):
        status, _headers, raw = asked(hub.address, f"{API}/sync/export", "POST", {"items": [odd]}, **bearer)
        assert status == (200 if odd == "nothing/x/" else 422), odd


def test_two_remotes_are_synced_though_one_is_away(places, hub, sync):
    put(places[0], "base", {"a": 1})
    away = ("--set", f"sync.remotes=away=http://127.0.0.1:9,hub={hub.address}")
    done, told = sync(hub.address, "run", options=away)
    assert done.exit_code == 1 and told["failed"][0].startswith("away:") and told["synced"][0]["equal"]


@pytest.mark.parametrize("name", sorted(ASKING))
def test_what_a_sync_answers_is_the_structured_content(places, standing, known, sync, name):
    operation = BY_NAME[name]
    settings = (f"sync.remotes=hub={standing.address}",)
    sync(standing.address, "run")
    answers = []
    for number, door in enumerate(("command", "tool")):
        if name != "sync diff" or not number:
            put(places[0], f"{operation.name}-here", {"n": number})
            put(standing.place, f"{operation.name}-there", {"n": number})
        if door == "command":
            done, told = sync(standing.address, operation.name)
            assert done.exit_code == 0
        else:
            session = make_session(
                project_root=places[0] / "project", storage_root=places[0] / "storage", assignments=settings,
                source="mcp",
            )  # fmt: skip
            result = answer(bind(operation), session, {}, lambda done, total, message: None)
            assert not result.is_error, result.content
            told = result.structured_content
        for each in told.get("synced", ()):
            assert each.pop("bytes") > 0 and each.pop("root")
        answers.append(told)
    assert answers[0] == answers[1] and answers[0]


def test_a_proxy_of_the_environment_is_not_asked_for_what_is_on_this_machine(
    places, standing, known, sync, monkeypatch
):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert sync(standing.address, "run")[0].exit_code == 0


def test_devices_that_sync_at_random_and_are_killed_come_to_the_same_and_lose_nothing(tmp_path, elsewhere):
    said = devices_http.once(tmp_path, seed=11, steps=24)
    assert said.endswith("apart=0 lost=0"), said
