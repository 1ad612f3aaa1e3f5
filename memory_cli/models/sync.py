"""What syncs, as it is told from device to device, and what the operations on it answer."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from memory_cli.models.frozen import Frozen

Vector = Mapping[str, int]


class Row(Frozen):
    """What is known of one thing: its hash, empty when it is deleted, and by device which of its writes."""

    family: str
    key: str
    hash: str
    vector: Vector

    @property
    def name(self) -> tuple[str, str]:
        """What tells it from every other thing."""
        return self.family, self.key


class Parcel(Frozen):
    """One thing on its way: its row, its content where the receiver may lack it, and what there is to say beside.

    The hash is that of the content; `about` (when, by whom, from what) is not part of it.
    """

    row: Row
    content: Mapping[str, Any] | None = None
    about: Mapping[str, Any] = field(default_factory=dict)


class Digest(Frozen):
    """A whole store in short: who it is, a hash of all rows, and one of each bucket of them."""

    device: str
    name: str
    root: str
    buckets: Mapping[str, str]


class Told(Frozen):
    """A thing that met another state of itself, or could not be taken, and why."""

    family: str
    key: str
    why: str


class Taken(Frozen):
    """What became of what was received.

    `applied` were newer than what was here, `merged` had changed on both sides, `unchanged` were known; `refused` could
    not be taken and are not known here, so whoever sent them has them to send again.
    """

    applied: int = 0
    merged: int = 0
    unchanged: int = 0
    conflicts: list[Told] = field(default_factory=list)
    refused: list[Told] = field(default_factory=list)


class Synced(Frozen):
    """What one sync moved, in either direction, and to what both sides came."""

    remote: str
    pulled: int = 0
    pushed: int = 0
    merged: int = 0
    bytes: int = 0
    equal: bool = False
    root: str = ""
    conflicts: list[Told] = field(default_factory=list)
    refused: list[Told] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """What the shell is told: a part that was refused is a part that failed."""
        return 1 if self.refused else 0


class SyncedAll(Frozen):
    """A sync with each of several remotes; one that could not be reached is named, and the others were synced."""

    synced: list[Synced]
    failed: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """What the shell is told."""
        return 1 if self.failed or any(each.refused for each in self.synced) else 0


class Different(Frozen):
    """What a sync with a remote would move, by family and key."""

    remote: str
    here: list[str]
    there: list[str]
    both: list[str]
    equal: bool


class ManifestRow(Frozen):
    """One thing in a manifest."""

    family: str
    key: str
    hash: str
    vector: Vector
    deleted: bool = False


class Manifest(Frozen):
    """All that syncs, by hash and version vector; no content."""

    device: str
    name: str
    scope: str
    at: str
    root: str
    total: int
    items: list[ManifestRow]
    truncated: bool = False
    next: int = 0


class Remote(Frozen):
    """A remote, and when it was last synced with."""

    name: str
    address: str = ""
    at: str = ""
    device: str = ""
    equal: bool = False


class SyncStatus(Frozen):
    """Who this store is among those that sync, what it holds, and how it stands with each remote."""

    scope: str
    device: str
    name: str
    root: str
    items: Mapping[str, int]
    deleted: int
    unsettled: int
    conflicts: int
    remotes: list[Remote]
    note: str = ""


class Conflict(Frozen):
    """Two states that nobody could join: what was kept, and what lost and is kept here."""

    number: int
    at: str
    family: str
    key: str
    device: str
    kept: str
    lost: Mapping[str, Any]
    resolved: str = ""


class Conflicts(Frozen):
    """The conflicts that nobody has settled yet, newest first."""

    scope: str
    conflicts: list[Conflict]


class Resolved(Frozen):
    """A conflict that somebody settled."""

    number: int
    family: str
    key: str
    chosen: str
    changed: bool
