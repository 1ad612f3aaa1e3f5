"""One process at a time in a folder: the lock goes with the process, however that ends."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_cli.errors import Busy

PAUSE = 0.02


@contextmanager
def locked(folder: Path, deadline_ms: int, sentence: str) -> Iterator[None]:
    """Hold the lock of a folder while the block runs; the sentence says who else has it past the deadline."""
    end = time.monotonic() + deadline_ms / 1000
    handle = _handle(folder)
    try:
        while not _lock(handle):
            if time.monotonic() >= end:
                raise Busy(sentence)
            time.sleep(PAUSE)
        yield
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _handle(folder: Path) -> int:
        # A folder cannot be locked there, so a file in it stands for it.
        return os.open(folder / ".taking-in.lock", os.O_CREAT | os.O_RDWR, 0o600)

    def _lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _handle(folder: Path) -> int:
        return os.open(folder, os.O_RDONLY)

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
