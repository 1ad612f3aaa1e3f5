"""The configuration of mcp-memory-rs: where its folder is, and who may write which category."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memory_cli.categories import access
from memory_cli.errors import MemoryCliError
from memory_cli.memory import Memory
from memory_cli.operations.importing.source import Source
from memory_cli.settings import editing
from memory_cli.settings.access import Acl
from memory_cli.settings.directories import expand_home, user_directory, user_home
from memory_cli.settings.keys import KEYS, Value
from memory_cli.settings.layers import file_entries
from memory_cli.settings.values import checked
from memory_cli.store import files

NAME = "mcp-memory-rs"
FILE = "config.toml"
LEGACY = "memory-config.toml"
SECTION = "acl"


def usual_place(environ: Mapping[str, str], home: Path) -> Path:
    """Name the folder that it would use here."""
    if named := environ.get("MCP_MEMORY_DIR"):
        return expand_home(named, home)
    config = _config(environ, home)
    return _folder(config, home) if config else home / ".memory"


def take_over(memory: Memory, source: Source, dry_run: bool) -> str:
    """Take its rules of access over into the user's own settings where they keep nobody out; say what was done."""
    environ = memory.session.environ
    try:
        found = _rules(source, environ)
    except MemoryCliError as error:
        return f"Its rules of access were not taken over. {error}"
    if found is None:
        return ""
    path, rules = found
    lines = "; ".join(f"{name.removeprefix('acl.')} = {_spelled(value)}" for name, value in rules.items())
    if not _admits(memory, rules):
        return (
            f"The rules of {path} were not taken over, for by them this device would write nothing: {lines}. "
            f"Put what you want of them into the section [{SECTION}] of your own config.toml."
        )
    target = user_directory("config", environ) / FILE
    if dry_run:
        return f"The rules of {path} would be taken over into {target}: {lines}."
    kept = editing.add_values(target, "user", rules, _write)
    told = f"The rules of {path} stand in the section [{SECTION}] of {target} now: {lines}."
    return told if not kept else f"{told} What it said already stays: {', '.join(kept)}."


def _config(environ: Mapping[str, str], home: Path) -> Path | None:
    """Return the file that it would read here."""
    folder = environ.get("XDG_CONFIG_HOME") or home / ".config"
    named = environ.get("MCP_MEMORY_CONFIG")
    places = [expand_home(named, home)] if named else [Path(folder) / NAME / FILE, Path(LEGACY)]
    return next((each for each in places if each.is_file()), None)


def _folder(config: Path, home: Path) -> Path:
    try:
        named = _section(config, "storage").get("base_dir")
    except MemoryCliError:
        # What it cannot read it passes over, and uses its own folder.
        named = None
    return expand_home(named, home) if isinstance(named, str) and named else home / ".memory"


def _rules(source: Source, environ: Mapping[str, str]) -> tuple[Path, dict[str, Value]] | None:
    """Return the rules that hold for the folder of source, with their file; those of another folder do not count."""
    folder, home = source.folder, user_home(environ)
    assert folder is not None
    usual = _config(environ, home)
    if usual is not None and usual_place(environ, home).resolve() != folder.resolve():
        usual = None
    path = next((each for each in (folder / FILE, folder / LEGACY, usual) if each and each.is_file()), None)
    if path is None:
        return None
    given = _section(path, SECTION)
    if environ.get("MCP_DEVICE"):
        given["device_name"] = environ["MCP_DEVICE"]
    names = (name for name in Acl.__match_args__ if given.get(name))
    rules = {f"{SECTION}.{name}": checked(KEYS[f"{SECTION}.{name}"], given[name], str(path)) for name in names}
    return (path, rules) if rules.keys() - {f"{SECTION}.device_name"} else None


def _section(path: Path, name: str) -> dict[str, Any]:
    before = f"{name}."
    return {key.removeprefix(before): value for key, value in file_entries(path) if key.startswith(before)}


def _admits(memory: Memory, rules: Mapping[str, Value]) -> bool:
    """Tell whether this device could write the categories of its own name under these rules and those it has."""
    ours = memory.settings.acl
    named: dict[str, Any] = {name: rules.get(f"{SECTION}.{name}", ()) for name in Acl.__match_args__}
    acl = Acl(**{name: getattr(ours, name) or value or getattr(ours, name) for name, value in named.items()})
    device = acl.device_name or memory.session.device
    own = f"{device.removesuffix(access.AGENT)}_" if device.endswith(access.AGENT) else device
    try:
        access.require(acl, own, device=device, agent="")
    except MemoryCliError:
        return False
    return True


def _spelled(value: Value) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def _write(path: Path, text: str) -> None:
    files.make_folders(path.parent)
    files.write_private(path, text)
