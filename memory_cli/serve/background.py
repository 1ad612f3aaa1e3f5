"""Embedding what waits for it while the server has nothing better to do."""

import logging
import threading
import time

from memory_cli.embedding import Embedder, ModelUnavailable
from memory_cli.errors import Busy, MemoryCliError
from memory_cli.memory import Memory, Session, open_memory
from memory_cli.operations.pending import embed_batches, pending

log = logging.getLogger("memory")

# Whoever calls does not wait beside the model for the processor: it begins when no call has ended for so long, ...
QUIET = 0.3
# ... or when so much time has passed with calls; then one batch is made.
UNREST = 30.0
# Long enough for a client to shake hands before the model takes the processor.
DELAY = 3.0
BUSY_PAUSE = 5.0
# A provider that fails may come back without anybody calling a tool.
FAILED_PAUSE = 60.0
# How long a model that cannot be had is left alone: somebody may install it meanwhile.
MODEL_PAUSE = 300.0


class Background:
    """One thread that embeds pending statements in small batches, and sleeps until it is woken.

    It does not poll: it looks once after the start and once after calls of tools, when no further one comes.
    """

    def __init__(self, session: Session, *, delay: float = DELAY) -> None:
        self._session = session
        # How long to sleep at most; none is until woken.
        self.patience: float | None = delay
        self._woken = threading.Event()
        self._ending = threading.Event()
        # When a call last ended.
        self._called = 0.0
        self._without_model_until = 0.0
        self._said: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="embedding", daemon=True)

    def start(self) -> None:
        """Begin; the first look comes after a delay, or when woken."""
        self._thread.start()

    def wake(self) -> None:
        """Say that there may be something to embed."""
        self._called = time.monotonic()
        self._woken.set()

    def stop(self) -> None:
        """End after the batch at hand, and wait for that."""
        self._ending.set()
        self._woken.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._woken.wait(self.patience)
            self._let_calls_pass()
            self._woken.clear()
            if self._ending.is_set():
                return
            self.patience = self.look()

    def _let_calls_pass(self) -> None:
        end = time.monotonic() + UNREST
        while (pause := min(self._called + QUIET, end) - time.monotonic()) > 0 and not self._ending.wait(pause):
            pass

    def look(self) -> float | None:
        """Embed what is pending; return after how many seconds to look again unasked, if at all."""
        try:
            with open_memory(self._session) as memory:
                self._embed(memory)
        except Busy:
            return BUSY_PAUSE
        except ModelUnavailable as error:
            self._say(str(error))
            return FAILED_PAUSE
        except MemoryCliError as error:
            self._say(str(error))
        return None

    def _embed(self, memory: Memory) -> None:
        if time.monotonic() < self._without_model_until or not pending(memory):
            return
        embedder, why_not = memory.embedder()
        if embedder is None:
            self._without_model_until = time.monotonic() + MODEL_PAUSE
            self._say(why_not)
            return
        self._drain(memory, embedder)

    def _drain(self, memory: Memory, embedder: Embedder) -> None:
        # Some batches at a time: of more texts more are of like length, and what is done once for all takes time too.
        size = 4 * memory.settings.runtime.batch
        for store in memory.stores():
            # No more than was there at the first look: whoever adds to it wakes us again.
            left = 0 if memory.is_foreign(store.scope) else pending(memory, store.scope)
            while left > 0 and not self._ending.is_set():
                done = embed_batches(memory, store, embedder, most=min(size, left), deadline_ms=0)
                left = left - done if done else 0
                self._let_calls_pass()

    def _say(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            log.warning("Nothing is embedded in the background: %s", sentence)
