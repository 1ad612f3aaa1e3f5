"""What a folder that carries a sync may hold: damaged, hostile or somebody's own, and what becomes of the rest."""

import gzip
import json

import pytest

from memory_cli.models.sync import Parcel, Row
from memory_cli.sync.contents import hash_of
from tests.devices import PLAIN, SECRET, STRANGER, TOLD, leave, parcel, said


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
