import json
import re

import pytest
from mcp import Client, MCPError, types

from benchmarks.stores import roots
from memory_cli.errors import UsageError
from memory_cli.memory import Memory, make_session, open_memory
from memory_cli.models.document import document
from memory_cli.models.results import Listed
from memory_cli.operations.history import history
from memory_cli.operations.list_ import list_
from memory_cli.operations.record import record
from memory_cli.operations.show import show
from memory_cli.serve.bind import answer, bind
from memory_cli.serve.server import INSTRUCTIONS, make_server
from memory_cli.serve.toolsets import offered
from memory_cli.surface import OPERATIONS, Effect, Operation

pytestmark = pytest.mark.anyio

CORE = ["record_memory", "recall_memory", "forget_memory", "record_handoff", "memory_context"]
WITH_TOOL = [each for each in OPERATIONS if each.tool]
ME = types.Implementation(name="some\nclient", version="1")


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def session(tmp_path):
    roots(tmp_path)
    return make_session(
        project_root=tmp_path / "project", storage_root=tmp_path / "storage", cwd=tmp_path, source="cli",
        environ={"HOME": str(tmp_path)},
    )  # fmt: skip


@pytest.fixture(params=["auto", "legacy"])
async def agent(session, request):
    """Call the tools as a client of either era of the protocol does."""
    async with Client(make_server(session, "all"), mode=request.param, client_info=ME) as client:
        yield client


@pytest.fixture
def memory(session):
    with open_memory(session) as memory:
        yield memory


def said(result):
    return result.content[0].text


def walk(schema):
    yield schema
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from walk(each)


def tool_named(name):
    return next(bind(each).tool for each in WITH_TOOL if each.tool == name)


async def test_only_the_core_is_offered_by_default(session):
    async with Client(make_server(session)) as client:
        assert [each.name for each in (await client.list_tools()).tools] == CORE


@pytest.mark.parametrize(
    "tools, more", [("core,curate", "update_memory"), ("curate", "update_memory"), ("all", "memory_status")]
)
def test_other_sets_add_to_the_core(tools, more):
    assert {*CORE, more} <= {each.tool for each in offered(tools)}


def test_a_set_that_is_not_there_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match=r"no set of tools 'curat'\. Did you mean curate\?"):
        offered("core,curat")


async def test_a_light_client_learns_the_same_in_either_era(agent, session):
    listed = (await agent.list_tools()).tools
    assert [each.name for each in listed] == [each.tool for each in WITH_TOOL]
    assert agent.instructions == INSTRUCTIONS and agent.server_info.name == "memory"


@pytest.mark.parametrize("operation", WITH_TOOL, ids=lambda each: each.tool)
def test_schemas_are_plain(operation):
    tool = bind(operation).tool
    for each in [*walk(tool.input_schema), *walk(tool.output_schema)]:
        if isinstance(each, dict):
            assert not {"anyOf", "oneOf", "allOf", "$ref", "$defs", "$schema"} & each.keys()
            assert not isinstance(each.get("type"), list)
            assert each.get("type") != "array" or each["items"]["type"]
        assert each is not True and each is not False


@pytest.mark.parametrize("operation", WITH_TOOL, ids=lambda each: each.tool)
def test_a_tool_takes_what_its_operation_takes(operation):
    schema = bind(operation).tool.input_schema
    assert list(schema["properties"]) == [each.name for each in operation.parameters()]
    assert schema.get("required", []) == [each.name for each in operation.parameters() if each.default is each.empty]
    assert all(each["description"] for each in schema["properties"].values())


@pytest.mark.parametrize("operation", WITH_TOOL, ids=lambda each: each.tool)
def test_objects_of_any_keys_are_taken_for_metadata_only(operation):
    properties = bind(operation).tool.input_schema["properties"]
    assert [name for name, each in properties.items() if each["type"] == "object"] in ([], ["meta"], ["data"])


def test_the_core_list_costs_less_than_2500_tokens():
    tools = [bind(each).tool.model_dump(mode="json", by_alias=True, exclude_none=True) for each in offered("core")]
    # JSON of this kind has a little more than four bytes a token in the encodings that were tried.
    assert len(json.dumps(tools, separators=(",", ":")).encode()) / 4 < 2500


@pytest.mark.parametrize("operation", WITH_TOOL, ids=lambda each: each.tool)
def test_annotations_say_what_the_table_says(operation):
    hints = bind(operation).tool.annotations
    assert hints.read_only_hint == (operation.effect is Effect.READS)
    assert hints.destructive_hint == (operation.effect not in (Effect.READS, Effect.ADDS))
    assert hints.open_world_hint is False


def named_in(text):
    return set(re.findall(r"`([a-z_]+)`", text)) | set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", text))


def test_the_instructions_name_only_core_tools_and_their_arguments():
    arguments = {name for each in CORE for name in tool_named(each).input_schema["properties"]}
    assert named_in(INSTRUCTIONS) <= {*CORE, *arguments}
    assert set(CORE) <= named_in(INSTRUCTIONS)


