"""Turn an operation into a Typer command."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import typer

from memory_cli import warm
from memory_cli.cli import metadata, streams
from memory_cli.cli.call import Output, Quiet, answer
from memory_cli.cli.help import Command
from memory_cli.cli.output import Mode
from memory_cli.cli.parameters import KEYWORD, is_mapping, parameters
from memory_cli.errors import UsageError
from memory_cli.surface import Operation
from memory_cli.text import soundness


def add_command(app: typer.Typer, operation: Operation) -> None:
    """Offer operation as a subcommand of app."""

    def run(ctx: typer.Context, output: Output, quiet: Quiet, **given: Any) -> None:
        arguments = taken(operation, given)
        run_operation(ctx, operation, arguments, output, quiet)

    register(app, operation, run, parameters(operation))


def run_operation(
    ctx: typer.Context, operation: Operation, arguments: Mapping[str, Any], output: Mode | None, quiet: bool
) -> None:
    """Answer with an operation's result: from a server that runs already, where one answers, else from here."""
    session = answer(
        ctx,
        lambda memory: operation.function(memory, **arguments),
        output,
        quiet,
        elsewhere=lambda session: warm.ask(session, operation.name, arguments, operation.returns),
    )
    by_meaning = operation.name in warm.OPERATIONS and arguments.get("query") and not arguments.get("words")
    if by_meaning and session.loaded.settings.runtime.helper:
        from memory_cli.cli.commands.helper import leave

        leave(ctx.obj, session)


def register(
    app: typer.Typer, operation: Operation, run: Callable[..., None], parameters: Sequence[inspect.Parameter]
) -> None:
    """Make run a command with these parameters and what every command has, told as the operation is."""
    every = [
        inspect.Parameter("ctx", KEYWORD, annotation=typer.Context),
        *parameters,
        inspect.Parameter("output", KEYWORD, default=None, annotation=Output),
        inspect.Parameter("quiet", KEYWORD, default=False, annotation=Quiet),
    ]
    # Typer reads a command from its signature, its annotations, its name and its docstring.
    run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in every}
    run.__doc__ = operation.function.__doc__
    told = app.command(
        operation.leaf, cls=Command, rich_help_panel=operation.panel, epilog="\n".join(operation.examples)
    )
    told(run)


def taken(operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an operation from what the command line gave, those that it did not give left out."""
    arguments = {}
    for each in operation.parameters():
        value = given[each.name]
        if is_mapping(each):
            value = metadata.parsed(value, given[f"{each.name}_json"])
        elif each.kind is not KEYWORD and isinstance(value, str):
            value = text_of(each.name, value)
        if value is not None:
            soundness.require(each.name, value)
            arguments[each.name] = value
    return arguments


def text_of(name: str, value: str) -> str:
    """Return the text of a positional argument, from standard input for a dash; an empty one is a slip of a script."""
    if not value:
        raise UsageError(f"{name.upper()} is empty; give it a value, or leave it out where it is optional.")
    return streams.text(value) if value == streams.STANDARD_INPUT else value
