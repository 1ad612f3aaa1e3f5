"""The table of operations: the one place that says what both front ends offer."""

from memory_cli.surface.care import LOOKING_AFTER
from memory_cli.surface.operation import Effect, Operation
from memory_cli.surface.statements import STATEMENTS

__all__ = ["GROUPS", "OPERATIONS", "TOOL_SETS", "Effect", "Operation"]

OPERATIONS = (*STATEMENTS, *LOOKING_AFTER)
# Commands under a common name, each with its subject and its sentence.
GROUPS: dict[str, tuple[str, str]] = {}
TOOL_SETS = ("core", "curate", "admin")
