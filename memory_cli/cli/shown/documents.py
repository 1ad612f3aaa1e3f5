"""How indexed documents are shown."""

from collections.abc import Iterator

from memory_cli.cli.notes import counted, failures, notes
from memory_cli.cli.rows import Lines, lines
from memory_cli.models.documents import Indexed

COUNTS = ("files", "new", "changed", "unchanged", "retired")


@lines.register
def _(result: Indexed) -> Lines:
    counts = tuple(str(getattr(result, each)) for each in COUNTS)
    return Lines((*COUNTS, "failed", "scope"), [(*counts, str(len(result.failed)), result.scope)])


@failures.register
def _(result: Indexed) -> Iterator[str]:
    yield from result.failed


@notes.register
def _(result: Indexed) -> Iterator[str]:
    if result.note:
        yield result.note
    if result.dry_run:
        yield "That is what would be done; nothing was."
    if result.redacted:
        told = ", ".join(f"{kind} ×{count}" for kind, count in result.redacted.items())
        yield f"Blotted out before it was stored: {told}."
    if not result.files:
        yield "No documents were found there."
    elif not result.dry_run and result.new + result.changed:
        written = counted(result.new + result.changed, "statement")
        yield f"{written} can be found by words; `memory reindex` embeds them."
