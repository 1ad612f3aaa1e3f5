"""Reading a document as the statements that its pieces become."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from memory_cli.errors import MemoryCliError, Refused, UsageError
from memory_cli.memory import Memory
from memory_cli.models.documents import Document
from memory_cli.models.frozen import Frozen
from memory_cli.operations import intake
from memory_cli.operations.intake import Draft
from memory_cli.settings.index import Index
from memory_cli.text import markdown
from memory_cli.text.identity import derived_id, identity

PLAIN = frozenset({".txt", ".text", ".rst", ".adoc", ".asciidoc", ".org"})
BETWEEN = " › "


class Given(Frozen):
    """What all statements of an index have in common, and how long they are."""

    kind: str
    agent: str
    source: str
    tags: tuple[str, ...]
    settings: Index


class Read(Frozen):
    """A document that was read: by their ids the drafts of its pieces, and which of those cannot be taken."""

    document: Document
    pieces: Mapping[str, Draft]
    failed: list[str]

    def is_as_in(self, known: Document | None, id: str) -> bool:
        """Tell whether a piece is the one that was known of the document."""
        if known is None or known.source != self.document.source:
            return False
        return known.pieces.get(id) == self.document.pieces[id]


def read(memory: Memory, path: Path, key: str, stat: os.stat_result, given: Given) -> Read:
    """Read the document at path, which is known as key."""
    if stat.st_size > given.settings.max_bytes:
        raise Refused(f"it has {stat.st_size} bytes, more than index.max_bytes allows")
    if found := memory.redacted(key).kinds:
        raise UsageError(f"its path holds a secret ({', '.join(found)}) and would be stored")
    data = path.read_bytes()
    pieces: dict[str, Draft] = {}
    hashes: dict[str, str] = {}
    failed: list[str] = []
    known: set[bytes] = set()
    ordinals: dict[tuple[str, ...], int] = {}
    headed = path.suffix.lower() not in PLAIN
    for each in markdown.pieces(_decoded(data), given.settings.chunk_characters, headings=headed):
        text = f"{BETWEEN.join((_shown(key), *each.headings))}: {each.text}"
        ordinal = ordinals[each.headings] = ordinals.get(each.headings, -1) + 1
        # The same words twice in one document are one statement.
        if (same := identity(given.kind, text)) in known:
            continue
        known.add(same)
        id = derived_id("document", key, *each.headings, str(ordinal))
        try:
            pieces[id] = intake.draft(
                memory, text, kind=given.kind, agent=given.agent, source=given.source, tags=given.tags,
                metadata={"path": key}, id=id,
            )  # fmt: skip
        except MemoryCliError as error:
            failed.append(f"{path}:{each.line}: {error}")
        else:
            hashes[id] = _hash(text.encode())
    document = Document(key, stat.st_size, stat.st_mtime_ns, _hash(data), given.source, hashes)
    return Read(document, pieces, failed)


def _decoded(data: bytes) -> str:
    if b"\0" in data:
        raise UsageError("it is no text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"it is not in UTF-8 (byte {error.start})") from error


def _shown(key: str) -> str:
    """Return a path as the words of a statement begin: from the project on, or the last folder and the name."""
    return "/".join(key.split("/")[-2:]) if key.startswith("/") else key


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
