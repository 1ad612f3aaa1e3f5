"""The settings in force: layer over layer, each value with where it came from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from memory_cli.errors import UsageError
from memory_cli.settings.directories import STORE_FOLDER, expand_home, user_directory, user_home
from memory_cli.settings.keys import DEFAULTS, KEYS, SECTIONS, Key, Settings, Value
from memory_cli.settings.values import checked, known_key, parsed

Layer = Literal["default", "user", "project", "file", "environment", "set"]

RESERVED = frozenset({
    "MEMORY_PROJECT_ROOT", "MEMORY_STORAGE_ROOT", "MEMORY_AGENT", "MEMORY_DEVICE", "MEMORY_CONFIG",
    "MEMORY_REQUIRE_CONFIG", "MEMORY_SYNC_TOKEN",
})  # fmt: skip

# What memory-ultra-rag-mcp knew: where ours has no such key, a project that it left behind still opens.
FIRST_SEED = frozenset({
    "runtime.model_cache_root", "retrieval.cosine_floor", "retrieval.relative_margin", "retrieval.bm25_weight",
    "retrieval.dense_weight", "retrieval.rrf_k", "retrieval.recency_bonus", "retrieval.duplicate_cosine",
    "retrieval.pool_depth", "retrieval.rerank_depth", "dense.embedding_model", "dense.reranker_model",
})  # fmt: skip


class Origin(NamedTuple):
    """Which layer set a value, and the file or variable that said it."""

    layer: Layer
    where: str = ""


class Loaded(NamedTuple):
    """The settings in force, where each came from, and what was passed over."""

    settings: Settings = DEFAULTS
    origins: Mapping[str, Origin] = MappingProxyType({})
    warnings: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()

    def origin(self, key: str) -> Origin:
        """Return where the value of a key came from."""
        return self.origins.get(key, Origin("default"))

    def value(self, key: str) -> Value:
        """Return the value of a key."""
        section, name = key.split(".")
        value: Value = getattr(getattr(self.settings, section), name)
        return value


class _Said(NamedTuple):
    key: Key
    value: Value
    origin: Origin


def load(
    *,
    project_root: Path | None,
    config_file: Path | None,
    assignments: Sequence[str],
    environ: Mapping[str, str],
    user_config: Path | None = None,
) -> Loaded:
    """Return the settings in force and where each came from."""
    said: list[_Said] = []
    warnings: list[str] = []
    files = list(_files(project_root, config_file, environ, user_config))
    for layer, path in files:
        for name, value in _entries(_document(path)):
            if layer == "project" and name in FIRST_SEED - KEYS.keys():
                warnings.append(f"{path}: {name} means nothing any more and is passed over.")
            else:
                said.append(_from_file(layer, path, name, value))
    if not files and _requires_file(environ):
        raise UsageError("MEMORY_REQUIRE_CONFIG is set and no configuration file was found; name one with --config.")
    said += _from_environment(environ)
    said += [_from_assignment(each) for each in assignments]
    return _joined(said, tuple(warnings), tuple(path for _, path in files))


def _joined(said: list[_Said], warnings: tuple[str, ...], files: tuple[Path, ...]) -> Loaded:
    if not said:
        return Loaded(warnings=warnings, files=files)
    values: dict[str, dict[str, Value]] = {section: {} for section in SECTIONS}
    for each in said:
        values[each.key.section][each.key.name] = each.value
    sections = {name: replace(getattr(DEFAULTS, name), **changed) for name, changed in values.items() if changed}
    origins = {each.key.full: each.origin for each in said}
    return Loaded(replace(DEFAULTS, **sections), origins, warnings, files)


def _files(
    project_root: Path | None, config_file: Path | None, environ: Mapping[str, str], user_config: Path | None
) -> Iterator[tuple[Layer, Path]]:
    user = user_config or user_directory("config", environ) / "config.toml"
    if _is_there(user):
        yield "user", user
    if project_root and _is_there(project := project_root / STORE_FOLDER / "config.toml"):
        yield "project", project
    if config_file:
        yield "file", _named(config_file, "--config")
    elif variable := environ.get("MEMORY_CONFIG"):
        yield "file", _named(expand_home(variable, user_home(environ)), "MEMORY_CONFIG")


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error


def _named(path: Path, by: str) -> Path:
    if not _is_there(path):
        raise UsageError(f"{by} names {path}, which does not exist.")
    return path


def file_entries(path: Path) -> Iterator[tuple[str, object]]:
    """Yield the keys of a file of settings with their values, whoever they mean something to."""
    return _entries(_document(path))


def check_file(layer: Layer, path: Path, text: str) -> None:
    """Refuse the text of a file of settings as a read of the file would."""
    for name, value in _entries(_parsed(path, text)):
        if layer != "project" or name not in FIRST_SEED - KEYS.keys():
            _from_file(layer, path, name, value)


def _entries(document: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for section, content in document.items():
        if isinstance(content, dict) and (content or section in SECTIONS):
            yield from ((f"{section}.{name}", value) for name, value in content.items())
        else:
            yield section, content


def _document(path: Path) -> dict[str, object]:
    try:
        return _parsed(path, path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not valid UTF-8: {error.reason} at byte {error.start}.") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error


def _parsed(path: Path, text: str) -> dict[str, object]:
    # Most runs read no file; the parser takes longer to import than all the rest of this.
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}.") from error


def _from_file(layer: Layer, path: Path, name: str, value: object) -> _Said:
    key = known_key(name, str(path))
    if layer == "project" and not key.setting.project:
        raise UsageError(
            f"{path}: a project's file may not set {key.full}; set it in your own config.toml, in {key.variable} "
            "or with --set."
        )
    return _Said(key, checked(key, value, str(path)), Origin(layer, str(path)))


def _from_environment(environ: Mapping[str, str]) -> Iterator[_Said]:
    known = {key.variable: key for key in KEYS.values()}
    for variable, text in environ.items():
        section, _, name = variable.removeprefix("MEMORY_").partition("_")
        ours = variable.startswith("MEMORY_") and name and section.lower() in SECTIONS
        if ours and text and variable not in RESERVED:
            key = known_key(variable, "the environment", known)
            yield _Said(key, parsed(key, text, variable), Origin("environment", variable))


def _from_assignment(assignment: str) -> _Said:
    name, equals, text = assignment.partition("=")
    if not equals:
        raise UsageError(f"--set {assignment}: write it as KEY=VALUE.")
    key = known_key(name.strip(), "--set")
    return _Said(key, parsed(key, text, "--set"), Origin("set", "--set"))


def _requires_file(environ: Mapping[str, str]) -> bool:
    text = environ.get("MEMORY_REQUIRE_CONFIG", "")
    if text.lower() in ("", "0", "false", "no", "off"):
        return False
    if text.lower() in ("1", "true", "yes", "on"):
        return True
    raise UsageError(f"MEMORY_REQUIRE_CONFIG cannot be {text!r}: it must be 1 or 0.")
