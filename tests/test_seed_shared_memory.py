"""The seven tools of shared-memory: its names, arguments and answers over our global memory."""

import json

import pytest
from mcp import Client

from benchmarks.stores import roots
from memory_cli.errors import UsageError
from memory_cli.serve.server import make_server
from memory_cli.serve.toolsets import offered
from tests.http_server import client, served, token

pytestmark = pytest.mark.anyio

# As its README gives them: each argument with the default that it shows.
SIGNATURES = {
    "memory_search": {"query": ..., "top_k": 5, "agent_filter": None, "source_filter": None, "since": None},
    "memory_add": {"text": ..., "metadata": None},
    "memory_update": {"id": ..., "text": None, "metadata": None, "replace_metadata": False},
    "memory_forget": {"ids": None, "agent_filter": None, "source_filter": None, "dry_run": True, "expect_count": None},
    "memory_stats": {},
    "memory_links": {"id": ..., "type": None, "limit": 50},
    "memory_graph": {"filter": None, "limit": 100},
}
FRIDAY = "Ship the beta on Friday, feature-flag the new UI."
GIVEN = {
    "agent": "notes",
    "source": "markdown",
    "kind": "note",
    "timestamp": "2026-10-01T09:12:00+00:00",
    "deep": {"n": [1]},
}


@pytest.fixture
async def other(session):
    async with Client(make_server(session, "shared-memory"), raise_exceptions=True) as client:
        yield client


async def ask(client, tool, **arguments):
    """Call a tool; return what it answers, as structured content and as texts."""
    done = await client.call_tool(tool, arguments)
    texts = [each.text for each in done.content]
    assert not done.is_error, texts
    return done.structured_content.get("result", done.structured_content), texts


async def refused(client, tool, **arguments):
    done = await client.call_tool(tool, arguments)
    assert done.is_error
    return done.content[0].text


async def test_names_arguments_and_defaults_are_those_of_its_readme(other):
    told = {each.name: each.input_schema for each in (await other.list_tools()).tools}
    assert other.server_capabilities.resources is None and other.server_capabilities.prompts is None
    assert "memory_context" not in other.instructions
    assert told.keys() == SIGNATURES.keys()
    for name, wanted in SIGNATURES.items():
        assert list(told[name]["properties"]) == list(wanted)
        assert told[name].get("required", []) == [each for each, default in wanted.items() if default is ...]
        shown = {each: schema["default"] for each, schema in told[name]["properties"].items() if "default" in schema}
        assert shown == {each: default for each, default in wanted.items() if default not in (..., None, False)}


async def test_the_schemas_are_plain_and_describe_each_argument(other):
    tools = (await other.list_tools()).tools
    text = json.dumps([[each.input_schema, each.output_schema] for each in tools])
    assert not any(word in text for word in ("anyOf", "$ref", "$defs", '"null"'))
    assert all(each["description"] for tool in tools for each in tool.input_schema["properties"].values())


async def test_what_was_added_is_found_with_its_metadata_unchanged(other):
    id, texts = await ask(other, "memory_add", text=FRIDAY, metadata=GIVEN)
    assert texts == [id]
    (hit,), blocks = await ask(other, "memory_search", query="when is the beta?", top_k=3)
    assert hit.keys() == {"id", "text", "metadata", "score"}
    assert (hit["id"], hit["text"], hit["metadata"]) == (id, FRIDAY, GIVEN)
    assert 0 < hit["score"] < 1 and json.loads(blocks[0]) == hit


async def test_without_metadata_a_chunk_still_says_whose_it_is(other):
    await ask(other, "memory_add", text=FRIDAY)
    (hit,), _texts = await ask(other, "memory_search", query="beta")
    assert hit["metadata"].keys() == {"agent", "source", "kind", "timestamp"}


async def test_filters_and_since_hold_and_null_is_absent(other):
    await ask(other, "memory_add", text=FRIDAY, metadata=GIVEN)
    await ask(other, "memory_add", text="The beta slipped.", metadata={"agent": "chat", "source": "sessions"})
    for given, found in (
        ({"agent_filter": "chat"}, 1),
        ({"source_filter": "markdown"}, 1),
        ({"since": "2026-10-02T00:00:00Z"}, 1),
        ({"agent_filter": None, "source_filter": None, "since": None}, 2),
        ({"agent_filter": "chat", "source_filter": "markdown"}, 0),
    ):
        assert len((await ask(other, "memory_search", query="beta", **given))[0]) == found, given


