"""What the tools of mcp-memory-rs answer."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from memory_cli.models.frozen import Frozen
from memory_cli.models.results import Finding


class Meta(Frozen):
    """What there is to say about a category beside its data."""

    hash: str
    updated_at: str
    updated_by: str
    size_bytes: int
    kind: str
    version: int


class Read(Frozen):
    """A category; its data is apart from what is said about it, so that it can be written back."""

    success: bool
    category: str
    data: Mapping[str, Any]
    _meta: Meta
    missing: list[str] = field(default_factory=list)
    note: str = ""


class Wrote(Frozen):
    """What a write made; `backup_created` says whether what was there before can be read still."""

    success: bool
    category: str
    new_hash: str
    timestamp: str
    changed: bool
    backup_created: bool
    previous_hash: str = ""
    reason: str = ""


class Appended(Frozen):
    """The entry that was appended, and how many the log holds."""

    success: bool
    category: str
    kind: str
    id: int
    new_hash: str
    timestamp: str
    total_entries: int
    pruned: int = 0


class Deleted(Frozen):
    """The category that was deleted."""

    success: bool
    deleted: str
    backup_created: bool


class File(Frozen):
    """One category of a list."""

    name: str
    kind: str
    content_hash: str
    updated_at: str
    updated_by: str
    size_bytes: int


class Summary(Frozen):
    """How much there is."""

    categories: int
    total_versions: int
    total_size_bytes: int


class Listed(Frozen):
    """All categories."""

    success: bool
    summary: Summary
    files: list[File]
    notes: list[str] = field(default_factory=list)


class Row(Frozen):
    """A value that answers a query, and the keys that lead to it."""

    category_name: str
    key_path: str
    snippet: str
    rank: float


class Searched(Frozen):
    """The values that answer a query, best first."""

    success: bool
    query: str
    total_matches: int
    returned: int
    results: list[Row]
    filters: Mapping[str, str] = field(default_factory=dict)


class Blended(Frozen):
    """The values that answer a query by words and meaning; `note` says why meaning had no part."""

    success: bool
    query: str
    semantic_weight: float
    keyword_weight: float
    total_matches: int
    results: list[Row]
    note: str = ""


class VersionRow(Frozen):
    """One version; a deletion has no hash."""

    id: int
    category_name: str
    operation: str
    content_hash: str
    actor: str
    timestamp: str
    readable: bool
    reason: str = ""


class Versions(Frozen):
    """The versions of a category, newest first."""

    success: bool
    category: str
    versions: list[VersionRow]
    truncated: bool = False


class Delta(Frozen):
    """What became of a category since a hash: `unchanged`, `changed` or `deleted`."""

    success: bool
    status: str
    category: str
    hash: str = ""
    updated_at: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    note: str = ""


class Warm(Frozen):
    """Categories to begin with; `cut` names those of which some keys found no room."""

    success: bool
    context: Mapping[str, Any]
    categories_loaded: int
    total_bytes: int
    device: str
    cut: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Compacted(Frozen):
    """What a compaction took away."""

    success: bool
    keep_versions: int
    backups_pruned: int
    bytes_freed: int
    current_stats: Summary


class Checked(Frozen):
    """What a check found."""

    success: bool
    healthy: bool
    device: str
    base_dir: str
    db_path: str
    db_exists: bool
    categories_dir_exists: bool
    findings: list[Finding]
    stats: Summary
