"""The graph of a model whose weights stay in their file, where the engine maps what it needs of them."""

import mmap
from collections.abc import Iterator
from pathlib import Path

from memory_cli.embedding.onnx_graph import FLOAT, INT8, UINT8, Graph
from memory_cli.embedding.protobuf import Field, message, number, string, whole, within

# Smaller constants are copied: each that is mapped takes a page at least.
_LARGE = 1 << 16
# The numbers that ONNX gives to fields: of a model, of its graph, of a node, of a constant, and of a pair of texts.
_GRAPH = 7
_NODE, _CONSTANT = 1, 5
_INPUT, _OUTPUT, _OPERATOR = 1, 2, 4
_SIZE, _TYPE, _NAME, _RAW, _ELSEWHERE, _PLACE = 1, 2, 8, 9, 13, 14
_OUTSIDE = 1


def lean(file: Path, table: str) -> bytes:
    """Return a model that reads its large whole numbers out of the file, and of that table only rows asked for.

    The file holds the table as whole numbers and what each row is to be multiplied by, makes floats of all of it,
    47 MB for 30,522 words, and looks rows up in these. Rows that are looked up first come to the same floats.
    """
    try:
        with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return b"".join(
                message(_GRAPH, _graph(data, each, file.name, table)) if each.number == _GRAPH else data[each.whole]
                for each in within(data)
            )
    except LookupError as error:
        raise ValueError("it holds no graph") from error


def _graph(data: mmap.mmap, graph: Field, file: str, table: str) -> Iterator[bytes]:
    for each in within(data, graph):
        if each.number == _NODE:
            yield from _node(data, each, table)
        elif each.number == _CONSTANT:
            yield _constant(data, each, file)
        else:
            yield data[each.whole]


def _node(data: mmap.mmap, node: Field, table: str) -> Iterator[bytes]:
    inputs, outputs, operators = (_texts(data, node, number) for number in (_INPUT, _OUTPUT, _OPERATOR))
    if operators == ["Gather"] and inputs[0] == table:
        yield from _looked_up(table, inputs[1], outputs[0])
    # What made floats of the whole table.
    elif not table or outputs not in ([f"{table}_f"], [table]):
        yield data[node.whole]


def _looked_up(table: str, rows: str, output: str) -> list[bytes]:
    graph = Graph(table)
    graph.node("Gather", [f"{table}_q", rows], f"{table}_rows", axis=0)
    graph.node("Cast", [f"{table}_rows"], f"{table}_floats", to=FLOAT)
    graph.node("Gather", [f"{table}_scale", rows], f"{table}_scales", axis=0)
    graph.node("Mul", [f"{table}_floats", f"{table}_scales"], output)
    return graph.nodes


def _constant(data: mmap.mmap, constant: Field, file: str) -> bytes:
    parts = list(within(data, constant))
    raw = next((each for each in parts if each.number == _RAW), None)
    kind = next((whole(data, each) for each in parts if each.number == _TYPE), 0)
    # Floats are to stand at places that are multiples of their size, which those of the file need not be.
    if raw is None or kind not in (INT8, UINT8) or raw.size < _LARGE:
        return data[constant.whole]
    told = {"location": file, "offset": str(raw.content.start), "length": str(raw.size)}
    elsewhere = [message(_ELSEWHERE, [string(1, key), string(2, value)]) for key, value in told.items()]
    return message(
        _CONSTANT, [*(data[each.whole] for each in parts if each is not raw), *elsewhere, number(_PLACE, _OUTSIDE)]
    )


def _texts(data: mmap.mmap, node: Field, number: int) -> list[str]:
    return [data[each.content].decode("utf-8") for each in within(data, node) if each.number == number]