async def test_an_update_keeps_the_id_and_merges_or_replaces_metadata(other):
    id, _texts = await ask(other, "memory_add", text=FRIDAY, metadata=GIVEN)
    done, _texts = await ask(other, "memory_update", id=id, text="Ship on Monday.", metadata={"x": 1})
    assert (done["id"], sorted(done["changed"])) == (id, ["metadata", "text"])
    assert done["metadata"] == {**GIVEN, "x": 1}
    done, _texts = await ask(other, "memory_update", id=id, metadata={"superseded": True}, replace_metadata=True)
    assert "deep" not in done["metadata"] and done["metadata"]["superseded"] is True
    assert "no-such" in await refused(other, "memory_update", id="no-such", text="x")


async def test_filters_go_by_the_metadata_that_an_update_set(other):
    id, _texts = await ask(other, "memory_add", text=FRIDAY, metadata=GIVEN)
    await ask(other, "memory_update", id=id, metadata={"agent": "chat", "timestamp": "2026-11-01T00:00:00Z"})
    for given, found in (
        ({"agent_filter": "notes"}, 0),
        ({"agent_filter": "chat", "source_filter": "markdown", "since": "2026-10-20"}, 1),
    ):
        assert len((await ask(other, "memory_search", query="beta", **given))[0]) == found, given
    assert (await ask(other, "memory_stats"))[0]["by_agent"] == {"chat": 1}


async def test_forgetting_shows_first_and_by_filter_wants_the_count(other):
    id, _texts = await ask(other, "memory_add", text=FRIDAY, metadata=GIVEN)
    await ask(other, "memory_add", text="Tea is green.", metadata=GIVEN)
    shown, _texts = await ask(other, "memory_forget", agent_filter="notes")
    assert (shown["matched"], shown["deleted"], shown["dry_run"], len(shown["sample"])) == (2, 0, True, 2)
    for wrong in (
        {},
        {"agent_filter": "", "dry_run": False},
        {"agent_filter": "notes", "dry_run": False},
        {"agent_filter": "notes", "dry_run": False, "expect_count": 1},
    ):
        await refused(other, "memory_forget", **wrong)
    assert (await ask(other, "memory_forget", ids=[id, "gone"], dry_run=False))[0]["deleted"] == 1
    assert (await ask(other, "memory_forget", agent_filter="notes", dry_run=False, expect_count=1))[0]["deleted"] == 1
    assert (await ask(other, "memory_stats"))[0]["total"] == 0
    assert (await ask(other, "memory_forget", agent_filter="nobody"))[0]["matched"] == 0


async def test_stats_links_and_graph_have_its_shapes(other):
    one, _texts = await ask(other, "memory_add", text="[[Release]] is on Friday.", metadata={"agent": "notes"})
    two, _texts = await ask(
        other, "memory_add", text="[[Release]] notes are drafted by Ann.", metadata={"agent": "notes"}
    )
    stats, _texts = await ask(other, "memory_stats")
    assert stats.keys() == {"total", "by_agent", "by_source", "collection", "backend"}
    assert (stats["total"], stats["by_agent"]) == (2, {"notes": 2})
    rows, _texts = await ask(other, "memory_links", id=two, type="tag")
    assert rows[0].keys() == {"from_id", "to_id", "type", "score", "created_at"}
    assert {rows[0]["from_id"], rows[0]["to_id"]} == {one, two}
    drawn, _texts = await ask(other, "memory_graph", filter="notes", limit=900)
    assert {each["id"] for each in drawn["nodes"]} == {one, two} and drawn["edges"]
    assert (await ask(other, "memory_links", id=two, type="llm"))[0] == []


async def test_it_reaches_the_global_memory_unless_told_otherwise(session, memory, other):
    memory("record", "Local tea.", "--scope", "local")
    await ask(other, "memory_add", text="Shared tea.")
    assert [each["text"] for each in (await ask(other, "memory_search", query="tea"))[0]] == ["Shared tea."]
    async with Client(make_server(session, "shared-memory", scope="local")) as local:
        assert [each["text"] for each in (await ask(local, "memory_search", query="tea"))[0]] == ["Local tea."]


async def test_the_set_stands_alone():
    with pytest.raises(UsageError, match="alone"):
        offered("core,shared-memory")
    assert {each.tool for each in offered(" Shared-Memory ")} == SIGNATURES.keys()


async def test_over_http_a_token_opens_the_set_only_where_it_names_it(tmp_path):
    roots(tmp_path)
    secrets = {each: token(tmp_path, each, "--tools", each) for each in ("core", "shared-memory")}
    with served(tmp_path, "--tools", "shared-memory") as running:
        async with client(running.address, secrets["core"]) as agent:
            assert not (await agent.list_tools()).tools
            assert (await agent.call_tool("memory_stats", {})).is_error
        async with client(running.address, secrets["shared-memory"]) as agent:
            await ask(agent, "memory_add", text="Said by whoever has the token.")
            (hit,), _texts = await ask(agent, "memory_search", query="who has the token?")
    assert hit["metadata"]["agent"] == "shared-memory"
