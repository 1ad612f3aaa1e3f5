"""The settings of meaning: which model, and where it runs."""

from typing import Annotated

from memory_cli.models.frozen import Frozen
from memory_cli.settings.setting import Setting


class Dense(Frozen):
    """Which model stands for meaning."""

    embedding_model: Annotated[
        str, Setting("The model that makes vectors; another one means embedding again.", kind="identity", project=False)
    ] = "all-MiniLM-L6-v2-int8"
    provider: Annotated[
        str,
        Setting(
            "Who makes the vectors: this machine, or a service that texts are sent to.",
            kind="identity",
            choices=("local", "openai", "voyage"),
            project=False,
        ),
    ] = "local"
    base_url: Annotated[
        str,
        Setting(
            "The address of the provider, up to /embeddings; empty: its own.",
            kind="identity",
            project=False,
            empty_ok=True,
        ),
    ] = ""
    dimensions: Annotated[
        int,
        Setting(
            "How many numbers the provider is asked for in a vector; 0: as many as its model gives.",
            kind="identity",
            at_least=0,
            at_most=65_536,
            project=False,
        ),
    ] = 0
    api_key_variable: Annotated[
        str,
        Setting(
            "The variable that holds the provider's key; empty: OPENAI_API_KEY or VOYAGE_API_KEY.",
            project=False,
            empty_ok=True,
        ),
    ] = ""
    api_key_file: Annotated[
        str,
        Setting("A file of mode 0600 that holds the provider's key; empty: none.", project=False, empty_ok=True),
    ] = ""
    request_texts: Annotated[
        int, Setting("How many texts are sent to a provider at a time.", at_least=1, at_most=2048, project=False)
    ] = 64
    request_characters: Annotated[
        int,
        Setting("How much of one text is sent to a provider.", at_least=1, at_most=1_000_000, project=False),
    ] = 8000
    request_ms: Annotated[
        int,
        Setting(
            "How long a provider may take over a batch, with all that is tried again.",
            at_least=1,
            at_most=3_600_000,
            project=False,
        ),
    ] = 60_000
    query_ms: Annotated[
        int,
        Setting(
            "How long a recall waits for a provider before words answer.", at_least=1, at_most=600_000, project=False
        ),
    ] = 5000
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
