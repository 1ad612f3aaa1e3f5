"""`memory import`: an export of ours or of another program in, from a file, a folder or standard input."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memory_cli.cli import streams
from memory_cli.cli.call import Output, Quiet, answer
from memory_cli.cli.help import Command
from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.results import Imported
from memory_cli.operations.import_ import import_

if TYPE_CHECKING:
    from memory_cli.operations.importing.source import Source

EXAMPLES = (
    "memory import backup.jsonl",
    "memory import notes.jsonl --scope global --dry-run",
    "memory import archive.jsonl --jobs 1",
    """echo '{"text": "Tea is green."}' | memory import -""",
    "memory import ~/Downloads/claude-export.zip --dry-run",
    "memory import CLAUDE.md",
    "memory import --from shared-memory",
    "memory import --from mcp-memory-rs ~/.memory --dry-run",
)
From = Literal[
    "auto", "jsonl", "server-memory", "shared-memory", "mcp-memory-rs", "mcp-memory-service", "mem0", "basic-memory",
    "claude", "chatgpt", "rules", "chroma",
]  # fmt: skip


def add(app: typer.Typer) -> None:
    """Add the command to app."""
    told = app.command("import", cls=Command, rich_help_panel="Move", epilog="\n".join(EXAMPLES), help=import_.__doc__)
    told(_run)


def _run(
    ctx: typer.Context,
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="A file, a folder, or - for standard input.", show_default=False)
    ] = "",
    format: Annotated[From, typer.Option("-f", "--from", help="What it is; auto looks for itself.")] = "auto",
    scope: Annotated[
        Literal["local", "global"] | None,
        typer.Option("-s", "--scope", help="Take all into this scope, whatever each says of itself."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be taken in.")] = False,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            min=0,
            max=1024,
            show_default=False,
            help="Read and analyse on so many cores; by default on all, up to 4, since more do not help.",
        ),
    ] = 0,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    def work(memory: Memory) -> Imported:
        # Each format has a module of its own, which no other command needs.
        from memory_cli.operations.importing.taking import import_from

        source = _source(memory, path, format)
        return import_from(memory, source, format=format, scope=scope or "", dry_run=dry_run, jobs=jobs)

    answer(ctx, work, output, quiet)


def _source(memory: Memory, path: str, format: str) -> "Source":
    from memory_cli.operations.importing.formats import usual_place
    from memory_cli.operations.importing.source import Source

    if path == streams.STANDARD_INPUT:
        return Source(stream=sys.stdin.buffer)
    place = streams.as_path(path) if path else usual_place(format, memory.session.environ, Path.home())
    if not place.exists():
        usual = "" if path else f" It is where {format} keeps its memory if nothing says otherwise; give the PATH."
        raise UsageError(f"{place} cannot be read: there is no such file or folder.{usual}")
    return Source(place)
