"""A sync of two sides: what differs is found by digests, and only that is moved, a batch at a time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memory_cli.errors import Refused
from memory_cli.models.sync import Digest, Row, Synced, Taken, Told
from memory_cli.sync.envelope import TooMuch
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
        moved.pulled += _moved(_batches(found.there, batch), peer, mine, moved)
        # What was joined here is newer than what the peer has.
        if found.there and direction != PULL:
            found, ours, theirs = _apart(mine, peer)
    if direction != PULL:
        moved.pushed += _moved(_batches(found.here, batch), mine, peer, moved)
    if moved.bytes:
        ours, theirs = mine.digest(), peer.digest()
    mine.note(theirs, peer.name)
    return Synced(
        peer.name, moved.pulled, moved.pushed, moved.merged, moved.bytes, ours.root == theirs.root, ours.root,
        moved.conflicts, moved.refused,
    )  # fmt: skip


def _moved(batches: Iterable[Wanted], giver: Peer, taker: Peer, moved: _Moved) -> int:
    """Let one side take what the other gives; return how many things became others.

    What is too much at a time is moved in halves, and one thing that is too much by itself is named.
    """
    count = 0
    for wanted in batches:
        try:
            raw = giver.export(wanted)
            taken = taker.take(raw)
        except TooMuch as error:
            if len(wanted) == 1:
                moved.refused.append(Told(*wanted[0][:2], str(error)))
                continue
            half = len(wanted) // 2
            count += _moved((wanted[:half], wanted[half:]), giver, taker, moved)
        else:
            moved.add(taken, len(raw))
            count += taken.applied + taken.merged
    return count


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
