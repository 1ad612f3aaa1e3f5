"""Which operations the API offers, at which paths, and what a token needs for each."""

from memory_cli.models.frozen import Frozen
from memory_cli.serve.arguments import Argument, arguments_of
from memory_cli.serve.toolsets import ALL
from memory_cli.surface import OPERATIONS, Effect, Operation

PREFIX = "/api/v1"
CATEGORY = "category"
# Without a tool, and yet of use from afar; each with the set of tools whose tokens open it.
BESIDE = {"show": "curate", "unlink": "curate", "category diff": "categories", "category log": "categories"}
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

    def admits(self, sets: tuple[str, ...]) -> bool:
        """Tell whether a token with these sets of tools opens it; one without any opens everything."""
        return not sets or self.tools in sets or ALL in sets


def rows() -> list[Row]:
    """Return what the API offers: the categories under their plain names, which they share with nothing."""
    offered = [each for each in OPERATIONS if each.group in ("", CATEGORY) and (each.tool or each.command in BESIDE)]
    taken = {each.leaf for each in offered if each.group == CATEGORY}
    return [_row(each, taken) for each in offered]


def _row(operation: Operation, taken: set[str]) -> Row:
    shared = operation.group != CATEGORY and operation.leaf in taken
    withheld = WITHHELD.get(operation.command, ())
    return Row(
        f"statements/{operation.leaf}" if shared else operation.leaf,
        operation,
        operation.tools or BESIDE[operation.command],
        operation.effect is Effect.READS or bool(withheld),
        {name: each for name, each in arguments_of(operation).items() if name not in withheld},
    )
