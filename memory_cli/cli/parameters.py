"""Parameters of operations as Typer takes them."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from memory_cli.cli import metadata
from memory_cli.cli.completion import COMPLETERS
from memory_cli.parameter import described
from memory_cli.surface import Operation

KEYWORD = inspect.Parameter.KEYWORD_ONLY


def parameters(operation: Operation) -> list[inspect.Parameter]:
    """Return the parameters of an operation in Typer's way."""
    return [told for each in operation.parameters() for told in _told(each, operation.flags.get(each.name, ()))]


def is_mapping(parameter: inspect.Parameter) -> bool:
    """Tell whether a parameter is given as pairs or JSON."""
    return get_origin(described(parameter.annotation)[0]) is Mapping


def _told(parameter: inspect.Parameter, flags: tuple[str, ...]) -> Iterator[inspect.Parameter]:
    name = parameter.name
    type_, told_of = described(parameter.annotation)
    required = parameter.default is parameter.empty
    if is_mapping(parameter):
        yield from metadata.parameters(name, told_of.text)
        return
    settings: dict[str, Any] = {
        "help": told_of.text, "autocompletion": COMPLETERS.get(name),
        "metavar": "N" if type_ in (int, float) else name.upper() if type_ in (str, Sequence[str]) else None,
    }  # fmt: skip
    if type_ in (int, float):
        settings |= {"min": told_of.at_least, "max": told_of.at_most}
    if parameter.kind is KEYWORD:
        spelled = flags or (f"--{name.replace('_', '-')}",)
        if type_ is bool and parameter.default is not False:
            spelled = (f"{spelled[-1]}/--no-{name.replace('_', '-')}",)
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
