"""How links and graphs are shown."""

from collections.abc import Iterator

from memory_cli.cli.notes import counted, notes
from memory_cli.cli.rows import Lines, lines
from memory_cli.models.links import Graph, Linked, Links, Unlinked


@lines.register
def _(result: Linked) -> Lines:
    said = "already linked" if result.already_linked else "linked"
    return Lines(("from", "to", "type", "did"), [(result.from_id, result.to_id, result.type, said)])


@lines.register
def _(result: Unlinked) -> Lines:
    return Lines(("from", "to", "type"), [(each.from_id, each.to_id, each.type) for each in result.removed])


@lines.register
def _(result: Links) -> Lines:
    rows = []
    for each in result.links:
        outward = each.from_id == result.id
        other = each.to_id if outward else each.from_id
        words = "(gone)" if each.missing else each.text
        rows.append((other, each.type if outward else f"{each.type} by", f"{each.score:.2f}", each.scope, words))
    return Lines(("id", "type", "score", "scope", "text"), [tuple(row) for row in rows])


@lines.register
def _(result: Graph) -> Lines:
    rows = [(each.from_id, each.type, each.to_id, f"{each.score:.2f}") for each in result.edges]
    return Lines(("from", "type", "to", "score"), [tuple(row) for row in rows])


@notes.register
def _(result: Linked) -> Iterator[str]:
    if result.superseded:
        yield f"{result.to_id} is superseded now; a recall shows {result.from_id} before it."


@notes.register
def _(result: Unlinked) -> Iterator[str]:
    if result.current:
        yield f"{', '.join(result.current)} holds again."


@notes.register
def _(result: Graph) -> Iterator[str]:
    if result.hint:
        yield result.hint
    elif result.truncated:
        yield f"There is more than these {counted(len(result.nodes), 'statement')}; a filter narrows it."
