"""A difference of two versions in colours, as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType

from memory_cli.categories.canonical import text_of
from memory_cli.cli.tables import rendered, text
from memory_cli.models.categories import CategoryDifference, CategoryRead

STYLES = {"+": "green", "-": "red", "@": "cyan"}


@rendered.register
def _(result: CategoryDifference) -> Iterator[RenderableType]:
    for line in result.lines:
        yield text(line, STYLES.get(line[:1], ""))


@rendered.register
def _(result: CategoryRead) -> Iterator[RenderableType]:
    told = result.meta
    yield text(f"{told.category} version {told.version} by {told.updated_by}, {told.updated_at} ({told.scope})", "dim")
    yield text(text_of(result.data))
