"""Take a token away."""

from typing import Annotated

from memory_cli import tokens
from memory_cli.memory import Memory
from memory_cli.models.tokens import TokenRevoked
from memory_cli.parameter import Described


def revoke(memory: Memory, name: Annotated[str, Described("The name that the token was made for.")]) -> TokenRevoked:
    """Take a token away: it opens nothing from now on.

    That holds at once, also where a server is running.
    """
    tokens.revoke(memory.roots, name)
    return TokenRevoked(name)
