"""Taking in what another program kept, with its vectors."""

from dataclasses import replace

from memory_cli.memory import Memory
from memory_cli.models.results import Imported
from memory_cli.operations.import_ import take_in
from memory_cli.operations.importing import histories, vectors
from memory_cli.operations.importing.formats import AUTO, chosen
from memory_cli.operations.importing.source import Source
from memory_cli.operations.parameters import ScopeName


def import_from(
    memory: Memory, source: Source, *, format: str = AUTO, scope: ScopeName = "", dry_run: bool = False
) -> Imported:
    """Take in what source holds, in a format that is named or told."""
    found = chosen(format, source)
    if found.histories is not None:
        done = histories.take(memory, found.histories(source), scope=scope, dry_run=dry_run)
        told = found.rules(memory, source, dry_run) if found.rules else ""
        return replace(done, note=" ".join(filter(None, (done.note, told))))
    done = take_in(memory, found.records(source), scope=scope, total=source.size, dry_run=dry_run)
    if dry_run or found.vectors is None:
        return done
    kept = vectors.keep(memory, found.vectors(source), scope)
    told = f"{kept} vectors of the same model were kept." if kept else ""
    return replace(done, note=" ".join(filter(None, (done.note, told))))
