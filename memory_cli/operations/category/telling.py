"""Categories as a conversation starts with them: whole where there is room, else the keys that fit."""

from collections.abc import Iterable

from memory_cli.categories.canonical import document_of, fields_of
from memory_cli.errors import NotFound
from memory_cli.memory import Memory
from memory_cli.models.categories import CategoryTold
from memory_cli.operations import shown
from memory_cli.operations.category import places


def told(memory: Memory, names: Iterable[str], room: int, fields: str = "") -> tuple[list[CategoryTold], list[str]]:
    """Return categories, or these fields of them, within so many tokens, and a sentence for each that is not there."""
    found, notes = [], []
    for name in dict.fromkeys(names):
        try:
            store, one, note = places.found(memory, name, "")
        except NotFound as error:
            notes.append(str(error))
            continue
        notes += [note] if note and "project" not in note else []
        data, _missing = fields_of(document_of(places.text(store, one), name), fields)
        kept = {}
        for key, value in data.items():
            size = shown.tokens({key: value})
            if size <= room:
                kept[key] = value
                room -= size
        foreign = memory.is_foreign(store.scope)
        found.append(CategoryTold(one.name, kept, store.scope, cut=len(kept) < len(data), foreign=foreign))
    return found, notes
