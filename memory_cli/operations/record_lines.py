"""Remember many statements, one a line."""

from collections.abc import Iterable

from memory_cli.errors import MemoryCliError
from memory_cli.memory import Memory
from memory_cli.models.results import Recorded, RecordedLines
from memory_cli.operations.record import record


def record_lines(memory: Memory, lines: Iterable[str], **options: object) -> RecordedLines:
    """Remember each line that is not blank; one that cannot be is named, and the rest goes in."""
    done: list[Recorded] = []
    failed: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            done.append(record(memory, line, **options))  # type: ignore[arg-type]
        except MemoryCliError as error:
            failed.append(f"line {number}: {error}")
    return RecordedLines(done, failed)
