"""The first look for files of older servers, which every command takes: it opens no database and imports little."""

import os
from pathlib import Path

from memory_cli.store import files
from memory_cli.store.schema import APPLICATION_ID

RECORD, INDEX, VECTORS, DOCUMENT = "memory.sqlite3", "index.sqlite3", "index-vectors.sqlite3", "MEMORY.md"
# Where a new store is made before it takes the place of an old one.
STAGING = ".taking-in"
# In the header of every SQLite file.
APPLICATION_ID_AT = 68


def is_marked_ours(path: Path) -> bool:
    """Tell by a file's header alone that it is one of our stores."""
    try:
        header = files.head(path, APPLICATION_ID_AT + 4)
    except OSError:
        # What cannot be read is named by whoever opens it.
        return False
    return header[APPLICATION_ID_AT:] == APPLICATION_ID.to_bytes(4, "big")


def seen(folder: Path, former: Path | None) -> bool:
    """Tell whether a closer look is worth while: there may be something to take in, or to finish."""
    if is_marked_ours(folder / RECORD):
        return _holds(folder, (STAGING, INDEX, VECTORS))
    if _holds(folder, (RECORD, STAGING, INDEX, DOCUMENT)):
        return True
    return former is not None and _holds(former, (RECORD, INDEX, DOCUMENT))


def _holds(folder: Path, names: tuple[str, ...]) -> bool:
    return any(os.path.lexists(os.path.join(folder, name)) for name in names)
