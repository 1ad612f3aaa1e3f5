"""A process that makes the records of an import ready, for another one that writes them."""

import gc
import os
from contextlib import ExitStack
from io import FileIO
from queue import SimpleQueue
from threading import Thread

from memory_cli.memory import Memory, silent
from memory_cli.operations.importing import frames
from memory_cli.operations.importing.preparing import Entry, Preparer


def main() -> None:
    """Answer each chunk of records on standard input with what became of it, until that ends."""
    records, answers = FileIO(0), FileIO(os.dup(1), "w")
    # Nothing else may stand among the answers.
    os.dup2(2, 1)
    session, now, scope = frames.read(records)
    # Nothing here makes cycles, and looking for them takes a tenth of the time.
    gc.disable()
    preparer = Preparer(Memory(session, silent, now, ExitStack()), scope)
    waiting: SimpleQueue[tuple[list[Entry], int]] = SimpleQueue()
    done: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(records, waiting), daemon=True).start()
    Thread(target=_answer, args=(answers, done), daemon=True).start()
    while True:
        done.put(frames.packed(preparer.prepared(*waiting.get())))


def _listen(records: FileIO, waiting: "SimpleQueue[tuple[list[Entry], int]]") -> None:
    """Take chunks in while others are worked on, so that who sends them never waits for who cannot answer yet."""
    try:
        while True:
            waiting.put(frames.read(records))
    except EOFError:
        # Whoever wanted the answers is gone.
        os._exit(0)


def _answer(answers: FileIO, done: "SimpleQueue[bytes]") -> None:
    """Hand over what is done while more is worked on: who wants it writes meanwhile, and a pipe holds little."""
    try:
        while True:
            frames.write(answers, done.get())
    except BrokenPipeError:
        os._exit(0)
