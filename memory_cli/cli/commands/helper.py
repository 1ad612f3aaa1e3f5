"""`memory helper`: the warm process that a recall by meaning leaves behind, where the settings ask for one."""

import os
import subprocess
import sys

import typer

from memory_cli import warm
from memory_cli.cli.call import Given, Output, Quiet, show
from memory_cli.cli.help import Command, Group
from memory_cli.memory import Session
from memory_cli.models.frozen import Frozen

STOP = ("memory helper stop", 'memory --set runtime.helper=600 recall "how do we deploy?"')


class HelpersStopped(Frozen):
    """How many helpers were told to end."""

    stopped: int


def add(app: typer.Typer) -> None:
    """Add the commands to app."""
    told = "End the warm process that `runtime.helper` leaves behind."
    group = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, epilog=STOP[0])
    group.command("stop", cls=Command, epilog="\n".join(STOP))(_stop)
    group.command("run", cls=Command, hidden=True)(_run)
    app.add_typer(group, name="helper", rich_help_panel="Look after", help=told)


def leave(given: Given, session: Session) -> None:
    """Leave a helper behind that answers the next call, unless something answers already."""
    if os.name == "nt" or next(warm.listening(session), None):
        return
    nothing = subprocess.DEVNULL
    command = [sys.executable, "-m", "memory_cli", *given.options(), "helper", "run"]
    # This very program, with the options that it was given.
    subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)  # noqa: S603


def _stop(ctx: typer.Context, output: Output = None, quiet: Quiet = False) -> None:
    """End every helper of this user at once.

    A helper is left behind by a recall by meaning where `runtime.helper` is set, and ends by itself when idle.
    """
    given: Given = ctx.obj
    helpers = [each for each in warm.sockets(given.session().environ) if each.name.endswith(warm.HELPER)]
    show(ctx, HelpersStopped(sum(map(warm.stop, helpers))), output, quiet)


def _run(ctx: typer.Context) -> None:
    """Answer the command line until idle."""
    from memory_cli.serve.helper import run

    session = ctx.obj.session()
    run(session, session.loaded.settings.runtime.helper)
