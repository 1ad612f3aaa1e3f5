"""The block that makes an MCP client start this server."""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from memory_cli.errors import UsageError

NAME = "memory"
CLIENTS = ("claude-code", "codex", "cursor", "json")
TOKEN_VARIABLE = "MEMORY_TOKEN"  # noqa: S105 - its name


def client_config(client: str, command: str, args: Sequence[str], env: Mapping[str, str] | None = None) -> str:
    """Return what to put into a client's configuration file."""
    server = {"command": command, "args": list(args)} | ({"env": dict(env)} if env else {})
    return _block(client, server, "stdio")


def http_config(client: str, address: str, *, token: bool) -> str:
    """Return what to put into a client's configuration file for a server over HTTP.

    A token is not written there: the client takes it from the variable MEMORY_TOKEN.
    """
    server: dict[str, object] = {"url": address}
    if token and client == "codex":
        server["bearer_token_env_var"] = TOKEN_VARIABLE
    elif token:
        named = f"env:{TOKEN_VARIABLE}" if client == "cursor" else TOKEN_VARIABLE
        server["headers"] = {"Authorization": f"Bearer ${{{named}}}"}
    return _block(client, server, "http")


def _block(client: str, server: Mapping[str, object], type: str) -> str:
    if client == "codex":
        return _toml(server)
    if client == "claude-code":
        server = {"type": type, **server}
    elif client not in CLIENTS:
        raise UsageError(f"There is no block for {client!r}; there is one for {', '.join(CLIENTS)}.")
    return json.dumps({"mcpServers": {NAME: server}}, ensure_ascii=False, indent=2) + "\n"


def own_program(started: str) -> list[str]:
    """Return the command that starts this program from anywhere."""
    # A client starts the server elsewhere and with another PATH, so the program is named whole.
    found = shutil.which(started) if Path(started).stem == NAME else None
    return [str(Path(found).absolute())] if found else [sys.executable, "-m", "memory_cli"]


def _toml(server: Mapping[str, object]) -> str:
    lines = [f"{key} = {_toml_value(value)}" for key, value in server.items()]
    return "\n".join((f"[mcp_servers.{NAME}]", *lines)) + "\n"


def _toml_value(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml_value(each)}" for key, each in value.items()) + " }"
    # A JSON string is a TOML string, but for the one control character that JSON leaves alone.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
