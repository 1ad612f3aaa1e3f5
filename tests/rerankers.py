"""A cross-encoder as small as can be: it adds up what the words of a statement, not of the question, are worth."""

import json

import numpy as np

from memory_cli.embedding.folders import sha256
from memory_cli.embedding.onnx_graph import FLOAT, INT64, Graph

WORTH = {"[PAD]": 0, "[UNK]": 0, "gold": 3, "silver": 2, "rust": -1}
FIRST, SECOND = ({"Sequence": {"id": name, "type_id": place}} for place, name in enumerate("AB"))


def build(folder, columns=1):
    """Write the model and its tokenizer into folder and return the hash of the model."""
    folder.mkdir(parents=True)
    graph = Graph("reranker")
    for name in ("input_ids", "token_type_ids"):
        graph.takes(name, INT64, ["batch", "length"])
    graph.constant("worth", np.array(list(WORTH.values()), np.float32))
    graph.constant("along", np.array([1], np.int64))
    graph.node("Gather", ["worth", "input_ids"], "each")
    graph.node("Cast", ["token_type_ids"], "second", to=FLOAT)
    graph.node("Mul", ["each", "second"], "counted")
    graph.node("ReduceSum", ["counted", "along"], "logits", keepdims=columns)
    graph.gives("logits", FLOAT, ["batch", 1][: 1 + columns])
    (folder / "model.onnx").write_bytes(graph.encoded())
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer()), encoding="utf-8")
    config = {"model_max_length": 64, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return sha256(folder / "model.onnx")


def tokenizer():
    vocabulary = {word: place for place, word in enumerate(WORTH)}
    pairs = {"type": "TemplateProcessing", "single": [FIRST], "pair": [FIRST, SECOND], "special_tokens": {}}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": pairs, "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }  # fmt: skip