@pytest.mark.parametrize("operation", WITH_TOOL, ids=lambda each: each.tool)
def test_a_description_names_only_what_there_is(operation):
    tool = bind(operation).tool
    sentences = [tool.description, *(each["description"] for each in tool.input_schema["properties"].values())]
    there = {*tool.input_schema["properties"], *tool.output_schema["properties"], *(each.tool for each in WITH_TOOL)}
    assert named_in(" ".join(sentences)) <= there


async def test_a_call_answers_the_document_twice_and_fences_what_was_remembered(agent, memory):
    await agent.call_tool("record_memory", {"text": "tea is green", "kind": "fact"})
    found = await agent.call_tool("list_memory")
    notice, opening, answer, closing = said(found).split("\n")
    assert "data" in notice and closing == opening.replace("<", "</")
    assert found.structured_content == json.loads(answer) == document(list_(memory))


async def test_what_is_recorded_is_recalled_and_forgotten(agent):
    id = (await agent.call_tool("record_memory", {"text": "tea is green"})).structured_content["id"]
    found = await agent.call_tool("recall_memory", {"query": "green tea", "words": True})
    assert [each["id"] for each in found.structured_content["units"]] == [id]
    await agent.call_tool("forget_memory", {"id": id})
    found = await agent.call_tool("recall_memory", {"query": "green tea", "words": True})
    assert found.structured_content["units"] == [] and found.structured_content["hint"]


async def test_the_same_call_sent_twice_makes_one_statement(agent, memory):
    for _ in range(2):
        answered = await agent.call_tool("record_memory", {"text": "tea is green"})
    assert answered.structured_content["already_recorded"] and list_(memory).total == 1


async def test_forgetting_by_filter_says_first_what_would_go(agent, memory):
    await agent.call_tool("record_memory", {"text": "tea is green", "tag": ["drink"]})
    shown = await agent.call_tool("forget_memory", {"tag": ["drink"]})
    assert not shown.is_error and shown.structured_content["dry_run"] and list_(memory).total == 1
    done = await agent.call_tool("forget_memory", {"tag": ["drink"], "yes": True, "expect_count": 1})
    assert done.structured_content["forgotten"] == 1 and list_(memory).total == 0


@pytest.mark.parametrize("text", ['{"a": 1}', "[1, 2]", "null", "true", "5", "a,b", "``` $(id) '"])
async def test_a_text_is_taken_as_it_stands(agent, memory, text):
    await agent.call_tool("record_memory", {"text": text})
    assert [each.text for each in list_(memory).units] == [text]


@pytest.mark.parametrize("tool", ["record_memory", "record_handoff"])
async def test_content_is_taken_for_text_and_not_published(agent, memory, tool):
    await agent.call_tool(tool, {"content": "tea is green"})
    assert [each.text for each in list_(memory).units] == ["tea is green"]
    assert "content" not in tool_named(tool).input_schema["properties"]


@pytest.mark.parametrize("tool", [each.tool for each in WITH_TOOL if each.effect is Effect.READS])
async def test_what_is_marked_read_only_changes_nothing_but_counts(agent, memory, tool):
    record(memory, "tea is green")
    before = document(history(memory)), [(each.id, each.text, each.at) for each in list_(memory).units]
    await agent.call_tool(tool, {"query": "tea", "words": True} if tool == "recall_memory" else {})
    assert (document(history(memory)), [(each.id, each.text, each.at) for each in list_(memory).units]) == before


async def test_a_statement_bears_the_name_of_the_client_and_this_door(agent, memory):
    await agent.call_tool("record_memory", {"text": "tea is green"})
    (unit,) = list_(memory).units
    assert (unit.agents, unit.sources) == (["some client"], ["mcp"])
    assert history(memory).changes[0].agent == "some client"


async def test_a_name_that_was_set_goes_before_the_client_s(tmp_path, session):
    named = make_session(
        project_root=tmp_path / "project", storage_root=tmp_path / "storage", cwd=tmp_path, source="cli",
        environ={"HOME": str(tmp_path), "MEMORY_AGENT": "reviewer"},
    )  # fmt: skip
    async with Client(make_server(named), client_info=ME) as client:
        await client.call_tool("record_memory", {"text": "tea is green"})
    with open_memory(session) as memory:
        assert list_(memory).units[0].agents == ["reviewer"]


async def test_progress_reaches_a_client_that_asks_for_it(agent, memory):
    record(memory, "tea is green")
    seen = []

    async def told(done, total, message):
        seen.append((done, total, message))

    await agent.call_tool("recall_memory", {"query": "tea"}, progress_callback=told)
    assert seen == [(1, 1, "embedding"), (1, 1, "linking")]


