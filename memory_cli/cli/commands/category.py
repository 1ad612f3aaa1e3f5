"""`memory category`: what a document comes in from a pipe or an editor, which no option can say."""

import inspect
from typing import Annotated, Any

import typer

from memory_cli.categories.canonical import document_of, text_of
from memory_cli.cli import bind, completion, streams
from memory_cli.cli.call import Given, Output, Quiet, show
from memory_cli.cli.editor import edited, keep
from memory_cli.cli.help import Command
from memory_cli.cli.parameters import KEYWORD, parameters
from memory_cli.errors import MemoryCliError, NotFound, Refused, UsageError
from memory_cli.memory import open_memory
from memory_cli.models.categories import CategoryRead
from memory_cli.operations.category.places import ABSENT
from memory_cli.operations.category.read import read
from memory_cli.operations.category.write import write
from memory_cli.surface import OPERATIONS, Operation

EDIT = ("memory category edit base", 'memory category edit base -m "a new editor"')
WRITERS = ("category write", "category append")
DOCUMENT = inspect.Parameter(
    "document",
    KEYWORD,
    default=None,
    annotation=Annotated[
        str | None, typer.Argument(metavar="JSON", help="The data as a JSON object; - for standard input.")
    ],
)


def add(group: typer.Typer) -> None:
    """Add the commands to the group."""
    for operation in (each for each in OPERATIONS if each.command in WRITERS):
        _add_writer(group, operation)
    group.command("edit", cls=Command, epilog="\n".join(EDIT))(_edit)


def _add_writer(group: typer.Typer, operation: Operation) -> None:
    def run(ctx: typer.Context, output: Output, quiet: Quiet, document: str | None, **given: Any) -> None:
        arguments = bind.taken(operation, given)
        if document is not None:
            text = streams.text(document) if document == streams.STANDARD_INPUT else document
            arguments["data"] = document_of(text, "The data") | arguments.get("data", {})
        bind.run_operation(ctx, operation, arguments, output, quiet)

    first, *rest = parameters(operation)
    bind.register(group, operation, run, [first, DOCUMENT, *rest])


def _edit(
    ctx: typer.Context,
    category: Annotated[
        str,
        typer.Argument(
            metavar="CATEGORY", help="The category, there already or not.", autocompletion=completion.categories
        ),
    ],
    reason: Annotated[str, typer.Option("-m", "--reason", metavar="REASON", help="Why, for the history.")] = "",
    scope: Annotated[
        str, typer.Option("-s", "--scope", metavar="SCOPE", help="local: this project; global: the account.")
    ] = "",
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Open a category in $VISUAL or $EDITOR, and write what comes back.

    What somebody else wrote meanwhile is never overwritten: then what you wrote is kept in a file, which is named.
    """
    given: Given = ctx.obj
    if scope not in ("", "local", "global"):
        raise UsageError(f"There is no scope {scope!r}; there is local and global.")
    session = given.session()
    with open_memory(session) as memory:
        try:
            found = read(memory, category, scope=scope)  # type: ignore[arg-type]
        except NotFound:
            found = None
    text = text_of(found.data) if found else "{}"
    new = edited(f"{text}\n", suffix=".json")
    try:
        with open_memory(session) as memory:
            done = write(
                memory, category, data=document_of(new, "What the editor left"), reason=reason,
                expected_hash=found.meta.hash if found else ABSENT, scope=_scope(found, scope),  # type: ignore[arg-type]
            )  # fmt: skip
    except (UsageError, Refused) as error:
        raise MemoryCliError(f"{error} What you wrote is kept in {keep(new, suffix='.json')}.") from error
    show(ctx, done, output, quiet)


def _scope(found: CategoryRead | None, scope: str) -> str:
    return found.meta.scope if found else scope
