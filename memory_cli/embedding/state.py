"""Whether a model can be used here, found out without loading anything."""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from memory_cli.embedding import folders
from memory_cli.embedding.models import HUB, KNOWN, HubModel, KnownModel, PinnedFile, Traits
from memory_cli.embedding.protocol import ModelUnavailable
from memory_cli.models.frozen import Frozen

_ENGINE = ("fastembed", "onnxruntime", "tokenizers", "numpy")


class ModelState(Frozen):
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
    """Look up a model by its name; one from a hub is known by its files once it was fetched."""
    if name in KNOWN:
        return KNOWN[name]
    if name not in HUB:
        raise ModelUnavailable(
            f"No embedding model is called {name!r}; there is {', '.join(KNOWN)}, and what `memory model list` shows."
        )
    if (kept := folders.manifest(name)) is None:
        raise ModelUnavailable(f"The embedding model {name} is not here: `memory model pull {name}` fetches it.")
    return fetched(HUB[name], kept)


def fetched(model: HubModel, kept: folders.Manifest) -> KnownModel:
    """Pin a model from a hub to the files that came."""
    files = {each.name: each for each in kept.files}
    try:
        weights, tokenizer = files[Path(model.weights_file).name], files["tokenizer.json"]
    except KeyError as error:
        raise ModelUnavailable(f"The model {model.name} has no {error}; `memory model pull {model.name}`.") from error
    said = {name: getattr(model, name) for name in Traits.__match_args__} | {"scale": kept.scale or model.scale}
    return KnownModel(**said, origin="hub", package="", requirement=kept.source, weights=weights, tokenizer=tokenizer)


def traits(model: str) -> Traits | None:
    """Return what is known of a model by its name, or by its id."""
    name = model.partition("@")[0]
    if name in KNOWN:
        return KNOWN[name]
    return _fetched_traits(name, folders.folder_of(name), folders.stamp(name)) if name in HUB else None


@lru_cache(maxsize=8)
def _fetched_traits(name: str, folder: Path, stamp: int) -> Traits:
    try:
        return known_model(name)
    except ModelUnavailable:
        return HUB[name]


def weights_file(model: KnownModel, *, check: bool, folder: Path | None = None) -> Path:
    """Find the model's weights, and all that is needed to run them."""
    for package in _ENGINE:
        if find_spec(package) is None:
            raise ModelUnavailable(
                f"The embedding model {model.name} needs the package {package}, which is not installed: "
                f"install {package} into the Python that runs memory."
            )
    place = folder or home(model)
    again = {"package": f"install {model.requirement} again", "converted": f"`memory model install {model.name}`"}
    remedy = again.get(model.origin, f"`memory model pull {model.name}`")
    tokenizer = tokenizer_folder(model, place) / model.tokenizer.name
    _verify(tokenizer, model.tokenizer, check, "install memory-cli again" if model.tokenizer_folder else remedy)
    _verify(place / model.weights.name, model.weights, check, remedy)
    return place / model.weights.name


def home(model: KnownModel) -> Path:
    """Name the folder of the model's weights, which must be there."""
    if model.origin == "package":
        return package_folder(model, f"{model.weights.name} should have SHA-256 {model.weights.sha256}")
    folder = folders.folder_of(model.name)
    if not folder.is_dir():
        verb = "pull" if model.origin == "hub" else "install"
        raise ModelUnavailable(
            f"The embedding model {model.name} is not installed: `memory model {verb} {model.name}` does that."
        )
    return folder


def tokenizer_folder(model: KnownModel, place: Path) -> Path:
    """Name the folder of the tokenizer: one that comes with this program, or the place of the weights."""
    return Path(__file__).parent / model.tokenizer_folder if model.tokenizer_folder else place


def package_folder(model: KnownModel, expected: str = "") -> Path:
    """Name the folder of the package that holds the model, or what it is made of."""
    # The package is data to us: finding its folder runs none of its code.
    spec = find_spec(model.package)
    for location in (spec and spec.submodule_search_locations) or ():
        return Path(location) / model.resources
    wanted = f"memory-cli[{model.extra}], which brings {model.requirement}" if model.extra else model.requirement
    more = f", whose file {expected}" if expected else ""
    raise ModelUnavailable(f"The embedding model {model.name} is not installed: install {wanted}{more}.")


def verify_sources(model: KnownModel) -> Path:
    """Check the files that a model is made of and return their folder."""
    folder = package_folder(model)
    for each in model.sources:
        _verify(folder / each.name, each, True, f"install {model.requirement} again")
    return folder


def verify_all(name: str) -> list[str]:
    """Check every file of a model by its hash and return what is wrong."""
    try:
        model = known_model(name)
        place = weights_file(model, check=True).parent
    except ModelUnavailable as error:
        return [str(error)]
    problems = []
    kept = folders.manifest(name) if model.origin != "package" else None
    for each in kept.files if kept else ():
        try:
            _verify(place / each.name, each, True, f"`memory model remove {name}`, then get it again")
        except ModelUnavailable as error:
            problems.append(str(error))
    return problems


def _verify(file: Path, pinned: PinnedFile, check: bool, remedy: str) -> None:
    expected = f"it should have {pinned.size} bytes and SHA-256 {pinned.sha256}; {remedy}."
    try:
        size = file.stat().st_size
        if size != pinned.size:
            raise ModelUnavailable(f"The model file {file} has {size} bytes: {expected}")
        if check and (found := folders.sha256(file)) != pinned.sha256:
            raise ModelUnavailable(f"The model file {file} has SHA-256 {found}: {expected}")
    except OSError as error:
        raise ModelUnavailable(f"The model file {file} cannot be read ({error.strerror}): {expected}") from error
