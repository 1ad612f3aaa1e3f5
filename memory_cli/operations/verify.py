"""Look at the memory or at a snapshot of it, and change nothing."""

from pathlib import Path
from typing import Annotated

from memory_cli.categories import checking
from memory_cli.errors import NotFound
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.backups import Verified
from memory_cli.operations import parameters as given
from memory_cli.parameter import Described
from memory_cli.store import manifest, readonly
from memory_cli.store.connection import NAME


def verify(
    memory: Memory,
    directory: Annotated[str, Described("A snapshot; by default the memory itself.")] = "",
    *,
    scope: given.Scope = "",
) -> Verified:
    """Look at the memory or at a snapshot, and change nothing.

    Every file is only read, also where nothing can be written. Exits 1 when anything disagrees.
    """
    if directory:
        folder = Path(directory)
        listed = manifest.read(folder)
        return Verified([str(folder / name) for name in listed.files], manifest.problems(folder, listed))
    folders = {LOCAL: memory.roots.local_store, GLOBAL: memory.roots.global_store}
    paths = [folder / NAME for name, folder in folders.items() if folder and scope in ("", name)]
    there = [path for path in paths if path.exists()]
    if not there:
        raise NotFound("There is no memory yet to look at.")
    problems = [f"{path}: {each}" for path in there for each in readonly.problems(path)]
    if not problems:
        problems = [each for path in there for each in checking.problems(path.parent, readonly.listed_categories(path))]
    return Verified([str(path) for path in there], problems)
