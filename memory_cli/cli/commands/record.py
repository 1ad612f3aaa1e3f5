"""`memory record`: also from a file, and one statement a line."""

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import typer

from memory_cli.cli import bind, streams
from memory_cli.cli.call import Output, Quiet, answer
from memory_cli.cli.parameters import KEYWORD, parameters
from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.results import RecordedLines
from memory_cli.operations.record_lines import record_lines
from memory_cli.surface import Operation

FILE = typer.Option("--file", metavar="FILE", help="Take the text from a file.")
LINES = typer.Option("--lines", help="Take one statement a line, from standard input or the file.")
EXAMPLES = ("memory record --file notes.txt", "memory record --lines --tag glossary < terms.txt")


def add(app: typer.Typer, operation: Operation) -> None:
    """Add the command to app."""

    def run(
        ctx: typer.Context, text: str | None, file: str | None, lines: bool, output: Output, quiet: Quiet, **given: Any
    ) -> None:
        arguments = bind.taken(operation, {**given, "text": None})
        if lines:
            source = _source(text, file, arguments)
            answer(ctx, lambda memory: _each_line(memory, source, arguments), output, quiet)
        else:
            words = _words(text, file)
            answer(ctx, lambda memory: operation.function(memory, words, **arguments), output, quiet)

    told = replace(operation, examples=operation.examples + EXAMPLES)
    bind.register(app, told, run, _parameters(operation))


def _parameters(operation: Operation) -> list[inspect.Parameter]:
    text, *rest = parameters(operation)
    optional = Annotated[str | None, text.annotation.__metadata__[0]]
    return [
        text.replace(default=None, annotation=optional),
        inspect.Parameter("file", KEYWORD, default=None, annotation=Annotated[str | None, FILE]),
        inspect.Parameter("lines", KEYWORD, default=False, annotation=Annotated[bool, LINES]),
        *rest,
    ]


def _words(text: str | None, file: str | None) -> str:
    if (text is None) == (file is None):
        raise UsageError("Give the text, - for standard input, or --file, and only one of them.")
    return streams.text(file) if file is not None else bind.text_of("text", text or "")


def _source(text: str | None, file: str | None, arguments: Mapping[str, Any]) -> str:
    if text not in (None, streams.STANDARD_INPUT) or (text and file):
        raise UsageError("--lines takes its statements from standard input or --file, not from the command line.")
    if "id" in arguments:
        raise UsageError("One id cannot stand for many lines; leave out --id or --lines.")
    return file or streams.STANDARD_INPUT


def _each_line(memory: Memory, source: str, arguments: Mapping[str, Any]) -> RecordedLines:
    with streams.opened(source) as stream:
        done = record_lines(memory, streams.lines(stream), **arguments)
    if not done.recorded and not done.failed:
        raise UsageError("There was no line to record.")
    return done
