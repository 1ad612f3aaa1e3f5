"""What a shell may complete beside commands and options; read-only, silent, and nothing when anything is amiss."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Literal

import typer

from memory_cli.cli.call import Given
from memory_cli.errors import MemoryCliError
from memory_cli.memory import Memory, open_memory
from memory_cli.operations.list_ import list_
from memory_cli.operations.stats import stats
from memory_cli.settings import KEYS
from memory_cli.text.kinds import SUGGESTED

Offered = list[tuple[str, str]]
NEWEST = 1000
HELP_LENGTH = 60


def kinds(ctx: typer.Context, incomplete: str) -> Offered:
    """Offer the kinds in use, then the suggested ones."""
    found = dict(_counted(ctx, "kind")) | {}
    suggested = {each: "suggested" for each in SUGGESTED if each not in found}
    return [(each, told) for each, told in (found | suggested).items() if each.startswith(incomplete.upper())]
