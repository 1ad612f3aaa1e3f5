"""A cross-encoder out of a folder on this machine, run by fastembed: it reads a question and a statement together."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memory_cli.embedding import folders
from memory_cli.embedding.packaged import engine_failures
from memory_cli.embedding.protocol import ModelUnavailable, Reranker

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

WEIGHTS = ("model.onnx", "onnx/model.onnx")
NEEDED = ("tokenizer.json", "tokenizer_config.json")
# What lies beyond, no cross-encoder reads, and its tokenizer would read it all before it cuts.
MOST_CHARACTERS = 8000

_lock = threading.Lock()
_loaded: dict[tuple[str, str, int], Reranker] = {}


def loaded_reranker(name: str, sha256: str, *, threads: int = 1) -> Reranker:
    """Give this process's cross-encoder, a folder or a name among the user's models, loading it at the first call."""
    with _lock:
        key = (name, sha256, threads)
        if key not in _loaded:
            _loaded[key] = _open(_checked(name, sha256), threads)
        return _loaded[key]


def _checked(name: str, sha256: str) -> Path:
    """Find the weights, and hold them to their hash before anything reads them."""
    place = Path(name).expanduser()
    folder = place if place.is_absolute() else folders.folder_of(name)
    file = next((folder / each for each in WEIGHTS if (folder / each).is_file()), None)
    missing = [each for each in NEEDED if not (folder / each).is_file()]
    if file is None or missing:
        raise ModelUnavailable(
            f"The reranker {name} is not here: {folder} should hold {', '.join((WEIGHTS[0], *NEEDED))}, "
            f"and lacks {', '.join([*([] if file else WEIGHTS[:1]), *missing])}."
        )
    try:
        found = folders.sha256(file)
    except OSError as error:
        raise ModelUnavailable(f"The reranker's file {file} cannot be read: {error.strerror}.") from error
    if found != sha256.lower():
        expected = f"not {sha256}" if sha256 else "and dense.reranker_sha256 is not set"
        raise ModelUnavailable(
            f"The reranker's file {file} has SHA-256 {found}, {expected}: set dense.reranker_sha256 to the hash "
            "of the file that you trust."
        )
    return file


def _open(file: Path, threads: int) -> Reranker:
    # Both are read at the first import, as for the embedding model.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        from fastembed.rerank.cross_encoder import TextCrossEncoder
    except (ImportError, OSError) as error:
        raise ModelUnavailable(f"The reranker {file} needs fastembed, which fails: {error}.") from error
    folder = str(file.parent if (file.parent / NEEDED[0]).is_file() else file.parent.parent)
    failures = engine_failures()
    _check_tokenizer(Path(folder) / NEEDED[0])
    try:
        engine = TextCrossEncoder(
            _registered(file),
            specific_model_path=folder,
            # Without a folder that is there, fastembed makes one among the temporary files.
            cache_dir=folder,
            threads=threads,
            providers=["CPUExecutionProvider"],
            local_files_only=True,
        )
    except failures as error:
        raise ModelUnavailable(f"The reranker {file} cannot be loaded: {error}") from error
    return _CrossEncoder(file, engine, failures)


def _check_tokenizer(file: Path) -> None:
    """Refuse a tokenizer that is none; it is no part of the hash."""
    from tokenizers import Tokenizer

    try:
        Tokenizer.from_file(str(file))
    # tokenizers raises Exception itself, and nothing below it.
    except Exception as error:
        raise ModelUnavailable(f"The reranker's file {file} cannot be read: {error}.") from error


def _registered(file: Path) -> str:
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    # fastembed takes a name once, whatever the case; the file alone tells the models of a process apart.
    name = f"reranker/{os.fsencode(file.resolve()).hex()}"
    if name not in {known["model"] for known in TextCrossEncoder.list_supported_models()}:
        # A source is asked for, but never looked at where the files are given; an absolute path wins over the folder.
        TextCrossEncoder.add_custom_model(model=name, sources=ModelSource(hf=name), model_file=str(file.resolve()))
    return name


class _CrossEncoder:
    def __init__(self, file: Path, engine: TextCrossEncoder, failures: tuple[type[Exception], ...]) -> None:
        self._file = file
        self._engine = engine
        # An output of another shape than one column is found out only when it is read.
        self._failures: tuple[type[Exception], ...] = (*failures, IndexError, TypeError)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        from math import isfinite

        cut = [each[:MOST_CHARACTERS] for each in texts]
        try:
            found = [float(each) for each in self._engine.rerank(query[:MOST_CHARACTERS], cut, batch_size=len(cut))]
        except self._failures as error:
            raise ModelUnavailable(f"The reranker {self._file} fails: {error}") from error
        if len(found) != len(texts) or not all(map(isfinite, found)):
            raise ModelUnavailable(f"The reranker {self._file} gives no number for some texts.")
        return found
