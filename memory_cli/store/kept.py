"""Connections that a server keeps open from one call to the next, and closes when nobody calls any more.

Opening one reads the schema, and closing the last one writes the log back into the database and waits for the disk:
together more than a record costs by itself. What is not open any more is in nobody's way who restores a snapshot.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from memory_cli.settings.sections import Storage
from memory_cli.store.connection import NAME, Store, connected, data_version, place, reopened

QUIET = 1.0


def nothing() -> None:
    """Do nothing before a store is opened."""


class _Idle(NamedTuple):
    """A store that nobody uses now, what its data_version was when the last call began, and since when."""

    store: Store
    version: int
    since: float


class Kept:
    """Open stores, each used by one call at a time."""

    def __init__(self, *, quiet: float = QUIET) -> None:
        self._quiet = quiet
        self._idle: list[_Idle] = []
        self._changed = threading.Condition()
        self._closer: threading.Thread | None = None

    @contextmanager
    def open_store(
        self, folder: Path, scope: str, storage: Storage, *, create: bool = False, before: Callable[[], None] = nothing
    ) -> Iterator[Store | None]:
        """Lend the store in folder, or yield nothing when there is none and none is to be made.

        What is to be looked at or done before a store is opened is done when none is open.
        """
        lent = self._reused(folder / NAME, scope, storage)
        if lent is None:
            before()
            path = place(folder, create=create)
            if path is None:
                yield None
                return
            lent = _opened(path, scope, storage)
        store, version = lent
        try:
            yield store
        except BaseException:
            # A call that failed may have left anything.
            store.db.close()
            raise
        self._keep(_Idle(store, version, time.monotonic()))

    def close(self) -> None:
        """Close what nobody uses now."""
        with self._changed:
            old, self._idle = self._idle, []
        for each in old:
            each.store.db.close()

    def _reused(self, path: Path, scope: str, storage: Storage) -> tuple[Store, int] | None:
        while idle := self._taken(path, scope, storage):
            try:
                version = reopened(idle.store, idle.version)
                if version is not None:
                    return idle.store, version
            except BaseException:
                idle.store.db.close()
                raise
            idle.store.db.close()
        return None

    def _taken(self, path: Path, scope: str, storage: Storage) -> _Idle | None:
        with self._changed:
            for at in reversed(range(len(self._idle))):
                store = self._idle[at].store
                if (store.path, store.scope, store.storage) == (path, scope, storage):
                    return self._idle.pop(at)
        return None

    def _keep(self, idle: _Idle) -> None:
        with self._changed:
            self._idle.append(idle)
            if self._closer is None:
                self._closer = threading.Thread(target=self._close_when_quiet, name="closing", daemon=True)
                self._closer.start()
            self._changed.notify()

    def _close_when_quiet(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._idle)
            time.sleep(self._quiet)
            with self._changed:
                since = time.monotonic() - self._quiet
                old = [each for each in self._idle if each.since <= since]
                self._idle = [each for each in self._idle if each.since > since]
            for each in old:
                each.store.db.close()


def _opened(path: Path, scope: str, storage: Storage) -> tuple[Store, int]:
    store = connected(path, scope, storage, travels=True)
    try:
        return store, data_version(store)
    except BaseException:
        store.db.close()
        raise
