"""Whether a model can be used here, found out without loading anything."""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from memory_cli.embedding.models import KNOWN, KnownModel, PinnedFile
from memory_cli.embedding.protocol import ModelUnavailable

_ENGINE = ("fastembed", "onnxruntime", "tokenizers", "numpy")


@dataclass(frozen=True)
class ModelState:
    """Whether a model can be used, and if not, the sentence that says why."""

    name: str
    id: str
    available: bool
    reason: str
    file: Path | None


def model_state(name: str, *, check: bool = False, folder: Path | None = None) -> ModelState:
    """Say whether a model can be used; `check` also hashes its files."""
    try:
        model = known_model(name)
    except ModelUnavailable as error:
        return ModelState(name, "", False, str(error), None)
    try:
        file = weights_file(model, check=check, folder=folder)
    except ModelUnavailable as error:
        return ModelState(name, model.id, False, str(error), None)
    return ModelState(name, model.id, True, "", file)


def known_model(name: str) -> KnownModel:
    """Look up a model by its name."""
    if name in KNOWN:
        return KNOWN[name]
    raise ModelUnavailable(f"No embedding model is called {name!r}; there is {', '.join(sorted(KNOWN))}.")


def weights_file(model: KnownModel, *, check: bool, folder: Path | None = None) -> Path:
    """Find the model's weights, and all that is needed to run them."""
    for package in _ENGINE:
        if find_spec(package) is None:
            raise ModelUnavailable(
                f"The embedding model {model.name} needs the package {package}, which is not installed: "
                f"install {package} into the Python that runs memory."
            )
    _verify(tokenizer_folder(model) / model.tokenizer.name, model.tokenizer, check=check, source="memory-cli")
    file = (folder or _package_folder(model)) / model.weights.name
    _verify(file, model.weights, check=check, source=model.requirement)
    return file


def tokenizer_folder(model: KnownModel) -> Path:
    """Name the folder of the tokenizer that comes with this program."""
    return Path(__file__).parent / model.tokenizer_folder


def _package_folder(model: KnownModel) -> Path:
    # The package is data to us: finding its folder runs none of its code.
    spec = find_spec(model.package)
    for location in (spec and spec.submodule_search_locations) or ():
        return Path(location)
    raise ModelUnavailable(
        f"The embedding model {model.name} is not installed: install {model.requirement}, whose file "
        f"{model.weights.name} should have SHA-256 {model.weights.sha256}."
    )


def _verify(file: Path, pinned: PinnedFile, *, check: bool, source: str) -> None:
    expected = f"it should have {pinned.size} bytes and SHA-256 {pinned.sha256}; install {source} again."
    try:
        size = file.stat().st_size
        if size != pinned.size:
            raise ModelUnavailable(f"The model file {file} has {size} bytes: {expected}")
        if check and (found := _sha256(file)) != pinned.sha256:
            raise ModelUnavailable(f"The model file {file} has SHA-256 {found}: {expected}")
    except OSError as error:
        raise ModelUnavailable(f"The model file {file} cannot be read ({error.strerror}): {expected}") from error


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
