"""`memory index`: folders of Markdown and text in, once or whenever something in them changes."""

import inspect
from typing import Annotated, Any

import typer

from memory_cli.cli import bind
from memory_cli.cli.call import Given, Output, Quiet, answer, show
from memory_cli.cli.output import complain
from memory_cli.cli.parameters import KEYWORD, parameters
from memory_cli.errors import UsageError
from memory_cli.memory import open_memory
from memory_cli.models.documents import Indexed
from memory_cli.operations.index import index
from memory_cli.surface.operation import FILTER_FLAGS, Effect, Operation

INDEX = Operation(
    "index", Effect.CHANGES, "Move", flags={each: FILTER_FLAGS[each] for each in ("kind", "scope", "agent", "tag")},
    examples=(
        "memory index docs/",
        "memory index . --dry-run",
        "memory index ~/notes --scope global --tag notes",
        "memory index docs/ --watch",
    ),
)  # fmt: skip
WATCH = inspect.Parameter(
    "watch", KEYWORD, default=False,
    annotation=Annotated[bool, typer.Option("--watch", help="Stay, and take in what changes until Ctrl-C.")],
)  # fmt: skip


def add(app: typer.Typer) -> None:
    """Add the command to app."""

    def run(ctx: typer.Context, output: Output, quiet: Quiet, paths: list[str], watch: bool, **given: Any) -> None:
        if not all(paths):
            raise UsageError("A PATH is empty; name a folder or a document.")
        arguments = bind.taken(INDEX, {**given, "paths": None}) | {"paths": paths}
        if watch:
            _watch(ctx, output, quiet, arguments)
        else:
            answer(ctx, lambda memory: index(memory, **arguments), output, quiet)

    bind.register(app, INDEX, run, [*parameters(INDEX), WATCH])


def _watch(ctx: typer.Context, output: Output, quiet: bool, arguments: dict[str, Any]) -> None:
    """Take in what changes, and say what that did, until somebody has enough."""
    try:
        import watchfiles  # the extra `watch`
    except ImportError as error:
        raise UsageError(
            "To watch folders, `watchfiles` is needed; install memory-cli with its extra `watch` "
            '(`uv tool install ".[watch]"` where it was installed from), or index again when you like.'
        ) from error
    given: Given = ctx.obj
    _run(ctx, given, output, quiet, arguments, first=True)
    complain("Watching for changes; Ctrl-C ends it.")
    looked = False
    try:
        # It begins to watch when it is first asked, and tells of that by saying that nothing changed.
        for changes in watchfiles.watch(*arguments["paths"], yield_on_timeout=True, rust_timeout=1000):
            if changes or not looked:
                _run(ctx, given, output, quiet, arguments, first=False)
            looked = True
    except KeyboardInterrupt:
        return


def _run(
    ctx: typer.Context, given: Given, output: Output, quiet: bool, arguments: dict[str, Any], *, first: bool
) -> None:
    with open_memory(given.session()) as memory:
        result: Indexed = index(memory, **arguments)
    if first or result.new or result.changed or result.retired:
        try:
            show(ctx, result, output, quiet)
        except typer.Exit:
            # A document that cannot be read is named, and is no reason to stop watching.
            return
