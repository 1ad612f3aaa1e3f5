"""A model whose files are on this machine, run by fastembed, with no way to the network."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memory_cli.embedding.models import KnownModel
from memory_cli.embedding.protocol import DEFAULT_BATCH, Embedder, Matrix, ModelUnavailable, Vector
from memory_cli.embedding.state import known_model, tokenizer_folder, weights_file

if TYPE_CHECKING:
    from fastembed import TextEmbedding
    from fastembed.text.onnx_embedding import OnnxTextEmbedding
    from onnxruntime import InferenceSession

# The tokenizer reads all of a text before it cuts it: 5 MB would take seconds and 600 MB.
_CHARACTERS_PER_TOKEN = 32
# The engine's memory grows with a padded batch: 32 long texts at once take 1 GB.
_BYTES_PER_BATCH = 4096
# As many as a server embeds at a time while nobody asks it anything.
MANY = 32

_lock = threading.RLock()
_loaded: dict[tuple[str, int], Embedder] = {}


def loaded(name: str, *, threads: int = 1) -> Embedder:
    """Give this process's embedder, loading it at the first call."""
    with _lock:
        if (name, threads) not in _loaded:
            _loaded[name, threads] = load(name, threads=threads)
        return _loaded[name, threads]


def load(name: str, *, threads: int = 1, folder: Path | None = None) -> Embedder:
    """Load a model by its name, after checking the hash of its files."""
    return open_model(known_model(name), threads=threads, folder=folder)


def open_model(model: KnownModel, *, threads: int = 1, folder: Path | None = None) -> Embedder:
    """Load the model that a row describes."""
    file = weights_file(model, check=True, folder=folder)
    # OpenBLAS reads this when numpy is first imported; its threads cost more than they give here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # onnxruntime 1.32 reads this when it is imported; without it, it writes a device id into the user's cache and
    # sends events about each model to its maker.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import fastembed  # noqa: F401 - half a second, paid only by those who embed
    except (ImportError, OSError) as error:
        raise ModelUnavailable(f"The embedding model {model.name} needs fastembed, which fails: {error}.") from error
    failures = engine_failures()
    try:
        engine = _engine(model, file, threads)
    except failures as error:
        raise ModelUnavailable(f"The model file {file} cannot be loaded: {error}") from error
    _give_back()
    return _PackagedEmbedder(model, engine, failures)


def _engine(model: KnownModel, file: Path, threads: int) -> TextEmbedding:
    from fastembed import TextEmbedding
    from fastembed.common.preprocessor_utils import load_tokenizer

    folder = tokenizer_folder(model, file.parent)
    engine = TextEmbedding(
        _registered(model, file),
        specific_model_path=str(folder),
        # Without a folder that is there, fastembed makes one among the temporary files.
        cache_dir=str(folder),
        providers=["CPUExecutionProvider"],
        local_files_only=True,
        lazy_load=True,
    )
    # fastembed reads the whole file into memory, and has no setting for how; what it would load lazily is there then.
    inner = cast("OnnxTextEmbedding", engine.model)
    inner.model = _opened(model, file, threads)
    inner.tokenizer, inner.special_token_to_id = load_tokenizer(folder)
    return engine


def _opened(model: KnownModel, file: Path, threads: int) -> InferenceSession:
    """Open the weights as fastembed does, but hold no more of them than is used, and no memory between two batches."""
    from onnxruntime import InferenceSession, SessionOptions

    from memory_cli.embedding.lean import lean  # it needs numpy

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    # An arena keeps what the largest batch took for as long as the process lives, and is no quicker here.
    options.enable_cpu_mem_arena = False
    # A model from a hub is left as its maker wrote it.
    if model.origin == "hub":
        return InferenceSession(str(file), options, ["CPUExecutionProvider"])
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(file.parent.resolve()))
    return InferenceSession(lean(file, model.table), options, ["CPUExecutionProvider"])


