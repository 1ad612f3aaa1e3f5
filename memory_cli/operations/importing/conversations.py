"""Conversations with Claude or ChatGPT as they are exported: a JSON document, alone or in an archive."""

import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from memory_cli.errors import UsageError
from memory_cli.operations.importing.record import LONGEST, Found, fit_id, holds, statement
from memory_cli.operations.importing.source import LARGEST, Source, parsed
from memory_cli.text.chunking import spans
from memory_cli.text.identity import derived_id

NAMED = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")
ARCHIVE = b"PK\x03\x04"
# JSON of conversations shrinks to a tenth or so; a bomb to a thousandth.
STRONGEST = 200
LONGEST_TITLE = 80
KIND, SOURCE = "TRANSCRIPT", "chat"
SPOKEN = {"human", "user", "assistant"}

Item = Mapping[str, Any]


def recognises_claude(source: Source) -> bool:
    """Tell by the messages of a conversation."""
    return _has(source, "chat_messages")


def recognises_chatgpt(source: Source) -> bool:
    """Tell by the tree of a conversation."""
    return _has(source, "mapping")


def claude(source: Source) -> Iterator[Found]:
    """Yield a statement for each message of each conversation with Claude."""
    for where, conversation in _conversations(source):
        title = _title(conversation.get("name"))
        for number, message in enumerate(_objects(conversation.get("chat_messages")), 1):
            said = _claude_text(message)
            if said and message.get("sender") in SPOKEN:
                at = message.get("created_at") or conversation.get("created_at")
                yield from _said(
                    f"{where}, message {number}", "claude", title, message.get("sender"), message.get("uuid"), at, said
                )


def chatgpt(source: Source) -> Iterator[Found]:
    """Yield a statement for each message of each conversation with ChatGPT, those of other branches too."""
    for where, conversation in _conversations(source):
        title, mapping = _title(conversation.get("title")), conversation.get("mapping")
        nodes = mapping.values() if isinstance(mapping, dict) else ()
        for number, node in enumerate(_objects(list(nodes)), 1):
            message = node.get("message")
            if not isinstance(message, dict):
                continue
            author = message.get("author")
            role = author.get("role") if isinstance(author, dict) else None
            said = _chatgpt_text(message.get("content"))
            if said and role in SPOKEN:
                at = message.get("create_time") or conversation.get("create_time")
                yield from _said(f"{where}, message {number}", "chatgpt", title, role, message.get("id"), at, said)


def _said(where: str, agent: str, title: str, role: object, id: object, at: object, text: str) -> Iterator[Found]:
    """Yield what was said in one message, in parts when it is long."""
    pieces = spans(text, LONGEST)
    for number, piece in enumerate(pieces, 1):
        known = fit_id(agent, id) if id else ""
        yield statement(
            where, text[piece.start : piece.end], id=known if number == 1 else derived_id(agent, known, str(number)),
            kind=KIND, source=SOURCE, agent=agent, at=at, tags=[title] if title else [],
            metadata={"conversation": title, "role": str(role)}
            | ({"part": number, "parts": len(pieces)} if len(pieces) > 1 else {}),
        )  # fmt: skip


def _has(source: Source, key: str) -> bool:
    if not source.is_document and not source.head.startswith(ARCHIVE):
        return False
    document = next(_documents(source), (None, None))[1]
    return holds(_listed(document), key)


def _conversations(source: Source) -> Iterator[tuple[str, Item]]:
    for name, document in _documents(source):
        listed = _listed(document)
        if not isinstance(listed, list):
            raise UsageError(f"{name} is not a list of conversations.")
        for number, each in enumerate(listed, 1):
            if isinstance(each, dict):
                yield f"{name}: conversation {number}", each


def _listed(document: Any) -> Any:
    return document.get("conversations", [document]) if isinstance(document, dict) else document


def _documents(source: Source) -> Iterator[tuple[str, Any]]:
    if not source.head.startswith(ARCHIVE):
        yield source.name, source.document
        return
    if source.path is None:
        raise UsageError("An archive is read from a file, not from standard input.")
    try:
        with zipfile.ZipFile(source.path) as archive:
            wanted = sorted((each for each in archive.infolist() if NAMED.fullmatch(each.filename)), key=_name)
            if not wanted:
                raise UsageError(f"{source.name} holds no conversations.json.")
            _check(source.name, wanted)
            for each in wanted:
                yield each.filename, parsed(archive.read(each), f"{each.filename} in {source.name}")
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError) as error:
        raise UsageError(f"{source.name} is not an archive that can be read: {error}.") from error


def _name(entry: zipfile.ZipInfo) -> str:
    return entry.filename


def _check(name: str, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse what is locked, named oddly, or grows beyond all measure."""
    for each in entries:
        parts = each.filename.split("/")
        if ".." in parts or "" in parts or "\\" in each.filename or stat.S_ISLNK(each.external_attr >> 16):
            raise UsageError(f"{name} holds an entry that is named as no export names one: {each.filename!r}.")
        if each.flag_bits & 1:
            raise UsageError(f"{each.filename} in {name} is encrypted.")
        if each.file_size > STRONGEST * max(each.compress_size, 1000):
            raise UsageError(f"{each.filename} in {name} would grow to {each.file_size:,} bytes; it was not unpacked.")
    if sum(each.file_size for each in entries) > LARGEST:
        raise UsageError(f"The conversations in {name} have more than {LARGEST:,} bytes.")


def _objects(value: object) -> list[Item]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _title(value: object) -> str:
    return " ".join(value.replace("\0", " ").split())[:LONGEST_TITLE] if isinstance(value, str) else ""


def _claude_text(message: Item) -> str:
    parts = [each.get("text") for each in _objects(message.get("content")) if each.get("type") == "text"]
    texts = [each for each in parts if isinstance(each, str) and each.strip()]
    whole = message.get("text")
    return "\n\n".join(texts or ([whole] if isinstance(whole, str) else [])).strip()


def _chatgpt_text(content: object) -> str:
    """Return the words of a message; images and what tools said are none."""
    if not isinstance(content, dict) or content.get("content_type") not in ("text", "multimodal_text"):
        return ""
    parts = content.get("parts")
    return "\n\n".join(each for each in parts if isinstance(each, str)).strip() if isinstance(parts, list) else ""
