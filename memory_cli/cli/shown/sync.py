"""How what sync did is shown."""

from collections.abc import Iterator

from memory_cli.cli.notes import failures, notes
from memory_cli.cli.rows import Lines, lines
from memory_cli.models.sync import (
    Conflicts,
    Different,
    Manifest,
    Resolved,
    Synced,
    SyncedAll,
    SyncStatus,
    Told,
)

MOVED = ("remote", "pulled", "pushed", "merged", "bytes", "equal")
SHORT = 12
EXCERPT = 80


@lines.register
def _(result: Synced) -> Lines:
    return Lines(MOVED, [_moved(result)])


@lines.register
def _(result: SyncedAll) -> Lines:
    return Lines(MOVED, [_moved(each) for each in result.synced])


@lines.register
def _(result: Different) -> Lines:
    sides = (("here", result.here), ("there", result.there), ("both", result.both))
    return Lines(("where", "what"), [(where, each) for where, names in sides for each in names])


@lines.register
def _(result: Manifest) -> Lines:
    rows: list[tuple[str, ...]] = [
        (each.family, each.key, each.hash[:SHORT] or "deleted", _vector(each.vector)) for each in result.items
    ]
    return Lines(("family", "key", "hash", "vector"), rows)


@lines.register
def _(result: SyncStatus) -> Lines:
    rows: list[tuple[str, ...]] = [
        ("scope", result.scope), ("device", f"{result.name} {result.device}".strip()), ("root", result.root[:SHORT]),
        *((f"items.{family}", str(count)) for family, count in result.items.items()),
        ("deleted", str(result.deleted)), ("unsettled", str(result.unsettled)), ("conflicts", str(result.conflicts)),
    ]  # fmt: skip
    for each in result.remotes:
        said = [each.address, each.at or "never", "equal" if each.equal else "apart"]
        rows.append((f"remote.{each.name}", " ".join(filter(None, said))))
    return Lines(("key", "value"), rows)


@lines.register
def _(result: Conflicts) -> Lines:
    rows: list[tuple[str, ...]] = [
        (str(each.number), each.at, each.device, each.family, each.key, _excerpt(each.lost))
        for each in result.conflicts
    ]
    return Lines(("number", "at", "from", "family", "key", "lost"), rows)


@lines.register
def _(result: Resolved) -> Lines:
    return Lines(
        ("number", "family", "key", "chosen"), [(str(result.number), result.family, result.key, result.chosen)]
    )


@notes.register
def _(result: Synced) -> Iterator[str]:
    yield from result.notes
    yield from (f"{_name(each)}: {each.why}." for each in result.conflicts)
    if result.conflicts:
        yield "`memory sync conflicts` shows what lost, and `memory sync resolve` chooses."


@notes.register
def _(result: SyncedAll) -> Iterator[str]:
    for each in result.synced:
        yield from notes(each)


@notes.register
def _(result: Different) -> Iterator[str]:
    if result.equal:
        yield f"{result.remote} and this device hold the same."


@notes.register
def _(result: SyncStatus) -> Iterator[str]:
    if result.note:
        yield result.note


@notes.register
def _(result: Conflicts) -> Iterator[str]:
    if not result.conflicts:
        yield "There is no conflict."


@failures.register
def _(result: Synced) -> Iterator[str]:
    yield from (f"{result.remote}: {_name(each)} was refused: {each.why}" for each in result.refused)


@failures.register
def _(result: SyncedAll) -> Iterator[str]:
    for each in result.synced:
        yield from failures(each)
    yield from result.failed


def _moved(one: Synced) -> tuple[str, ...]:
    numbers = (one.pulled, one.pushed, one.merged, one.bytes)
    return one.remote, *map(str, numbers), "yes" if one.equal else "no"


def _name(told: Told) -> str:
    return f"{told.family} {told.key}"


def _vector(vector: object) -> str:
    pairs: dict[str, int] = dict(vector)  # type: ignore[call-overload]
    return " ".join(f"{device[:6]}:{number}" for device, number in pairs.items())


def _excerpt(lost: object) -> str:
    said: dict[str, object] = dict(lost)  # type: ignore[call-overload]
    return " ".join(str("deleted" if said.get("deleted") is True else said.get("text", said)).split())[:EXCERPT]
