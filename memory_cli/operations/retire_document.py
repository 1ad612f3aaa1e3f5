"""Take in what an old MEMORY.md still holds, and remove it."""

from datetime import UTC, datetime
from pathlib import Path

from memory_cli import provenance
from memory_cli.errors import NotFound, Refused
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.results import Retired, Similar
from memory_cli.operations import parameters as given
from memory_cli.store import files, journal, taken
from memory_cli.store.connection import Store
from memory_cli.store.legacy import comparing, documents, signs
from memory_cli.store.legacy.arranging import Taking
from memory_cli.store.taken import Taken

SHOWN = 120


def retire_document(memory: Memory, *, scope: given.Scope = "") -> Retired:
    """Take in what the memory lacks of a MEMORY.md, then remove the file.

    Its statements are those between blank lines. What is known, or was forgotten, is not taken in again, and nothing
    is of a file that `memory export` wrote. The file goes when all of it is stored.
    """
    # Where there is no record yet, opening the memory reads the document as one.
    memory.stores(scope)
    scopes = (scope,) if scope else (LOCAL, GLOBAL)
    found = [(each, path) for each in scopes if (path := _document(memory, each))]
    if not found:
        raise NotFound("There is no MEMORY.md beside the memory.")
    done = [_retired(memory, memory.store(each), path) for each, path in found]
    return Retired(
        [file for each in done for file in each.removed],
        [one for each in done for one in each.taken],
        sum(each.known for each in done),
    )


def _document(memory: Memory, scope: str) -> Path | None:
    folder = memory.roots.local_store if scope == LOCAL else memory.roots.global_store
    path = folder / signs.DOCUMENT if folder else None
    if path is not None and path.is_symlink():
        raise Refused(f"{path} is a link to another file; it was left as it is.")
    return path if path is not None and path.is_file() else None


def _retired(memory: Memory, store: Store, path: Path) -> Retired:
    document, written = path.read_bytes(), datetime.fromtimestamp(path.stat().st_mtime, UTC)
    blocks = [] if taken.is_rendering(store, document) else documents.blocks(document)
    taking = Taking(memory.who, memory.now, lambda text: memory.redacted(text).text)
    with journal.writing(store, "retire", memory.who, memory.now) as made:
        lacking = comparing.lacking(store, blocks, taking)
        added = comparing.add(made, lacking, taking, written)
        if added:
            taken.note(store, Taken(str(path), memory.now, len(added), others=provenance.is_others(path)))
    if path.read_bytes() != document:
        raise Refused(f"{path} was changed meanwhile; what it held before was taken in. Run this again for the rest.")
    path.unlink()
    files.sync_folder(path.parent)
    shown = [Similar(each.id, each.scope, each.text[:SHOWN]) for each in reversed(added)]
    return Retired([str(path)], shown, len(blocks) - len(lacking))
