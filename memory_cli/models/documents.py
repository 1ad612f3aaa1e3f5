"""Documents, and what the operation on them answers."""

from collections.abc import Mapping
from dataclasses import field

from memory_cli.models.frozen import Frozen


class Document(Frozen):
    """A document as it was when it was read; `pieces` has the hash of each piece by the id of its statement."""

    path: str
    size: int
    mtime: int
    hash: str
    source: str
    pieces: Mapping[str, str]


class Indexed(Frozen):
    """What became of the statements of documents; `failed` names each document that could not be read."""

    files: int
    new: int
    changed: int
    unchanged: int
    retired: int
    failed: list[str] = field(default_factory=list)
    redacted: Mapping[str, int] = field(default_factory=dict)
    scope: str = ""
    dry_run: bool = False
    note: str = ""

    @property
    def exit_code(self) -> int:
        """What the shell is told when a part of the input failed."""
        return 1 if self.failed else 0
