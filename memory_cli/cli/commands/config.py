"""`memory config`: the settings and where each comes from."""

from dataclasses import dataclass

import typer

from memory_cli.cli.call import Given, Output, Quiet, show
from memory_cli.cli.help import Command, Group
from memory_cli.cli.rows import Lines, lines, spelled
from memory_cli.settings.listing import SettingRow, rows

EXAMPLES = ("memory config list", "memory --set retrieval.limit=5 config list", "memory config list -o json")


@dataclass(frozen=True)
class SettingsListed:
    """Every setting, with its value and the layer that set it."""

    settings: list[SettingRow]


def add(app: typer.Typer) -> None:
    """Add the commands to app."""
    told = "See the settings and where each comes from."
    config = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, epilog=EXAMPLES[0])
    config.command("list", cls=Command, epilog="\n".join(EXAMPLES))(_list)
    app.add_typer(config, name="config", rich_help_panel="Look after", help=told)


def _list(ctx: typer.Context, output: Output = None, quiet: Quiet = False) -> None:
    """List every setting, its value, and the layer that set it.

    The layers, lowest first: defaults, your config.toml, the project's .memory-rag/config.toml, --config,
    MEMORY_ variables, --set. Nothing is made.
    """
    given: Given = ctx.obj
    loaded = given.session().loaded
    show(ctx, SettingsListed(rows(loaded)), output, quiet, warnings=loaded.warnings)


@lines.register
def _(result: SettingsListed) -> Lines:
    return Lines(
        ("setting", "value", "layer", "where"),
        [(each.key, spelled(each.value), each.layer, each.file) for each in result.settings],
    )
