"""Changing a file of settings without touching what else stands in it: comments, order, other keys."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memory_cli.errors import NotFound, UsageError
from memory_cli.settings.directories import STORE_FOLDER
from memory_cli.settings.keys import KEYS, Key, Value
from memory_cli.settings.layers import Layer, check_file
from memory_cli.settings.values import known_key, parsed


def set_key(path: Path, layer: Layer, name: str, text: str, write: Callable[[Path, str], None]) -> None:
    """Set a key in a file of settings, made when there is none; what a read would refuse is refused before.

    `text` is the value as a flag would give it; `write` puts the new text in place of the file at once.
    """
    key = _editable(name, layer, path)
    value = parsed(key, text, str(path))
    document = _document(path)
    section: Any = document.setdefault(key.section, {})
    section[key.name] = list(value) if isinstance(value, tuple) else value
    write_checked(path, layer, _text(document), write)


def add_values(path: Path, layer: Layer, values: Mapping[str, Value], write: Callable[[Path, str], None]) -> list[str]:
    """Set each key that a file of settings does not set yet, and return the others, which stay as they are."""
    document = _document(path)
    kept = []
    for name, value in values.items():
        key = KEYS[name]
        section: Any = document.setdefault(key.section, {})
        if key.name in section:
            kept.append(name)
        else:
            section[key.name] = list(value) if isinstance(value, tuple) else value
    if len(kept) < len(values):
        write_checked(path, layer, _text(document), write)
    return kept


def unset_key(path: Path, layer: Layer, name: str, write: Callable[[Path, str], None]) -> None:
    """Take a key out of a file of settings."""
    document = _document(path)
    section_name, _, key_name = name.partition(".")
    section: Any = document.get(section_name, {})
    if key_name not in section:
        # A misspelt key is told from one that is not set.
        known_key(name, str(path))
        raise NotFound(f"{name} is not set in {path}.")
    del section[key_name]
    if not section:
        del document[section_name]
    write_checked(path, layer, _text(document), write)


def write_checked(path: Path, layer: Layer, text: str, write: Callable[[Path, str], None]) -> None:
    """Write a file of settings, unless a read would refuse it."""
    check_file(layer, path, text)
    write(path, text)


def _editable(name: str, layer: Layer, path: Path) -> Key:
    key = known_key(name, str(path))
    if layer == "project" and not key.setting.project:
        raise UsageError(
            f"{name} is not for a project's file, {STORE_FOLDER}/config.toml: it could fetch or run something, or lift "
            "what you forbade. Set it with --scope global."
        )
    return KEYS[key.full]


def _document(path: Path) -> Any:
    # Only a command that edits needs the library, which is slow to import.
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(path.read_text(encoding="utf-8-sig")) if path.exists() else tomlkit.document()
    except TOMLKitError as error:
        raise UsageError(f"{path} is not valid TOML: {error}. Mend it with `memory config edit`.") from error


def _text(document: Any) -> str:
    import tomlkit

    return tomlkit.dumps(document)
