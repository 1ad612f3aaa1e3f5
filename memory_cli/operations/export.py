"""Write statements out, for people or for another store."""

from pathlib import Path
from typing import Annotated, Literal

from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.results import Exported
from memory_cli.models.statement import Filters
from memory_cli.operations import chronicles, jsonl, link_lines
from memory_cli.operations import parameters as given
from memory_cli.parameter import Described
from memory_cli.store import files, statements, taken
from memory_cli.store.connection import Store

DOCUMENT = "MEMORY.md"
EVERYTHING = 1_000_000_000

Format = Literal["markdown", "jsonl"]


def export(
    memory: Memory,
    *,
    format: Annotated[
        Format, Described("markdown to read; jsonl has all there is, and import takes it in.")
    ] = "markdown",
    history: Annotated[bool, Described("As JSON lines: with every change, for a store that has none.")] = False,
    to: Annotated[str, Described("A folder for MEMORY.md, or the file for JSON lines; JSON lines need one.")] = "",
    kind: given.Kinds = (),
    scope: given.Scope = "",
    agent: given.Agents = (),
    source: given.Sources = (),
    tag: given.Tags = (),
    meta: given.Meta | None = None,
    since: given.Since = "",
    until: given.Until = "",
    include_expired: Annotated[bool | None, Described("Also what has expired, as by default.")] = None,
    superseded: given.Superseded = None,
) -> Exported:
    """Write statements into files that only you can read.

    As Markdown each scope gets a MEMORY.md, newest first, in its own folder or in one a scope under the folder
    named. As JSON lines all goes into one file, oldest first, losing nothing.
    """
    wanted = given.filters(
        memory, kind=kind, agent=agent, source=source, tag=tag, meta=meta, since=since, until=until,
        include_expired=include_expired is not False, superseded=superseded,
    )  # fmt: skip
    stores = memory.stores(scope)
    if format == "jsonl":
        if not to:
            raise UsageError("Name the file for the JSON lines.")
        changes = [line for store in stores for line in chronicles.lines(store)] if history else []
        ids: set[str] = set()
        lines = [line for store in stores for line in jsonl.lines(store, wanted, placed=history, ids=ids)]
        made = [line for store in stores for line in link_lines.lines(store, ids)]
        return _written(Path(to), "".join(f"{line}\n" for line in (*changes, *lines, *made)), len(lines))
    if history:
        raise UsageError("A document has no room for the history; name --format jsonl.")
    done = [_document(memory, store, wanted, to) for store in stores]
    return Exported(sum(each.statements for each in done), [file for each in done for file in each.files])


def markdown(store: Store, wanted: Filters) -> tuple[str, int]:
    """Return the statements of a store as one document, newest first, and how many there are."""
    found = statements.page(store, wanted, limit=EVERYTHING)
    return "\n\n".join(["# MEMORY", *(each.text for each in found)]) + "\n", len(found)


def _document(memory: Memory, store: Store, wanted: Filters, to: str) -> Exported:
    text, count = markdown(store, wanted)
    # Noted before the file is there, so that at no time it could be taken for memory.
    taken.note_rendering(store, text, memory.now)
    folder = Path(to) / store.scope if to else store.path.parent
    return _written(folder / DOCUMENT, text, count)


def _written(path: Path, text: str, count: int) -> Exported:
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file.")
    files.make_folders(path.parent)
    files.write_private(path, text)
    return Exported(count, [str(path)])
