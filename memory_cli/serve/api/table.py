"""Which operations the API offers, at which paths, and what a token needs for each."""

from memory_cli.models.frozen import Frozen
from memory_cli.serve.api.syncing import STEPS
from memory_cli.serve.arguments import Argument, arguments_of
from memory_cli.serve.toolsets import ALL
from memory_cli.surface import OPERATIONS, Effect, Operation
from memory_cli.sync.asking import PREFIX

CATEGORY = "category"
# Categories have their plain names; what shares one with them, or is known by another, has this.
PLACES = {"list": "statements/list", "history": "statements/history", "sync manifest": "manifest"}
# Without a tool, and yet of use from afar; each with the set of tools whose tokens open it.
BESIDE = {
    "show": "curate", "unlink": "curate", "category diff": "categories", "category log": "categories",
    "sync status": "sync", "sync conflicts": "sync", "sync resolve": "sync",
}  # fmt: skip
# What makes a device ask others, which its own user does.
ASKING = {"sync run", "sync pull", "sync push", "sync diff"}
# What is left to whoever is at the machine: mending touches files, and what is here only looks.
WITHHELD = {"doctor": ("fix",)}


class Row(Frozen):
    """An operation and its place: the last part of its path, and the set of tools that it belongs to."""

    name: str
    operation: Operation
    tools: str
    reads: bool
    arguments: dict[str, Argument]

    @property
    def path(self) -> str:
        """Where it is asked for."""
        return f"{PREFIX}/{self.name}"

    @property
    def methods(self) -> tuple[str, ...]:
        """How it is asked for: what only reads may be so by its address alone."""
        return ("GET", "POST") if self.reads else ("POST",)


def admits(sets: tuple[str, ...], tools: str) -> bool:
    """Tell whether a token with these sets opens what is of one; a token without any opens everything."""
    return not sets or tools in sets or ALL in sets


def rows() -> list[Row]:
    """Return what the API offers."""
    offered = [each for each in OPERATIONS if (each.tool or each.command in BESIDE) and each.command not in ASKING]
    return [_row(each) for each in (*offered, *STEPS)]


def _row(operation: Operation) -> Row:
    withheld = WITHHELD.get(operation.command, ())
    plain = operation.leaf if operation.group == CATEGORY else operation.command.replace(" ", "/")
    return Row(
        PLACES.get(operation.command, plain),
        operation,
        operation.tools or BESIDE[operation.command],
        operation.effect is Effect.READS or bool(withheld),
        {name: each for name, each in arguments_of(operation).items() if name not in withheld},
    )
