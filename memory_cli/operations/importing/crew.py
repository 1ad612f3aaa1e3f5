"""The workers of a large import: they make its records ready while this process writes them."""

import os
import select
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from io import FileIO
from itertools import chain, islice
from typing import Any, NamedTuple, cast

from memory_cli.errors import MemoryCliError
from memory_cli.memory import Memory, utc_now
from memory_cli.models.frozen import replace
from memory_cli.operations.importing import frames
from memory_cli.operations.importing.preparing import Entry, Failed, Prepared, Preparer
from memory_cli.operations.importing.record import Found
from memory_cli.processors import processors

# The first argument on: what this process imports from, so that its workers import the same.
START = "import sys; sys.path[:] = sys.argv[1:]; from memory_cli.operations.importing.worker import main; main()"
# Chunks that a worker has at once: one under way, and so many that wait that it never does while others are written.
AHEAD = 6
# Beyond these, writing is what all wait for.
MOST = 4


class Chunk(NamedTuple):
    """Records that are made ready and written together."""

    found: Sequence[Found]
    size: int


def workers(jobs: int) -> int:
    """Return how many processes keep so many cores busy together with this one; 0 are all cores that pay."""
    # Waiting for the pipes of many at once is not to be had there.
    return 0 if os.name == "nt" else min(jobs or MOST, processors()) - 1


class _Task:
    """A chunk, the worker that has it, if one has, and what became of it as soon as that is known."""

    def __init__(self, chunk: Chunk, prepared: Prepared | None = None) -> None:
        self.chunk, self.prepared = chunk, prepared
        self.worker: _Worker | None = None


class _Worker:
    """One process; once it is gone it is given nothing more."""

    def __init__(self, hello: bytes) -> None:
        command = [sys.executable, "-c", START, *(each or os.getcwd() for each in sys.path)]
        # A group of its own: an interrupt from the terminal is for the import, whose end ends its workers.
        self._process = subprocess.Popen(  # noqa: S603 - this very program
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            process_group=0,
        )  # fmt: skip
        self.tasks: deque[_Task] = deque()
        self.lost = False
        self._records, self._answers = cast(FileIO, self._process.stdin), cast(FileIO, self._process.stdout)
        self._told = select.poll()
        self._told.register(self._answers, select.POLLIN)
        self._send(hello)

    def take(self, task: _Task) -> None:
        """Send a chunk, if it can be sent."""
        try:
            frame = frames.packed((_entries(task.chunk), task.chunk.size))
        except RecursionError:
            # Nested too deep to be handed over: left for this process.
            return
        task.worker = self
        self.tasks.append(task)
        self._send(frame)

    def listen(self, *, wait: bool = False) -> None:
        """Note what became of the chunks that it is done with, waiting for the first one of them or not at all."""
        while self.tasks and (wait or self._told.poll(0)):
            try:
                self.tasks[0].prepared = frames.read(self._answers)
            except EOFError:
                self._lose()
                return
            self.tasks.popleft()
            wait = False

    def end(self) -> None:
        """End the process, which holds nothing that is not here too."""
        self._process.kill()
        self._records.close()
        self._answers.close()
        self._process.wait()

    def _send(self, frame: bytes) -> None:
        try:
            frames.write(self._records, frame)
        except BrokenPipeError:
            self._lose()

    def _lose(self) -> None:
        self.lost = True
        for task in self.tasks:
            task.worker = None
        self.tasks.clear()


class Crew:
    """Workers, and this process beside them, which does what they do not come to or were killed at."""

    def __init__(self, memory: Memory, scope: str, count: int) -> None:
        self._preparer = Preparer(memory, scope)
        self._workers: list[_Worker] = []
        # What cannot be handed over, and no worker asks for: a clock may be anything.
        loaded = memory.session.loaded._replace(origins={})
        session = replace(memory.session, loaded=loaded, environ=dict(memory.session.environ), clock=utc_now, kept=None)
        self._hello, self._count = (session, memory.now, scope), count

    def prepared(self, chunks: Iterator[Chunk]) -> Generator[Prepared, None, None]:
        """Yield what became of chunks, in their order."""
        # Most imports have no second one: a worker takes as long to start as the first takes.
        first = list(islice(chunks, 2))
        every = chain(first, chunks)
        try:
            yield from self._shared(every) if self._count > 0 and len(first) > 1 else map(self._own, every)
        finally:
            for worker in self._workers:
                worker.end()

    def _shared(self, chunks: Iterator[Chunk]) -> Generator[Prepared, None, None]:
        waiting: deque[_Task] = deque()
        while self._fill(chunks, waiting):
            for worker in self._workers:
                worker.listen()
            head = waiting[0]
            if head.prepared is None and head.worker is None:
                head.prepared = self._own(head.chunk)
            if head.prepared is not None:
                waiting.popleft()
                yield head.prepared
            elif len(waiting) < 2 * AHEAD * self._count and (chunk := next(chunks, None)):
                # Rather than wait.
                waiting.append(_Task(chunk, self._own(chunk)))
            elif head.worker:
                head.worker.listen(wait=True)

    def _fill(self, chunks: Iterator[Chunk], waiting: deque[_Task]) -> bool:
        """Give a chunk to each worker that has room for one, and tell whether there is any left to wait for."""
        while not waiting or self._free():
            chunk = next(chunks, None)
            if chunk is None:
                break
            waiting.append(_Task(chunk))
            if not self._workers:
                self._start()
            if worker := self._free():
                worker.take(waiting[-1])
        return bool(waiting)

    def _free(self) -> _Worker | None:
        """Return the worker with the least to do, if it has room for more."""
        least = min((each for each in self._workers if not each.lost), key=lambda each: len(each.tasks), default=None)
        return least if least and len(least.tasks) < AHEAD else None

    def _start(self) -> None:
        """Start the workers; where that cannot be done this process does all."""
        hello = frames.packed(self._hello)
        while len(self._workers) < self._count:
            try:
                self._workers.append(_Worker(hello))
            except OSError:
                self._count = len(self._workers)

    def _own(self, chunk: Chunk) -> Prepared:
        return self._preparer.prepared(_entries(chunk), chunk.size)


def _entries(chunk: Chunk) -> list[Entry]:
    """Return the records of a chunk so that they can be handed to another process."""
    return [
        Entry(each.where, each.source if isinstance(each.source, str) else _read(each.source)) for each in chunk.found
    ]


def _read(source: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any] | Failed:
    try:
        return source()
    except MemoryCliError as error:
        return Failed(str(error))
