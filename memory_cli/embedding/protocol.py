"""What the rest of the program asks of an embedder, and how one says that it is not to be had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from memory_cli.errors import MemoryCliError

if TYPE_CHECKING:
    # numpy costs a tenth of a second, which a command that embeds nothing must not pay.
    import numpy as np
    from numpy.typing import NDArray

Matrix: TypeAlias = "NDArray[np.float32]"
Vector: TypeAlias = "NDArray[np.float32]"

DEFAULT_BATCH = 8


class ModelUnavailable(MemoryCliError):
    """The embedding model cannot be used here; words still can."""


class Embedder(Protocol):
    """Maps texts to unit vectors; safe to call from several threads."""

    @property
    def model(self) -> str:
        """Name the model and its revision, as stored with each vector."""

    @property
    def dimension(self) -> int:
        """Count the components of a vector."""

    def embed(self, texts: Sequence[str], *, batch_size: int = DEFAULT_BATCH) -> Matrix:
        """Embed statements: one unit row of float32 for each text, in order."""

    def embed_query(self, text: str) -> Vector:
        """Embed a question, to be compared with embedded statements."""


class Reranker(Protocol):
    """Says how well texts answer a question; safe to call from several threads."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Score each text, the higher the better; what a score means is the model's affair."""
