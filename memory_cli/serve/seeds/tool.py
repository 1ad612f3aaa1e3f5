"""A tool of another system: a function over the memory, presented under that system's name and in its form."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from memory_cli.surface import Operation


class Tool(Operation):
    """A row of a set: a function of this name in this module of `memory_cli.serve.seeds`.

    To add a set: a module here with INSTRUCTIONS and TOOLS, a tuple of these rows, and its name in SEEDS of
    `memory_cli.models.toolsets`. A function takes the memory, which holds only the scope that is served, and arguments
    that are annotated as those of operations are; its docstring is the tool's description. What it returns is answered
    as it is: a text as a text, a list as a block an item, both with `{"result": ...}` as structured content, and a
    Frozen as its document. What it raises as a MemoryCliError is the tool's error.
    """

    module: str = ""

    @property
    def function(self) -> Callable[..., Any]:
        """The function."""
        found: Callable[..., Any] = getattr(import_module(f"memory_cli.serve.seeds.{self.module}"), self.name)
        return found
