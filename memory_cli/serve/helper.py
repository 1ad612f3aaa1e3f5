"""A process that only keeps the model warm for the command line, until nobody has asked it for a while."""

import threading
import time

from memory_cli import warm
from memory_cli.memory import Session, open_memory
from memory_cli.projects import Roots
from memory_cli.serve.warm import Listener, end_by_signal

# How often it looks whether the memory that it answers from is still there.
LOOK = 5.0


def run(session: Session, idle: float, *, look: float = LOOK) -> None:
    """Answer until nobody has asked for so many seconds, it is told to end, or its memory is gone."""
    if next(warm.listening(session), None):
        return
    called, told = threading.Event(), threading.Event()

    def end() -> None:
        told.set()
        called.set()

    listener = Listener(session, called.set, end=end)
    if threading.current_thread() is threading.main_thread():
        end_by_signal(listener)
    listener.start()
    try:
        if listener.listens:
            _wait(session, idle, look, called, told)
    finally:
        listener.close()


def _wait(session: Session, idle: float, look: float, called: threading.Event, told: threading.Event) -> None:
    with open_memory(session) as memory:
        memory.embedder()
    last = time.monotonic()
    while not told.is_set() and time.monotonic() - last < idle and _is_there(session.roots):
        if called.wait(min(idle, look)):
            called.clear()
            last = time.monotonic()


def _is_there(roots: Roots) -> bool:
    return any(folder.is_dir() for folder in (roots.local_store, roots.global_store) if folder)
