"""How snapshots, restores and verifications are shown."""

from collections.abc import Iterator

from memory_cli.cli.notes import counted, failures, notes
from memory_cli.cli.rows import Lines, lines
from memory_cli.models.backups import Restored, ScopeKept, SnapshotMade, Verified


@lines.register
def _(result: SnapshotMade) -> Lines:
    return _scopes(result.scopes)


@lines.register
def _(result: Restored) -> Lines:
    return _scopes(result.scopes)


@lines.register
def _(result: Verified) -> Lines:
    return Lines(("checked",), [(each,) for each in result.checked])


@notes.register
def _(result: SnapshotMade) -> Iterator[str]:
    yield f"The snapshot is in {result.directory}, verified. It does not hold {' nor '.join(result.left_out)}."


@notes.register
def _(result: Restored) -> Iterator[str]:
    if not result.dry_run:
        yield from (f"What was there before is kept in {each}." for each in result.parked)


@failures.register
def _(result: Restored) -> Iterator[str]:
    if result.dry_run:
        places = f" in the place of {' and '.join(result.parked)}" if result.parked else ""
        yield f"{result.directory} is whole and would be put{places}; `--yes` does it."


@notes.register
def _(result: Verified) -> Iterator[str]:
    if not result.problems:
        yield f"All is well with {counted(len(result.checked), 'file')}."


@failures.register
def _(result: Verified) -> Iterator[str]:
    yield from result.problems


def _scopes(kept: list[ScopeKept]) -> Lines:
    return Lines(
        ("scope", "statements", "bytes"), [(each.scope, str(each.statements), str(each.bytes)) for each in kept]
    )
