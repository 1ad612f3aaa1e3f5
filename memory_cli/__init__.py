"""A memory for coding agents and people, in local files, by command line, MCP and Python.

What a program may use stands in `__all__`; it is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_cli.errors import Busy, MemoryCliError, NotFound, Refused, UsageError
    from memory_cli.memory import Memory, Session, make_session, open_memory
    from memory_cli.models.entry import Entry
    from memory_cli.operations.context import context
    from memory_cli.operations.forget import forget
    from memory_cli.operations.handoff import handoff
    from memory_cli.operations.history import history
    from memory_cli.operations.index import index
    from memory_cli.operations.list_ import list_
    from memory_cli.operations.recall import recall
    from memory_cli.operations.record import record
    from memory_cli.operations.record_many import record_many
    from memory_cli.operations.reindex import reindex
    from memory_cli.operations.show import show
    from memory_cli.operations.stats import stats
    from memory_cli.operations.status import status
    from memory_cli.operations.undo import undo
    from memory_cli.operations.update import update

__version__ = "0.1.0"
__all__ = [
    "Busy",
    "Entry",
    "Memory",
    "MemoryCliError",
    "NotFound",
    "Refused",
    "Session",
    "UsageError",
    "context",
    "forget",
    "handoff",
    "history",
    "index",
    "list_",
    "make_session",
    "open_memory",
    "recall",
    "record",
    "record_many",
    "reindex",
    "show",
    "stats",
    "status",
    "undo",
    "update",
]

_MODULES = dict.fromkeys(("Busy", "MemoryCliError", "NotFound", "Refused", "UsageError"), "errors")
_MODULES |= dict.fromkeys(("Memory", "Session", "make_session", "open_memory"), "memory")
_MODULES["Entry"] = "models.entry"


def __getattr__(name: str) -> object:
    """Import what a program asks for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Everything together takes longer to import than a start may.
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES.get(name, f'operations.{name}')}"), name)
