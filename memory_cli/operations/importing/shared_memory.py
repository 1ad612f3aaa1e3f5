"""The SQLite file of shared-memory: chunks with metadata, and links between them."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from memory_cli.operations.importing.chunk import chunk_of_row
from memory_cli.operations.importing.record import Found, fit_id, link
from memory_cli.operations.importing.source import Source
from memory_cli.operations.importing.vectors import Made
from memory_cli.store import foreign

NAME = "shared-memory"
TEXTS = ("text", "document", "content")
WANTED = {"id", "metadata", "agent", "source", "kind", "timestamp"}
ENDS = {"from_id", "to_id", "type"}
# What a table of vectors, or the chunks themselves, may call what they hold.
OWNERS, MODELS, COMPONENTS = ("chunk_id", "id"), ("model", "embedding_model"), ("vector", "embedding", "vec")
# Those come by themselves here.
DERIVED = ("similar", "tag")


def usual_place(environ: Mapping[str, str], home: Path) -> Path:
    """Name the file that it would use here."""
    if named := environ.get("SHARED_MEMORY_DB"):
        return Path(os.path.expanduser(named))
    if folder := environ.get("SHARED_MEMORY_HOME"):
        return Path(os.path.expanduser(folder)) / "memory.sqlite"
    data = environ.get("XDG_DATA_HOME") or home / ".local" / "share"
    return Path(data) / NAME / "memory.sqlite"


def recognises(source: Source) -> bool:
    """Tell by its table of chunks."""
    columns = source.tables.get("chunks", set())
    return "id" in columns and bool(columns & set(TEXTS))


def records(source: Source) -> Iterator[Found]:
    """Yield a statement for each chunk, then the links that somebody made."""
    path, tables = source.path, source.tables
    assert path is not None
    text = next(each for each in TEXTS if each in tables["chunks"])
    for row in foreign.rows(path, "chunks", tables["chunks"] & (WANTED | {text})):
        # It was one memory for all projects, and is it here.
        yield chunk_of_row(f"chunk {row['id']}", NAME, row, text, scope="global")
    for name, columns in tables.items():
        if columns >= ENDS:
            for row in foreign.rows(path, name, ENDS):
                if row["type"] not in DERIVED:
                    one, other = fit_id(NAME, row["from_id"]), fit_id(NAME, row["to_id"])
                    yield link(f"link from {row['from_id']} to {row['to_id']}", one, other, str(row["type"]))


def vectors(source: Source) -> Iterator[Made]:
    """Yield the vectors of the chunks, wherever they stand."""
    path, tables = source.path, source.tables
    assert path is not None
    text = next(each for each in TEXTS if each in tables["chunks"])
    said: dict[str, str] = {}
    for name, columns in tables.items():
        owner, model, components = (
            next((each for each in names if each in columns), "") for names in (OWNERS, MODELS, COMPONENTS)
        )
        if not (owner and model and components):
            continue
        # Held once, for a table of vectors names its chunks in no order.
        said = said or {str(row["id"]): str(row[text]) for row in foreign.rows(path, "chunks", {"id", text})}
        for row in foreign.rows(path, name, {owner, model, components}):
            id, raw = str(row[owner]), row[components]
            if isinstance(raw, bytes) and id in said:
                yield Made(fit_id(NAME, id), said[id], str(row[model]), raw)
