"""The settings of meaning: which model, and where it runs."""

from typing import Annotated

from memory_cli.models.frozen import Frozen
from memory_cli.settings.setting import Setting


class Dense(Frozen):
    """Which model stands for meaning."""

    embedding_model: Annotated[
        str, Setting("The model that makes vectors; another one means embedding again.", kind="identity", project=False)
    ] = "all-MiniLM-L6-v2-int8"
    reranker_model: Annotated[
        str,
        Setting(
            "The cross-encoder that settles the order: a folder, or a name among your models; empty: none does.",
            kind="retrieval",
            project=False,
            empty_ok=True,
        ),
    ] = ""
    reranker_sha256: Annotated[
        str,
        Setting(
            "The SHA-256 that the reranker's model.onnx must have.", kind="retrieval", project=False, empty_ok=True
        ),
    ] = ""