async def test_the_server_tells_whoever_embeds_that_a_tool_was_called(session):
    calls = []
    async with Client(make_server(session, called=lambda: calls.append("called"))) as client:
        await client.call_tool("record_memory", {"text": "tea is green"})
    assert calls == ["called"]


async def test_what_an_operation_refuses_is_an_error_that_says_so(agent):
    failed = await agent.call_tool("forget_memory", {"text": "nothing like it"})
    assert failed.is_error and said(failed).startswith("No statement has exactly these words;")


@pytest.mark.parametrize("text", ["", "  ", "a\0b", "half \ud83d"])
async def test_a_text_that_cannot_be_stored_is_refused_by_name(agent, memory, text):
    failed = await agent.call_tool("record_memory", {"text": text})
    assert failed.is_error and "text" in said(failed) and list_(memory).total == 0


async def test_an_unknown_tool_is_refused_with_the_nearest(agent):
    failed = await agent.call_tool("recal_memory", {"query": "tea"})
    assert failed.is_error and "Did you mean recall_memory?" in said(failed)


async def test_a_tool_of_another_set_is_refused_with_the_set(session):
    async with Client(make_server(session)) as client:
        failed = await client.call_tool("update_memory", {"id": "x"})
    assert failed.is_error and "--tools curate" in said(failed)


def test_a_bug_is_an_answer_and_its_traceback_goes_to_the_log(session, caplog):
    def broken(memory: Memory) -> Listed:
        """Divide."""
        raise ZeroDivisionError("of no concern to a model")

    class Broken(Operation):
        function = staticmethod(broken)

    failed = answer(bind(Broken("broken", Effect.READS, "", tool="broken")), session, {}, lambda *_: None)
    assert failed.is_error and "internal error" in said(failed) and "no concern" not in said(failed)
    assert "ZeroDivisionError: of no concern" in caplog.text


async def test_the_handoff_can_be_read(agent):
    await agent.call_tool("record_handoff", {"text": "go on with tea"})
    (found,) = (await agent.read_resource("memory://handoff")).contents
    assert (found.text.split("\n")[2], found.mime_type) == ("go on with tea", "text/plain")
    assert [str(each.uri) for each in (await agent.list_resources()).resources] == ["memory://handoff"]


async def test_a_statement_can_be_read_by_its_percent_encoded_id(agent, memory):
    record(memory, "tea is green", id="drinks/tea?#1")
    (found,) = (await agent.read_resource("memory://statement/drinks%2Ftea%3F%231")).contents
    assert json.loads(found.text) == document(show(memory, "drinks/tea?#1"))
    assert [each.uri_template for each in (await agent.list_resource_templates()).resource_templates] == [
        "memory://statement/{id}", "memory://category/{name}",
    ]  # fmt: skip


async def test_a_category_can_be_read_by_its_address_and_its_name_is_completed(agent):
    await agent.call_tool("category_write", {"category": "my.base", "data": {"editor": "vim"}})
    (found,) = (await agent.read_resource("memory://category/my%2Ebase")).contents
    told = json.loads(found.text)
    assert told["data"] == {"editor": "vim"} and told["meta"]["version"] == 1
    where = types.ResourceTemplateReference(type="ref/resource", uri="memory://category/{name}")
    assert (await agent.complete(where, {"name": "name", "value": "my"})).completion.values == ["my.base"]
    for uri, said in (("memory://category/nothing", "my.base"), ("memory://category/..%2Fx", "no name")):
        with pytest.raises(MCPError, match=said):
            await agent.read_resource(uri)


@pytest.mark.parametrize("uri", ["memory://handoff", "memory://statement/none", "memory://elsewhere"])
async def test_what_is_not_there_is_an_error_that_says_so(agent, uri):
    with pytest.raises(MCPError, match=r"There is no(thing| handoff)|No statement") as caught:
        await agent.read_resource(uri)
    assert caught.value.code == types.INVALID_PARAMS


async def test_a_client_begins_with_a_prompt_and_completes_ids(agent, memory):
    record(memory, "Deploys need two reviews.", kind="RULE", id="deploys")
    assert [each.name for each in (await agent.list_prompts()).prompts] == ["start", "recall"]
    for name, given in (("start", {}), ("start", {"query": "deploys"}), ("recall", {"query": "deploys"})):
        (message,) = (await agent.get_prompt(name, given)).messages
        assert "two reviews" in message.content.text and "it is data" in message.content.text
    with pytest.raises(MCPError, match="recall"):
        await agent.get_prompt("stert", {})
    where = types.ResourceTemplateReference(type="ref/resource", uri="memory://statement/{id}")
    found = await agent.complete(where, {"name": "id", "value": "depl"})
    assert found.completion.values == ["deploys"] and not found.completion.has_more
    prompt = types.PromptReference(type="ref/prompt", name="start")
    nothing = await agent.complete(prompt, {"name": "query", "value": "x"})
    assert nothing.completion.values == []
