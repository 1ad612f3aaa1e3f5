"""How categories are shown."""

import json
from collections.abc import Iterator

from memory_cli.categories.canonical import text_of
from memory_cli.cli.notes import counted, notes
from memory_cli.cli.rows import Lines, lines
from memory_cli.models.categories import (
    CategoriesCompacted,
    CategoriesFound,
    CategoriesListed,
    CategoryDifference,
    CategoryHistory,
    CategoryRead,
    CategoryWritten,
    LogShown,
)


@lines.register
def _(result: CategoryRead) -> Lines:
    # The document itself, so that a pipe gets what a file would hold.
    return Lines(("data",), [(each,) for each in text_of(result.data).split("\n")])


@lines.register
def _(result: CategoryWritten) -> Lines:
    did = "unchanged" if not result.changed else f"entry {result.entry}" if result.entry else "written"
    return Lines(
        ("category", "scope", "version", "did", "hash"),
        [(result.category, result.scope, str(result.version), did, result.hash)],
    )


@lines.register
def _(result: CategoriesListed) -> Lines:
    rows = [
        (each.category, each.scope, each.kind, str(each.version), each.updated_at, each.updated_by, str(each.size))
        for each in result.categories
    ]
    return Lines(("category", "scope", "kind", "version", "updated", "by", "bytes"), [tuple(row) for row in rows])


@lines.register
def _(result: CategoriesFound) -> Lines:
    rows = [(each.category, each.key_path, each.snippet, f"{each.score:.2f}", each.scope) for each in result.hits]
    return Lines(("category", "key", "value", "score", "scope"), [tuple(row) for row in rows])


@lines.register
def _(result: CategoryHistory) -> Lines:
    rows = [
        (str(each.version), each.operation, each.at, each.agent, each.hash[:12] or "deleted", each.reason)
        for each in result.versions
    ]
    return Lines(("version", "did", "at", "by", "hash", "why"), [tuple(row) for row in rows])


@lines.register
def _(result: CategoryDifference) -> Lines:
    return Lines(("difference",), [(each,) for each in result.lines])


@lines.register
def _(result: LogShown) -> Lines:
    rows = [
        (str(each["id"]), str(each["at"]), str(each["by"]), json.dumps(each["data"], ensure_ascii=False))
        for each in result.entries
    ]
    return Lines(("id", "at", "by", "data"), [tuple(row) for row in rows])


@notes.register
def _(result: CategoryRead) -> Iterator[str]:
    if result.missing:
        yield f"It has no {', '.join(result.missing)}."
    if result.note:
        yield result.note


@notes.register
def _(result: CategoryWritten) -> Iterator[str]:
    if result.redacted:
        yield f"Blotted out before storing: {', '.join(result.redacted)}."
    if result.pruned:
        yield f"{counted(result.pruned, 'entry')} went, beyond the bounds of the log.".replace("entrys", "entries")


@notes.register
def _(result: CategoriesListed) -> Iterator[str]:
    yield from result.notes


@notes.register
def _(result: CategoriesFound) -> Iterator[str]:
    if result.semantic:
        yield f"Without meaning: {result.semantic}"


@notes.register
def _(result: CategoriesCompacted) -> Iterator[str]:
    would = "would go" if result.dry_run else "went"
    yield f"{counted(result.versions, 'version')} and {result.bytes:,} bytes {would}."
