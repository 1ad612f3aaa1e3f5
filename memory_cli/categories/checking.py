"""Whether the files of categories are as their record says, without a change to either."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from memory_cli.categories.canonical import document_of
from memory_cli.categories.files import FOLDER
from memory_cli.errors import UsageError
from memory_cli.models.categories import LOG, Category
from memory_cli.store.categories import hash_of


def problems(store_folder: Path, known: Iterable[Category]) -> Iterator[str]:
    """Yield a sentence for each file that is not what the record of its category says."""
    folder = store_folder / FOLDER
    if folder.is_symlink():
        yield f"{folder} is a link, which is not followed; remove it"
        return
    for each in known:
        path = folder / f"{each.name}.json"
        if path.is_symlink():
            yield f"{path} is a link, which is not followed"
        elif not path.is_file():
            if each.there and each.kind != LOG:
                yield f"{path} is missing; the next read writes it again"
        elif hash_of(text := path.read_bytes().decode("utf-8", "surrogateescape")) not in _expected(each):
            yield _edited(path, text, each)


def has_files(store_folder: Path) -> bool:
    """Tell whether there are files of categories."""
    folder = store_folder / FOLDER
    return not folder.is_symlink() and any(folder.glob("[!.]*.json"))


def _edited(path: Path, text: str, one: Category) -> str:
    if one.kind == LOG and one.there:
        return f"{path} was edited, and a log only grows; the record answers"
    try:
        document_of(text, str(path))
    except UsageError as error:
        return f"{str(error).rstrip('.')}; the record answers, and the file is left as it is"
    return f"{path} is not what the record says of {one.name}: it was edited, and is taken in when it is read"


def _expected(one: Category) -> set[str]:
    """Return the hashes that a file may have: of the newest version, and of the one that it was given last."""
    return {one.hash, one.file_hash} if one.there else {one.file_hash}
