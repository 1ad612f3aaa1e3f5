"""Make a folder a project."""

from pathlib import Path

from memory_cli.errors import Refused
from memory_cli.memory import Memory
from memory_cli.models.results import Initialised
from memory_cli.settings.directories import STORE_FOLDER
from memory_cli.store import files


def init(memory: Memory, folder: Path) -> Initialised:
    """Make this folder a project with a memory of its own.

    That is a folder .memory-rag in it, which git does not show until its .gitignore is deleted.
    """
    if not folder.is_dir():
        raise Refused(f"{folder} is not a folder.")
    if reason := memory.roots.nowhere.get(folder.resolve()):
        raise Refused(f"{folder} is {reason}, which is never a project; go into the project's own folder.")
    place = folder / STORE_FOLDER
    created = not place.is_dir()
    files.make_store_folder(place)
    return Initialised(str(folder), str(place), created)
