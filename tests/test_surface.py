"""What holds for every operation, in both front ends."""

import inspect
import json
import re
import shlex
import shutil
from collections.abc import Mapping
from typing import Any, get_args

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from memory_cli.cli import manual
from memory_cli.cli.app import app
from memory_cli.memory import make_session
from memory_cli.models.toolsets import TOOL_SETS
from memory_cli.parameter import Described
from memory_cli.serve.api.table import ASKING
from memory_cli.surface import OPERATIONS

TREE = get_command(app)
PAGES = list(manual.walk(app, "memory"))
TOOLS = [each for each in OPERATIONS if each.tool]
CALLS = {
    "record": {"text": "mint tea cools", "kind": "rule", "tag": ["a", "b"], "meta": {"n": 1}, "id": "mint"},
    "recall": {"query": "tea", "limit": 2, "words": True, "explain": True},
    "forget": {"id": ["green"], "scope": "local"},
    "handoff": {"text": "go on"},
    "context": {"query": "tea"},
    "update": {"id": "green", "tag": ["new"], "superseded": True},
    "list": {"superseded": False, "limit": 1},
    "history": {"id": "green"},
    "link": {"from_id": "green", "to_id": "black", "type": "contradicts"},
    "links": {"id": "green"},
    "category read": {"category": "base"},
    "category write": {"category": "base", "data": {"b": [1]}, "merge": True, "reason": "why"},
    "category append": {"category": "journal", "data": {"did": "x"}},
    "category delete": {"category": "base"},
    "category restore": {"category": "base", "version": 1},
    "category search": {"query": "tea"},
    "category history": {"category": "base"},
    "category delta": {"category": "base"},
    "category compact": {"keep_versions": 1},
}
VOLATILE = {"sources", "source", "bytes", "wal_bytes", "version"}


def named(operations):
    return pytest.mark.parametrize("operation", operations, ids=[each.command for each in operations])


def options(operation):
    """Return the options of a command that stand for parameters of its operation, by name."""
    names = {each.name for each in operation.parameters()}
    found = TREE
    for word in operation.command.split():
        found = found.commands[word]
    return {each.name: each for each in found.params if each.name in names}


def described(parameter):
    """Return the description in an annotation."""
    inner = [each for each in (parameter.annotation, *get_args(parameter.annotation)) if hasattr(each, "__metadata__")]
    return next(each for each in inner[0].__metadata__ if isinstance(each, Described))


@named(OPERATIONS)
def test_every_parameter_is_described_and_has_a_type(operation):
    for each in operation.parameters():
        assert described(each).text.endswith((".", "…")), each.name
        assert Any not in (each.annotation, *get_args(each.annotation)), each.name


@named(OPERATIONS)
def test_the_command_line_offers_each_parameter_as_it_is_described(operation):
    told = {name: each.help for name, each in options(operation).items()}
    for each in operation.parameters():
        text = described(each).text
        assert told[each.name].removesuffix(" The value is kept as text.") == text


@pytest.mark.parametrize("command, ctx", PAGES, ids=[ctx.command_path for _command, ctx in PAGES])
def test_every_command_has_a_sentence_and_examples_that_parse(command, ctx):
    first = command.help.split("\n")[0]
    assert first.endswith(".") and (len(first) <= 72 or ctx.parent is None)
    parts = [part for line in command.epilog.splitlines() for part in re.split(r" [|<>] ", line)]
    ran = [shlex.split(each)[1:] for each in parts if each.startswith("memory ")]
    assert ran
    for words in ran:
        with TREE.make_context("memory", words) as root:
            name, found, rest = TREE.resolve_command(root, [*root._protected_args, *root.args])
            inner = found.make_context(name, rest, parent=root)
            if isinstance(found, TyperGroup):
                name, leaf, rest = found.resolve_command(inner, [*inner._protected_args, *inner.args])
                leaf.make_context(name, rest, parent=inner)


@named(TOOLS)
def test_a_tool_takes_what_its_command_takes(operation):
    from memory_cli.serve.bind import bind

    tool = bind(operation).tool
    told = {each.name: described(each).text for each in operation.parameters()}
    assert told == {name: each["description"] for name, each in tool.input_schema["properties"].items()}
    assert operation.tools in TOOL_SETS
    required = {each.name for each in operation.parameters() if each.default is inspect.Parameter.empty}
    assert required == set(tool.input_schema.get("required", ()))
    # A text may come from a file or standard input instead.
    assert required - {"text"} == {name for name, each in options(operation).items() if each.required} - {"text"}


def argv(operation, arguments):
    """Return the arguments of a tool as a command takes them."""
    yield from operation.command.split()
    for each in operation.parameters():
        value = arguments.get(each.name)
        flag = options(operation)[each.name].opts[-1]
        if each.kind is not inspect.Parameter.KEYWORD_ONLY:
            yield from () if value is None else (value,)
        elif value is True:
            yield flag
        elif value is False:
            yield f"--no-{flag.removeprefix('--')}"
        elif isinstance(value, Mapping):
            yield from (f"{flag}-json", json.dumps(value))
        else:
            for one in value if isinstance(value, list) else [] if value is None else [value]:
                yield from (flag, str(one))


def settled(value, root):
    """Return a document without what differs from run to run and from door to door."""
    text = json.dumps(value, ensure_ascii=False).replace(str(root / "copy"), str(root))
    text = re.sub(r'"[0-9a-hjkmnp-tv-z]{10}"', '"ID"', re.sub(r'"\d{4}-\d\d-\d\dT[^"]*Z"', '"TIME"', text))
    return json.loads(text, object_hook=lambda each: {key: one for key, one in each.items() if key not in VOLATILE})


# What sync asks others is compared where there is one to ask, in tests/test_sync_http.py.
@named([each for each in TOOLS if each.command not in ASKING])
def test_json_output_is_the_structured_content(operation, memory, tmp_path, monkeypatch):
    from memory_cli.serve.bind import answer, bind

    monkeypatch.setenv("MEMORY_AGENT", "tester")
    recorded = (["green tea", "--id", "green"], ["black tea", "-t", "x", "--id", "black"], ["tea", "--scope", "global"])
    for text, *options in recorded:
        assert memory("record", text, *options).exit_code == 0
    for data in ('{"a": "tea"}', '{"a": "coffee"}'):
        assert memory("category", "write", "base", data).exit_code == 0
    for folder in ("project", "storage"):
        shutil.copytree(tmp_path / folder, tmp_path / "copy" / folder)
    arguments = CALLS.get(operation.command, {})
    printed = memory(*argv(operation, arguments), "-o", "json")
    roots = {"project_root": tmp_path / "copy/project", "storage_root": tmp_path / "copy/storage"}
    result = answer(bind(operation), make_session(**roots, source="mcp"), arguments, lambda done, total, message: None)
    assert not result.is_error, result.content
    assert settled(json.loads(printed.stdout), tmp_path) == settled(result.structured_content, tmp_path)
    assert printed.stderr == ""
