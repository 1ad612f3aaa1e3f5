"""The tools of mcp-memory-rs: its names, arguments and answers over our categories."""

import json

import pytest
from mcp import Client

from benchmarks.stores import opened, roots
from memory_cli.errors import UsageError
from memory_cli.memory import make_session
from memory_cli.operations.category.list_ import list_
from memory_cli.operations.category.write import write
from memory_cli.serve.server import make_server
from memory_cli.serve.toolsets import offered
from tests.http_server import served, token

pytestmark = pytest.mark.anyio

# Each argument with whether it is required.
SIGNATURES = {
    "memory_read": {"category": True, "fields": False},
    "memory_write": {"category": True, "data": True, "reason": False, "expected_hash": False, "merge": False},
    "memory_append": {"category": True, "data": True, "max_entries": False, "max_age_days": False},
    "memory_delete": {"category": True},
    "memory_list": {},
    "memory_search": {
        "query": True,
        "limit": False,
        "category": False,
        "updated_after": False,
        "updated_before": False,
        "actor": False,
    },
    "memory_search_semantic": {"query": True, "limit": False, "semantic_weight": False},
    "memory_history": {"category": True, "limit": False},
    "memory_delta": {"category": True, "since_hash": True},
    "memory_context": {"categories": True, "fields": False},
    "memory_compact": {"category": False, "keep_versions": False},
    "memory_status": {},
    "memory_doctor": {},
    "sync_manifest": {},
    "sync_diff": {"remote_manifest_path": True},
    "sync_push": {"export_path": True, "categories": False},
    "sync_pull": {"import_path": True, "conflict_strategy": False},
    "memory_sync": {"direction": True, "categories": False},
}
READERS = {"memory_read", "memory_list", "memory_search", "memory_search_semantic", "memory_history", "memory_delta",
           "memory_context", "memory_status", "memory_doctor", "sync_manifest", "sync_diff"}  # fmt: skip
BASE = {"editor": "vim", "shell": {"name": "fish"}, "_meta": "mine"}


@pytest.fixture
async def other(session):
    async with Client(make_server(session, "mcp-memory-rs"), raise_exceptions=True) as client:
        yield client


@pytest.fixture
async def phone(session, tmp_path):
    """The same tools on another device."""
    elsewhere = make_session(
        project_root=session.roots.project, storage_root=tmp_path / "phone", source="mcp",
        environ={**session.environ, "MEMORY_DEVICE": "phone"},
    )  # fmt: skip
    async with Client(make_server(elsewhere, "mcp-memory-rs"), raise_exceptions=True) as client:
        yield client


async def ask(client, tool, **arguments):
    done = await client.call_tool(tool, arguments)
    assert not done.is_error, done.content[0].text
    assert json.loads(done.content[0].text) == done.structured_content and done.structured_content["success"] is True
    return done.structured_content


async def refused(client, tool, **arguments):
    done = await client.call_tool(tool, arguments)
    assert done.is_error
    return done.content[0].text


async def test_names_and_arguments_are_those_of_its_readme_and_nothing_stands_beside_them(other):
    tools = (await other.list_tools()).tools
    assert other.server_capabilities.resources is None and other.server_capabilities.prompts is None
    told = {each.name: each.input_schema for each in tools}
    assert told.keys() == SIGNATURES.keys()
    for name, wanted in SIGNATURES.items():
        assert list(told[name]["properties"]) == list(wanted)
        assert told[name].get("required", []) == [each for each, needed in wanted.items() if needed]
    assert {each.name for each in tools if each.annotations.read_only_hint} == READERS & SIGNATURES.keys()


async def test_the_schemas_are_plain_and_describe_each_argument(other):
    def walk(schema):
        assert isinstance(schema, dict) and not schema.keys() & {"anyOf", "oneOf", "$ref", "$defs", "$schema"}
        assert isinstance(schema["type"], str)
        if schema["type"] == "array":
            walk(schema["items"])
        for each in schema.get("properties", {}).values():
            walk(each)

    for tool in (await other.list_tools()).tools:
        assert "properties" in tool.input_schema
        walk(tool.input_schema)
        walk(tool.output_schema)
        assert all(each["description"] for each in tool.input_schema["properties"].values())


