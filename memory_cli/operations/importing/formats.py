"""The formats that an import reads, a row each, and which of them a source is in."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.frozen import Frozen
from memory_cli.operations.importing import (
    basic_memory,
    chroma,
    conversations,
    lines,
    mcp_memory_rs,
    mcp_memory_rs_rules,
    mem0,
    memory_service,
    rules,
    server_memory,
    shared_memory,
)
from memory_cli.operations.importing.histories import Kept
from memory_cli.operations.importing.record import Found
from memory_cli.operations.importing.source import Source
from memory_cli.operations.importing.vectors import Made

AUTO, OURS = "auto", "jsonl"


class Format(Frozen):
    """A format: its name, how it is told and read, where its program keeps it when nobody says, and its vectors.

    One that keeps categories has their histories, and the rules of who may write them, in place of records.
    """

    name: str
    recognises: Callable[[Source], bool]
    records: Callable[[Source], Iterator[Found]]
    usual_place: Callable[[Mapping[str, str], Path], Path] | None = None
    vectors: Callable[[Source], Iterator[Made]] | None = None
    histories: Callable[[Source], Iterator[Kept]] | None = None
    rules: Callable[[Memory, Source, bool], str] | None = None


def _ours(source: Source) -> bool:
    return not source.folder and not source.tables and not source.head.startswith(conversations.ARCHIVE)


# Tried from the first on, so that what anything could be comes last.
FORMATS = (
    Format(
        shared_memory.NAME,
        shared_memory.recognises,
        shared_memory.records,
        shared_memory.usual_place,
        shared_memory.vectors,
    ),
    Format(
        mcp_memory_rs.NAME,
        mcp_memory_rs.recognises,
        lambda source: iter(()),
        mcp_memory_rs_rules.usual_place,
        histories=mcp_memory_rs.histories,
        rules=mcp_memory_rs_rules.take_over,
    ),
    Format(chroma.NAME, chroma.recognises, chroma.records),
    Format(memory_service.NAME, memory_service.recognises, memory_service.records),
    Format("claude", conversations.recognises_claude, conversations.claude),
    Format("chatgpt", conversations.recognises_chatgpt, conversations.chatgpt),
    Format(mem0.NAME, mem0.recognises, mem0.records),
    Format(server_memory.NAME, server_memory.recognises, server_memory.records),
    Format(basic_memory.NAME, basic_memory.recognises, basic_memory.records),
    Format(rules.NAME, rules.recognises, rules.records),
    Format(OURS, _ours, lambda source: lines.records(source.lines())),
)
BY_NAME = {each.name: each for each in FORMATS}


def chosen(name: str, source: Source) -> Format:
    """Return the format that was named, or the one that the source is in; refuse what does not fit."""
    known = ", ".join(BY_NAME)
    if name == AUTO:
        found = next((each for each in FORMATS if each.recognises(source)), None)
        if found is None:
            raise UsageError(f"{source.name} is in no format that is known here; name one with --from: {known}.")
        return found
    # Whoever names a format for a file of notes knows what it is; the others say what they are.
    if name not in (rules.NAME, basic_memory.NAME) and not BY_NAME[name].recognises(source):
        raise UsageError(f"{source.name} is not what {name} keeps. The formats are {known}.")
    return BY_NAME[name]


def usual_place(name: str, environ: Mapping[str, str], home: Path) -> Path:
    """Name the place where the program of a format keeps its memory, or refuse to guess."""
    known = BY_NAME.get(name)
    if known is None or known.usual_place is None:
        raise UsageError("Name what to import: a file, a folder, or - for standard input.")
    return known.usual_place(environ, home)
