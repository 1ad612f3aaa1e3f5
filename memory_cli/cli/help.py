"""How help looks: plain text, which is there at once, with the commands by subject and examples at the end."""

from typing import TYPE_CHECKING

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer._click import HelpFormatter


class Command(TyperCommand):
    """A command whose epilog is its examples, one a line."""

    def format_epilog(self, ctx: "typer.Context", formatter: "HelpFormatter") -> None:  # type: ignore[override]
        """Write the examples as they are to be typed."""
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"  {line}\n")


class Group(TyperGroup):
    """Commands, listed by subject."""

    def format_commands(self, ctx: "typer.Context", formatter: "HelpFormatter") -> None:  # type: ignore[override]
        """Write a section a subject, each command with its sentence."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            if not command.hidden:
                panel = getattr(command, "rich_help_panel", None)
                sections.setdefault(panel if isinstance(panel, str) else "Commands", []).append((name, summary(command)))
        for panel, rows in sections.items():
            with formatter.section(panel):
                formatter.write_dl(rows)


def summary(command: object) -> str:
    """Return the sentence that says what a command does."""
    return str(getattr(command, "help", None) or "").partition("\n")[0]
