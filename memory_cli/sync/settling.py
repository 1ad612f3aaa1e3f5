"""What changed here since the last sync, found in the history when a sync begins, so that no write pays for it."""

from collections.abc import Iterable

from memory_cli.models.categories import LOG
from memory_cli.models.sync import Row
from memory_cli.store import categories, sync
from memory_cli.store.connection import Store
from memory_cli.sync import contents
from memory_cli.sync.contents import FAMILIES, Content, content_of, hash_of

Names = Iterable[tuple[str, str]]


def settle(store: Store) -> None:
    """Bring the rows up to date with the store, in the caller's transaction."""
    names = changed(store)
    if not sync.device(store):
        sync.make_device(store)
    settle_these(store, names)
    sync.settled(store, sync.newest_change(store))


def changed(store: Store) -> list[tuple[str, str]]:
    """Return what may have changed since the rows were brought up to date: at first everything."""
    return sync.touched(store, FAMILIES) if sync.device(store) else list(contents.everything(store))


def settle_these(store: Store, names: Names) -> None:
    """Bring the rows of these things up to date; what became another is one more write of this device."""
    own = sync.device(store)
    for family, key in names:
        known, content = sync.row(store, family, key), content_of(store, family, key)
        hash = hash_of(content)
        if family == categories.FAMILY:
            _note_seen(store, key, content)
        if hash != (known.hash if known else ""):
            vector = known.vector if known else {}
            sync.put(store, Row(family, key, hash, {**vector, own: sync.tick(store, vector)}))


def unsettled(store: Store) -> dict[tuple[str, str], str]:
    """Return by name the hash of what changed since the rows were brought up to date; nothing is written."""
    found = {}
    for family, key in changed(store):
        known, hash = sync.row(store, family, key), hash_of(content_of(store, family, key))
        if hash != (known.hash if known else ""):
            found[family, key] = hash
    return found


def current(store: Store) -> list[Row]:
    """Return the rows as they would be after settling; nothing is written."""
    there = {each.name: each for each in sync.rows(store)}
    own, clock = sync.device(store) or "unsettled", sync.counted(store, sync.CLOCK)
    for place, (name, hash) in enumerate(unsettled(store).items(), 1):
        vector = there[name].vector if name in there else {}
        there[name] = Row(*name, hash, {**vector, own: clock + place})
    return [there[name] for name in sorted(there)]


def _note_seen(store: Store, key: str, content: Content | None) -> None:
    if content and content["kind"] == LOG:
        sync.put_seen(store, key, content["seen"])
