"""`memory ui`: the browser view by itself."""

from typing import Annotated, Literal

import typer

from memory_cli.cli.call import Given
from memory_cli.cli.help import Command

PORT = 5052
EXAMPLES = ("memory ui", "memory ui --port 8080", "memory ui --host ::1")

Host = Literal["127.0.0.1", "::1"]


def add(app: typer.Typer) -> None:
    """Add the command to app."""
    app.command("ui", cls=Command, rich_help_panel="Look after", epilog="\n".join(EXAMPLES))(_ui)


def _ui(
    ctx: typer.Context,
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="The port; 0 is any that is free.")
    ] = PORT,
    host: Annotated[Host, typer.Option(help="This machine's own address, of either kind.")] = "127.0.0.1",
) -> None:
    """Look at the memory in a browser, and change it there.

    Prints an address that holds a token; whoever opens it sees the memory, and nobody else does. Nothing but this
    machine can reach it. It ends with Ctrl-C.
    """
    given: Given = ctx.obj
    session = given.session()
    # Only this command needs a web server, which takes a while to import.
    from memory_cli.serve.background import Background
    from memory_cli.web.server import prepare

    background = Background(session)
    view = prepare(session, host=host, port=port, written=background.wake)
    background.start()
    print(view.address, flush=True)
    view.run()
