"""How tokens are shown."""

from collections.abc import Iterator

from memory_cli.cli.notes import notes
from memory_cli.cli.rows import Lines, lines
from memory_cli.models.tokens import TokenAdded, TokensListed


@lines.register
def _(result: TokenAdded) -> Lines:
    return Lines(("token",), [(result.token,)])


@lines.register
def _(result: TokensListed) -> Lines:
    rows: list[tuple[str, ...]] = [
        (each.name, ", ".join(each.scopes), ", ".join(each.tools), each.made_at) for each in result.tokens
    ]
    return Lines(("name", "scopes", "tools", "made"), rows)


@notes.register
def _(result: TokenAdded) -> Iterator[str]:
    yield f"This is the token of {result.name}. It is not shown again: only its hash is kept."
