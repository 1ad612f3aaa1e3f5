"""Turning text into vectors of meaning, on this machine, or saying why that cannot be done."""

from memory_cli.embedding.models import DEFAULT_MODEL, HUB, KNOWN, UNMEASURED, KnownModel, PinnedFile, Scale, Traits
from memory_cli.embedding.packaged import load, loaded
from memory_cli.embedding.protocol import Embedder, Matrix, ModelUnavailable, Reranker, Vector
from memory_cli.embedding.state import ModelState, model_state, traits

__all__ = [
    "DEFAULT_MODEL",
    "HUB",
    "KNOWN",
    "UNMEASURED",
    "Embedder",
    "KnownModel",
    "Matrix",
    "ModelState",
    "ModelUnavailable",
    "PinnedFile",
    "Reranker",
    "Scale",
    "Traits",
    "Vector",
    "load",
    "loaded",
    "model_state",
    "traits",
]
