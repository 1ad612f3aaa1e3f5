"""What somebody had set for memory-ultra-rag-mcp, and what of it still means something here."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from memory_cli.errors import UsageError
from memory_cli.models.frozen import Frozen
from memory_cli.settings.directories import user_directory
from memory_cli.settings.keys import KEYS, Value
from memory_cli.settings.layers import FIRST_SEED, file_entries
from memory_cli.settings.values import checked, parsed

APPLICATION = "memory-ultra-rag-mcp"
PREFIX = "MEMORY_ULTRARAG_"
# Still read where they stand.
ROOTS = frozenset({"MEMORY_ULTRARAG_PROJECT_ROOT", "MEMORY_ULTRARAG_STORAGE_ROOT"})
# The same name for another measure.
CHANGED = {"retrieval.relative_margin": "it was a distance from the best likeness, and is a share of the score"}


class Former(Frozen):
    """What was found: the values to take over, and a sentence for each that is not."""

    places: list[str]
    values: dict[str, Value]
    passed: list[str]


def former(environ: Mapping[str, str]) -> Former:
    """Read the file and the variables of the first seed; a variable counts more than the file."""
    found = Former([], {}, [])
    path = user_directory("config", environ, app=APPLICATION) / "config.toml"
    for where, name, value in (*_from_file(path), *_from_environment(environ)):
        if where not in found.places:
            found.places.append(where)
        _judge(found, where, name, value)
    return found


def _from_file(path: Path) -> Iterator[tuple[str, str, object]]:
    if path.exists():
        yield from ((str(path), name, value) for name, value in file_entries(path))


def _from_environment(environ: Mapping[str, str]) -> Iterator[tuple[str, str, object]]:
    # Some of the names left out the section.
    known = {f"{PREFIX}{name.replace('.', '_').upper()}": name for name in FIRST_SEED}
    known |= {f"{PREFIX}{name.partition('.')[2].upper()}": name for name in FIRST_SEED}
    for variable, text in sorted(environ.items()):
        if variable.startswith(PREFIX) and text and variable not in ROOTS:
            yield variable, known.get(variable, variable), text


def _judge(found: Former, where: str, name: str, value: object) -> None:
    key = KEYS.get(name)
    if key is None:
        found.passed.append(f"{where} means nothing here." if name == where else f"{where}: {name} means nothing here.")
    elif name in CHANGED:
        found.passed.append(f"{where}: {name} means something else here: {CHANGED[name]}.")
    else:
        try:
            is_variable = where.startswith(PREFIX) and isinstance(value, str)
            found.values[name] = parsed(key, str(value), where) if is_variable else checked(key, value, where)
        except UsageError as error:
            found.passed.append(str(error))
