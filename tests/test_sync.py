"""Sync through a folder, as whoever has two devices meets it: what travels, what is refused, what is kept."""

import gzip
import json
from hashlib import sha256
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.stores import opened, roots
from memory_cli.cli.app import app
from memory_cli.models.sync import Parcel, Row
from memory_cli.sync import envelope
from memory_cli.sync.contents import hash_of

STRANGER = "ab" * 8
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
PLAIN = {"kind": "memory", "text": "{}"}
SAID = {
    "kind": "ITEM",
    "at": 1,
    "updated_at": 1,
    "expires_at": None,
    "metadata": {},
    "superseded": False,
    "aliases": [],
}


TOLD = {**SAID, "text": "told words", "origins": [["eve", "chat", []]]}


class Answer(dict):
    """An answer as JSON, which leaves out what is empty, 0 or false."""

    def __missing__(self, name):
        return ()


class Device:
    """One of the machines of somebody who has several."""

    def __init__(self, place, name, carried):
        self.place, self.name, self.carried = place, name, carried
        self.flags = roots(place)

    def run(self, *argv, code=0):
        done = CliRunner().invoke(
            app, [*self.flags, *argv, "-o", "json"], env={"MEMORY_DEVICE": self.name}, prog_name="memory"
        )
        assert not isinstance(done.exception, Exception), done.exception
        assert done.exit_code == code, done.output
        self.said = done.stderr
        return json.loads(done.stdout, object_hook=Answer) if done.stdout else done.stderr

    def record(self, text, *argv):
        return self.run("record", text, "--scope", "global", *argv)["id"]

    def write(self, name, data, *argv, **kwargs):
        return self.run("category", "write", name, json.dumps(data), *argv, **kwargs)

    def read(self, name, **kwargs):
        return self.run("category", "read", name, **kwargs)["data"]

    def sync(self, *argv, code=0):
        return self.run("sync", "folder", str(self.carried), *argv, code=code)

    def texts(self):
        return sorted(each["text"] for each in self.run("list", "--scope", "global", "--limit", "100")["units"])

    def lost(self, scope="global"):
        return [each["lost"] for each in self.run("sync", "conflicts", "--scope", scope)["conflicts"]]


@pytest.fixture
def anna(tmp_path):
    return Device(tmp_path / "anna", "anna", tmp_path / "shared")


@pytest.fixture
def bert(tmp_path):
    return Device(tmp_path / "bert", "bert", tmp_path / "shared")


def around(*devices):
    """Sync one after the other until each has seen what every other has."""
    for each in (*devices, *devices):
        each.sync()


def said(text, **more):
    return {**SAID, "text": text, "origins": [["eve", "chat", []]], **more}


def parcel(key, content, *, hash="", family="statement"):
    return Parcel(Row(family, key, hash or hash_of(content), {STRANGER: 1}), content)


