"""`memory import`: JSON lines in, from a file or standard input."""

from typing import Annotated, Literal

import typer

from memory_cli.cli import streams
from memory_cli.cli.call import Output, Quiet, answer
from memory_cli.cli.help import Command
from memory_cli.memory import Memory
from memory_cli.models.results import Imported
from memory_cli.operations.import_ import import_

EXAMPLES = (
    "memory import backup.jsonl",
    "memory import notes.jsonl --scope global --dry-run",
    """echo '{"text": "Tea is green."}' | memory import -""",
)


def add(app: typer.Typer) -> None:
    """Add the command to app."""
    told = app.command("import", cls=Command, rich_help_panel="Move", epilog="\n".join(EXAMPLES), help=import_.__doc__)
    told(_run)


def _run(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of JSON lines, or - for standard input.")],
    scope: Annotated[
        Literal["local", "global"] | None,
        typer.Option("-s", "--scope", help="Take all into this scope, whatever each says of itself."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be taken in.")] = False,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    def work(memory: Memory) -> Imported:
        with streams.opened(file) as stream:
            return import_(memory, streams.lines(stream), scope=scope or "", total=streams.size(file), dry_run=dry_run)

    answer(ctx, work, output, quiet)
