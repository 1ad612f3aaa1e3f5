"""Failures a caller can act on, each with its exit code; anything else that is raised is a bug."""

from typing import ClassVar


class MemoryCliError(Exception):
    """A check failed, or part of the input did."""

    exit_code: ClassVar[int] = 1


class UsageError(MemoryCliError):
    """The command line, the input or the configuration was wrong."""

    exit_code = 2


class NotFound(MemoryCliError):
    """What was asked for is not in the store."""

    exit_code = 3


class Busy(MemoryCliError):
    """The store stayed locked past the deadline; try again."""

    exit_code = 4


class Refused(MemoryCliError):
    """The store would have been changed in a way that was not agreed to."""

    exit_code = 5


class Denied(Refused):
    """Whoever asks may not do this, though others may."""