def leave(carried, *parcels, raw=b""):
    """Leave an envelope in the folder as another device would."""
    raw = raw or envelope.packed(STRANGER, "eve", parcels)
    place = carried / STRANGER
    place.mkdir(parents=True, exist_ok=True)
    name = f"00-{sha256(raw).hexdigest()[:32]}.gz"
    (place / name).write_bytes(raw)
    told = {"format": "memory-sync-folder", "version": 1, "device": STRANGER, "name": "eve", "root": "",
            "buckets": {"00": {"rows": "other", "file": name}}}  # fmt: skip
    (place / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    return place / name


def test_what_either_has_comes_to_both(anna, bert):
    tea, milk = anna.record("tea at four", "--tag", "food", "--meta", "cups=2"), bert.record("milk in it")
    bert.write("base", {"editor": "vim"})
    around(anna, bert)
    anna.run("link", tea, milk, "--type", "supports")
    around(anna, bert)
    for each in (anna, bert):
        assert each.texts() == ["milk in it", "tea at four"] and each.read("base") == {"editor": "vim"}
        assert [one["to_id"] for one in each.run("links", tea)["links"]] == [milk]
        found = each.run("show", tea)["unit"]
        assert found["tags"] == ["food"] and found["metadata"] == {"cups": "2"} and found["agents"] == ["cli"]
    assert (bert.place / "storage/memory/default/categories/base.json").read_bytes() == b'{\n  "editor": "vim"\n}'
    assert (anna.place / "storage/memory/default/categories/base.json").read_bytes() == b'{\n  "editor": "vim"\n}'
    manifests = [each.run("sync", "manifest") for each in (anna, bert)]
    assert manifests[0]["root"] == manifests[1]["root"] and manifests[0]["items"] == manifests[1]["items"]
    assert manifests[0]["total"] == 4


def test_links_come_with_their_statements_in_one_sync(anna, bert):
    ids = [anna.record(f"thing {number}") for number in range(8)]
    for each in ids[1:]:
        anna.run("link", ids[0], each, "--type", "supersedes")
    anna.sync()
    assert not bert.sync()["refused"]
    assert len(bert.run("links", ids[0])["links"]) == 7
    told = [each.run("list", "--scope", "global")["units"] for each in (anna, bert)]
    assert told[0] == told[1] and [each["superseded"] for each in told[0]] == [True] * 7 + [()]
    anna.sync()
    assert len(anna.run("links", ids[0])["links"]) == 7


def test_a_status_writes_nothing_and_says_what_waits(anna, bert):
    assert not anna.run("sync", "status")["device"]
    anna.record("tea at four")
    before = anna.run("sync", "status")
    assert not before["device"] and before["unsettled"] == 1 and "never synced" in before["note"]
    around(anna, bert)
    anna.record("milk in it")
    after = anna.run("sync", "status")
    assert after["items"] == {"statement": 2} and after["unsettled"] == 1 and not after["conflicts"]
    assert after["device"] and after == anna.run("sync", "status")


def test_an_equal_folder_is_not_written_again(anna, bert):
    anna.record("tea at four")
    around(anna, bert)
    before = {each: each.stat().st_mtime_ns for each in anna.carried.rglob("*.gz")}
    done = anna.sync()
    assert done["equal"] and not (done["pulled"] or done["pushed"] or done["bytes"])
    assert {each: each.stat().st_mtime_ns for each in anna.carried.rglob("*.gz")} == before
    assert all(each.stat().st_mode & 0o077 == 0 for each in before)


def test_a_deletion_travels_and_an_old_copy_does_not_bring_it_back(anna, bert):
    anna.record("tea at four")
    anna.write("base", {"a": 1})
    around(anna, bert)
    anna.run("forget", "tea at four")
    anna.run("category", "delete", "base")
    # What bert left in the folder still has both.
    anna.sync()
    assert anna.texts() == []
    around(bert, anna)
    assert bert.texts() == anna.texts() == [] and bert.lost() == anna.lost() == []
    bert.run("category", "read", "base", code=3)
    assert bert.run("category", "history", "base")["versions"][0]["deleted"]


def test_what_was_written_without_knowing_of_a_deletion_is_kept_and_shown(anna, bert):
    id = anna.record("tea at four")
    around(anna, bert)
    anna.run("forget", "tea at four")
    bert.run("update", id, "tea at five", "--scope", "global")
    around(anna, bert)
    assert anna.texts() == bert.texts() == ["tea at five"]
    assert [*anna.lost(), *bert.lost()] == [{"deleted": True}]


def test_keys_that_different_devices_changed_are_joined(anna, bert):
    anna.write("base", {"a": 1, "b": 1, "c": 1})
    around(anna, bert)
    anna.write("base", {"a": 2, "c": None}, "--merge")
    bert.write("base", {"b": 2, "d": 2}, "--merge")
    around(anna, bert)
    assert anna.read("base") == bert.read("base") == {"a": 2, "b": 2, "d": 2}
    assert anna.lost() == bert.lost() == []


def test_a_conflict_is_settled_by_choosing_and_the_choice_travels(anna, bert):
    anna.write("base", {"editor": "vim"})
    around(anna, bert)
    anna.write("base", {"editor": "emacs"})
    bert.write("base", {"editor": "nano"})
    anna.sync()
    assert [each["family"] for each in bert.sync()["conflicts"]] == ["category"]
    anna.sync()
    kept, other = bert.read("base")["editor"], {"nano", "emacs"} - {bert.read("base")["editor"]}
    (found,) = bert.run("sync", "conflicts")["conflicts"]
    assert {json.loads(found["lost"]["text"])["editor"]} == other and anna.read("base") == {"editor": kept}
    assert "no conflict 99" in bert.run("sync", "resolve", "99", code=3)
    assert bert.run("sync", "resolve", str(found["number"]), "--keep", "lost")["changed"]
    around(bert, anna)
    assert {anna.read("base")["editor"]} == {bert.read("base")["editor"]} == other
    assert bert.lost() == []
    bert.run("sync", "resolve", str(found["number"]), code=3)


def test_a_log_gets_the_entries_of_both_in_order_of_time(anna, bert):
    for number in range(3):
        for each in (anna, bert):
            each.run("category", "append", "journal", json.dumps({"by": each.name, "n": number}))
    around(anna, bert)
    wanted = [{"by": name, "n": number} for number in range(3) for name in ("anna", "bert")]
    for each in (anna, bert):
        assert [one["data"] for one in each.read("journal")["entries"]] == wanted
        assert len({one["id"] for one in each.read("journal")["entries"]}) == 6
    around(anna, bert)
    assert len(anna.read("journal")["entries"]) == 6


def test_a_log_and_a_plain_category_of_one_name_are_refused_by_name_and_the_rest_comes(anna, bert):
    anna.run("category", "append", "base", '{"n": 1}')
    anna.record("tea at four")
    bert.write("base", {"n": 2})
    anna.sync()
    for _ in range(2):
        done = bert.sync(code=1)
        assert [each["key"] for each in done["refused"]] == ["base"] and not done["equal"]
        assert "rename one of the two" in done["refused"][0]["why"]
    assert bert.texts() == ["tea at four"] and bert.read("base") == {"n": 2}
    # What was refused is not known here: it comes as soon as there is room for it.
    bert.run("category", "delete", "base")
    bert.sync()
    anna.sync()
    assert len(bert.read("base")["entries"]) == 1


def test_what_the_rules_of_access_forbid_is_named_and_comes_when_they_allow_it(anna, bert):
    anna.write("base", {"n": 1})
    anna.write("anna", {"n": 1})
    anna.sync()
    rules = ("--set", "acl.device_categories=anna", "--set", "acl.admin_devices=bert")
    bert.flags = [*bert.flags, *rules]
    done = bert.sync(code=1)
    assert [each["key"] for each in done["refused"]] == ["base"] and "admin_devices" in done["refused"][0]["why"]
    assert bert.read("anna") == {"n": 1}
    bert.flags = bert.flags[: -len(rules)]
    bert.sync()
    assert bert.read("base") == {"n": 1}


def test_one_thing_that_is_not_what_its_hash_says_is_named_and_the_rest_comes(anna):
    wrong = parcel("bad", said("not this"), hash="0" * 64)
    leave(anna.carried, parcel("good", said("tea at four")), wrong, parcel("empty", said(" ")),
          parcel("../x", {"kind": "memory", "text": "{}"}, family="category"),
          parcel("shape", {"kind": "memory", "text": '{"a":1}'}, family="category"))  # fmt: skip
    refused = {each["key"]: each["why"] for each in anna.sync(code=1)["refused"]}
    assert refused.keys() == {"bad", "empty", "../x", "shape"} and "hash" in refused["bad"]
    assert anna.texts() == ["tea at four"] and not anna.run("category", "list")["categories"]


@pytest.mark.parametrize("line", ["{}", '{"format":"memory-sync","version":99}', "not JSON"])
def test_an_envelope_that_is_none_is_named_and_changes_nothing(anna, line):
    anna.record("tea at four")
    for raw in (line.encode(), gzip.compress(f"{line}\n".encode())):
        leave(anna.carried, raw=raw)
        done = anna.sync()
        assert STRANGER in done["notes"][0] and not done["equal"]
    assert anna.texts() == ["tea at four"]


def test_an_envelope_that_unpacks_to_more_than_may_be_is_refused(anna):
    leave(anna.carried, raw=gzip.compress(b"0" * 3_000_000))
    anna.flags = [*anna.flags, "--set", "sync.max_bytes=1000000"]
    assert "sync.max_bytes" in json.dumps(anna.run("sync", "folder", str(anna.carried)))


def test_a_file_that_is_not_whole_yet_is_passed_over_until_it_is(anna, bert):
    anna.record("tea at four")
    anna.sync()
    (file,) = anna.carried.glob("*/*.gz")
    whole = file.read_bytes()
    file.write_bytes(whole[:50])
    done = bert.sync()
    assert not done["equal"] and "not whole" in done["notes"][0] and bert.texts() == []
    file.write_bytes(whole)
    assert bert.sync()["equal"] and bert.texts() == ["tea at four"]
    manifest = file.with_name("manifest.json")
    manifest.write_text(manifest.read_text(encoding="utf-8")[:40], encoding="utf-8")
    assert "not whole" in bert.sync()["notes"][0]
    # Whoever wrote it writes it again.
    anna.sync()
    assert not bert.sync()["notes"]


def test_no_link_in_the_folder_is_followed(anna, bert, tmp_path):
    anna.record("tea at four")
    anna.sync()
    (file,) = anna.carried.glob("*/*.gz")
    elsewhere = tmp_path / "elsewhere"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert not bert.sync()["equal"] and bert.texts() == []
    (anna.carried / STRANGER).symlink_to(tmp_path)
    assert any("passed over" in each for each in bert.sync()["notes"])
    assert "inside the memory" in bert.run("sync", "folder", str(bert.place / "storage/memory/default/x"), code=5)


def test_who_receives_blots_out_secrets_too(anna):
    leave(
        anna.carried, parcel("key", said(f"the key is {SECRET}", metadata={"also": SECRET})),
        parcel("base", {"kind": "memory", "text": json.dumps({"key": SECRET}, indent=2)}, family="category"),
    )  # fmt: skip
    told = {"at": 1, "agent": SECRET, "device": "eve", "reason": f"now {SECRET}", "ancestors": []}
    row = Row("category", "plain", hash_of(PLAIN), {STRANGER: 1})
    anna.sync()
    leave(anna.carried, Parcel(row, PLAIN, told))
    anna.sync()
    raw = b"".join(each.read_bytes() for each in anna.place.rglob("*") if each.is_file())
    assert SECRET.encode() not in raw and "the key is" in anna.texts()[0] and anna.read("base")["key"] != SECRET
    assert SECRET not in json.dumps(anna.run("sync", "conflicts"))
    # What became of it is another state, which goes to the others.
    assert anna.run("sync", "manifest")["items"][0]["vector"].keys() > {STRANGER}


def test_the_newer_of_two_handoffs_stays_and_the_other_is_kept(anna, bert):
    anna.run("handoff", "begun by anna")
    bert.run("handoff", "begun by bert")
    for each in (anna, bert, anna, bert):
        each.sync("--scope", "local")
    for each in (anna, bert):
        assert each.run("handoff")["text"] == "begun by bert"
    assert "begun by anna" in {each.get("text") for each in (*anna.lost("local"), *bert.lost("local"))}


def test_a_purge_syncs_as_a_deletion_and_leaves_no_trace(anna, bert):
    id = anna.record("a very private thing")
    around(anna, bert)
    bert.run("update", id, "another private thing", "--scope", "global")
    anna.run("update", id, "a third private thing", "--scope", "global")
    around(anna, bert)
    around(anna, bert)
    for each in (anna, bert):
        each.run("forget", "--id", id, "--purge")
        assert b"private thing" not in (each.place / "storage/memory/default/memory.sqlite3").read_bytes()
        around(anna, bert)
    assert anna.texts() == bert.texts() == [] and anna.lost() == bert.lost() == []


def test_a_purge_of_one_origin_syncs_what_is_left(anna, bert):
    anna.record("tea at four", "--agent", "one")
    anna.record("tea at four", "--agent", "two")
    around(anna, bert)
    anna.run("forget", "--agent", "one", "--purge", "--yes", "--expect", "1")
    around(anna, bert)
    assert [each["agents"] for each in bert.run("list", "--scope", "global")["units"]] == [["two"]]


def test_a_restored_memory_is_another_device_and_learns_what_came_after(anna, bert, tmp_path):
    anna.record("tea at four")
    anna.record("to be forgotten")
    around(anna, bert)
    before = anna.run("sync", "status")["device"]
    anna.run("snapshot", str(tmp_path / "kept"), "--scope", "global")
    anna.run("forget", "to be forgotten")
    anna.record("after the snapshot")
    around(anna, bert)
    anna.run("restore", str(tmp_path / "kept"), "--yes")
    anna.record("after the restore")
    assert anna.texts() == ["after the restore", "tea at four", "to be forgotten"]
    around(anna, bert)
    assert anna.run("sync", "status")["device"] != before
    assert anna.texts() == bert.texts() == ["after the restore", "after the snapshot", "tea at four"]


def test_what_a_sync_brought_is_history_and_can_be_undone(anna, bert):
    anna.record("tea at four")
    anna.sync()
    bert.sync()
    assert bert.run("history", "--scope", "global")["changes"][0]["operation"] == "sync"
    bert.run("undo", "--scope", "global")
    assert bert.texts() == []
    around(bert, anna)
    assert anna.texts() == []


def test_readable_files_are_read_edited_and_added_to(anna, bert):
    id = anna.record("tea at four", "--tag", "food")
    anna.sync("--readable")
    page = anna.carried / "readable" / f"{id}.md"
    text = page.read_text(encoding="utf-8")
    assert f"id: {id}" in text and 'tags: ["food"]' in text and text.endswith("\ntea at four\n")
    page.write_text(text.replace("at four", "at five"), encoding="utf-8")
    (page.parent / "new.md").write_text(f"The key is {SECRET} here.\n", encoding="utf-8")
    bert.sync()
    bert.sync("--readable")
    assert any("tea at five" in each for each in bert.texts()) and len(bert.texts()) == 2
    assert SECRET not in (page.parent / "new.md").read_text(encoding="utf-8")
    page.unlink()
    bert.sync("--readable")
    assert page.exists() and len(bert.texts()) == 2
    around(anna, bert)
    assert anna.texts() == bert.texts()


@pytest.mark.anyio
async def test_no_tool_reaches_a_path(agent):
    names = {each.name for each in (await agent.list_tools()).tools}
    assert {"memory_sync", "sync_push", "sync_pull", "sync_diff", "sync_manifest"} <= names
    assert not any("folder" in each for each in names)


def test_an_older_store_syncs_what_it_has(anna, bert):
    with opened(anna.place, source="test") as memory:
        from memory_cli.operations.record import record

        record(memory, "tea at four", scope="global")
    assert Path(anna.place / "storage/memory/default/memory.sqlite3").exists()
    around(anna, bert)
    assert bert.texts() == ["tea at four"]


def test_what_different_devices_changed_of_a_statement_is_joined(anna, bert):
    id = anna.record("tea at four", "--meta", "cups=1", "--meta", "state=open")
    around(anna, bert)
    anna.run("update", id, "tea at five", "--meta", "state=done", "--scope", "global")
    # The later of the two changes touches neither the words nor the state.
    bert.run("update", id, "--meta", "cups=2", "--tag", "food", "--scope", "global")
    around(anna, bert)
    for each in (anna, bert):
        found = each.run("show", id)["unit"]
        assert (found["text"], found["tags"]) == ("tea at five", ["food"])
        assert found["metadata"] == {"cups": "2", "state": "done"} and each.lost() == []


def test_nobody_can_know_more_of_this_devices_writes_than_it_made(anna):
    key = anna.record("old words")
    anna.sync()
    own = anna.run("sync", "status")["device"]
    leave(anna.carried, Parcel(Row("statement", key, hash_of(TOLD), {STRANGER: 2, own: 10**6}), TOLD))
    anna.sync()
    anna.run("update", key, "newest words")
    anna.sync()
    assert anna.texts() == ["newest words"]


def test_what_a_carrier_damaged_of_ones_own_is_written_again(anna, bert):
    anna.record("hello")
    anna.sync()
    (file,) = anna.carried.glob("*/*.gz")
    file.write_bytes(file.read_bytes()[:10])
    bert.sync()
    assert bert.texts() == []
    anna.sync()
    bert.sync()
    assert bert.texts() == ["hello"]


@pytest.mark.parametrize("first, second", [("write", "append"), ("append", "write")])
def test_a_category_that_was_made_again_as_another_kind_is_so_everywhere(anna, bert, first, second):
    anna.run("category", first, "k", '{"x": 1}')
    around(anna, bert)
    anna.run("category", "delete", "k")
    anna.run("category", second, "k", '{"z": 1}')
    around(anna, bert)
    assert anna.run("sync", "status")["root"] == bert.run("sync", "status")["root"]
    assert "z" in json.dumps(bert.read("k")) and '"x"' not in json.dumps(bert.read("k"))


@pytest.mark.parametrize("damage", [
    {"origins": [["cli", "cli", ["A"]], ["CLI", "cli", ["a"]]]}, {"at": 10**30}, {"superseded": 1},
])  # fmt: skip
def test_one_thing_that_no_store_takes_stops_no_sync(anna, damage):
    leave(anna.carried, parcel("odd", {**said("odd"), **damage}), parcel("good", said("good")))
    anna.sync(code=1)
    assert anna.texts() == ["good"]


@pytest.mark.parametrize("name", ["00-\x00.gz", "00-\ud800.gz", "00-../../x.gz", "00-x.gz"])
def test_a_manifest_names_files_of_its_own_folder_alone(anna, name):
    file = leave(anna.carried, parcel("key", said("text")))
    told = json.loads((file.parent / "manifest.json").read_text(encoding="utf-8"))
    told["buckets"]["00"]["file"] = name
    (file.parent / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    anna.record("mine")
    assert STRANGER in " ".join(anna.sync()["notes"]) and anna.texts() == ["mine"]


def test_a_page_with_odd_front_matter_is_read_all_the_same(anna):
    (anna.carried / "readable").mkdir(parents=True)
    (anna.carried / "readable/odd.md").write_text(f"---\ntags: {'[' * 200_000}\n---\nWords.\n", encoding="utf-8")
    anna.sync("--readable")
    assert anna.texts() == ["Words."]


def test_what_lies_in_the_way_of_ones_own_folder_is_said(anna):
    anna.record("hello")
    anna.sync()
    (manifest,) = anna.carried.glob("*/manifest.json")
    manifest.unlink()
    manifest.mkdir()
    assert "cannot be written" in anna.sync(code=1)
