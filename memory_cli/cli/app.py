"""The `memory` program: its global options, its commands, and where failures become messages."""

import errno
from typing import Annotated, Any

import typer

from memory_cli import __version__
from memory_cli.cli import completion, streams
from memory_cli.cli.call import Given, Output, Quiet
from memory_cli.cli.help import Group
from memory_cli.cli.output import complain
from memory_cli.cli.tree import commands
from memory_cli.errors import MemoryCliError, UsageError

EXAMPLES = (
    'memory record "Deploys need two reviews." --kind RULE',
    'memory recall "how do we deploy?"',
    "memory serve --print-config claude-code",
)


class Program(Group):
    """The commands; a failure of one becomes a line on standard error and an exit code."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = commands()

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command."""
        try:
            return super().invoke(ctx)
        except MemoryCliError as error:
            complain(str(error))
            raise typer.Exit(error.exit_code) from error
        except typer.TyperException as error:
            option = getattr(error, "option_name", "")
            if hasattr(error, "possibilities") and any(option in each.opts for each in self.params):
                complain(f"{option} goes before the command: memory {option} … {ctx.invoked_subcommand} …")
                raise typer.Exit(UsageError.exit_code) from error
            error.message += _way_out(error.message)
            raise
        except OSError as error:
            # A reader that went away is Typer's business; the rest is the system's refusal and no bug of ours.
            if error.errno in (None, errno.EPIPE):
                raise
            complain(f"{error.filename or 'The system'}: {error.strerror}.")
            raise typer.Exit(1) from error


# What other programs call these commands.
SYNONYMS = {
    "search": "recall", "find": "recall", "query": "recall", "ask": "recall", "add": "record", "remember": "record",
    "save": "record", "store": "record", "delete": "forget", "remove": "forget", "rm": "forget", "edit": "update",
    "get": "show", "ls": "list", "log": "history", "settings": "config", "mcp": "serve", "server": "serve",
}  # fmt: skip


def _way_out(message: str) -> str:
    """Return what to do about a slip that the parser only names."""
    if message.startswith("Got unexpected extra argument"):
        return "; put a text of several words in quotes."
    option = message.removeprefix("No such option: -")
    if option != message and (option[:1].isdigit() or " " in option):
        return "; a text that begins with a dash goes after --, as in: memory record -- '-5 degrees'."
    command = message.removeprefix("No such command '").rstrip("'.")
    return f" Did you mean '{SYNONYMS[command]}'?" if command in SYNONYMS else ""


app = typer.Typer(
    name="memory",
    cls=Program,
    no_args_is_help=True,
    epilog="\n".join(EXAMPLES),
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memory {__version__}")
        raise typer.Exit


@app.callback()
def memory(
    ctx: typer.Context,
    project_root: Annotated[
        str | None, typer.Option(metavar="PATH", help="The project; by default the nearest folder that is one.")
    ] = None,
    storage_root: Annotated[str | None, typer.Option(metavar="PATH", help="Where the global memory lives.")] = None,
    config_file: Annotated[
        str | None, typer.Option("--config", metavar="FILE", help="A further file of settings.")
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Set a setting for this call.", autocompletion=completion.settings
        ),
    ] = None,
    output: Output = None,
    quiet: Quiet = False,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Remember what agents and people should know in later conversations, and find it again."""
    ctx.obj = Given(
        project_root=streams.as_path(project_root) if project_root else None,
        storage_root=streams.as_path(storage_root) if storage_root else None,
        config_file=streams.as_path(config_file) if config_file else None,
        assignments=tuple(assignments or ()),
        output=output,
        quiet=quiet,
    )
