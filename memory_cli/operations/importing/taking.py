"""Taking in what another program kept, with its vectors."""

from dataclasses import replace

from memory_cli.memory import Memory
from memory_cli.models.results import Imported
from memory_cli.operations.import_ import take_in
from memory_cli.operations.importing import histories, vectors
from memory_cli.operations.importing.formats import AUTO, OURS, chosen
from memory_cli.operations.importing.source import Source
from memory_cli.operations.parameters import ScopeName

NOT_TOLD = (
    "It was read as lines of JSON, since it looks like nothing else that is known here; --from names a format, and "
    "`memory index` takes in Markdown and text."
)


def import_from(
    memory: Memory, source: Source, *, format: str = AUTO, scope: ScopeName = "", dry_run: bool = False, jobs: int = 0
) -> Imported:
    """Take in what source holds, in a format that is named or told."""
    found = chosen(format, source)
    if found.histories is not None:
        done = histories.take(memory, found.histories(source), scope=scope, dry_run=dry_run)
        told = found.rules(memory, source, dry_run) if found.rules else ""
        return replace(done, note=" ".join(filter(None, (done.note, told))))
    done = take_in(memory, found.records(source), scope=scope, total=source.size, dry_run=dry_run, jobs=jobs)
    kept = vectors.keep(memory, found.vectors(source), scope) if found.vectors and not dry_run else 0
    notes = [
        f"{kept} vectors of the same model were kept." if kept else "",
        NOT_TOLD if format == AUTO and found.name == OURS and done.failed and not (done.new or done.already_recorded)
        else "",
    ]  # fmt: skip
    return replace(done, note=" ".join(filter(None, (done.note, *notes))))
