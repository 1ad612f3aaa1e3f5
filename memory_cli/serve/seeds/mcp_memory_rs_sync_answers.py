"""What the tools of mcp-memory-rs for sync answer."""

from collections.abc import Mapping
from dataclasses import field

from memory_cli.models.frozen import Frozen
from memory_cli.models.sync import Told


class Standing(Frozen):
    """How this device stands: what it has, and what changed since the last sync."""

    success: bool
    device_id: str
    remote_url: str
    local_merkle_root: str
    categories: int
    dirty_categories: int
    last_sync: str = ""
    note: str = ""


class Leaf(Frozen):
    """One category in a manifest; `vector` says which writes of which device it knows of."""

    name: str
    content_hash: str
    merkle_leaf: str
    vector: Mapping[str, int]
    updated_at: str = ""
    updated_by: str = ""
    version: int = 0


class Leaves(Frozen):
    """All categories by hash; a deleted one has none."""

    device_id: str
    timestamp: str
    merkle_root: str
    categories: list[Leaf]


class Manifested(Frozen):
    """The manifest of this device."""

    success: bool
    manifest: Leaves


class Apart(Frozen):
    """The names of the categories of which one side, or both, have something newer."""

    to_pull: list[str]
    to_push: list[str]
    conflicts: list[str]
    unchanged: list[str]


class Compared(Frozen):
    """How two manifests differ."""

    success: bool
    local_device: str
    remote_device: str
    local_merkle: str
    remote_merkle: str
    identical: bool
    to_pull: int
    to_push: int
    conflicts: int
    unchanged: int
    details: Apart


class Exported(Frozen):
    """The envelope that was written."""

    success: bool
    exported_to: str
    device: str
    categories_exported: int
    size_bytes: int


class Outcome(Frozen):
    """What became of each thing that met another state of itself, or could not be taken."""

    conflicts: list[Told] = field(default_factory=list)
    errors: list[Told] = field(default_factory=list)


class Pulled(Frozen):
    """What came in; what could not is named, and comes again with the next pull."""

    success: bool
    pulled: int
    conflicts: int
    errors: int
    details: Outcome


class Stepped(Frozen):
    """What one step of a sync moved."""

    success: bool
    direction: str
    pushed: int = 0
    pulled: int = 0
    details: Outcome = field(default_factory=Outcome)
    failed: list[str] = field(default_factory=list)
