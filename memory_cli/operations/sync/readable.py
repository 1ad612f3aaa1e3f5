"""One Markdown file a statement, with front matter: read and added to by people and agents who have no server."""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from memory_cli.errors import MemoryCliError, UsageError
from memory_cli.memory import Memory
from memory_cli.models.frozen import Frozen
from memory_cli.models.statement import Filters, Statement
from memory_cli.models.sync import Row
from memory_cli.operations import shown
from memory_cli.operations.record import record
from memory_cli.operations.update import update
from memory_cli.private import make_folders, write_private
from memory_cli.store import statements, sync
from memory_cli.store.connection import Store
from memory_cli.store.families import STATEMENT
from memory_cli.sync.contents import exact, hash_of, of_statement
from memory_cli.sync.folder import read_plain
from memory_cli.text.identity import derived_id
from memory_cli.text.kinds import DEFAULT_KIND, kind_named

FOLDER = "readable"
SOURCE = "markdown"
FRONT = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
PAGE = 500


class Page(Frozen):
    """A file as it was found; without an id somebody added it. `written` is what it was written with."""

    path: Path
    id: str
    kind: str
    tags: tuple[str, ...]
    agent: str
    written: str
    text: str

    @property
    def edited(self) -> bool:
        """Whether somebody changed it since it was written."""
        return self.written != _mark(self.kind, self.tags, self.text)


def read(memory: Memory, store: Store, folder: Path) -> list[str]:
    """Take in what people added and changed; return what is to be said of it."""
    notes = []
    for path, page in _pages(folder / FOLDER):
        try:
            if isinstance(page, MemoryCliError):
                raise page
            notes += _taken(memory, store, page)
        except MemoryCliError as error:
            notes.append(f"{path}: {error} The file was left as it is.")
    return notes


def write(memory: Memory, store: Store, folder: Path) -> list[str]:
    """Write what is not there as it is now, and remove the files of what is gone; return what is to be said of it."""
    pages = folder / FOLDER
    make_folders(pages)
    there: dict[str, Page] = {}
    for _path, page in _pages(pages):
        if isinstance(page, Page) and page.id:
            # Of two files of one statement one is enough, unless somebody is at work on it.
            if page.id in there and not page.edited:
                page.path.unlink(missing_ok=True)
            else:
                there.setdefault(page.id, page)
    for one in _statements(memory, store):
        found = there.pop(one.id, None)
        path = found.path if found else pages / f"{_name(one.id)}.md"
        text = _text_of(one)
        if found is None or not _is(path, text):
            write_private(path, text)
    for gone in there.values():
        if not gone.edited:
            gone.path.unlink(missing_ok=True)
    return []


def _taken(memory: Memory, store: Store, page: Page) -> list[str]:
    if not page.id:
        return _added(memory, store, page)
    if not page.edited:
        return []
    known = exact(store, page.id)
    if known is None:
        # It was forgotten elsewhere, and somebody wrote in it since: that is a statement of its own.
        return _added(memory, store, page)
    if _mark(known.kind, known.tags, known.text) not in (page.written, _mark(page.kind, page.tags, page.text)):
        content = of_statement(known)
        with store.transaction():
            sync.keep_lost(store, memory.now, Row(STATEMENT, known.id, hash_of(content), {}), SOURCE, content)
    update(
        memory, known.id, page.text, kind=page.kind, tag=page.tags, scope=store.scope,  # type: ignore[arg-type]
        untag=[each for each in known.tags if each not in page.tags],
    )  # fmt: skip
    return [f"{page.path.name} was changed, and so is {known.id}."]


def _added(memory: Memory, store: Store, page: Page) -> list[str]:
    done = record(
        memory, page.text, kind=page.kind, tag=page.tags, agent=page.agent, source=SOURCE, scope=store.scope,  # type: ignore[arg-type]
    )  # fmt: skip
    one = exact(store, done.id)
    assert one is not None
    write_private(page.path, _text_of(one))
    return [f"{page.path.name} came in as {done.id}."]


def _statements(memory: Memory, store: Store) -> Iterator[Statement]:
    offset = 0
    while found := statements.page(store, Filters(now=memory.now), limit=PAGE, offset=offset, order="oldest"):
        yield from found
        offset += len(found)


def _pages(folder: Path) -> Iterator[tuple[Path, Page | MemoryCliError]]:
    if not folder.is_dir() or folder.is_symlink():
        return
    for path in sorted(folder.glob("*.md")):
        if path.is_symlink() or not path.is_file() or path.name.startswith("."):
            continue
        try:
            yield path, _page(path)
        except MemoryCliError as error:
            yield path, error


def _page(path: Path) -> Page:
    try:
        text = read_plain(path, 8 << 20).decode().replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"it cannot be read ({error}).") from error
    front = FRONT.match(text)
    said = dict(_lines(front[1])) if front else {}
    return Page(
        path, said.get("id", ""), kind_named(said.get("kind", DEFAULT_KIND)), _tags(said.get("tags", "")),
        said.get("agent", ""), said.get("written", ""), (text[front.end() :] if front else text).strip(),
    )  # fmt: skip


def _lines(front: str) -> Iterator[tuple[str, str]]:
    for line in front.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            yield name.strip().casefold(), value.strip()


def _tags(said: str) -> tuple[str, ...]:
    try:
        found = json.loads(said) if said.startswith("[") else said.split(",")
    except (ValueError, RecursionError):
        found = said.strip("[]").split(",")
    return tuple(dict.fromkeys(str(each).strip().removeprefix("#") for each in found if str(each).strip()))


def _text_of(one: Statement) -> str:
    front = {
        "id": one.id, "kind": one.kind, "tags": json.dumps(list(one.tags), ensure_ascii=False),
        "agent": ", ".join(one.agents), "at": shown.moment(one.at),
        "written": _mark(one.kind, one.tags, one.text),
    }  # fmt: skip
    lines = "".join(f"{name}: {' '.join(value.split())}\n" for name, value in front.items())
    return f"---\n{lines}---\n\n{one.text}\n"


def _mark(kind: str, tags: tuple[str, ...], text: str) -> str:
    said = json.dumps([kind, sorted(tags), text.replace("\r\n", "\n").strip()], ensure_ascii=False)
    return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _is(path: Path, text: str) -> bool:
    return path.read_bytes() == text.encode()


def _name(id: str) -> str:
    return id if PLAIN_NAME.fullmatch(id) else derived_id(id)
