"""One side of a sync: it tells what it has, gives what is asked for, and takes in what it is given."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Protocol

from memory_cli.models.history import Who
from memory_cli.models.sync import Digest, Parcel, Row, Taken
from memory_cli.store import categories, journal, sync
from memory_cli.store.connection import Store
from memory_cli.sync import envelope, taking
from memory_cli.sync.contents import content_of, hash_of
from memory_cli.sync.earlier import told
from memory_cli.sync.settling import settle

# What is wanted: family, key, and the hash of the content that whoever asks has already.
Wanted = Sequence[tuple[str, str, str]]
# So much of a bucket's hash is told: 80 bits, of at most 256 buckets.
SHORT = 20


class Peer(Protocol):
    """The other side of a sync, wherever it is."""

    @property
    def name(self) -> str:
        """What it is called here."""

    def digest(self) -> Digest:
        """Return the whole in short."""

    def rows(self, buckets: Sequence[str]) -> list[Row]:
        """Return the rows of some buckets, or of all."""

    def export(self, wanted: Wanted) -> bytes:
        """Return an envelope with what is wanted, as far as it is there."""

    def take(self, raw: bytes) -> Taken:
        """Take in what an envelope holds."""


def nothing_more(names: Collection[str]) -> None:
    """Do nothing about the categories that were taken in."""


@dataclass(frozen=True)
class Side:
    """The side of a store: every step settles it first, and each envelope is one change of the history.

    `fit` returns a content fit to be stored, with its secrets blotted out, and `may` refuses the category that the
    device which wrote it, or whoever sent it, may not write. `took` is told the categories that became others, when
    they are stored.
    """

    store: Store
    who: Who
    clock: Callable[[], datetime]
    strategy: str
    most: int
    fit: taking.Fit
    may: taking.May
    took: Callable[[Collection[str]], None] = nothing_more
    name: str = "here"

    def digest(self) -> Digest:
        """Return the whole in short."""
        rows = self.rows(())
        return Digest(sync.device(self.store), self.who.device, root_of(rows), buckets_of(rows))

    def rows(self, buckets: Sequence[str]) -> list[Row]:
        """Return the rows of some buckets, or of all."""
        self._settle()
        return sync.rows(self.store, buckets)

    def export(self, wanted: Wanted) -> bytes:
        """Return an envelope with what is wanted, as far as it is there."""
        self._settle()
        with self.store.snapshot():
            parcels = [each for one in wanted if (each := self._parcel(*one))]
        return envelope.packed(sync.device(self.store), self.who.device, parcels)

    def take(self, raw: bytes) -> Taken:
        """Take in what an envelope holds: whole things, each known here only when it is stored."""
        return self.take_opened(envelope.opened(raw, self.most))

    def take_opened(self, read: envelope.Envelope) -> Taken:
        """Take in what was read of an envelope."""
        with journal.writing(self.store, "sync", self.who, self.clock()) as made:
            settle(self.store)
            taken = taking.take(made, read, strategy=self.strategy, fit=self.fit, may=self.may)
            if made.items:
                # The rows tell of this change already, which is written when the block ends.
                sync.settled(self.store, sync.next_change(self.store))
        self.took({each.statement for each in made.items if each.family == categories.FAMILY})
        return taken

    def note(self, peer: Digest, name: str) -> None:
        """Note that a remote was synced with."""
        with self.store.transaction():
            sync.note_peer(self.store, name, self.clock(), peer.device, peer.root)

    def _settle(self) -> None:
        if sync.device(self.store) and sync.counted(self.store, sync.SETTLED) == sync.newest_change(self.store):
            return
        with self.store.transaction():
            settle(self.store)

    def _parcel(self, family: str, key: str, has: str) -> Parcel | None:
        row = sync.row(self.store, family, key)
        if row is None:
            return None
        if row.hash == has:
            return Parcel(row)
        content = content_of(self.store, family, key)
        # Where somebody wrote since it was settled, it goes with the next sync, whole.
        return Parcel(row, content, told(self.store, family, key)) if hash_of(content) == row.hash else None


def root_of(rows: Iterable[Row]) -> str:
    """Return one hash of all rows, in order: the same on two devices that hold the same and know of the same."""
    said = sha256()
    for each in rows:
        vector = ",".join(f"{device}:{number}" for device, number in sorted(each.vector.items()))
        said.update(f"{each.family}\t{each.key}\t{each.hash}\t{vector}\n".encode())
    return said.hexdigest()


def buckets_of(rows: Iterable[Row]) -> dict[str, str]:
    """Return by bucket the hash of its rows."""
    parts: dict[str, list[Row]] = defaultdict(list)
    for each in rows:
        parts[sync.bucket_of(*each.name)].append(each)
    return {bucket: root_of(found)[:SHORT] for bucket, found in sorted(parts.items())}
