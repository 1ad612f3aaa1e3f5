"""A row of the table of operations: a function and how the front ends present it."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from importlib import import_module
from typing import Any, get_type_hints

from memory_cli.models.frozen import Frozen


class Effect(StrEnum):
    """What an operation does to the store; a recall's counts are no change."""

    READS = "reads"
    ADDS = "adds"
    CHANGES = "changes"
    REMOVES = "removes"


class Operation(Frozen):
    """One function of `memory_cli.operations` and how the front ends present it.

    `name` is that of the function and of its module, which is imported when it is first asked for: a start needs one.
    `tool` is the tool's name, none when there is no tool; `tools` the set that it belongs to. With a `group` the module
    is in that package of `memory_cli.operations`, and the command is one of that group's. One that is `brief` takes no
    longer than handing it to a thread would, unless it has to wait.
    """

    name: str
    effect: Effect
    panel: str
    tool: str = ""
    tools: str = ""
    group: str = ""
    idempotent: bool = False
    brief: bool = False
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    examples: tuple[str, ...] = ()

    @property
    def function(self) -> Callable[..., Any]:
        """The function."""
        module = f"{self.group}.{self.name}" if self.group else self.name
        found: Callable[..., Any] = getattr(import_module(f"memory_cli.operations.{module}"), self.name)
        return found

    @property
    def returns(self) -> type[Any]:
        """The class of its results."""
        found: type[Any] = get_type_hints(self.function)["return"]
        return found

    @property
    def command(self) -> str:
        """The command's name, after that of its group if it has one."""
        return f"{self.group} {self.leaf}".lstrip()

    @property
    def leaf(self) -> str:
        """The command's name in its group."""
        return self.name.rstrip("_").replace("_", "-")

    def parameters(self) -> Iterator[inspect.Parameter]:
        """Yield what a caller passes, with resolved annotations: all but the memory."""
        hints = get_type_hints(self.function, include_extras=True)
        _memory, *rest = inspect.signature(self.function).parameters.values()
        for parameter in rest:
            yield parameter.replace(annotation=hints[parameter.name])


READ, WRITE, CARE = "Find", "Remember", "Look after"
FILTER_FLAGS = {
    "kind": ("-k", "--kind"),
    "scope": ("-s", "--scope"),
    "agent": ("-a", "--agent"),
    "tag": ("-t", "--tag"),
    "limit": ("-n", "--limit"),
}
