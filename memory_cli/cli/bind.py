"""Turn an operation into a Typer command."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer

from memory_cli.cli import metadata, streams
from memory_cli.cli.call import Output, Quiet, answer
from memory_cli.cli.completion import COMPLETERS
from memory_cli.cli.help import Command
from memory_cli.errors import UsageError
from memory_cli.parameter import Described
from memory_cli.surface import Operation

KEYWORD = inspect.Parameter.KEYWORD_ONLY


def add_command(app: typer.Typer, operation: Operation) -> None:
    """Offer operation as a subcommand of app."""

    def run(ctx: typer.Context, output: Output, quiet: Quiet, **given: Any) -> None:
        arguments = taken(operation, given)
        answer(ctx, lambda memory: operation.function(memory, **arguments), output, quiet)

    register(app, operation, run, parameters(operation))


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
        operation.command, cls=Command, rich_help_panel=operation.panel, epilog="\n".join(operation.examples)
    )
    told(run)


def parameters(operation: Operation) -> list[inspect.Parameter]:
    """Return the parameters of an operation in Typer's way."""
    return [told for each in operation.parameters() for told in _told(each, operation.flags.get(each.name, ()))]


def taken(operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an operation from what the command line gave, those that it did not give left out."""
    arguments = {}
    for each in operation.parameters():
        value = given[each.name]
        if get_origin(_described(each.annotation)[0]) is Mapping:
            value = metadata.parsed(value, given[f"{each.name}_json"])
        elif each.kind is not KEYWORD and value is not None:
            value = text_of(each.name, value)
        if value is not None:
            arguments[each.name] = value
    return arguments


def text_of(name: str, value: str) -> str:
    """Return the text of a positional argument, from standard input for a dash; an empty one is a slip of a script."""
    if not value:
        raise UsageError(f"{name.upper()} is empty; give it a value, or leave it out where it is optional.")
    return streams.text(value) if value == streams.STANDARD_INPUT else value


def _told(parameter: inspect.Parameter, flags: tuple[str, ...]) -> Iterator[inspect.Parameter]:
    name = parameter.name
    type_, described = _described(parameter.annotation)
    required = parameter.default is parameter.empty
    if get_origin(type_) is Mapping:
        yield from metadata.parameters(name, described.text)
        return
    settings: dict[str, Any] = {
        "help": described.text, "autocompletion": COMPLETERS.get(name),
        "metavar": "N" if type_ in (int, float) else name.upper() if type_ in (str, Sequence[str]) else None,
    }  # fmt: skip
    if type_ in (int, float):
        settings |= {"min": described.at_least, "max": described.at_most}
    if parameter.kind is KEYWORD:
        spelled = flags or (f"--{name.replace('_', '-')}",)
        if type_ is bool and parameter.default is not False:
            spelled = (*spelled[:-1], f"{spelled[-1]}/--no-{name.replace('_', '-')}")
        told: Any = typer.Option(*spelled, **settings)
    else:
        told = typer.Argument(**settings)
    annotation, default = _typed(type_, parameter)
    yield inspect.Parameter(
        name, KEYWORD, default=parameter.empty if required else default, annotation=Annotated[annotation, told]
    )


def _typed(type_: Any, parameter: inspect.Parameter) -> tuple[Any, Any]:
    """Return the type and the default in Typer's way: what is not given is None, so that the operation's own holds."""
    if type_ == Sequence[str]:
        return list[str], []
    if get_origin(type_) is Literal:
        choices = Literal[tuple(each for each in get_args(type_) if each)]  # type: ignore[valid-type]
        return choices | None, parameter.default or None
    if type_ is str:
        return (str if parameter.default is parameter.empty else str | None), parameter.default or None
    return (bool | None if parameter.default is None else type_), parameter.default


def _described(annotation: Any) -> tuple[Any, Described]:
    """Return what a parameter is, without None, and its description; None may stand on either side of the two."""
    if get_origin(annotation) is Annotated:
        base, *told = get_args(annotation)
        return _without_none(base), next(each for each in told if isinstance(each, Described))
    return _described(_without_none(annotation))


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) in (Union, UnionType):
        (annotation,) = (each for each in get_args(annotation) if each is not type(None))
    return annotation
