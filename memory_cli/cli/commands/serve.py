"""`memory serve`: the tools over MCP."""

import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal

import typer

from memory_cli.cli.call import Given
from memory_cli.cli.help import Command
from memory_cli.cli.output import complain
from memory_cli.errors import MemoryCliError, UsageError
from memory_cli.memory import Session

Client = Literal["claude-code", "codex", "cursor", "json"]
EXAMPLES = (
    "memory serve",
    "memory serve --tools core,curate",
    "memory serve --ui",
    "memory serve --http --port 8000",
    "memory serve --http --api --print-unit > ~/.config/systemd/user/memory.service",
    "memory serve --tools shared-memory",
    "memory serve --tools mcp-memory-rs",
    "memory serve --print-config claude-code",
    "claude mcp add memory -- memory serve",
)


def add(app: typer.Typer) -> None:
    """Add the command to app."""
    app.command("serve", cls=Command, rich_help_panel="Agents", epilog="\n".join(EXAMPLES))(_serve)


def _serve(
    ctx: typer.Context,
    tools: Annotated[
        str,
        typer.Option(
            metavar="SETS",
            help="Sets of tools: core, curate, categories, sync, admin, all; or shared-memory or mcp-memory-rs alone.",
        ),
    ] = "core",
    scope: Annotated[
        Literal["local", "global"] | None,
        typer.Option("-s", "--scope", help="The one scope to reach; both, and global with another system's tools."),
    ] = None,
    print_config: Annotated[
        Client | None, typer.Option("--print-config", help="Print the block that makes a client start this.")
    ] = None,
    http: Annotated[
        bool, typer.Option("--http", help="Over HTTP at /mcp, instead of standard input and output.")
    ] = False,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Where to listen; other machines' need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="The port; 0 is any.")] = 8000,
    api: Annotated[
        bool, typer.Option("--api", help="With --http: also the operations at /api/v1, all of it by token alone.")
    ] = False,
    print_unit: Annotated[
        bool, typer.Option("--print-unit", help="With --http: print the systemd user unit that runs this.")
    ] = False,
    ui: Annotated[bool, typer.Option("--ui", help="Also show the memory in a browser, as memory ui does.")] = False,
    ui_port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="The port of the browser view; 0 is any.")
    ] = 5052,
) -> None:
    """Serve the memory to agents over MCP, on standard streams or over HTTP.

    It ends with its input, over HTTP when it is told to. Other processes may use the same memory at the same time.
    Whoever comes from another machine needs a token, which `memory token add` makes.
    """
    given: Given = ctx.obj
    _check(http=http, api=api, print_config=bool(print_config), print_unit=print_unit)
    # Only this command needs mcp, which takes a second to import.
    chosen = [*_chosen(tools, scope), *(["--ui", "--ui-port", str(ui_port)] if ui else ())]
    if print_config:
        over_http = _config_over_http(print_config, host, port, api=api) if http else ""
        print(over_http or _config(print_config, given, chosen), end="")
        return
    if print_unit:
        reached = ["--http", "--host", host, "--port", str(port), *(["--api"] if api else ())]
        print(_unit(given, [*chosen, *reached], host, port, api=api), end="")
        return
    _run(given, tools, scope or "", (host, port) if http else None, api=api, ui_port=ui_port if ui else None)


def _run(
    given: Given, tools: str, scope: str, place: tuple[str, int] | None, *, api: bool, ui_port: int | None
) -> None:
    """Serve at a place over HTTP, or on standard streams; with a port for it, the browser view beside."""
    from memory_cli.serve.server import alone, serve
    from memory_cli.store.kept import Kept

    session = replace(given.session(), kept=Kept())
    if scope == "local" and session.roots.local_store is None:
        raise UsageError("There is no project here, so there is no local memory to serve; `memory init` makes one.")

    def view(wake: Callable[[], None]) -> None:
        # A thread, which ends with the process: the handshake waits for no web server.
        threading.Thread(target=_show, args=(session, ui_port, wake), name="browser view", daemon=True).start()

    beside = alone if ui_port is None else view
    if place is None:
        serve(session, tools, scope=scope, beside=beside)
        return
    from memory_cli.serve.http import serve as serve_http

    host, port = place
    serve_http(session, tools, host=host, port=port, scope=scope, api=api, beside=beside, told=complain)


def _check(*, http: bool, api: bool, print_config: bool, print_unit: bool) -> None:
    if print_config and print_unit:
        raise UsageError("Print one of them: the block for a client, or the unit for systemd.")
    if print_unit and not http:
        raise UsageError(
            "A unit keeps a server over HTTP running: add --http. Over standard streams a client starts the server by "
            "itself, and --print-config prints the block for that."
        )
    if api and not http:
        raise UsageError("The API is served over HTTP: add --http.")


def _show(session: Session, port: int, wake: Callable[[], None]) -> None:
    from memory_cli.web.server import prepare

    try:
        view = prepare(session, host="127.0.0.1", port=port, option="--ui-port", written=wake)
    except MemoryCliError as error:
        complain(f"{error} The tools are served without the browser view.")
        return
    complain(f"The browser view is at {view.address}")
    view.run()


def _config(client: str, given: Given, chosen: list[str]) -> str:
    from memory_cli.serve.client_config import client_config, own_program

    command, *before = own_program(sys.argv[0])
    return client_config(client, command, [*before, *given.options(), "serve", *chosen])


def _config_over_http(client: str, host: str, port: int, *, api: bool) -> str:
    from memory_cli.serve.client_config import http_config
    from memory_cli.sockets import LOOPBACK

    name = f"[{host}]" if ":" in host else host
    return http_config(client, f"http://{name}:{port}/mcp", token=api or host not in LOOPBACK)


def _unit(given: Given, options: list[str], host: str, port: int, *, api: bool) -> str:
    from memory_cli.serve.client_config import own_program
    from memory_cli.serve.unit import unit
    from memory_cli.sockets import LOOPBACK

    command = [*own_program(sys.argv[0]), *given.options(), "serve", *options]
    token = api or host not in LOOPBACK
    return unit(command, os.environ, port=port, token=token)


def _chosen(tools: str, scope: str | None) -> list[str]:
    return [*([] if tools == "core" else ["--tools", tools]), *(["--scope", scope] if scope else [])]
