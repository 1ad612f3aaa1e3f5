"""`memory init`: make a folder a project."""

from pathlib import Path
from typing import Annotated

import typer

from memory_cli.cli import streams
from memory_cli.cli.call import Given, Output, Quiet, answer
from memory_cli.cli.help import Command
from memory_cli.operations.init import init

EXAMPLES = ("memory init", "memory init ~/notes")


def add(app: typer.Typer) -> None:
    """Add the command to app."""
    told = app.command("init", cls=Command, rich_help_panel="Look after", epilog="\n".join(EXAMPLES), help=init.__doc__)
    told(_run)


def _run(
    ctx: typer.Context,
    folder: Annotated[
        str | None, typer.Argument(metavar="FOLDER", help="The folder; by default --project-root, else this one.")
    ] = None,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    given: Given = ctx.obj
    place = given.project_root or Path() if folder is None else streams.as_path(folder)
    answer(ctx, lambda memory: init(memory, place.absolute()), output, quiet)
