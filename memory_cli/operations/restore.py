"""Put a snapshot in the place of the memory."""

from pathlib import Path
from typing import Annotated

from memory_cli.errors import MemoryCliError, NotFound, Refused
from memory_cli.memory import LOCAL, Memory
from memory_cli.models.backups import Restored, ScopeKept
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.parameter import Described
from memory_cli.store import categories, files, manifest, readonly, swapping
from memory_cli.store.connection import NAME


def restore(
    memory: Memory,
    directory: Annotated[str, Described("A snapshot that `memory snapshot` made.")],
    *,
    scope: given.Scope = "",
    yes: Annotated[bool, Described("Do it; without this it is a dry run.")] = False,
) -> Restored:
    """Put a snapshot in the place of the memory.

    All of it is verified before anything is touched. What was there is parked beside the new files and never deleted.
    Nobody else may have the memory open meanwhile; whoever has is named.
    """
    folder = Path(directory)
    listed = manifest.read(folder)
    wanted = [each for each in listed.scopes if scope in ("", each)]
    if not wanted:
        raise NotFound(f"{folder} holds nothing of the {scope} memory; it has {' and '.join(listed.scopes)}.")
    if wrong := manifest.problems(folder, listed):
        raise MemoryCliError(f"{folder} is not what it was, and nothing was touched: {'; '.join(wrong)}.")
    targets = {each: _place(memory, each) for each in wanted}
    kept = [_kept(folder, each) for each in wanted]
    if not yes:
        return Restored(str(folder), kept, [str(each) for each in targets.values() if (each / NAME).exists()], True)
    parked = _swapped(memory, folder, targets)
    for each in wanted:
        _write_categories(memory, each)
    return Restored(str(folder), kept, parked)


def _write_categories(memory: Memory, scope: str) -> None:
    """Write the files of the categories that came back, which the next readers would do, too."""
    for store in memory.stores(scope):
        for each in categories.everything(store):
            places.look(memory, store, each.name)


def _place(memory: Memory, scope: str) -> Path:
    place = memory.roots.local_store if scope == LOCAL else memory.roots.global_store
    if place is None:
        raise Refused(
            "There is no project here to restore the local memory into. Run `memory init` first, or name "
            "--scope global."
        )
    return place


def _kept(folder: Path, scope: str) -> ScopeKept:
    path = folder / scope / NAME
    return ScopeKept(scope, readonly.statements(path), path.stat().st_size)


def _swapped(memory: Memory, folder: Path, targets: dict[str, Path]) -> list[str]:
    """Stage every scope before the first is swapped, so that a full disk leaves all as it was."""
    stamp = memory.now.strftime("%Y%m%dT%H%M%SZ")
    staged: dict[str, Path] = {}
    try:
        for place, (scope, target) in enumerate(targets.items()):
            memory.progress(place, len(targets), f"copying the {scope} memory")
            files.make_store_folder(target)
            staged[scope] = swapping.stage(folder / scope / NAME, target, memory.settings.storage)
        if memory.session.kept:
            memory.session.kept.close()
        for target in targets.values():
            swapping.require_alone(target / NAME)
        parked = [swapping.swap(target, staged[scope], stamp) for scope, target in targets.items()]
    finally:
        for each in staged.values():
            each.unlink(missing_ok=True)
    memory.progress(len(targets), len(targets), "restored")
    return [str(each) for each in parked if each]