def _registered(model: KnownModel, file: Path) -> str:
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    # fastembed keeps what it was told first for a name, so the name says all that could differ.
    name = f"{model.id}/{model.pooling}/{model.dimension}/{file}"
    with _lock:
        if name.lower() not in {known["model"].lower() for known in TextEmbedding.list_supported_models()}:
            TextEmbedding.add_custom_model(
                model=name,
                pooling=PoolingType[model.pooling.upper()],
                normalization=True,
                # Asked for, but never looked at where the files are given.
                sources=ModelSource(hf=model.name),
                dim=model.dimension,
                # An absolute path wins over the folder that it is joined to.
                model_file=str(file.resolve()),
            )
    return name


def engine_failures() -> tuple[type[Exception], ...]:
    """Name what the engine raises when a model cannot be loaded or run."""
    from onnxruntime.capi import onnxruntime_pybind11_state as native

    # onnxruntime's exceptions share no base of their own; fastembed's are these two.
    raised = (kind for kind in vars(native).values() if isinstance(kind, type) and issubclass(kind, Exception))
    return (*raised, ValueError, OSError)


def in_batches(texts: Sequence[str], size: int) -> list[list[int]]:
    """Group the indexes of texts, like lengths together."""
    # A batch is padded to its longest text. Bytes follow the tokens of every script; characters those of Latin alone.
    lengths = [len(text.encode("utf-8", "replace")) for text in texts]
    batches: list[list[int]] = [[]]
    for index in sorted(range(len(texts)), key=lengths.__getitem__):
        padded = lengths[index] * (len(batches[-1]) + 1)
        if batches[-1] and (len(batches[-1]) == size or padded > _BYTES_PER_BATCH):
            batches.append([])
        batches[-1].append(index)
    return batches


def _give_back() -> None:
    """Let the system have what the C library keeps for later: 50 MB after loading, more after a batch."""
    if sys.platform != "linux":
        return
    import ctypes  # numpy has it already

    # Of the C libraries of Linux, glibc alone keeps so much, and has this.
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)


class _PackagedEmbedder:
    def __init__(self, model: KnownModel, engine: TextEmbedding, failures: tuple[type[Exception], ...]) -> None:
        self._known = model
        self._engine = engine
        self._failures = failures

    @property
    def model(self) -> str:
        return self._known.id

    @property
    def dimension(self) -> int:
        return self._known.dimension

    def embed(self, texts: Sequence[str], *, batch_size: int = DEFAULT_BATCH) -> Matrix:
        return self._embed(self._known.document_prefix, texts, batch_size)

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self._embed(self._known.query_prefix, [text], 1)[0]
        return vector

    def _embed(self, prefix: str, texts: Sequence[str], batch_size: int) -> Matrix:
        import numpy as np

        if not texts:
            return np.empty((0, self.dimension), np.float32)
        limit = self._known.max_tokens * _CHARACTERS_PER_TOKEN
        prepared = [prefix + text[:limit] for text in texts]
        batches = in_batches(prepared, batch_size)
        try:
            rows = [row for batch in batches for row in self._engine.embed([prepared[index] for index in batch])]
        except self._failures as error:
            raise ModelUnavailable(f"The embedding model {self._known.name} fails: {error}") from error
        matrix = np.empty((len(texts), len(rows[0])), np.float32)
        matrix[[index for batch in batches for index in batch]] = rows
        # It takes as long as embedding two texts.
        if len(texts) >= MANY:
            _give_back()
        self._verify(matrix)
        return matrix

    def _verify(self, matrix: Matrix) -> None:
        import numpy as np

        if matrix.shape[1] != self.dimension:
            raise ModelUnavailable(
                f"The embedding model {self._known.name} gives {matrix.shape[1]} numbers a text, not {self.dimension}."
            )
        if not np.allclose(np.linalg.norm(matrix, axis=1), 1, atol=1e-3):
            raise ModelUnavailable(f"The embedding model {self._known.name} gives vectors whose length is not 1.")
