"""Make a token."""

import re
from collections.abc import Sequence
from typing import Annotated

from memory_cli import tokens
from memory_cli.errors import UsageError
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.tokens import TokenAdded
from memory_cli.models.toolsets import NAMES
from memory_cli.operations import parameters as given
from memory_cli.operations import shown
from memory_cli.parameter import Described

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def add(
    memory: Memory,
    name: Annotated[str, Described("The agent or device that will have it; its records are by this name.")],
    *,
    scope: given.Scope = "",
    tools: Annotated[Sequence[str], Described("Only these sets of tools; those of the server by default.")] = (),
) -> TokenAdded:
    """Make a token for an agent or a device, and show it this once.

    It is kept as a hash. Whoever has it reaches `memory serve --http` from other machines, as far as its scopes and
    sets of tools go.
    """
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name for a token: 1 to 64 letters, digits, dots, dashes and underscores.")
    if kinds := memory.redacted(name).kinds:
        raise UsageError(f"The name holds a secret ({', '.join(kinds)}) and would be stored as it is; give another.")
    scopes: list[str] = [scope] if scope else [LOCAL, GLOBAL]
    named = (part.strip().casefold() for each in given.several(tools) for part in each.split(","))
    sets = list(dict.fromkeys(filter(None, named)))
    for each in sorted(set(sets).difference(NAMES)):
        raise UsageError(f"There is no set of tools {each!r}; there is {', '.join(NAMES)}.")
    secret = tokens.add(memory.roots, name, scopes, sets, shown.moment(memory.now))
    return TokenAdded(name, secret, scopes, sets)
