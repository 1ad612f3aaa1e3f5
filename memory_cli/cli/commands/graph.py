"""`memory graph`: also as Mermaid or DOT, for what draws those."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from memory_cli.cli import bind
from memory_cli.cli.call import Output, Quiet
from memory_cli.cli.parameters import KEYWORD, parameters
from memory_cli.cli.printable import printable
from memory_cli.memory import open_memory
from memory_cli.models.links import Graph
from memory_cli.surface import Operation

WORDS = 40
Format = Literal["mermaid", "dot"]
FORMAT = inspect.Parameter(
    "format",
    KEYWORD,
    default=None,
    annotation=Annotated[Format | None, typer.Option("--format", help="Print it for a program that draws it.")],
)


def add(app: typer.Typer, operation: Operation) -> None:
    """Add the command to app."""

    def run(ctx: typer.Context, output: Output, quiet: Quiet, format: Format | None, **given: Any) -> None:
        arguments = bind.taken(operation, given)
        if format is None:
            bind.run_operation(ctx, operation, arguments, output, quiet)
            return
        with open_memory(ctx.obj.session()) as memory:
            print(printable(DRAWN[format](operation.function(memory, **arguments)), keep="\n"))

    bind.register(app, operation, run, [*parameters(operation), FORMAT])


def _mermaid(graph: Graph) -> str:
    names = {each.id: f"n{place}" for place, each in enumerate(graph.nodes)}
    rows = ["graph LR"]
    rows += [f'  {names[each.id]}["{_words(each.text, QUOTED_IN_MERMAID)}"]' for each in graph.nodes]
    rows += [f"  {names[each.from_id]} -- {each.type} --> {names[each.to_id]}" for each in graph.edges]
    return "\n".join(rows)


def _dot(graph: Graph) -> str:
    names = {each.id: f"n{place}" for place, each in enumerate(graph.nodes)}
    rows = ["digraph memory {", "  rankdir=LR; node [shape=box];"]
    rows += [f'  {names[each.id]} [label="{_words(each.text, QUOTED_IN_DOT)}"];' for each in graph.nodes]
    rows += [f'  {names[each.from_id]} -> {names[each.to_id]} [label="{each.type}"];' for each in graph.edges]
    return "\n".join([*rows, "}"])


# What a label would end at, or what would be markup in it.
QUOTED_IN_MERMAID = str.maketrans({'"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "#": "#35;", "`": "#96;"})
QUOTED_IN_DOT = str.maketrans({'"': '\\"', "\\": "\\\\"})
DRAWN: dict[str, Callable[[Graph], str]] = {"mermaid": _mermaid, "dot": _dot}


def _words(text: str, quoted: dict[int, str]) -> str:
    words = " ".join(text.split())
    return (words if len(words) <= WORDS else f"{words[: WORDS - 1]}…").translate(quoted)
