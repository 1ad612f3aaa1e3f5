"""What operations answer. A field without a default is always there; one that equals its default is left out.

A result with an `exit_code` was not simply done; the command line ends with that code.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from memory_cli.models.categories import CategoryTold, Leaf
from memory_cli.models.frozen import Frozen
from memory_cli.models.links import LinkShown


class Unit(Frozen):
    """One statement as an answer shows it. Times are ISO 8601 in UTC."""

    id: str
    scope: str
    text: str
    kind: str
    recalls: int = 0
    at: str = ""
    agents: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    expires_at: str = ""
    last_recalled_at: str = ""
    superseded: bool = False
    superseded_by: str = ""
    foreign: bool = False
    cut: bool = False
    score: float = 0.0
    explain: Mapping[str, float] = field(default_factory=dict)


class Repetition(Frozen):
    """A statement that was not shown, since one that was says the same."""

    id: str
    scope: str
    collapsed_by: str
    similarity: float = 0.0
    shown_as: str = ""


class Recalled(Frozen):
    """The statements that answer a query, best first."""

    units: list[Unit]
    truncated: bool = False
    next: int = 0
    collapsed_repetitions: list[Repetition] = field(default_factory=list)
    units_pending: int = 0
    semantic_available: bool = True
    semantic: str = ""
    hint: str = ""
    warning: str = ""
    reranked: int = 0
    rerank: str = ""
    categories: list[Leaf] = field(default_factory=list)


class Listed(Frozen):
    """A page of statements, newest first."""

    units: list[Unit]
    total: int
    truncated: bool = False
    next: int = 0


class Similar(Frozen):
    """A statement that says nearly the same, or may contradict."""

    id: str
    scope: str
    text: str
    foreign: bool = False


class Recorded(Frozen):
    """What became of a statement that was to be remembered."""

    id: str
    scope: str
    kind: str
    already_recorded: bool = False
    updated: bool = False
    replaced: Similar | None = None
    redacted: list[str] = field(default_factory=list)
    similar: list[Similar] = field(default_factory=list)
    note: str = ""


class RecordedLines(Frozen):
    """What became of statements that came one a line; a line that failed is named and the rest went in."""

    recorded: list[Recorded]
    failed: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """What the shell is told when a part of the input failed."""
        return 1 if self.failed else 0


class Updated(Frozen):
    """What an update changed."""

    id: str
    scope: str
    changed: list[str]
    redacted: list[str] = field(default_factory=list)
    version: str = ""


class Forgotten(Frozen):
    """What was forgotten, or would be: `dry_run` says that nothing was."""

    matched: int
    forgotten: int
    ids: list[str] = field(default_factory=list)
    sample: list[Similar] = field(default_factory=list)
    dry_run: bool = False
    purged: bool = False
    note: str = ""

    @property
    def exit_code(self) -> int:
        """What the shell is told: a dry run is a refusal, and so is nothing changed."""
        return 5 if self.dry_run else 4 if self.note else 0


class Handoff(Frozen):
    """The project's handoff, and what it replaced."""

    id: str
    scope: str
    text: str
    at: str = ""
    agents: list[str] = field(default_factory=list)
    foreign: bool = False
    cleared: bool = False
    replaced: Similar | None = None
    redacted: list[str] = field(default_factory=list)


class Difference(Frozen):
    """What a change did to one statement, or a thing of another family: the fields that differ, before and after."""

    statement: str
    effect: str
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    family: str = "statement"


class ChangeShown(Frozen):
    """One entry of the history; `items` shows the first few of `count` statements."""

    change: str
    at: str
    operation: str
    agent: str
    device: str
    count: int
    items: list[Difference]
    undoes: str = ""
    undone_by: str = ""
    foreign: bool = False


class History(Frozen):
    """Changes, newest first."""

    changes: list[ChangeShown]
    total: int
    truncated: bool = False
    next: int = 0


class Undone(Frozen):
    """A change that was taken back, by a change of its own, and others of the same call that came back with it."""

    undone: str
    operation: str
    change: str
    ids: list[str]
    also: list[str] = field(default_factory=list)


