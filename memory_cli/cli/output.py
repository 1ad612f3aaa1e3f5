"""Print results: JSON for programs, plain lines for pipes, tables for people."""

import json
import sys
from collections.abc import Iterable
from enum import StrEnum
from importlib import import_module

from memory_cli.cli.notes import FOREIGN, failures, foreign, notes
from memory_cli.cli.printable import json_safe, printable
from memory_cli.cli.rows import lines
from memory_cli.models.document import document

# Families of results, by the module of `models` that has them, which modules of `cli.shown` of that name show; those
# of TABLES have another one, with `_tables` at its end, which only a terminal needs.
FAMILIES = frozenset({"backups", "documents", "links", "tokens", "categories", "sync"})
TABLES = frozenset({"links", "categories"})


class Mode(StrEnum):
    """How a result is printed."""

    TABLE = "table"
    PLAIN = "plain"
    JSON = "json"


def print_result(result: object, mode: Mode | None, *, quiet: bool, warnings: Iterable[str] = ()) -> None:
    """Print a result on standard output and what is to be said of it on standard error.

    Without a mode a terminal gets a table and a pipe plain lines. A JSON document says everything itself.
    """
    mode = mode or (Mode.TABLE if sys.stdout.isatty() else Mode.PLAIN)
    family = type(result).__module__.rpartition(".")[2]
    if family in FAMILIES:
        import_module(f"memory_cli.cli.shown.{family}")
    if mode is Mode.JSON:
        print(json_safe(json.dumps(document(result), indent=2, ensure_ascii=False)))
    elif mode is Mode.PLAIN:
        for row in lines(result).rows:
            print_line(row)
    else:
        # rich takes as long to import as all the rest, and only a table needs it.
        from memory_cli.cli.tables import print_table

        if family in TABLES:
            import_module(f"memory_cli.cli.shown.{family}_tables")
        print_table(result)
    # What is said about an answer comes below it.
    sys.stdout.flush()
    said = (
        []
        if mode is Mode.JSON
        else [*failures(result), *([] if quiet else notes(result)), *([FOREIGN] if foreign(result) else [])]
    )
    for each in dict.fromkeys([*said, *([] if quiet else warnings)]):
        complain(each)


def print_line(cells: Iterable[str]) -> None:
    """Print one record as one line of cells."""
    print("\t".join(printable(cell) for cell in cells))


def complain(message: str) -> None:
    """Say something that is no result."""
    print(f"memory: {printable(message)}", file=sys.stderr)
