"""The commands by name, each made when it is first looked up: a start needs one of them."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.main import get_group

from memory_cli.surface import GROUPS, OPERATIONS, Operation

if TYPE_CHECKING:
    from typer._click import Command

Maker = Callable[[typer.Typer], None]

# The modules of `cli.commands` that offer an operation in a way of their own, and those that are no row of OPERATIONS.
BY_HAND = frozenset({"record", "context", "graph", "category write", "category append"})
# The commands of groups that are no row of OPERATIONS.
MORE_BY_HAND = {"category": ("edit",)}
OTHERS = ("export", "import_", "index", "init", "config", "model", "helper", "serve", "ui")


class Commands(MutableMapping[str, "Command"]):
    """What a group knows of its commands; as long as nobody looks one up, no more than the name."""

    def __init__(self, makers: Mapping[str, Maker]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, Command] = {}

    def __getitem__(self, name: str) -> "Command":
        if name not in self._made:
            app = typer.Typer(rich_markup_mode=None)
            self._makers[name](app)
            self._made[name] = get_group(app).commands[name]
        return self._made[name]

    def __setitem__(self, name: str, command: "Command") -> None:
        self._makers[name], self._made[name] = _nothing, command

    def __delitem__(self, name: str) -> None:
        del self._makers[name]
        self._made.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def commands() -> Commands:
    """Return all commands of the program."""
    makers: dict[str, Maker] = {each.command: partial(_add_operation, each) for each in OPERATIONS if not each.group}
    makers |= {name: partial(_add_group, name) for name in GROUPS}
    return Commands(makers | {name.rstrip("_"): partial(_add_module, name) for name in OTHERS})


def _add_operation(operation: Operation, app: typer.Typer) -> None:
    if operation.command in BY_HAND:
        import_module(f"memory_cli.cli.commands.{operation.command}").add(app, operation)
        return
    from memory_cli.cli.bind import add_command

    add_command(app, operation)


def _add_group(name: str, app: typer.Typer) -> None:
    from memory_cli.cli.help import Group

    panel, told = GROUPS[name]
    operations = [each for each in OPERATIONS if each.group == name]
    makers: dict[str, Maker] = {
        each.leaf: partial(_add_module, name) if each.command in BY_HAND else partial(_add_operation, each)
        for each in operations
    }
    makers |= {each: partial(_add_module, name) for each in MORE_BY_HAND.get(name, ())}

    class Lazily(Group):
        """Makes the commands of the group when they are looked up, as the program does its own."""

        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            self.commands = Commands(makers)

    group = typer.Typer(
        cls=Lazily, no_args_is_help=True, rich_markup_mode=None, epilog=operations[0].examples[0],
        callback=_nothing_before,
    )  # fmt: skip
    app.add_typer(group, name=name, rich_help_panel=panel, help=told)


def _nothing_before() -> None:
    """Do nothing before a command of a group: Typer makes one of what has a callback, however few commands it has."""


def _add_module(name: str, app: typer.Typer) -> None:
    import_module(f"memory_cli.cli.commands.{name}").add(app)


def _nothing(app: typer.Typer) -> None:
    """Make nothing: the command is there."""
