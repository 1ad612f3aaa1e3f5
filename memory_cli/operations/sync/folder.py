"""Sync through a plain folder."""

from pathlib import Path
from typing import Annotated

from memory_cli.errors import Refused, UsageError
from memory_cli.memory import GLOBAL, Memory
from memory_cli.models.sync import Synced
from memory_cli.operations.sync import readable as pages
from memory_cli.operations.sync import sides
from memory_cli.operations.sync.sides import Scope
from memory_cli.parameter import Described
from memory_cli.store.connection import Store
from memory_cli.sync.folder import Carrier


def folder(
    memory: Memory,
    directory: Annotated[str, Described("The folder that git, a file sync or a stick carries from device to device.")],
    *,
    readable: Annotated[bool, Described("Also as one Markdown file a statement, to read and to add to.")] = False,
    scope: Scope = "",
) -> Synced:
    """Sync through a plain folder that anything may carry, with no network.

    What others left there is taken, then what is here is left there. Each device writes into a folder of its own, so
    that whatever carries it meets no conflict. Readable, there are also Markdown files: a new one becomes a statement,
    and an edited one changes it.
    """
    path = Path(directory).expanduser().absolute()
    store = memory.store(scope or GLOBAL)
    _check(path, store)
    sides.require_own(memory, store)
    # What people wrote comes in first, so that it goes to the others at once.
    notes = pages.read(memory, store, path) if readable else []
    done = Carrier(sides.side(memory, scope), path).run()
    notes += pages.write(memory, store, path) if readable else []
    return Synced(**{name: getattr(done, name) for name in done.__match_args__} | {"notes": [*done.notes, *notes]})


def _check(path: Path, store: Store) -> None:
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is no folder.")
    home = store.path.parent.absolute()
    if path == home or home in path.parents:
        raise Refused(f"{path} is inside the memory itself; name a folder of its own.")
