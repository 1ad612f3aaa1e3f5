"""Finding the documents in a folder: no links followed, nothing hidden, nothing that a .gitignore leaves out."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = frozenset({".md", ".markdown", ".mdx", ".mdown", ".txt", ".text", ".rst", ".adoc", ".asciidoc", ".org"})
IGNORE = ".gitignore"

Rules = list[tuple[Path, "GitIgnoreSpec"]]


def documents(folder: Path, unreadable: Callable[[Path, OSError], None]) -> Iterator[Path]:
    """Yield the documents below a folder in the order of their names; tell which folders cannot be read."""
    yield from _within(folder, _above(folder), unreadable)


def _within(folder: Path, rules: Rules, unreadable: Callable[[Path, OSError], None]) -> Iterator[Path]:
    rules = rules + _rules(folder)
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda each: each.name)
    except OSError as error:
        unreadable(folder, error)
        return
    for each in entries:
        # A link leads to what is here already, into a circle, or out of the tree.
        if each.name.startswith(".") or each.is_symlink():
            continue
        path = folder / each.name
        if each.is_dir():
            if not _ignored(path, rules, folder=True):
                yield from _within(path, rules, unreadable)
        elif each.is_file() and path.suffix.lower() in SUFFIXES and not _ignored(path, rules, folder=False):
            yield path


def _above(folder: Path) -> Rules:
    """Return the rules of the folders above, up to the one that holds the repository."""
    found: Rules = []
    for each in folder.parents if not (folder / ".git").exists() else ():
        found = _rules(each) + found
        if (each / ".git").exists():
            return found
    return []


def _rules(folder: Path) -> Rules:
    try:
        lines = (folder / IGNORE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    from pathspec import GitIgnoreSpec  # only where there is something to leave out

    try:
        return [(folder, GitIgnoreSpec.from_lines(lines))]
    except ValueError:
        return [(folder, GitIgnoreSpec.from_lines([each for each in lines if _valid(each)]))]


def _valid(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        # git passes over such a line too.
        return False
    return True


def _ignored(path: Path, rules: Rules, *, folder: bool) -> bool:
    """Say whether the rules of the deepest folder that speak of path leave it out."""
    for place, spec in reversed(rules):
        told = spec.check_file(path.relative_to(place).as_posix() + ("/" if folder else "")).include
        if told is not None:
            return told
    return False
