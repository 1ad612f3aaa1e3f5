"""Categories as they are stored, and what the operations on them answer."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from memory_cli.models.frozen import Frozen

MEMORY, LOG = "memory", "log"


class Category(Frozen):
    """One named document: its newest version, and for a log the bounds that it keeps.

    Without a hash it is deleted. The hash of a plain one is the SHA-256 of its text, that of a log of all that was
    ever done to it.
    """

    name: str
    kind: str
    version: int
    hash: str = ""
    last_entry: int = 0
    max_entries: int = 0
    max_age_days: int = 0
    file_hash: str = ""

    @property
    def there(self) -> bool:
        """Whether it is not deleted."""
        return bool(self.hash)


class Version(Frozen):
    """One version of a category: what was done, when, by whom and why."""

    version: int
    hash: str
    operation: str
    at: datetime
    agent: str
    device: str
    device_number: int
    reason: str
    size: int = 0


class Entry(Frozen):
    """One entry of a log; its number is never given again."""

    number: int
    at: datetime
    agent: str
    device: str
    device_number: int
    body: str


class Meta(Frozen):
    """What there is to say about a category beside its data."""

    category: str
    kind: str
    scope: str
    hash: str
    version: int
    updated_at: str
    updated_by: str
    size: int
    deleted: bool = False
    foreign: bool = False


class CategoryRead(Frozen):
    """A category's data, untouched, with what there is to say about it beside."""

    meta: Meta
    data: Mapping[str, Any]
    missing: list[str] = field(default_factory=list)
    note: str = ""


class CategoryWritten(Frozen):
    """What a write made of a category; an identical write makes no version."""

    category: str
    scope: str
    changed: bool
    hash: str
    version: int
    old_hash: str = ""
    old_version: int = 0
    entry: int = 0
    pruned: int = 0
    redacted: list[str] = field(default_factory=list)
    note: str = ""


class CategoriesListed(Frozen):
    """The categories of a scope or of both."""

    categories: list[Meta]
    notes: list[str] = field(default_factory=list)


class Leaf(Frozen):
    """A value somewhere in a category that answers a query."""

    category: str
    key_path: str
    snippet: str
    scope: str = ""
    score: float = 0.0
    foreign: bool = False


class CategoryTold(Frozen):
    """A category at the start of a conversation; `cut` says that some of its keys found no room."""

    category: str
    data: Mapping[str, Any]
    scope: str = ""
    cut: bool = False
    foreign: bool = False


class CategoriesFound(Frozen):
    """The leaves that answer a query, best first."""

    hits: list[Leaf]
    searched: int
    total: int
    truncated: bool = False
    semantic: str = ""


class VersionShown(Frozen):
    """One version of a category; `readable` says whether its payload is still there."""

    version: int
    hash: str
    operation: str
    at: str
    agent: str
    device: str
    size: int = 0
    reason: str = ""
    deleted: bool = False
    readable: bool = True


class CategoryHistory(Frozen):
    """The versions of a category, newest first."""

    category: str
    scope: str
    versions: list[VersionShown]
    total: int
    truncated: bool = False
    next: int = 0


class CategoryDelta(Frozen):
    """What differs in a category since a version: top-level keys; `known` is false for a hash it never had."""

    category: str
    scope: str
    hash: str
    version: int
    unchanged: bool
    known: bool = True
    deleted: bool = False
    added: Mapping[str, Any] = field(default_factory=dict)
    changed: Mapping[str, Any] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)


class CategoryDifference(Frozen):
    """Two versions of a category, line by line."""

    category: str
    scope: str
    old_version: int
    version: int
    lines: list[str]


class LogShown(Frozen):
    """The newest entries of a log, oldest first."""

    category: str
    scope: str
    entries: list[Mapping[str, Any]]
    total: int
    foreign: bool = False


class CategoriesCompacted(Frozen):
    """What a compaction took away, or would."""

    categories: list[str]
    versions: int
    entries: int
    bytes: int
    dry_run: bool = False

    @property
    def exit_code(self) -> int:
        """What the shell is told: a dry run is no refusal here."""
        return 0
