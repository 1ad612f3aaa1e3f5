"""What only a person at a terminal sees: how far a long command is."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memory_cli.memory import Progress, silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """Draw progress on standard error while the block runs, when that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    bar: Bar | None = None

    def report(done: int, total: int, message: str) -> None:
        nonlocal bar
        if bar is None:
            bar = _started()
        bar.update(bar.task_ids[0], completed=done, total=total, description=message)

    try:
        yield report
    finally:
        if bar is not None:
            bar.stop()


def _started() -> "Bar":
    # rich is slow to import, and most commands never report anything.
    from rich.console import Console
    from rich.progress import Progress as Bar

    bar = Bar(console=Console(stderr=True), transient=True)
    bar.add_task("")
    bar.start()
    return bar