async def test_every_argument_that_the_instructions_name_is_one_of_the_tools(other):
    named = {each for each in other.instructions.split("`")[1::2] if each != "true"}
    tools = (await other.list_tools()).tools
    known = {each.name for each in tools} | {name for each in tools for name in each.input_schema["properties"]}
    assert named and named <= known


async def test_what_was_written_is_read_with_its_metadata_apart(other):
    made = await ask(other, "memory_write", category="base", data=BASE, reason="first")
    assert (made["changed"], made["backup_created"], made["reason"]) == (True, False, "first")
    found = await ask(other, "memory_read", category="base")
    assert found["data"] == BASE and found["_meta"]["hash"] == made["new_hash"]
    assert found["_meta"].keys() == {"hash", "updated_at", "updated_by", "size_bytes", "kind", "version"}
    some = await ask(other, "memory_read", category="base", fields="editor, nope")
    assert some["data"] == {"editor": "vim"} and some["missing"] == ["nope"]


async def test_a_merge_patches_keys_and_a_stale_hash_is_refused(other):
    first = await ask(other, "memory_write", category="base", data=BASE)
    second = await ask(
        other, "memory_write", category="base", data={"editor": "helix", "shell": None}, merge=True,
        expected_hash=first["new_hash"],
    )  # fmt: skip
    assert second["previous_hash"] == first["new_hash"] and second["backup_created"]
    assert (await ask(other, "memory_read", category="base"))["data"] == {"editor": "helix", "_meta": "mine"}
    said = await refused(other, "memory_write", category="base", data={}, expected_hash=first["new_hash"])
    assert second["new_hash"] in said
    assert "none" in await refused(other, "memory_write", category="new", data={}, expected_hash="0" * 64)


async def test_a_log_takes_entries_and_no_write_and_the_reverse(other):
    for number in range(4):
        done = await ask(other, "memory_append", category="journal", data={"n": number}, max_entries=3)
    assert (done["kind"], done["total_entries"], done["pruned"]) == ("log", 3, 1)
    entries = (await ask(other, "memory_read", category="journal"))["data"]["entries"]
    assert [each["data"]["n"] for each in entries] == [1, 2, 3]
    assert "log" in await refused(other, "memory_write", category="journal", data={})
    await ask(other, "memory_write", category="base", data=BASE)
    assert "plain" in await refused(other, "memory_append", category="base", data={})


async def test_a_deletion_keeps_the_history_and_a_list_shows_what_is_left(other):
    await ask(other, "memory_write", category="base", data=BASE)
    await ask(other, "memory_write", category="other", data={})
    assert await ask(other, "memory_delete", category="base") == {
        "success": True, "deleted": "base", "backup_created": True,
    }  # fmt: skip
    listed = await ask(other, "memory_list")
    assert [each["name"] for each in listed["files"]] == ["other"] and listed["summary"]["categories"] == 1
    versions = (await ask(other, "memory_history", category="base"))["versions"]
    assert [(each["operation"], each["readable"]) for each in versions] == [("delete", False), ("write", True)]
    assert "other" in await refused(other, "memory_read", category="othr")


async def test_searches_hold_their_filters_and_weigh_meaning_as_asked(other):
    await ask(other, "memory_write", category="base", data=BASE)
    await ask(other, "memory_write", category="drinks", data={"morning": "a cup of green tea", "vim": "no"})
    found = await ask(other, "memory_search", query="vim", category="base", actor=None)
    assert found["filters"] == {"category": "base"} and found["total_matches"] == found["returned"] == 1
    assert found["results"][0].keys() == {"category_name", "key_path", "snippet", "rank"}
    assert (await ask(other, "memory_search", query="vim", limit=1))["total_matches"] == 2
    assert (await ask(other, "memory_search", query="vim", updated_before="2001-01-01"))["results"] == []
    query = "favourite hot beverage at breakfast"
    assert (await ask(other, "memory_search_semantic", query=query, semantic_weight=0))["results"] == []
    meant = await ask(other, "memory_search_semantic", query=query, semantic_weight=1)
    assert meant["results"][0]["key_path"] == "morning" and meant["keyword_weight"] == 0
    await refused(other, "memory_search_semantic", query=query, semantic_weight=7)


