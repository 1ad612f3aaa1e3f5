"""`memory model`: the embedding models."""

from collections.abc import Iterator
from typing import Annotated

import typer

from memory_cli.cli.call import Output, Quiet, answer
from memory_cli.cli.completion import embedding_models
from memory_cli.cli.help import Command, Group
from memory_cli.cli.notes import failures, notes
from memory_cli.cli.rows import Lines, lines
from memory_cli.models.embedding import ModelPlaced, ModelsListed, ModelsVerified, ModelUsed
from memory_cli.operations import models

LIST = ("memory model list", "memory model list -o json")
USE = ("memory model use use-m3",)
INSTALL = ("memory model install use-m3", "memory model install use-m3 --use")
PULL = ("memory model pull BAAI/bge-small-en-v1.5", "memory model pull BAAI/bge-small-en-v1.5 --use")
REMOVE = ("memory model remove BAAI/bge-small-en-v1.5",)
VERIFY = ("memory model verify", "memory model verify use-m3")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The model.", autocompletion=embedding_models)]
Use = Annotated[bool, typer.Option("--use", help="Make it the current model, too.")]


def add(app: typer.Typer) -> None:
    """Add the commands to app."""
    told = "See the embedding models, choose one, put others in place."
    group = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, epilog=LIST[0])
    commands = (("list", _list, LIST, models.listed), ("use", _use, USE, models.use),
                ("install", _install, INSTALL, models.install), ("pull", _pull, PULL, models.pull),
                ("remove", _remove, REMOVE, models.remove), ("verify", _verify, VERIFY, models.verify))  # fmt: skip
    for name, run, examples, operation in commands:
        group.command(name, cls=Command, epilog="\n".join(examples), help=operation.__doc__)(run)
    app.add_typer(group, name="model", rich_help_panel="Look after", help=told)


def _list(ctx: typer.Context, output: Output = None, quiet: Quiet = False) -> None:
    answer(ctx, models.listed, output, quiet)


def _use(ctx: typer.Context, name: Name, output: Output = None, quiet: Quiet = False) -> None:
    answer(ctx, lambda memory: models.use(memory, name), output, quiet)


def _install(ctx: typer.Context, name: Name, use: Use = False, output: Output = None, quiet: Quiet = False) -> None:
    answer(ctx, lambda memory: models.install(memory, name, use_it=use), output, quiet)


def _pull(ctx: typer.Context, name: Name, use: Use = False, output: Output = None, quiet: Quiet = False) -> None:
    answer(ctx, lambda memory: models.pull(memory, name, use_it=use), output, quiet)


def _remove(ctx: typer.Context, name: Name, output: Output = None, quiet: Quiet = False) -> None:
    answer(ctx, lambda memory: models.remove(memory, name), output, quiet)


def _verify(
    ctx: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The model; all that are here.", autocompletion=embedding_models),
    ] = None,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    answer(ctx, lambda memory: models.verify(memory, name or ""), output, quiet)


@lines.register
def _(result: ModelsListed) -> Lines:
    marks = {(True, True): "current, answering", (True, False): "current", (False, True): "answering"}
    return Lines(
        ("model", "state", "", "dimension", "languages", "MB", "licence"),
        [
            (each.name, each.state, marks.get((each.current, each.answering), ""), str(each.dimension), each.languages,
             str(each.megabytes), each.licence)
            for each in result.models
        ],
    )  # fmt: skip


@lines.register
def _(result: ModelsVerified) -> Lines:
    return Lines(("model", "files"), [(each.name, "as they should be" if not each.problems else "wrong")
                                      for each in result.models])  # fmt: skip


@failures.register
def _(result: ModelsVerified) -> Iterator[str]:
    for each in result.models:
        yield from each.problems


@lines.register
def _(result: ModelUsed) -> Lines:
    return Lines(("model", "before", "file"), [(result.model, result.before, result.file)])


@notes.register
def _(result: ModelUsed) -> Iterator[str]:
    if result.note:
        yield result.note


@lines.register
def _(result: ModelPlaced) -> Lines:
    return Lines(("model", "folder", "MB"), [(result.model, result.folder, f"{result.bytes / 1e6:.1f}")])


@notes.register
def _(result: ModelPlaced) -> Iterator[str]:
    if result.used:
        yield f"{result.model} is the current model now."
        yield from notes(result.used)
    else:
        yield f"`memory model use {result.model}` makes it the current model."
