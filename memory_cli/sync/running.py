"""A sync of two sides: what differs is found by digests, and only that is moved, a batch at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memory_cli.errors import Refused
from memory_cli.models.sync import Digest, Row, Synced, Taken, Told
from memory_cli.sync.exchange import Peer, Side, Wanted
from memory_cli.sync.vectors import Order, compare

RUN, PUSH, PULL = "run", "push", "pull"
NEWER = (Order.BEFORE, Order.CONCURRENT)


@dataclass
class Apart:
    """What two sides hold that is not the same: what each would have of the other, and what both changed."""

    here: list[tuple[Row, str]] = field(default_factory=list)
    there: list[tuple[Row, str]] = field(default_factory=list)
    both: list[Row] = field(default_factory=list)


@dataclass
class _Moved:
    pulled: int = 0
    pushed: int = 0
    merged: int = 0
    bytes: int = 0
    conflicts: list[Told] = field(default_factory=list)
    refused: list[Told] = field(default_factory=list)

    def add(self, taken: Taken, size: int) -> None:
        self.merged += taken.merged
        self.bytes += size
        self.conflicts += taken.conflicts
        self.refused += taken.refused


def run(mine: Side, peer: Peer, *, direction: str = RUN, batch: int) -> Synced:
    """Sync with a peer: take what it has, then give what it lacks; each batch is stored when the next one begins.

    Cut off anywhere, the next run goes on with what is still apart.
    """
    moved = _Moved()
    found, ours, theirs = _apart(mine, peer)
    if direction != PUSH:
        for wanted in _batches(found.there, batch):
            raw = peer.export(wanted)
            taken = mine.take(raw)
            moved.pulled += taken.applied + taken.merged
            moved.add(taken, len(raw))
        # What was joined here is newer than what the peer has.
        if found.there and direction != PULL:
            found, ours, theirs = _apart(mine, peer)
    if direction != PULL:
        for wanted in _batches(found.here, batch):
            raw = mine.export(wanted)
            taken = peer.take(raw)
            moved.pushed += taken.applied + taken.merged
            moved.add(taken, len(raw))
    if moved.bytes:
        ours, theirs = mine.digest(), peer.digest()
    mine.note(theirs, peer.name)
    return Synced(
        peer.name, moved.pulled, moved.pushed, moved.merged, moved.bytes, ours.root == theirs.root, ours.root,
        moved.conflicts, moved.refused,
    )  # fmt: skip


def apart(mine: Side, peer: Peer) -> Apart:
    """Return what two sides hold that is not the same."""
    return _apart(mine, peer)[0]


def _apart(mine: Side, peer: Peer) -> tuple[Apart, Digest, Digest]:
    here, there = mine.digest(), peer.digest()
    if here.device == there.device and here.root != there.root:
        raise Refused(
            f"{peer.name} is a copy of this memory and not another one: both count their writes as {here.device}. "
            "`memory snapshot` here and `memory restore` there make it one of its own."
        )
    ours, theirs = here.buckets, there.buckets
    buckets = sorted(each for each in {*ours, *theirs} if ours.get(each) != theirs.get(each))
    return compared(mine.rows(buckets), peer.rows(buckets)) if buckets else Apart(), here, there


def compared(ours: Sequence[Row], theirs: Sequence[Row]) -> Apart:
    """Return how the rows of two sides differ; beside each row stands the hash that the other side has."""
    here, there = ({each.name: each for each in rows} for rows in (ours, theirs))
    found = Apart()
    for name in sorted({*here, *there}):
        mine, other = here.get(name), there.get(name)
        order = compare(mine.vector if mine else {}, other.vector if other else {})
        if other and (order in NEWER or _odd(order, mine, other)):
            found.there.append((other, mine.hash if mine else ""))
        if mine and (order in (Order.AFTER, Order.CONCURRENT) or _odd(order, mine, other)):
            found.here.append((mine, other.hash if other else ""))
        if other and order is Order.CONCURRENT:
            found.both.append(other)
    return found


def _odd(order: Order, mine: Row | None, other: Row | None) -> bool:
    """Tell whether two devices joined the same states to different ones, of which one is taken by both."""
    return order is Order.EQUAL and (mine.hash if mine else "") != (other.hash if other else "")


def _batches(rows: Sequence[tuple[Row, str]], size: int) -> Iterator[Wanted]:
    # As whoever receives takes things in: see `taking.in_order`.
    ordered = sorted(rows, key=lambda each: (each[0].family == "link", not each[1], max(each[0].vector.values())))
    for start in range(0, len(ordered), size):
        yield [(row.family, row.key, has) for row, has in ordered[start : start + size]]
