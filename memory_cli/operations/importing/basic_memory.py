"""A folder of basic-memory: notes in Markdown with front matter, observations and relations."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memory_cli.errors import MemoryCliError
from memory_cli.operations.importing.markdown import Block, blocks, front_matter
from memory_cli.operations.importing.record import Found, failure, link, statement, tags_of
from memory_cli.operations.importing.source import Source
from memory_cli.text.identity import derived_id

NAME = "basic-memory"
OBSERVATION = re.compile(r"\[([^\[\]()]+)\]\s+(.+)", re.DOTALL)
CONTEXT = re.compile(r"(.*\S)\s+\(([^()]*)\)", re.DOTALL)
TAG = re.compile(r"(?<!\S)#([^\s#]+)")
RELATION = re.compile(r"(?:(.*?)\s*)?\[\[([^\[\]]+)\]\]\s*(?:\(([^()]*)\))?\s*", re.DOTALL)
# The headings that say nothing of what is below them.
SECTIONS = ("observations", "relations")
# How many notes are looked at to tell what a folder is.
LOOKED = 50


@dataclass
class _Seen:
    """The first statement of each note, by the names that others call it, and who names whom."""

    first: dict[str, str] = field(default_factory=dict)
    relations: list[tuple[str, str, str, str]] = field(default_factory=list)


def recognises(source: Source) -> bool:
    """Tell by notes that have a permalink."""
    if not source.folder:
        return False
    looked = (each for each, _number in zip(_notes(source.folder), range(LOOKED), strict=False))
    return any(b"\npermalink:" in Source(each).head.partition(b"\n---")[0] for each in looked)


def records(source: Source) -> Iterator[Found]:
    """Yield a statement for each observation, relation and paragraph of each note, then links between the notes."""
    folder, seen = source.folder, _Seen()
    for path in _notes(folder) if folder else (source.path,):
        name = path.relative_to(folder).as_posix() if folder and path else source.name
        try:
            yield from _note(name, Source(path) if folder else source, seen)
        except MemoryCliError as error:
            yield failure(name, error)
    for where, one, other, type in seen.relations:
        if other in seen.first and seen.first[other] != one:
            yield link(where, one, seen.first[other], type)


def _note(name: str, source: Source, seen: _Seen) -> Iterator[Found]:
    fields, text = front_matter(source.data().decode("utf-8-sig", "surrogateescape"))
    title, permalink = _one(fields.get("title")) or Path(name).stem, _one(fields.get("permalink"))
    note = {"note": title, "permalink": permalink, "type": _one(fields.get("type"))}
    tags = tags_of(fields.get("tags"))
    at = _one(fields.get("created")) or _one(fields.get("date"))
    first, count = "", 0
    for block in blocks(text):
        if not block.item and block.text.strip() == title:
            continue
        said, more, about = _said(title, block)
        id = derived_id(NAME, said)
        first, count = first or id, count + 1
        if relation := more.get("relation"):
            seen.relations.append((f"{name} line {block.line}", first, _key(about), relation.replace(" ", "_")))
        inline = TAG.findall(block.text) if "category" in more else []
        metadata = {key: value for key, value in (note | more).items() if value}
        yield statement(
            f"{name} line {block.line}", said, id=id, source=NAME, tags=[*tags, *inline], at=at, metadata=metadata
        )
    if not count:
        first = derived_id(NAME, title)
        yield statement(
            name, title, id=first, source=NAME, tags=tags, at=at, metadata={k: v for k, v in note.items() if v}
        )
    for known in (title, permalink, Path(name).stem, Path(name).with_suffix("").as_posix()):
        seen.first.setdefault(_key(known), first)


def _said(title: str, block: Block) -> tuple[str, dict[str, str], str]:
    """Return what a block says, what is known of it, and the note that it leads to."""
    if block.item and (found := OBSERVATION.fullmatch(block.text)):
        text, context = found[2], ""
        if inner := CONTEXT.fullmatch(text):
            text, context = inner[1], inner[2]
        plain = " ".join(TAG.sub("", text).split()) or text
        return f"{title}: {plain}", {"category": found[1].strip(), "context": context}, ""
    if block.item and (found := RELATION.fullmatch(block.text)):
        type, target = (found[1] or "relates to").strip(), found[2].partition("|")[0].strip()
        more = {"relation": type, "to": target, "context": found[3] or ""}
        return f"{title} {type.replace('_', ' ')} {target}", more, target
    about = [each for each in block.headings if each.casefold() not in (title.casefold(), *SECTIONS)]
    return f"{' › '.join([title, *about])}: {block.text}", {}, ""


def _notes(folder: Path) -> Iterator[Path]:
    """Yield the notes below a folder in order; what is hidden, and links, are passed over."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for each in sorted(names):
            path = Path(place, each)
            if each.lower().endswith(".md") and not each.startswith(".") and not path.is_symlink():
                yield path


def _one(value: str | list[str] | None) -> str:
    return value if isinstance(value, str) else ""


def _key(name: str) -> str:
    return name.casefold().removeprefix("memory://")
