"""Bringing the record of categories and their files together again, whichever of them was lost."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from memory_cli.categories import changing, checking, files
from memory_cli.categories.canonical import checked_name, document_of
from memory_cli.errors import MemoryCliError
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.categories import Category, Entry
from memory_cli.operations.category import places
from memory_cli.operations.category.append import USUAL
from memory_cli.operations.intake import Cleaner
from memory_cli.store import categories, journal
from memory_cli.store.connection import NAME, Store

ENTRY = {"at", "by", "data", "id"}


def rebuilt(memory: Memory, scope: str) -> tuple[int, list[str]]:
    """Take in files that the record lacks and write files that are missing; return how many, and what could not be."""
    count = 0
    notes: list[str] = []
    for store in _stores(memory, scope):
        for name in _drifted(memory, store):
            try:
                note = _settled(memory, store, name)
            except MemoryCliError as error:
                note = str(error)
            count += not note
            notes += [note] if note else []
    return count, notes


def _stores(memory: Memory, scope: str) -> Iterator[Store]:
    """Yield the stores, and make one where there are files of categories and no database any more."""
    for name, folder in ((LOCAL, memory.roots.local_store), (GLOBAL, memory.roots.global_store)):
        if folder is None or name not in memory.session.scopes or scope not in ("", name):
            continue
        if (folder / NAME).exists() or checking.has_files(folder):
            yield memory.store(name)


def _drifted(memory: Memory, store: Store) -> list[str]:
    if memory.is_foreign(store.scope):
        return []
    known = {each.name: each for each in categories.everything(store, deleted=True)}
    found = files.named(store)
    missing = [name for name, each in known.items() if each.there and name not in found]
    return sorted({*missing, *(name for name in found if not _is_as_written(store, known.get(name)))})


def _is_as_written(store: Store, one: Category | None) -> bool:
    return one is not None and files.hash_of_file(files.path(store, one.name)) in {one.file_hash, one.hash} - {""}


def _settled(memory: Memory, store: Store, name: str) -> str:
    if categories.found(store, checked_name(name)) is None and (entries := _entries(memory, store, name)):
        changing.require_own(store, name, places.intake(memory))
        _make_log(memory, store, name, entries)
    return places.look(memory, store, name)[1]


def _make_log(memory: Memory, store: Store, name: str, entries: list[Entry]) -> None:
    """Make a log of the entries in its file; which bounds it had is known no more."""
    with journal.writing(store, changing.FILE, memory.who, memory.now) as made:
        if categories.found(store, name) is None:
            there = {each.number for each in entries}
            most = max(USUAL, len(entries))
            categories.take_entries(made, None, name, entries, there, max_entries=most, max_age_days=0)
            categories.note_file(store, name, files.hash_of_file(files.path(store, name)))


def _entries(memory: Memory, store: Store, name: str) -> list[Entry]:
    """Return the entries of a file that has nothing but entries as a log's file has them."""
    raw = files.read(store, name) or b""
    data = document_of(raw.decode("utf-8", "surrogateescape"), str(files.path(store, name)))
    listed = data.get("entries")
    if len(data) != 1 or not isinstance(listed, list) or not all(map(_is_entry, listed)):
        return []
    numbers = [each["id"] for each in listed]
    if numbers != sorted(set(numbers)):
        return []
    device, clean = memory.who.device, Cleaner(memory)
    return [
        Entry(
            each["id"], datetime.fromisoformat(each["at"]), each["by"], device, each["id"], _body(clean, each["data"])
        )
        for each in listed
    ]


def _is_entry(value: Any) -> bool:
    if not isinstance(value, Mapping) or value.keys() != ENTRY:
        return False
    if not isinstance(value["by"], str) or type(value["id"]) is not int or value["id"] < 1:
        return False
    try:
        datetime.fromisoformat(str(value["at"]))
    except ValueError:
        return False
    return True


def _body(clean: Cleaner, data: Any) -> str:
    return json.dumps(clean.metadata({"data": data})["data"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
