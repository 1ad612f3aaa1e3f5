"""How help looks: plain text, which is there at once, with the commands by subject and examples at the end.

The epilog of a command is its examples, one a line.
"""

from typing import TYPE_CHECKING

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer._click import HelpFormatter


class Command(TyperCommand):
    """A command whose help ends in examples."""

    def format_epilog(self, ctx: typer.Context, formatter: "HelpFormatter") -> None:  # type: ignore[override]
        """Write the examples as they are to be typed."""
        write_examples(self.epilog, formatter)


class Group(TyperGroup):
    """Commands, listed by subject."""

    def format_commands(self, ctx: typer.Context, formatter: "HelpFormatter") -> None:  # type: ignore[override]
        """Write a section a subject, each command with its sentence."""
        sections: dict[str, list[tuple[str, str]]] = {}
        width = max(map(len, self.commands))
        for name, command in self.commands.items():
            if not command.hidden:
                sections.setdefault(panel(command), []).append((name.ljust(width), summary(command)))
        for subject, rows in sections.items():
            with formatter.section(subject):
                formatter.write_dl(rows)

    def format_epilog(self, ctx: typer.Context, formatter: "HelpFormatter") -> None:  # type: ignore[override]
        """Write the examples as they are to be typed."""
        write_examples(self.epilog, formatter)


def write_examples(epilog: str | None, formatter: "HelpFormatter") -> None:
    """Write a section of examples, without rewrapping them."""
    if epilog:
        with formatter.section("Examples"):
            for line in epilog.splitlines():
                formatter.write(f"  {line}\n")


def panel(command: object) -> str:
    """Return the subject that a command belongs to."""
    named = getattr(command, "rich_help_panel", None)
    return named if isinstance(named, str) else "Commands"


def summary(command: object) -> str:
    """Return the sentence that says what a command does."""
    return str(getattr(command, "help", None) or "").partition("\n")[0]
