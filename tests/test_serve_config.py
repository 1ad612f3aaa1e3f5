import json
import sys
import tomllib

import pytest

from memory_cli.errors import UsageError
from memory_cli.serve.client_config import client_config, http_config, own_program

PATH, ARGS = '/opt/my "tools"/memory', ["--project-root", "C:\\café\x7f", "serve"]


@pytest.mark.parametrize("client, more", [("claude-code", {"type": "stdio"}), ("cursor", {}), ("json", {})])
def test_clients_that_read_json_get_a_block_under_mcp_servers(client, more):
    block = json.loads(client_config(client, PATH, ARGS))
    assert block == {"mcpServers": {"memory": more | {"command": PATH, "args": ARGS}}}


def test_codex_gets_a_table_of_toml():
    block = tomllib.loads(client_config("codex", PATH, ARGS, {"MEMORY_AGENT": "me"}))
    assert block == {"mcp_servers": {"memory": {"command": PATH, "args": ARGS, "env": {"MEMORY_AGENT": "me"}}}}


def test_an_environment_is_written_only_when_there_is_one():
    assert "env" not in client_config("json", PATH, ARGS)
    assert json.loads(client_config("json", PATH, ARGS, {"A": "b"}))["mcpServers"]["memory"]["env"] == {"A": "b"}


def test_another_client_is_refused_with_those_there_are():
    with pytest.raises(UsageError, match="claude-code, codex, cursor, json"):
        client_config("emacs", PATH, ARGS)


def test_the_program_is_named_whole(tmp_path):
    program = tmp_path / "memory"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    assert own_program(str(program)) == [str(program)]


@pytest.mark.parametrize("started", ["/usr/lib/memory_cli/__main__.py", "/nowhere/memory", "pytest"])
def test_a_program_that_cannot_be_started_again_is_named_by_its_python(started):
    assert own_program(started) == [sys.executable, "-m", "memory_cli"]


def test_over_http_a_client_gets_the_address_and_the_variable_of_its_token(memory):
    told = memory("serve", "--http", "--port", "8123", "--print-config", "claude-code").stdout
    assert json.loads(told)["mcpServers"]["memory"] == {"type": "http", "url": "http://127.0.0.1:8123/mcp"}
    told = memory("serve", "--http", "--host", "box", "--print-config", "cursor").stdout
    assert json.loads(told)["mcpServers"]["memory"]["headers"] == {"Authorization": "Bearer ${env:MEMORY_TOKEN}"}
    block = tomllib.loads(http_config("codex", "http://box:8000/mcp", token=True))
    assert block["mcp_servers"]["memory"] == {"url": "http://box:8000/mcp", "bearer_token_env_var": "MEMORY_TOKEN"}


def test_with_the_api_a_client_needs_a_token_on_this_machine_too(memory):
    told = memory("serve", "--http", "--api", "--print-config", "json").stdout
    assert json.loads(told)["mcpServers"]["memory"]["headers"] == {"Authorization": "Bearer ${MEMORY_TOKEN}"}