async def test_a_delta_tells_what_became_of_a_category(other):
    first = (await ask(other, "memory_write", category="base", data={"a": 1, "b": 2}))["new_hash"]
    assert (await ask(other, "memory_delta", category="base", since_hash=first))["status"] == "unchanged"
    await ask(other, "memory_write", category="base", data={"a": 3, "c": 4})
    told = await ask(other, "memory_delta", category="base", since_hash=first)
    assert (told["status"], told["data"]) == ("changed", {"a": 3, "c": 4})
    assert (told["added"], told["changed"], told["removed"]) == (["c"], ["a"], ["b"])
    assert (await ask(other, "memory_delta", category="base", since_hash="0" * 64))["note"]
    await ask(other, "memory_delete", category="base")
    assert (await ask(other, "memory_delta", category="base", since_hash=first))["status"] == "deleted"
    assert "never" not in await refused(other, "memory_delta", category="nothing", since_hash=first)


async def test_a_context_reads_several_within_a_budget(other):
    await ask(other, "memory_write", category="base", data=BASE)
    await ask(other, "memory_write", category="big", data={"small": 1, "large": "word " * 20_000})
    found = await ask(other, "memory_context", categories=["base", "big", "nothing"], fields="")
    assert found["context"]["base"] == BASE and found["context"]["big"] == {"small": 1}
    assert (found["categories_loaded"], found["cut"]) == (2, ["big"]) and "nothing" in found["notes"][0]
    some = await ask(other, "memory_context", categories="base", fields="editor")
    assert some["context"] == {"base": {"editor": "vim"}}


async def test_a_compaction_keeps_as_many_versions_as_it_is_told(other):
    for number in range(8):
        await ask(other, "memory_write", category="base", data={"n": number})
    done = await ask(other, "memory_compact", category="base", keep_versions=3)
    assert (done["backups_pruned"], done["current_stats"]["total_versions"]) == (5, 3) and done["bytes_freed"] > 0
    assert (await ask(other, "memory_compact"))["keep_versions"] == 5


async def test_a_check_names_what_is_wrong(other, tmp_path):
    await ask(other, "memory_write", category="base", data=BASE)
    assert (await ask(other, "memory_doctor"))["healthy"] is True
    (tmp_path / "storage/memory/default/categories/base.json").write_text("{", encoding="utf-8")
    found = await ask(other, "memory_doctor")
    assert not found["healthy"] and "base.json" in found["findings"][0]["problem"]


async def test_what_is_no_argument_is_refused_with_the_one_that_was_meant(other):
    assert "Did you mean category?" in await refused(other, "memory_read", key="base")
    assert "Did you mean data?" in await refused(other, "memory_write", category="base", content={})
    assert "Did you mean fields?" in await refused(other, "memory_read", category="base", feilds="a")


async def test_who_may_not_write_gets_an_error_and_no_success(session):
    rules = ["acl.device_name=phone", "acl.admin_devices=server", "acl.device_categories=phone"]
    ruled = make_session(
        project_root=session.roots.project, storage_root=session.roots.storage, assignments=rules, source="mcp"
    )
    async with Client(make_server(ruled, "mcp-memory-rs")) as client:
        await ask(client, "memory_write", category="workflow_phone", data={})
        for tool, more in (("memory_write", {"data": {}}), ("memory_append", {"data": {}}), ("memory_delete", {})):
            assert "admin_devices" in await refused(client, tool, category="base", **more)


async def test_it_reaches_the_global_memory_unless_told_otherwise(session, memory, other):
    memory("category", "write", "here", "{}", "--scope", "local")
    await ask(other, "memory_write", category="there", data={})
    assert [each["name"] for each in (await ask(other, "memory_list"))["files"]] == ["there"]
    async with Client(make_server(session, "mcp-memory-rs", scope="local")) as local:
        assert [each["name"] for each in (await ask(local, "memory_list"))["files"]] == ["here"]
        await ask(local, "memory_write", category="mine", data={})
        assert (await ask(local, "memory_doctor"))["base_dir"].endswith(".memory-rag")


