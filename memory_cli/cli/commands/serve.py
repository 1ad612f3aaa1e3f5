"""`memory serve`: the tools over MCP."""

import sys
from typing import Annotated, Literal

import typer

from memory_cli.cli.call import Given
from memory_cli.cli.help import Command

Client = Literal["claude-code", "codex", "cursor", "json"]
EXAMPLES = (
    "memory serve",
    "memory serve --tools core,curate",
    "memory serve --print-config claude-code",
    "claude mcp add memory -- memory serve",
)


def add(app: typer.Typer) -> None:
    """Add the command to app."""
    app.command("serve", cls=Command, rich_help_panel="Agents", epilog="\n".join(EXAMPLES))(_serve)


def _serve(
    ctx: typer.Context,
    tools: Annotated[
        str, typer.Option(metavar="SETS", help="Sets of tools to offer: core, curate, admin, all.")
    ] = "core",
    print_config: Annotated[
        Client | None, typer.Option("--print-config", help="Print the block that makes a client start this.")
    ] = None,
) -> None:
    """Serve the memory to an agent over MCP, on standard input and output.

    It ends with its input. Other processes may use the same memory at the same time.
    """
    given: Given = ctx.obj
    # Only this command needs mcp, which takes a second to import.
    if print_config:
        from memory_cli.serve.client_config import client_config, own_program

        command, *before = own_program(sys.argv[0])
        print(client_config(print_config, command, [*before, *_options(given), "serve", *_chosen(tools)]), end="")
        return
    from memory_cli.serve.server import serve

    serve(given.session(), tools)


def _options(given: Given) -> list[str]:
    """Return the global options as they were given, paths from the root on: a client starts the server elsewhere."""
    paths = {
        "--project-root": given.project_root, "--storage-root": given.storage_root, "--config": given.config_file,
    }  # fmt: skip
    named = [each for flag, path in paths.items() if path for each in (flag, str(path.absolute()))]
    return named + [each for assignment in given.assignments for each in ("--set", assignment)]


def _chosen(tools: str) -> list[str]:
    return [] if tools == "core" else ["--tools", tools]
