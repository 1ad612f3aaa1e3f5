"""The standard streams as a server reads and writes them, without waking a thread for each line."""

import asyncio
import os
import select
import sys
import threading
from collections import deque
from contextlib import suppress

from anyio import to_thread

from memory_cli.errors import UsageError

# So many lines are read ahead of what was answered: who sends without end waits.
AHEAD = 64
# What a pipe takes whole, without waiting, when it says that it takes anything.
AT_ONCE = getattr(select, "PIPE_BUF", 512)


class Lines:
    """The lines of a descriptor, read by one thread of their own, for one loop.

    A file of anyio's sends each read to a pool of threads and waits for it: that took longer than the call of a tool.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._read: deque[str | None] = deque()
        self._there = asyncio.Event()
        self._room = threading.Semaphore(AHEAD)
        threading.Thread(target=self._fill, name="reading", daemon=True).start()

    def __aiter__(self) -> "Lines":
        return self

    async def __anext__(self) -> str:
        while not self._read:
            self._there.clear()
            await self._there.wait()
        line = self._read.popleft()
        if line is None:
            # Who asks again is told again.
            self._read.appendleft(None)
            raise StopAsyncIteration
        self._room.release()
        return line

    def end(self) -> None:
        """Read no more than was read."""
        self._read.append(None)
        self._there.set()

    def _fill(self) -> None:
        # What cannot be read has ended.
        with suppress(OSError), open(self._descriptor, "rb", closefd=False) as lines:
            for line in lines:
                self._room.acquire()
                self._add(line.decode("utf-8", "replace"))
        self._add(None)

    def _add(self, line: str | None) -> None:
        self._read.append(line)
        # The server may have ended meanwhile.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._there.set)


class Answers:
    """A descriptor that answers are written to: at once where it takes them whole, else in a thread that may wait."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._turn = asyncio.Lock()
        # Not on Windows, where every answer goes through the thread.
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll:
            self._poll.register(descriptor, select.POLLOUT)

    async def write(self, text: str) -> None:
        """Write text, all of it, after what is being written."""
        data = text.encode("utf-8")
        if len(data) <= AT_ONCE and not self._turn.locked() and self._poll and self._poll.poll(0):
            data = data[os.write(self._descriptor, data) :]
        if data:
            async with self._turn:
                await to_thread.run_sync(self._write, data)

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._descriptor, data) :]


def require() -> None:
    """Refuse to serve where there is nobody to talk to: a caller that closes a stream gave its number to some file."""
    if sys.stdin is None or sys.stdout is None:
        raise UsageError(
            "The standard input and output are what `memory serve` talks over, and one of them is closed; "
            "start it from an MCP client, or give it --http."
        )


def taken() -> tuple[Lines, Answers]:
    """Take the standard streams for the protocol until the process ends.

    Who else reads finds the end of the input, and who else prints, a child included, prints to the log.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere if sys.stderr is None else 2, 1)
    os.close(nowhere)
    return Lines(wire_in), Answers(wire_out)