class Shown(Frozen):
    """One statement, whole, with where it came from and its latest changes."""

    unit: Unit
    origins: list[Mapping[str, Any]]
    changes: list[ChangeShown] = field(default_factory=list)
    links: list[LinkShown] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    version: str = ""


class ScopeStatus(Frozen):
    """The state of one scope's store."""

    scope: str
    folder: str
    exists: bool
    statements: int = 0
    categories: int = 0
    bytes: int = 0
    wal_bytes: int = 0
    codes_bytes: int = 0
    schema: int = 0
    pending: int = 0
    models: Mapping[str, int] = field(default_factory=dict)
    handoff: bool = False
    foreign: bool = False
    synced_at: str = ""
    sync_conflicts: int = 0


class Status(Frozen):
    """Which memory this is, where it lives and why, and what waits to be done."""

    version: str
    project: str
    project_why: str
    storage: str
    storage_why: str
    scopes: list[ScopeStatus]
    model: str
    units_pending: int
    semantic_available: bool = True
    semantic: str = ""
    agent: str = ""
    device: str = ""
    notes: list[str] = field(default_factory=list)


class Stats(Frozen):
    """How many statements there are, by what they have in common; months are of the asker's zone.

    `growth` is how many were new in the last 1, 7 and 30 days.
    """

    total: int
    by_scope: Mapping[str, int]
    by_kind: Mapping[str, int]
    by_agent: Mapping[str, int]
    by_source: Mapping[str, int]
    by_tag: Mapping[str, int]
    by_month: Mapping[str, int]
    units_pending: int = 0
    categories: int = 0
    growth: Mapping[str, int] = field(default_factory=dict)


class ContextShown(Frozen):
    """What a conversation should start with; `left_out` counts what found no room."""

    units: list[Unit]
    handoff: Handoff | None = None
    categories: list[CategoryTold] = field(default_factory=list)
    left_out: int = 0
    semantic: str = ""
    hint: str = ""


class Reindexed(Frozen):
    """What was built anew."""

    words: int
    embedded: int
    units_pending: int
    dropped: int = 0
    orphans: int = 0
    linked: int = 0
    categories: int = 0
    failed: list[str] = field(default_factory=list)
    dry_run: bool = False
    semantic: str = ""

    @property
    def exit_code(self) -> int:
        """What the shell is told when the file of a category could not be read."""
        return 1 if self.failed else 0


class Imported(Frozen):
    """What an import took in; `failed` names each record that it could not."""

    new: int
    already_recorded: int
    failed: list[str] = field(default_factory=list)
    links: int = 0
    categories: int = 0
    redacted: Mapping[str, int] = field(default_factory=dict)
    scope: str = ""
    dry_run: bool = False
    note: str = ""

    @property
    def exit_code(self) -> int:
        """What the shell is told when a part of the input failed."""
        return 1 if self.failed else 0


class Exported(Frozen):
    """What was written where."""

    statements: int
    files: list[str]


class Retired(Frozen):
    """What was taken in from documents before they were removed; `known` counts what was here or forgotten."""

    removed: list[str]
    taken: list[Similar] = field(default_factory=list)
    known: int = 0


class Trusted(Frozen):
    """Whether a project's memory is believed, and whether it is somebody else's."""

    project: str
    trusted: bool
    foreign: bool


class Finding(Frozen):
    """One thing that is wrong or may go wrong, whether it was mended, and what to do about it."""

    problem: str
    scope: str = ""
    mended: bool = False
    warning: bool = False
    remedy: str = ""


class Diagnosis(Frozen):
    """What a check found; nothing when all is well."""

    checked: list[str]
    findings: list[Finding]

    @property
    def exit_code(self) -> int:
        """What the shell is told: whether something is still wrong."""
        return 1 if any(not (each.mended or each.warning) for each in self.findings) else 0


class Initialised(Frozen):
    """The folder that is a project now."""

    project: str
    folder: str
    created: bool
