"""The table of operations: the one place that says what both front ends offer."""

from memory_cli.surface.care import LOOKING_AFTER
from memory_cli.surface.categories import CATEGORIES
from memory_cli.surface.links import LINKS
from memory_cli.surface.operation import CARE, WRITE, Effect, Operation
from memory_cli.surface.statements import STATEMENTS
from memory_cli.surface.sync import SYNC
from memory_cli.surface.tokens import TOKENS

__all__ = ["GROUPS", "OPERATIONS", "Effect", "Operation"]

OPERATIONS = (*STATEMENTS, *LINKS, *CATEGORIES, *LOOKING_AFTER, *SYNC, *TOKENS)
# Commands under a common name, each with its subject and its sentence.
GROUPS = {
    "category": (WRITE, "Keep named documents and logs, every version of each."),
    "sync": (CARE, "Bring several devices to hold the same, over HTTP or through a folder."),
    "token": (CARE, "Make, list and revoke tokens for those who come over the network."),
}
