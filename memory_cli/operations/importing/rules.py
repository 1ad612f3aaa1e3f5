"""Files of rules that agents are given: CLAUDE.md, AGENTS.md, .cursorrules, copilot-instructions.md and their like."""

import re
from collections.abc import Iterator
from pathlib import Path

from memory_cli.operations.importing.markdown import Block, blocks, front_matter
from memory_cli.operations.importing.record import Found, statement
from memory_cli.operations.importing.source import Source

NAME = "rules"
KIND = "RULE"
FILES = re.compile(
    r"(?:claude|agents?|gemini|codex|conventions|copilot-instructions)(?:\.local)?\.md|.*\.instructions\.md|.*\.mdc"
    r"|\.(?:cursor|windsurf|cline|goose|roo)(?:rules|hints)",
    re.IGNORECASE,
)
# Where a project keeps them, beside its own folder.
PLACES = ("", ".github", ".github/instructions", ".cursor/rules", ".claude", ".clinerules", ".windsurf/rules")


def recognises(source: Source) -> bool:
    """Tell by the file's name, or by such files in a folder."""
    if source.folder:
        return any(_files(source.folder))
    return source.path is not None and FILES.fullmatch(source.path.name) is not None


def records(source: Source) -> Iterator[Found]:
    """Yield a rule for each item of a list and each paragraph, under its headings."""
    folder = source.folder
    for path in _files(folder) if folder else ():
        yield from _rules(path.relative_to(folder).as_posix() + " " if folder else "", path.name, Source(path))
    if not folder:
        yield from _rules("", source.path.name if source.path else NAME, source)


def _rules(where: str, name: str, source: Source) -> Iterator[Found]:
    _fields, text = front_matter(source.data().decode("utf-8-sig", "surrogateescape"))
    for each in blocks(text):
        # A line that only leads to a list says nothing without it.
        if each.item or not each.text.endswith(":") or "\n" in each.text:
            yield statement(
                f"{where}line {each.line}", under_headings(each), kind=KIND, source=name,
                metadata={"file": name} | ({"heading": " › ".join(each.headings)} if each.headings else {}),
            )  # fmt: skip


def under_headings(block: Block) -> str:
    """Return the text of a block with the headings that say what it is about; the title of the file does not."""
    about = block.headings[1:] if len(block.headings) > 1 else ()
    return f"{' › '.join(about)}: {block.text}" if about else block.text


def _files(folder: Path) -> Iterator[Path]:
    for place in PLACES:
        inside = folder / place
        if inside.is_dir():
            yield from sorted(each for each in inside.iterdir() if each.is_file() and FILES.fullmatch(each.name))