async def test_the_set_stands_alone():
    with pytest.raises(UsageError, match="alone"):
        offered("core,mcp-memory-rs")
    assert {each.tool for each in offered(" MCP-Memory-RS ")} == SIGNATURES.keys()


async def test_what_one_device_pushes_another_pulls_once(other, phone, tmp_path):
    await ask(other, "memory_write", category="base", data=BASE)
    await ask(other, "memory_append", category="journal", data={"n": 1})
    await ask(other, "memory_write", category="mine", data={})
    file = tmp_path / "push.gz"
    done = await ask(other, "sync_push", export_path=str(file), categories=["base", "journal"])
    assert done["categories_exported"] == 2 and file.stat().st_size == done["size_bytes"]
    assert file.stat().st_mode & 0o077 == 0
    assert (await ask(phone, "sync_pull", import_path=str(file)))["pulled"] == 2
    assert (await ask(phone, "memory_read", category="base"))["data"] == BASE
    assert (await ask(phone, "memory_read", category="journal"))["data"]["entries"][0]["data"] == {"n": 1}
    assert (await ask(phone, "sync_pull", import_path=str(file)))["pulled"] == 0
    assert [each["name"] for each in (await ask(phone, "memory_list"))["files"]] == ["base", "journal"]


async def test_manifests_tell_what_a_sync_would_move_and_write_nothing(other, phone, tmp_path):
    await ask(other, "memory_write", category="base", data=BASE)
    await ask(other, "memory_write", category="same", data={})
    file, manifest = tmp_path / "push.gz", tmp_path / "manifest.json"
    await ask(other, "sync_push", export_path=str(file))
    await ask(phone, "sync_pull", import_path=str(file))
    for client, value in ((other, 1), (phone, 2)):
        await ask(client, "memory_write", category="base", data={"n": value})
    await ask(other, "memory_write", category="new", data={})
    await ask(phone, "memory_write", category="theirs", data={})
    await ask(phone, "memory_delete", category="same")
    before = sorted(tmp_path.rglob("*"))
    told = await ask(phone, "sync_manifest")
    assert "Did you mean" not in await refused(phone, "sync_manifest", export_path=str(manifest))
    assert sorted(tmp_path.rglob("*")) == before
    assert told["manifest"]["device_id"] == "phone" and len(told["manifest"]["categories"]) == 3
    manifest.write_text(json.dumps(told), encoding="utf-8")
    found = await ask(other, "sync_diff", remote_manifest_path=str(manifest))
    assert found["details"] == {
        "to_pull": ["same", "theirs"], "to_push": ["new"], "conflicts": ["base"], "unchanged": [],
    }  # fmt: skip
    assert found["remote_device"] == "phone" and found["identical"] is False


async def test_manifests_of_devices_that_never_synced_are_compared_too(other, phone, tmp_path):
    for client, value in ((other, 1), (phone, 2)):
        await ask(client, "memory_write", category="same", data={})
        await ask(client, "memory_write", category="base", data={"n": value})
    (tmp_path / "manifest.json").write_text(json.dumps(await ask(phone, "sync_manifest")), encoding="utf-8")
    found = await ask(other, "sync_diff", remote_manifest_path=str(tmp_path / "manifest.json"))
    assert found["details"]["conflicts"] == ["base"] and found["details"]["unchanged"] == ["same"]


@pytest.mark.parametrize("strategy, kept", [("local_wins", 2), ("remote_wins", 1)])
async def test_a_conflict_ends_as_the_receiver_says_and_what_lost_is_told(strategy, kept, other, phone, tmp_path):
    for client, value in ((other, 1), (phone, 2)):
        await ask(client, "memory_write", category="base", data={"n": value})
    file = tmp_path / "push.gz"
    await ask(other, "sync_push", export_path=str(file))
    done = await ask(phone, "sync_pull", import_path=str(file), conflict_strategy=strategy)
    assert done["conflicts"] == 1 and done["details"]["conflicts"][0]["key"] == "base"
    assert (await ask(phone, "memory_read", category="base"))["data"] == {"n": kept}


