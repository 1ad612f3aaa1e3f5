"""Vectors from a service over the network, for those who chose one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memory_cli.embedding.posting import Failed, post
from memory_cli.embedding.protocol import DEFAULT_BATCH, Matrix, ModelUnavailable, Vector
from memory_cli.embedding.provider import Provider
from memory_cli.settings.dense import Dense

if TYPE_CHECKING:
    import numpy as np

# How long a service that failed is left alone, so that not every recall waits for it.
REST = 30.0

_lock = threading.Lock()
_made: dict[tuple[Provider, Dense], RemoteEmbedder] = {}


def connected(
    provider: Provider, wanted: Dense, clean: Callable[[str], str], *, hurried: bool = False
) -> RemoteEmbedder:
    """Return this process's embedder for a provider; nothing is sent yet.

    `clean` takes secrets out of questions. A hurried one waits for statements no longer than for a question.
    """
    if hurried:
        wanted = replace(wanted, request_ms=min(wanted.request_ms, wanted.query_ms))
    with _lock:
        if (provider, wanted) not in _made:
            _made[provider, wanted] = RemoteEmbedder(provider, wanted, clean)
        return _made[provider, wanted]


class RemoteEmbedder:
    """Asks a provider for vectors, in batches, again where that may help, and not for a while after it failed."""

    def __init__(self, provider: Provider, wanted: Dense, clean: Callable[[str], str]) -> None:
        self._provider = provider
        self._wanted = wanted
        self._clean = clean
        self._dimension = provider.dimensions
        self._resting_until = 0.0
        self._why = ""

    @property
    def model(self) -> str:
        """Name the model and who makes it."""
        return self._provider.id

    @property
    def dimension(self) -> int:
        """Count the components of a vector; 0 until the provider has told by its first answer."""
        return self._dimension

    def embed(self, texts: Sequence[str], *, batch_size: int = DEFAULT_BATCH) -> Matrix:
        """Embed statements, in requests of dense.request_texts; the batches of a model here mean nothing to it."""
        import numpy as np

        size = self._wanted.request_texts
        parts = [
            self._asked(texts[start : start + size], "document", self._wanted.request_ms)
            for start in range(0, len(texts), size)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.dimension), np.float32)

    def embed_query(self, text: str) -> Vector:
        """Embed a question, without its secrets; it waits no longer than a recall may."""
        vector: Vector = self._asked([self._clean(text)], "query", self._wanted.query_ms)[0]
        return vector

    def _asked(self, texts: Sequence[str], use: str, most_ms: int) -> Matrix:
        if time.monotonic() < self._resting_until:
            raise ModelUnavailable(self._why)
        try:
            answer = post(
                f"{self._provider.base}/embeddings", self._body(texts, use), key=self._provider.key,
                seconds=most_ms / 1000,
            )  # fmt: skip
            return self._matrix(answer, len(texts))
        except Failed as error:
            self._why = f"The provider {self._provider.name} at {self._provider.base} fails: {error}."
            self._resting_until = time.monotonic() + REST
            raise ModelUnavailable(self._why) from error

    def _body(self, texts: Sequence[str], use: str) -> dict[str, Any]:
        # A text of nothing but white space is refused by some.
        cut = [text[: self._wanted.request_characters].strip() or "." for text in texts]
        body: dict[str, Any] = {"model": self._provider.model, "input": cut}
        if self._provider.name == "voyage":
            size = {"output_dimension": self._provider.dimensions} if self._provider.dimensions else {}
            return body | {"input_type": use} | size
        size = {"dimensions": self._provider.dimensions} if self._provider.dimensions else {}
        return body | {"encoding_format": "float"} | size

    def _matrix(self, answer: Any, expected: int) -> Matrix:
        import numpy as np

        rows = _rows(answer, expected)
        widths = {len(row) for row in rows}
        wanted = self._dimension or next(iter(widths))
        if widths != {wanted} or not wanted:
            told = ", ".join(map(str, sorted(widths)))
            raise Failed(f"it gives vectors of {told} numbers where {wanted} are expected")
        try:
            matrix = np.array(rows, np.float64)
        except (TypeError, ValueError) as error:
            raise Failed("a vector holds what is no number") from error
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not np.isfinite(matrix).all() or not lengths.all():
            raise Failed("a vector has no direction")
        self._dimension = wanted
        unit: np.ndarray[Any, np.dtype[np.float32]] = (matrix / lengths).astype(np.float32)
        return unit


def _rows(answer: Any, expected: int) -> list[list[Any]]:
    """Return the vectors of an answer in the order of the texts."""
    try:
        found = {int(each["index"]): each["embedding"] for each in answer["data"]}
        rows = [found[place] for place in range(expected)]
    except (KeyError, TypeError, ValueError) as error:
        raise Failed(f"its answer does not hold {expected} vectors") from error
    if len(found) != expected or not all(isinstance(row, list) for row in rows):
        raise Failed(f"its answer does not hold {expected} vectors")
    return rows
