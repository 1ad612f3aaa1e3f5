"""What snapshots, restores and verifications answer."""

from dataclasses import field

from memory_cli.models.frozen import Frozen


class ScopeKept(Frozen):
    """One scope in a snapshot."""

    scope: str
    statements: int
    bytes: int
    categories: int = 0


class SnapshotMade(Frozen):
    """A snapshot that was written and verified; `left_out` names what it does not hold."""

    directory: str
    made_at: str
    scopes: list[ScopeKept]
    left_out: list[str] = field(default_factory=list)


class Verified(Frozen):
    """What was looked at without a change, and what is wrong with it."""

    checked: list[str]
    problems: list[str]

    @property
    def exit_code(self) -> int:
        """What the shell is told: whether anything disagrees."""
        return 1 if self.problems else 0


class Restored(Frozen):
    """What was put in place of what; `dry_run` says that nothing was."""

    directory: str
    scopes: list[ScopeKept]
    parked: list[str] = field(default_factory=list)
    dry_run: bool = False

    @property
    def exit_code(self) -> int:
        """What the shell is told: a dry run is a refusal."""
        return 5 if self.dry_run else 0
