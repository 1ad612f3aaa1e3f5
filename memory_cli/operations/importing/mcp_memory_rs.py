"""The folder of mcp-memory-rs: a file a category, what its files were before, and a database of who wrote when."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_cli.categories.canonical import document_of
from memory_cli.errors import MemoryCliError, NotFound
from memory_cli.operations.importing.histories import Kept, Past
from memory_cli.operations.importing.source import Source
from memory_cli.store import foreign
from memory_cli.store.categories import hash_of

NAME = "mcp-memory-rs"
DATABASE, CATEGORIES, BACKUPS = "memory.db", "categories", "backups"
BACKUP = re.compile(r"(.+)\.(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)([^/]*)\.json")
DELETED = ".deleted"
EDITED = "file"
# Its backups are named by the second.
SECOND = timedelta(microseconds=999_999)
ROW = {"name", "content_hash", "updated_at", "updated_by"}
VERSION = {"id", "category_name", "content_hash", "reason", "actor", "timestamp"}


@dataclass(frozen=True)
class _Text:
    """What a file holds: its hash and its data."""

    hash: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class _Backup:
    """A copy that was made before its file was overwritten or deleted."""

    at: datetime
    text: _Text
    deleted: bool


@dataclass
class _Of:
    """What the folder has of one category."""

    file: Path | None = None
    copies: list[re.Match[str]] = field(default_factory=list)
    row: Mapping[str, Any] = field(default_factory=dict)
    versions: list[Mapping[str, Any]] = field(default_factory=list)


def recognises(source: Source) -> bool:
    """Tell by its folder of categories, with a database or backups beside."""
    folder = source.folder
    if folder is None or not (folder / CATEGORIES).is_dir():
        return False
    return (folder / DATABASE).is_file() or (folder / BACKUPS).is_dir()


def histories(source: Source) -> Iterator[Kept]:
    """Yield what is known of each category: all that can be read still, oldest first."""
    folder = source.folder
    assert folder is not None
    found: dict[str, _Of] = {}
    for name in _json_files(folder / CATEGORIES):
        found.setdefault(name.removesuffix(".json"), _Of()).file = folder / CATEGORIES / name
    for name in _json_files(folder / BACKUPS):
        if named := BACKUP.fullmatch(name):
            found.setdefault(named[1], _Of()).copies.append(named)
    try:
        _read_rows(found, folder / DATABASE)
    except MemoryCliError as error:
        # The files are what counts there, and the database says who wrote them.
        yield Kept(DATABASE, [], [str(error)])
    for name in sorted(found):
        yield _kept(name, found[name], folder / BACKUPS)


def _json_files(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    return sorted(each.name for each in folder.glob("[!.]*.json") if each.is_file() and not each.is_symlink())


def _read_rows(found: dict[str, _Of], path: Path) -> None:
    if not path.is_file():
        return
    tables = Source(path).tables
    if not tables.get("category", set()) >= ROW or not tables.get("category_version", set()) >= VERSION:
        raise NotFound(f"{path} lacks the tables that say who wrote when; times are those of the files.")
    for row in foreign.rows(path, "category", ROW):
        found.setdefault(str(row["name"]), _Of()).row = row
    for row in foreign.rows(path, "category_version", VERSION):
        if str(row["category_name"]) in found:
            found[str(row["category_name"])].versions.append(row)


def _kept(name: str, one: _Of, folder: Path) -> Kept:
    """Put together what is known of a category, oldest first; what it says last is what its file says."""
    broken: list[str] = []
    now = _text(one.file, broken) if one.file else None
    backups = list(_backups(one, folder, broken))
    past, lost = _recorded(one, [*(each.text for each in backups), *([now] if now else [])])
    known = {str(row["content_hash"]) for row in one.versions}
    past += [each for each in _from_backups(backups) if each.data is None or each.hash not in known]
    past.sort(key=lambda each: each.at)
    newest = past[-1] if past else None
    if now is not None and one.file is not None:
        if newest is None or newest.hash != now.hash:
            past.append(_current(one, one.file, now, newest))
    elif one.row and not broken:
        broken.append(f"its file is missing; {len(past)} earlier versions of it were found")
    elif newest is not None and newest.data is not None and not broken:
        past.append(Past(newest.at, newest.agent))
    return Kept(name, past, broken, lost)


def _backups(one: _Of, folder: Path, broken: list[str]) -> Iterator[_Backup]:
    for named in one.copies:
        text = _text(folder / named[0], broken)
        if text is not None:
            at = datetime.strptime(named[2], "%Y-%m-%dT%H-%M-%S").replace(tzinfo=UTC)
            yield _Backup(at, text, DELETED in named[3])


def _text(path: Path, broken: list[str]) -> _Text | None:
    try:
        raw = Source(path).data().decode("utf-8", "surrogateescape")
        return _Text(hash_of(raw), document_of(raw, str(path)))
    except MemoryCliError as error:
        broken.append(str(error))
        return None


def _recorded(one: _Of, there: Iterable[_Text]) -> tuple[list[Past], int]:
    """Return the versions that the database lists, and how many of them no file has any more."""
    texts = {each.hash: each for each in there}
    past = [
        Past(at, str(row["actor"]), texts[hash].data, hash, str(row["reason"] or ""))
        for row in one.versions
        if (hash := str(row["content_hash"])) in texts and (at := _moment(row["timestamp"]))
    ]
    return past, len(one.versions) - len(past)


def _from_backups(backups: list[_Backup]) -> Iterator[Past]:
    """Yield what was overwritten or deleted; a text was written when the one before it was overwritten."""
    before: _Backup | None = None
    for each in sorted(backups, key=lambda backup: (backup.at, backup.deleted)):
        written = before.at if before and not before.deleted else each.at
        yield Past(written, NAME, each.text.data, each.text.hash)
        if each.deleted:
            yield Past(each.at + SECOND, NAME)
        before = each


def _current(one: _Of, file: Path, now: _Text, newest: Past | None) -> Past:
    is_recorded = str(one.row.get("content_hash", "")) == now.hash
    changed = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    at = (_moment(one.row["updated_at"]) if is_recorded else None) or changed
    agent = str(one.row["updated_by"]) if is_recorded else EDITED if one.row else NAME
    return Past(max(at, newest.at) if newest else at, agent, now.data, now.hash)


def _moment(text: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
