"""Results as a person at a terminal reads them; imported only when there is one to print, since rich is slow."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import singledispatch

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from memory_cli.cli.printable import printable
from memory_cli.cli.rows import answers, difference, lines, parts
from memory_cli.models.results import (
    ChangeShown,
    ContextShown,
    Handoff,
    History,
    Listed,
    Recalled,
    Shown,
    Stats,
    Status,
    Unit,
)

MINUTE, HOUR, DAY, MONTH, YEAR = 60, 3600, 86_400, 2_629_800, 31_557_600
AGES = ((YEAR, "y"), (MONTH, "mon"), (DAY, "d"), (HOUR, "h"), (MINUTE, "min"))
QUIET = "dim"
BAR = 30


def print_table(result: object) -> None:
    """Print a result as a table as wide as the terminal."""
    console = Console()
    for part in rendered(result):
        console.print(part)


@singledispatch
def rendered(result: object) -> Iterator[RenderableType]:
    """Yield what shows a result: its rows under its headings."""
    headings, rows = lines(result)
    if not rows:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, cells in zip(headings, zip(*rows, strict=True), strict=True):
        numbers = all(cell.replace(".", "", 1).isdecimal() for cell in cells)
        table.add_column(heading, justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(text, row))
    yield table


def text(cell: str, style: str = "") -> Text:
    """Return a cell; a statement may hold [brackets], which Text keeps rich from reading as markup."""
    return Text(printable(cell, keep="\n\t"), style)


def age(at: str, now: datetime) -> str:
    """Return how long ago a time was, in one unit."""
    if not at:
        return ""
    seconds = (now - datetime.fromisoformat(at)).total_seconds()
    return next((f"{int(seconds // size)} {name}" for size, name in AGES if seconds >= size), "now")


@rendered.register(Recalled)
@rendered.register(Listed)
def _(result: Recalled | Listed) -> Iterator[RenderableType]:
    if found := answers(result) if isinstance(result, Recalled) else result.units:
        yield _units(found)


@rendered.register
def _(result: ContextShown) -> Iterator[RenderableType]:
    if result.handoff:
        yield from rendered(result.handoff)
    if found := answers(result):
        yield _units(found)


@rendered.register
def _(result: Handoff) -> Iterator[RenderableType]:
    told = Unit(
        result.id, result.scope, result.text, "HANDOFF", at=result.at, agents=result.agents, foreign=result.foreign
    )
    yield _units([told])


@rendered.register
def _(result: Shown) -> Iterator[RenderableType]:
    yield _units([result.unit])
    yield _grid({
        "also": ", ".join(result.aliases),
        "from": ", ".join(f"{each['agent']} by {each['source']}" for each in result.origins),
        "at": result.unit.at,
        "expires": result.unit.expires_at,
        "recalls": str(result.unit.recalls or ""),
        **{f"meta {key}": str(value) for key, value in result.unit.metadata.items()},
    })  # fmt: skip
    if result.links:
        yield _linked(result)
    yield from _changes(result.changes)


@rendered.register
def _(result: History) -> Iterator[RenderableType]:
    yield from _changes(result.changes)


@rendered.register
def _(result: Status) -> Iterator[RenderableType]:
    yield _grid({
        "project": result.project or "none",
        "": result.project_why,
        "storage": result.storage,
        " ": result.storage_why,
        "model": result.model,
        "agent": f"{result.agent} on {result.device}",
        "version": result.version,
    })  # fmt: skip
    table = Table(*("scope", "statements", "pending", "size", "folder"), box=None, pad_edge=False, header_style="bold")
    for each in result.scopes:
        counts = (f"{each.statements:,}", f"{each.pending:,}", f"{(each.bytes + each.wal_bytes) / 1e6:.1f} MB")
        table.add_row(text(each.scope), *(counts if each.exists else ("-", "-", "-")), text(each.folder))
    yield table


@rendered.register
def _(result: Stats) -> Iterator[RenderableType]:
    yield _grid({
        "total": f"{result.total:,}",
        "pending": f"{result.units_pending:,}" if result.units_pending else "",
        "categories": f"{result.categories:,}" if result.categories else "",
        **{f"last {name}": f"{count:,}" for name, count in result.growth.items()},
    })  # fmt: skip
    groups = {
        "scope": result.by_scope, "kind": result.by_kind, "agent": result.by_agent, "source": result.by_source,
        "tag": result.by_tag, "month": result.by_month,
    }  # fmt: skip
    for name, counts in groups.items():
        if counts:
            yield _chart(name, counts)


def _chart(name: str, counts: Mapping[str, int]) -> Table:
    """Return a bar for each count, the longest as wide as BAR; a month without a statement has none."""
    table = Table(name, "", "", box=None, pad_edge=False, header_style="bold")
    table.columns[1].justify = "right"
    most = max(counts.values())
    for each, count in counts.items():
        table.add_row(text(each), f"{count:,}", "▇" * max(round(BAR * count / most), 1 if count else 0))
    return table


def _linked(result: Shown) -> Table:
    table = Table("link", "id", "text", box=None, pad_edge=False, header_style="bold")
    for each in result.links:
        outward = each.from_id == result.unit.id
        other = each.to_id if outward else each.from_id
        table.add_row(text(each.type if outward else f"{each.type} by", QUIET), text(other), text(each.text))
    return table


def _grid(facts: Mapping[str, str]) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value in facts.items():
        if value:
            table.add_row(text(name, QUIET), text(value))
    return table


def _units(units: Sequence[Unit]) -> Table:
    """Return a row a statement: what it is in a narrow column, its words in a wide one."""
    now = datetime.now(UTC)
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0), leading=0)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for each in units:
        facts = [each.kind, each.scope, age(each.at, now), f"{each.score:.2f}" if each.score else ""]
        head = Text.assemble(text(each.id, "cyan"), "\n", text(" ".join(filter(None, facts)), QUIET))
        table.add_row(head, Text.assemble(text(each.text), *(text(f"\n{line}", QUIET) for line in _below(each))))
    return table


def _below(unit: Unit) -> Iterator[str]:
    marks = [f"#{tag}" for tag in unit.tags]
    marks += [name for name in ("superseded", "foreign", "cut") if getattr(unit, name)]
    if marks:
        yield " ".join(marks)
    if unit.explain:
        yield parts(unit)


def _changes(changes: Sequence[ChangeShown]) -> Iterator[RenderableType]:
    if not changes:
        return
    now = datetime.now(UTC)
    table = Table("change", "age", "who", "did", box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for each in changes:
        table.add_row(text(each.change, "cyan"), text(age(each.at, now)), text(each.agent), _did(each))
    yield table


def _did(change: ChangeShown) -> Text:
    undone = f" (undone by {change.undone_by})" if change.undone_by else ""
    undone += " foreign" if change.foreign else ""
    of = f" of {change.undoes}" if change.undoes else ""
    said = text(f"{change.operation}{of}{undone}")
    for item in change.items:
        said.append(text(f"\n{item.statement} {' '.join(difference(item).split())}", QUIET))
    if change.count > len(change.items):
        said.append(text(f"\nand {change.count - len(change.items):,} more", QUIET))
    return said