async def test_a_push_overwrites_nothing_that_is_no_envelope_and_a_pull_takes_no_other_file(other, session, tmp_path):
    await ask(other, "memory_write", category="base", data=BASE)
    precious = tmp_path / "precious.json"
    precious.write_text("mine", encoding="utf-8")
    (tmp_path / "link").symlink_to(precious)
    for path in (precious, tmp_path / "link", session.roots.global_store / "x", tmp_path / "no/where"):
        await refused(other, "sync_push", export_path=str(path))
    assert precious.read_text(encoding="utf-8") == "mine"
    await ask(other, "sync_push", export_path=str(tmp_path / "push.gz"))
    await ask(other, "sync_push", export_path=str(tmp_path / "push.gz"))
    assert "base" in await refused(other, "sync_push", export_path=str(tmp_path / "x"), categories=["bass"])
    for path in (precious, tmp_path / "nothing", tmp_path):
        for tool, argument in (("sync_pull", "import_path"), ("sync_diff", "remote_manifest_path")):
            assert "mine" not in await refused(other, tool, **{argument: str(path)})
    for path in ("", "a\0b", "~nobody-here/x", "a/" + "b" * 300, "/proc/x"):
        for tool, argument in (("sync_pull", "import_path"), ("sync_push", "export_path")):
            assert "internal" not in await refused(other, tool, **{argument: path})
    cut = tmp_path / "cut.gz"
    cut.write_bytes((tmp_path / "push.gz").read_bytes()[:-9])
    await refused(other, "sync_pull", import_path=str(cut))


async def test_the_status_counts_what_changed_since_the_last_sync(other, tmp_path):
    assert (await ask(other, "memory_status"))["categories"] == 0
    await ask(other, "memory_write", category="base", data=BASE)
    told = await ask(other, "memory_status")
    assert (told["categories"], told["dirty_categories"]) == (1, 1)
    await ask(other, "sync_push", export_path=str(tmp_path / "push.gz"))
    assert (await ask(other, "memory_status"))["dirty_categories"] == 0


async def test_a_sync_without_a_remote_or_with_another_direction_says_what_to_do(other):
    assert "sync.remotes" in await refused(other, "memory_sync", direction="push_dirty")
    assert "pull_remote" in await refused(other, "memory_sync", direction="pull")


async def test_a_step_of_a_sync_moves_what_is_meant_to_and_from_a_remote(session, tmp_path):
    hub = tmp_path / "hub"
    roots(hub)
    environ = {**session.environ, "MEMORY_SYNC_TOKEN": token(hub, "laptop"), "MEMORY_DEVICE": "laptop"}
    with served(hub, "--api") as running, opened(hub) as there:
        here = make_session(
            project_root=session.roots.project, storage_root=session.roots.storage, source="mcp", environ=environ,
            assignments=[f"sync.remotes=hub={running.address}"],
        )  # fmt: skip
        async with Client(make_server(here, "mcp-memory-rs"), raise_exceptions=True) as client:
            for name in ("base", "laptop"):
                await ask(client, "memory_write", category=name, data={"of": "laptop"})
            said = await refused(client, "memory_sync", direction="push_dirty", categories=["bass"])
            assert "The nearest is base." in said
            some = await ask(client, "memory_sync", direction="push_dirty", categories=["base"])
            assert some["pushed"] == 1 and [each.category for each in list_(there).categories] == ["base"]
            assert (await ask(client, "memory_sync", direction="push_dirty"))["pushed"] == 1
            for name in ("one", "two"):
                write(there, name, data={"of": "hub"})
            some = await ask(client, "memory_sync", direction="pull_remote", categories=["one"])
            assert some["pulled"] == 1
            assert (await ask(client, "memory_sync", direction="pull_remote"))["pulled"] == 1
            listed = (await ask(client, "memory_list"))["files"]
            assert [each["name"] for each in listed] == ["base", "laptop", "one", "two"]
            told = await ask(client, "memory_status")
            assert told["remote_url"] == running.address and told["last_sync"]
