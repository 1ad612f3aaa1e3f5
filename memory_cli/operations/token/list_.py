"""List the tokens."""

from memory_cli import tokens
from memory_cli.memory import Memory
from memory_cli.models.tokens import TokenShown, TokensListed


def list_(memory: Memory) -> TokensListed:
    """List the tokens, without what nobody can show again."""
    return TokensListed(
        [
            TokenShown(each.name, list(each.scopes), list(each.tools), each.made_at)
            for each in tokens.tokens(memory.roots)
        ]
    )
