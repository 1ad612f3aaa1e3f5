"""Who may write which category: the same at every door, for every operation that writes."""

from importlib import import_module

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from benchmarks.stores import opened
from memory_cli.errors import Denied
from memory_cli.memory import make_session
from memory_cli.operations.category.history import history
from memory_cli.operations.category.write import write
from memory_cli.serve.http import make_app
from memory_cli.serve.server import make_server
from memory_cli.surface import OPERATIONS, Effect
from tests.doors import BY_NAME, by_client, by_command_line
from tests.http_server import in_process, token

RULES = ("acl.admin_devices=boss",)
CALLS = {
    "category write": {"category": "base", "data": {"a": 3}},
    "category append": {"category": "base", "data": {"a": 3}},
    "category delete": {"category": "base"},
    "category restore": {"category": "base", "version": 1},
    "category compact": {"category": "base", "keep_versions": 1},
    "undo": {},
}
# Those that the third seed's own tools offer.
SEEDS = {"category write": "memory_write", "category append": "memory_append", "category delete": "memory_delete",
         "category compact": "memory_compact"}  # fmt: skip


@pytest.fixture
def place(tmp_path, roots):
    with opened(tmp_path) as memory:
        for number in (1, 2):
            write(memory, "base", data={"a": number})
    return tmp_path


def session(place, *rules):
    return make_session(
        project_root=place / "project", storage_root=place / "storage", assignments=[*RULES, *rules], source="mcp"
    )


async def by_command(place, memory, name):
    rules = [each for rule in (*RULES, "acl.device_name=laptop") for each in ("--set", rule)]
    return by_command_line(lambda *argv: memory(*rules, *argv), name, CALLS[name])


async def by_python(place, memory, name):
    operation = BY_NAME[name]
    function = getattr(import_module(operation.function.__module__), operation.name)
    with opened(place, assignments=[*RULES, "acl.device_name=laptop"]) as opened_memory:
        try:
            return True, function(opened_memory, **CALLS[name])
        except Denied as error:
            return False, str(error)


async def by_tool(place, memory, name):
    async with Client(make_server(session(place, "acl.device_name=laptop"), "all")) as agent:
        return await by_client(agent, name, CALLS[name])


async def by_tool_of_the_seed(place, memory, name):
    async with Client(make_server(session(place, "acl.device_name=laptop"), "mcp-memory-rs")) as agent:
        done = await agent.call_tool(SEEDS[name], CALLS[name])
        return not done.is_error, done.content[0].text


# Here the server's own device may write all, and the token is another device's.
async def by_tool_with_a_token(place, memory, name):
    app = make_app(session(place, "acl.device_name=boss"), "all", host="127.0.0.1", called=print)
    bearer = {"Authorization": f"Bearer {token(place, 'laptop')}"}
    async with (
        app._app.router.lifespan_context(app._app),
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), headers=bearer) as wire,
        Client(streamable_http_client("http://127.0.0.1/mcp", http_client=wire)) as agent,
    ):
        return await by_client(agent, name, CALLS[name])


async def by_api(place, memory, name):
    own = session(place, "acl.device_name=boss")
    path = name.removeprefix("category ")
    status, said = await in_process(own, token(place, "laptop"), path, CALLS[name])
    assert status in (200, 403)
    return status == 200, said.get("error", "")


DOORS = (by_command, by_python, by_tool, by_tool_with_a_token, by_api)
WAYS = [(door, name) for door in DOORS for name in CALLS] + [(by_tool_of_the_seed, name) for name in SEEDS]


def test_every_operation_that_writes_is_tried():
    writing = {each.command for each in OPERATIONS if each.group == "category" and each.effect is not Effect.READS}
    assert writing == set(CALLS) - {"undo"}


@pytest.mark.anyio
@pytest.mark.parametrize("door, name", WAYS, ids=lambda each: getattr(each, "__name__", each))
async def test_the_rules_of_access_hold_at_every_door(door, name, place, memory):
    done, said = await door(place, memory, name)
    assert not done and "The device laptop may not write the category base" in said and "admin_devices" in said
    with opened(place) as again:
        assert history(again, "base").total == 2


@pytest.mark.anyio
@pytest.mark.parametrize("name, rule, allowed", [
    ("laptop", "acl.device_categories=laptop", True),
    ("workflow_laptop", "acl.device_categories=laptop", True),
    ("workflow_phone", "acl.device_categories=laptop,phone", False),
    ("anything", "acl.admin_devices=laptop", True),
])  # fmt: skip
async def test_a_token_writes_what_the_device_of_its_name_may(place, name, rule, allowed):
    own = make_session(
        project_root=place / "project", storage_root=place / "storage", source="mcp",
        assignments=["acl.admin_devices=boss", rule, "acl.device_name=boss"],
    )  # fmt: skip
    secret = token(place, "laptop")
    assert (await in_process(own, secret, "write", {"category": name, "data": {}}))[0] == (200 if allowed else 403)
    assert (await in_process(own, secret, "read", {"category": "base"}))[0] == 200


@pytest.mark.anyio
async def test_a_token_of_an_agent_writes_what_begins_with_its_name(place):
    own, secret = session(place, "acl.device_name=boss"), token(place, "foo-agent")
    assert (await in_process(own, secret, "write", {"category": "foo_notes", "data": {}}))[0] == 200
    assert (await in_process(own, secret, "write", {"category": "bar_notes", "data": {}}))[0] == 403
