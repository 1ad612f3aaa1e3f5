"""`memory config`: the settings and where each comes from."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from memory_cli.cli import completion
from memory_cli.cli.call import Given, Output, Quiet, show
from memory_cli.cli.help import Command, Group
from memory_cli.cli.rows import Lines, lines, spelled
from memory_cli.errors import NotFound, Refused, UsageError
from memory_cli.settings.directories import STORE_FOLDER, user_directory
from memory_cli.settings.layers import Layer
from memory_cli.settings.listing import SettingRow, row_of, rows
from memory_cli.settings.values import known_key
from memory_cli.store import files

NAME = "config.toml"

LIST = ("memory config list", "memory --set retrieval.limit=5 config list", "memory config list -o json")
GET = ("memory config get retrieval.limit", "memory config get redact.allow -o json")
SET = ("memory config set retrieval.limit 5", "memory config set context.budget 800 --scope local")
UNSET = ("memory config unset retrieval.limit",)
PATH = ("memory config path", "memory config path --scope local")
IMPORT = ("memory config import", "memory config import -o json")
EDIT = ("memory config edit", "memory config edit --scope local")

Name = Annotated[str, typer.Argument(metavar="KEY", help="The setting.", autocompletion=completion.settings)]
Scope = Annotated[
    Literal["local", "global"],
    typer.Option("--scope", "-s", help="global: your own config.toml; local: the project's .memory-rag/config.toml."),
]


@dataclass(frozen=True)
class SettingsListed:
    """Every setting, with its value and the layer that set it."""

    settings: list[SettingRow]


@dataclass(frozen=True)
class SettingsFile:
    """A file of settings, the layer that it is, and whether it is there."""

    path: str
    layer: str
    exists: bool
    changed: str = ""


@dataclass(frozen=True)
class SettingsImported:
    """What was taken over from memory-ultra-rag-mcp; what was not has a sentence that says why."""

    path: str
    places: list[str]
    taken: list[str]
    passed: list[str]


def add(app: typer.Typer) -> None:
    """Add the commands to app."""
    told = "See the settings, where each comes from, and change them."
    config = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, epilog=LIST[0])
    commands = (("list", _list, LIST), ("get", _get, GET), ("set", _set, SET), ("unset", _unset, UNSET),
                ("path", _path, PATH), ("edit", _edit, EDIT), ("import", _import, IMPORT))  # fmt: skip
    for name, run, examples in commands:
        config.command(name, cls=Command, epilog="\n".join(examples))(run)
    app.add_typer(config, name="config", rich_help_panel="Look after", help=told)


def _list(ctx: typer.Context, output: Output = None, quiet: Quiet = False) -> None:
    """List every setting, its value, and the layer that set it.

    The layers, lowest first: defaults, your config.toml, the project's .memory-rag/config.toml, --config,
    MEMORY_ variables, --set. Nothing is made.
    """
    given: Given = ctx.obj
    loaded = given.session().loaded
    show(ctx, SettingsListed(rows(loaded)), output, quiet, warnings=loaded.warnings)


def _get(ctx: typer.Context, key: Name, output: Output = None, quiet: Quiet = False) -> None:
    """Show one setting: its value, and the layer that set it."""
    given: Given = ctx.obj
    known = known_key(key, "memory config get")
    loaded = given.session().loaded
    row = row_of(known, loaded.value(known.full), loaded.origin(known.full))
    show(ctx, SettingsListed([row]), output, quiet, warnings=loaded.warnings)


def _set(
    ctx: typer.Context,
    key: Name,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="Its value; a list as a, b or as a TOML array.")],
    scope: Scope = "global",
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Set a setting in a file, whose comments and order stay as they are.

    What a read would refuse is refused before anything is written.
    """
    from memory_cli.settings import editing  # see _edit

    path, layer = _file(ctx.obj, scope)
    editing.set_key(path, layer, key, value, _write)
    show(ctx, SettingsFile(str(path), layer, True, key), output, quiet)


def _unset(ctx: typer.Context, key: Name, scope: Scope = "global", output: Output = None, quiet: Quiet = False) -> None:
    """Take a setting out of a file, so that the layer below counts."""
    from memory_cli.settings import editing  # see _edit

    path, layer = _file(ctx.obj, scope)
    editing.unset_key(path, layer, key, _write)
    show(ctx, SettingsFile(str(path), layer, True, key), output, quiet)


def _path(ctx: typer.Context, scope: Scope = "global", output: Output = None, quiet: Quiet = False) -> None:
    """Show where a file of settings is, whether it is there or not."""
    path, layer = _file(ctx.obj, scope)
    show(ctx, SettingsFile(str(path), layer, path.exists()), output, quiet)


def _edit(ctx: typer.Context, scope: Scope = "global", output: Output = None, quiet: Quiet = False) -> None:
    """Open a file of settings in $VISUAL or $EDITOR.

    What you wrote is checked before it takes the old file's place.
    """
    # What changes a file is imported by the commands that do, which few starts are.
    from memory_cli.cli import editor
    from memory_cli.settings import editing

    path, layer = _file(ctx.obj, scope)
    before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    after = editor.edited(before, suffix=".toml")
    if after == before:
        raise Refused(f"Nothing was changed in {path}.")
    try:
        editing.write_checked(path, layer, after, _write)
    except UsageError as error:
        kept = editor.keep(after, suffix=".toml")
        raise UsageError(f"{error} {path} is as it was; what you wrote is in {kept}.") from error
    show(ctx, SettingsFile(str(path), layer, True), output, quiet)


def _import(ctx: typer.Context, output: Output = None, quiet: Quiet = False) -> None:
    """Take over what was set for memory-ultra-rag-mcp.

    Its config.toml and its MEMORY_ULTRARAG_ variables are read and left as they are. What your own config.toml sets
    already stays, and each key that means nothing here is named.
    """
    from memory_cli.settings import editing  # see _edit
    from memory_cli.settings.former import former

    found = former(os.environ)
    if not found.places:
        raise NotFound("There is neither a config.toml of memory-ultra-rag-mcp nor a MEMORY_ULTRARAG_ variable.")
    path, layer = _file(ctx.obj, "global")
    kept = editing.add_values(path, layer, found.values, _write)
    taken = [name for name in found.values if name not in kept]
    passed = [*found.passed, *(f"{path} sets {name} already, and that stays." for name in kept)]
    show(ctx, SettingsImported(str(path), found.places, taken, passed), output, quiet, warnings=tuple(passed))


def _file(given: Given, scope: str) -> tuple[Path, Layer]:
    """Return a file of settings; roots are found without reading any, so that a broken one can be mended."""
    if scope == "global":
        return user_directory("config", os.environ) / NAME, "user"
    folder = given.roots().local_store
    if folder is None:
        raise Refused("There is no project here; `memory init` makes this folder one.")
    return folder / NAME, "project"


def _write(path: Path, text: str) -> None:
    if path.parent.name == STORE_FOLDER:
        files.make_store_folder(path.parent)
    else:
        files.make_folders(path.parent)
    files.write_private(path, text)


@lines.register
def _(result: SettingsListed) -> Lines:
    return Lines(
        ("setting", "value", "layer", "where"),
        [(each.key, spelled(each.value), each.layer, each.file) for each in result.settings],
    )


@lines.register
def _(result: SettingsFile) -> Lines:
    row = (result.path, result.layer, "there" if result.exists else "not there", result.changed)
    return Lines(("file", "layer", "is", "changed"), [row])


@lines.register
def _(result: SettingsImported) -> Lines:
    return Lines(("setting", "file"), [(each, result.path) for each in result.taken])
