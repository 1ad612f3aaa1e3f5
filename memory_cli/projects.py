"""Which project and which storage root a run works with, and why."""

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from memory_cli.errors import UsageError
from memory_cli.models.frozen import Frozen
from memory_cli.settings.directories import STORE_FOLDER, expand_home, user_directory

# The last of each is the first seed's.
_PROJECT_VARIABLES = ("MEMORY_PROJECT_ROOT", "MEMORY_ULTRARAG_PROJECT_ROOT")
_STORAGE_VARIABLES = ("MEMORY_STORAGE_ROOT", "ULTRARAG_UI_STORAGE_ROOT", "MEMORY_ULTRARAG_STORAGE_ROOT")


ACCOUNT = Path("memory", "default")
_FIRST_SEED = "memory-ultra-rag-mcp"


class Roots(Frozen):
    """The folders that were chosen, each with the reason."""

    project: Path | None
    project_why: str
    storage: Path
    storage_why: str
    # Where the first seed kept the account's memory by default; nothing where a storage root was chosen.
    former: Path | None = None
    # Folders that are no project unless they are named, each with what it is.
    nowhere: Mapping[Path, str] = field(default_factory=dict)

    @property
    def local_store(self) -> Path | None:
        """Return the folder of the project's store."""
        return self.project / STORE_FOLDER if self.project else None

    @property
    def global_store(self) -> Path:
        """Return the folder of the account's store."""
        return self.storage / ACCOUNT


class _Told(Frozen):
    path: Path
    by: str


def find_roots(
    *,
    project_root: Path | None,
    storage_root: Path | None,
    environ: Mapping[str, str],
    cwd: Path,
    home: Path,
    temporary: Path,
) -> Roots:
    """Choose the project and the storage root; make nothing."""
    nowhere = _nowhere(home, temporary)
    project: Path | None
    if told := _told(project_root, "--project-root", _PROJECT_VARIABLES, environ, cwd, home):
        project, why = _named_project(told, nowhere)
    else:
        project, why = _nearest_project(cwd, nowhere)
    if told := _told(storage_root, "--storage-root", _STORAGE_VARIABLES, environ, cwd, home):
        return Roots(project, why, _named_storage(told), f"named by {told.by}", nowhere=nowhere)
    storage = user_directory("data", environ, home=home)
    former = user_directory("data", environ, home=home, app=_FIRST_SEED) / ACCOUNT
    return Roots(project, why, storage, "the user data directory of this system", former, nowhere)


def _told(
    flag: Path | None, flag_name: str, variables: tuple[str, ...], environ: Mapping[str, str], cwd: Path, home: Path
) -> _Told | None:
    if flag is not None:
        return _Told(cwd / flag, flag_name)
    for variable in variables:
        if text := environ.get(variable):
            return _Told(cwd / expand_home(text, home), variable)
    return None


def _named_storage(told: _Told) -> Path:
    path = _resolved(told)
    if os.path.lexists(path) and not os.path.isdir(path):
        raise UsageError(f"{told.by} names {path}, which is not a folder.")
    return path


def _named_project(told: _Told, nowhere: Mapping[Path, str]) -> tuple[Path, str]:
    folder = _resolved(told)
    if not os.path.isdir(folder):
        raise UsageError(f"{told.by} names {folder}, which is not a folder; make it first, or name another.")
    project, why = _sharing(folder)
    return (folder, f"named by {told.by}") if project in nowhere else (project, f"named by {told.by}{why}")


def _nearest_project(cwd: Path, nowhere: Mapping[Path, str]) -> tuple[Path | None, str]:
    here = cwd.resolve()
    for folder in (here, *here.parents):
        if marker := _marker(folder):
            project, why = _sharing(folder)
            if project in nowhere:
                return None, f"no project: {project} has {marker}, but is {nowhere[project]}"
            return project, f"the nearest folder at or above {here} with {marker}{why}"
    return None, f"no project: neither {here} nor a folder above it has {STORE_FOLDER}/ or .git"


def _marker(folder: Path) -> str:
    if os.path.isdir(folder / STORE_FOLDER):
        return f"{STORE_FOLDER}/"
    return ".git" if os.path.exists(folder / ".git") else ""


def _nowhere(home: Path, temporary: Path) -> dict[Path, str]:
    return {
        Path(home.resolve().anchor): "the root of the file system",
        temporary.resolve(): "the temporary directory",
        home.resolve(): "your home directory",
    }


def _resolved(told: _Told) -> Path:
    try:
        return told.path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{told.by} names {str(told.path)!r}, which is not a path that leads anywhere.") from error


def _sharing(folder: Path) -> tuple[Path, str]:
    """Return the folder whose memory a folder shares: its own, or its main worktree's."""
    # A store that was made in a worktree, or came with its branch, is there on purpose.
    if os.path.isdir(folder / STORE_FOLDER) or not (common := _common_directory(folder / ".git")):
        return folder, ""
    return _main_worktree(common), f"; {folder} is a worktree of it"


def _common_directory(dot_git: Path) -> Path | None:
    """Return the repository that a linked worktree belongs to."""
    directory = _pointed(dot_git, "gitdir:")
    if not directory or directory.parent.name != "worktrees":
        return None
    common = _pointed(directory / "commondir")
    back = _pointed(directory / "gitdir")
    # A .git that leads to the entry of another, living worktree is a copy or a forgery: it shares nothing.
    stolen = back and os.path.exists(back) and not os.path.samefile(back, dot_git)
    return common if common == directory.parent.parent and not stolen else None


def _main_worktree(common: Path) -> Path:
    if worktree := _configured_worktree(common):
        return worktree
    # A bare repository is nobody's folder: the one that holds it as .git or points at it, else itself.
    if common.name == ".git" or _pointed(common.parent / ".git", "gitdir:") == common:
        return common.parent
    return common


def _configured_worktree(common: Path) -> Path | None:
    for name in ("config.worktree", "config"):
        section = ""
        for line in map(str.strip, _text(common / name).splitlines()):
            section = line.lower() if line.startswith("[") else section
            key, equals, value = line.partition("=")
            if section == "[core]" and key.strip().lower() == "worktree" and equals:
                return (common / value.strip().strip('"')).resolve()
    return None


def _pointed(file: Path, prefix: str = "") -> Path | None:
    text = _text(file).strip()
    return (file.parent / text.removeprefix(prefix).strip()).resolve() if text.startswith(prefix) and text else None


def _text(file: Path) -> str:
    # Folders above are not all ours to read (os.path, unlike pathlib, then says that nothing is there), and a .git
    # may be a folder: then there is nothing that it points at.
    try:
        return file.read_text(encoding="utf-8") if os.path.isfile(file) else ""
    except (OSError, UnicodeDecodeError):
        return ""
