"""Tokens for those who come over the network, and what the operations on them answer."""

from dataclasses import field

from memory_cli.models.frozen import Frozen

# Where a request over HTTP carries the token that it came with, for whoever answers it.
TOKEN = "memory.token"  # noqa: S105 - a key of a mapping


class Token(Frozen):
    """What a token lets its bearer do: in which scopes, with which sets of tools; its secret is known by its hash.

    The name is that of the agent, or of the device, that has it.
    """

    name: str
    sha256: str
    scopes: tuple[str, ...]
    tools: tuple[str, ...]
    made_at: str


class TokenAdded(Frozen):
    """A new token; its secret is shown this once."""

    name: str
    token: str
    scopes: list[str]
    tools: list[str]


class TokenShown(Frozen):
    """A token without its secret, which is nowhere."""

    name: str
    scopes: list[str]
    tools: list[str]
    made_at: str


class TokensListed(Frozen):
    """Every token there is."""

    tokens: list[TokenShown] = field(default_factory=list)


class TokenRevoked(Frozen):
    """A token that opens nothing any more."""

    name: str
