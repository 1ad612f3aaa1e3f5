"""Keep a copy of the memory as it is now."""

import os
import shutil
from pathlib import Path
from typing import Annotated

from memory_cli import __version__
from memory_cli.categories import changing
from memory_cli.categories import files as category_files
from memory_cli.errors import MemoryCliError, NotFound, Refused
from memory_cli.memory import LOCAL, Memory
from memory_cli.models.backups import ScopeKept, SnapshotMade
from memory_cli.operations import parameters as given
from memory_cli.operations import shown
from memory_cli.parameter import Described
from memory_cli.store import backup, categories, connection, files, manifest, readonly
from memory_cli.store.connection import NAME, Store

CONFIG = "config.toml"
LEFT_OUT = ("the secret tokens of `memory token`", "your own settings and models")


def snapshot(
    memory: Memory,
    directory: Annotated[str, Described("A folder that is not there yet, or is empty.")],
    *,
    scope: given.Scope = "",
) -> SnapshotMade:
    """Keep a copy of the memory as it is now, in a folder.

    Others may go on writing meanwhile: each scope is as it was at one moment. The copy is verified before it is there
    under its name; `memory verify` looks at it again, and `memory restore` brings it back.
    """
    target = Path(directory)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Refused(f"{target} is there already; name a folder that is not, so that no older snapshot is lost.")
    stores = memory.stores(scope)
    if not stores:
        raise NotFound("There is no memory yet to keep a copy of.")
    files.make_folders(target.absolute().parent)
    staged = target.absolute().with_name(f".{target.name}.{os.urandom(8).hex()}.new")
    files.make_folders(staged)
    try:
        kept = [_scope(memory, store, staged / store.scope, place, len(stores)) for place, store in enumerate(stores)]
        made_at = shown.moment(memory.now)
        _listed(memory, staged, kept, made_at)
        if target.is_dir():
            target.rmdir()
        os.rename(staged, target)
        files.sync_folder(target.parent)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise
    return SnapshotMade(str(target), made_at, kept, list(LEFT_OUT))


def _scope(memory: Memory, store: Store, folder: Path, place: int, total: int) -> ScopeKept:
    memory.progress(place, total, f"copying the {store.scope} memory")
    files.make_folders(folder)
    backup.copy(store, folder / NAME)
    config = store.path.with_name(CONFIG)
    if store.scope == LOCAL and config.is_file() and not config.is_symlink():
        files.write_private(folder / CONFIG, config.read_bytes())
    count = readonly.statements(folder / NAME)
    with connection.open_store(folder, store.scope, memory.settings.storage) as copied:
        assert copied is not None
        kept = _categories(copied)
    memory.progress(place + 1, total, f"copying the {store.scope} memory")
    return ScopeKept(store.scope, count, (folder / NAME).stat().st_size, kept)


def _categories(copied: Store) -> int:
    """Write the categories of a copy out of its own record, so that file and record are of one moment."""
    there = categories.everything(copied)
    for each in there:
        text = changing.text_at(copied, each)
        if text is not None:
            files.make_folders(category_files.folder(copied))
            files.write_private(category_files.path(copied, each.name), text)
    return len(there)


def _listed(memory: Memory, folder: Path, kept: list[ScopeKept], made_at: str) -> None:
    """Write the manifest and hold the files that are there against it."""
    head = {"made_at": made_at, "version": __version__, "device": memory.session.device}
    manifest.write(folder, head, {each.scope: {"statements": each.statements} for each in kept})
    for each in folder.rglob("*"):
        files.sync_folder(each) if each.is_dir() else files.sync_file(each)
    if wrong := manifest.problems(folder, manifest.read(folder)):
        raise MemoryCliError(f"The copy is not what it should be, so it was not kept: {'; '.join(wrong)}.")
