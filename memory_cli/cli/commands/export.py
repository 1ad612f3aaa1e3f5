"""`memory export`: into files, or as JSON lines on standard output."""

import sys
from itertools import chain
from typing import Any

import typer

from memory_cli.cli import bind
from memory_cli.cli.call import Given, Output, Quiet, answer
from memory_cli.cli.parameters import parameters
from memory_cli.cli.printable import json_safe
from memory_cli.memory import Memory, open_memory
from memory_cli.operations import chronicles, jsonl, link_lines
from memory_cli.operations import parameters as filtering
from memory_cli.operations.export import export
from memory_cli.surface.operation import FILTER_FLAGS, Effect, Operation

EXPORT = Operation(
    "export", Effect.READS, "Move", flags=FILTER_FLAGS | {"format": ("-f", "--format")},
    examples=(
        "memory export",
        "memory export --to notes/ --scope local",
        "memory export --format jsonl > memory.jsonl",
        "memory export --format jsonl --to backup.jsonl --kind RULE",
        "memory export --format jsonl --history --to all.jsonl",
    ),
)  # fmt: skip


def add(app: typer.Typer) -> None:
    """Add the command to app."""

    def run(ctx: typer.Context, output: Output, quiet: Quiet, **given: Any) -> None:
        arguments = bind.taken(EXPORT, given)
        if arguments["format"] == "jsonl" and not arguments.get("to"):
            options: Given = ctx.obj
            with open_memory(options.session()) as memory:
                _stream(memory, **arguments)
        else:
            answer(ctx, lambda memory: export(memory, **arguments), output, quiet)

    bind.register(app, EXPORT, run, parameters(EXPORT))


def _stream(
    memory: Memory,
    *,
    format: str,
    history: bool = False,
    scope: str = "",
    include_expired: bool | None = None,
    **filters: Any,
) -> None:
    """Print the lines; a store of any size goes through one by one."""
    wanted = filtering.filters(memory, include_expired=include_expired is not False, **filters)
    shown = json_safe if sys.stdout.isatty() else str
    stores = memory.stores(scope)
    for line in chain.from_iterable(map(chronicles.lines, stores) if history else ()):
        print(shown(line))
    ids: set[str] = set()
    for line in chain.from_iterable(jsonl.lines(store, wanted, placed=history, ids=ids) for store in stores):
        print(shown(line))
    for line in chain.from_iterable(link_lines.lines(store, ids) for store in stores):
        print(shown(line))
