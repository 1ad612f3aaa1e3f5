"""One call of an operation from the command line: what the global options said, and how the answer is given."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from memory_cli.cli.output import Mode, print_result
from memory_cli.cli.terminal import progress_bar
from memory_cli.memory import Memory, Session, chosen_roots, make_session, open_memory
from memory_cli.models.frozen import Frozen
from memory_cli.projects import Roots

Output = Annotated[
    Mode | None,
    typer.Option("-o", "--output", help="How to print: a table on a terminal, else plain lines.", show_default=False),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print no notes, hints or progress.")]


def nobody(session: Session) -> None:
    """Do nothing elsewhere."""


class Given(Frozen):
    """What the global options said; nothing is looked up before a command needs it."""

    project_root: Path | None = None
    storage_root: Path | None = None
    config_file: Path | None = None
    assignments: tuple[str, ...] = ()
    output: Mode | None = None
    quiet: bool = False

    def options(self) -> list[str]:
        """Return the options as they were given, paths from the root on: who is given them may be elsewhere."""
        paths = {
            "--project-root": self.project_root, "--storage-root": self.storage_root, "--config": self.config_file,
        }  # fmt: skip
        named = [each for flag, path in paths.items() if path for each in (flag, str(path.absolute()))]
        return named + [each for assignment in self.assignments for each in ("--set", assignment)]

    def roots(self) -> Roots:
        """Find roots alone: a file of settings that cannot be read does not matter to them."""
        return chosen_roots(project_root=self.project_root, storage_root=self.storage_root)

    def session(self) -> Session:
        """Find roots and settings."""
        return make_session(
            project_root=self.project_root,
            storage_root=self.storage_root,
            config_file=self.config_file,
            assignments=self.assignments,
            source="cli",
        )


def answer(
    ctx: typer.Context,
    work: Callable[[Memory], object],
    output: Mode | None,
    quiet: bool,
    *,
    elsewhere: Callable[[Session], object | None] = nobody,
) -> Session:
    """Do some work with the memory that the options name, print what it returns, and end with its exit code.

    What was done elsewhere already is not done here.
    """
    given: Given = ctx.obj
    session = given.session()
    result = elsewhere(session)
    if result is None:
        with progress_bar(quiet=quiet or given.quiet) as progress, open_memory(session, progress) as memory:
            result = work(memory)
    show(ctx, result, output, quiet, warnings=session.loaded.warnings)
    return session


def show(
    ctx: typer.Context, result: object, output: Mode | None, quiet: bool, *, warnings: tuple[str, ...] = ()
) -> None:
    """Print a result and end with its exit code; an option after the command beats the same one before it."""
    given: Given = ctx.obj
    print_result(result, output or given.output, quiet=quiet or given.quiet, warnings=warnings)
    if code := getattr(result, "exit_code", 0):
        raise typer.Exit(code)
