"""Sync through a folder, as whoever has two devices meets it: what travels, what is refused, what is kept."""

import json
from pathlib import Path

import pytest

from benchmarks.stores import opened
from tests.devices import SECRET, around


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


@pytest.mark.parametrize("first, second", [("write", "append"), ("append", "write")])
def test_a_category_that_was_made_again_as_another_kind_is_so_everywhere(anna, bert, first, second):
    anna.run("category", first, "k", '{"x": 1}')
    around(anna, bert)
    anna.run("category", "delete", "k")
    anna.run("category", second, "k", '{"z": 1}')
    around(anna, bert)
    assert anna.run("sync", "status")["root"] == bert.run("sync", "status")["root"]
    assert "z" in json.dumps(bert.read("k")) and '"x"' not in json.dumps(bert.read("k"))
