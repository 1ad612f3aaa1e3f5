"""What one door did is true at every other: HTTP, the command line, Python and imports."""

import json

import pytest

import memory_cli
from benchmarks.stores import opened, roots
from memory_cli.operations.forget import forget
from memory_cli.operations.link import link
from memory_cli.operations.list_ import list_
from memory_cli.operations.record import record
from memory_cli.operations.reindex import reindex
from tests.http_server import client, served, token


@pytest.fixture
def place(tmp_path):
    roots(tmp_path)
    return tmp_path


@pytest.mark.anyio
async def test_what_another_process_forgot_is_in_no_answer_of_a_server_that_knew_it(place):
    with opened(place) as memory:
        kept = record(memory, "The heron waits at the river for fish.")
        gone = record(memory, "The heron waits at the river for frogs.")
        link(memory, kept.id, gone.id, type="related")
        reindex(memory)
    with served(place, "--tools", "all") as running:
        async with client(running.address) as agent:
            question = {"query": "a bird that is looking for food in the water"}
            assert gone.id in await ids_in(agent, "recall_memory", question)
            assert gone.id in await ids_in(agent, "memory_graph", {})
            with opened(place) as memory:
                forget(memory, id=gone.id)
            for tool, given in (
                ("recall_memory", question), ("recall_memory", {**question, "words": True}), ("memory_graph", {}),
                ("memory_context", question), ("memory_links", {"id": kept.id}), ("list_memory", {}),
            ):  # fmt: skip
                assert gone.id not in await ids_in(agent, tool, given), tool
            assert (await agent.call_tool("memory_links", {"id": gone.id})).is_error
            with opened(place) as memory:
                assert memory_cli.undo(memory).undone
            assert gone.id in await ids_in(agent, "recall_memory", question)


async def ids_in(agent, tool, given):
    done = await agent.call_tool(tool, given)
    assert not done.is_error, done.content
    return json.dumps(done.structured_content)


@pytest.mark.anyio
async def test_the_same_words_by_every_door_are_one_statement_with_all_it_came_from(place):
    words = "The tide turns at noon."
    lines = place / "lines.jsonl"
    lines.write_text(json.dumps({"text": words, "agent": "imp", "source": "chat", "tags": ["d"]}), encoding="utf-8")
    command = memory_at(place)
    assert command("record", words, "--agent", "cli-agent", "--tag", "a").exit_code == 0
    with served(place) as running:
        async with client(running.address, token(place, "web-agent")) as agent:
            done = await agent.call_tool("record_memory", {"text": f"  {words}\n", "tags": ["b"]})
            assert done.structured_content["already_recorded"]
    with memory_cli.open_memory(project_root=place / "project", storage_root=place / "storage", agent="py") as memory:
        record(memory, words, tag=["c"])
    assert command("import", str(lines)).exit_code == 0
    agents = ["cli-agent", "web-agent", "py", "imp"]
    with opened(place) as memory:
        (unit,) = list_(memory).units
        assert sorted(unit.agents) == sorted(agents) and sorted(unit.tags) == ["a", "b", "c", "d"]
    for number, each in enumerate(agents, 1):
        assert command("forget", "--agent", each, "--yes", "--expect", "1").exit_code == 0
        with opened(place) as memory:
            assert [sorted(unit.agents) for unit in list_(memory).units] == [sorted(agents[number:])][: 4 - number]


def test_links_and_tags_and_documents_go_out_and_come_back_to_the_byte(place, tmp_path_factory):
    command, other = memory_at(place), memory_at(tmp_path_factory.mktemp("other"))
    (place / "guide.md").write_text("# Setup\n\nRun it. #install\n\n## Keys\n\nSee [[Vault]].\n", encoding="utf-8")
    assert command("index", str(place / "guide.md"), "--scope", "local").exit_code == 0
    ids = [command("record", text).stdout.split()[0] for text in ("Use tabs. #style", "Use spaces. #style")]
    assert command("link", ids[1], ids[0], "--type", "supersedes").exit_code == 0
    first, second = place / "first.jsonl", place / "second.jsonl"
    assert command("export", "--format", "jsonl", "--to", str(first)).exit_code == 0
    for _ in range(3):
        done = other("import", str(first))
        assert done.exit_code == 0
    assert json.loads(other("import", str(first), "-o", "json").stdout)["new"] == 0
    assert other("export", "--format", "jsonl", "--to", str(second)).exit_code == 0
    assert first.read_bytes() == second.read_bytes()


def memory_at(folder):
    from typer.testing import CliRunner

    from memory_cli.cli.app import app

    given = roots(folder)
    return lambda *arguments: CliRunner().invoke(app, [*given, *arguments])
