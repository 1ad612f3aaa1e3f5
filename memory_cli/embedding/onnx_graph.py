"""Writing an ONNX graph without the package of that name, which takes part in no run."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memory_cli.embedding.protobuf import message, number, real, string

IR_VERSION = 8
OPSET = 17
FLOAT, UINT8, INT8, INT64 = 1, 2, 3, 7

_DATA_TYPES = {"float32": FLOAT, "uint8": UINT8, "int64": INT64}
_REAL, _NUMBER, _NUMBERS = 1, 2, 7

Attribute = int | float | Sequence[int]
Array = NDArray[np.float32] | NDArray[np.uint8] | NDArray[np.int64]


@dataclass
class Graph:
    """A graph as it grows: constants, nodes of the standard operators, and what goes in and comes out."""

    name: str
    nodes: list[bytes] = field(default_factory=list)
    constants: list[bytes] = field(default_factory=list)
    inputs: list[bytes] = field(default_factory=list)
    outputs: list[bytes] = field(default_factory=list)

    def constant(self, name: str, values: Array) -> str:
        """Add a constant and return its name."""
        shape = [number(1, size) for size in values.shape]
        told = number(2, _DATA_TYPES[str(values.dtype)]) + string(8, name)
        raw = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
        self.constants.append(message(5, [*shape, told, message(9, [raw])]))
        return name

    def node(self, operator: str, inputs: Sequence[str], output: str, **attributes: Attribute) -> str:
        """Add a node with one output and return that."""
        named = [message(5, [_attribute(name, value)]) for name, value in attributes.items()]
        read = [string(1, each) for each in inputs]
        self.nodes.append(message(1, [*read, string(2, output), string(3, output), string(4, operator), *named]))
        return output

    def takes(self, name: str, data_type: int, shape: Sequence[str | int]) -> None:
        """Declare an input; a size that is not fixed has a name."""
        self.inputs.append(message(11, [_value(name, data_type, shape)]))

    def gives(self, name: str, data_type: int, shape: Sequence[str | int]) -> None:
        """Declare an output."""
        self.outputs.append(message(12, [_value(name, data_type, shape)]))

    def encoded(self) -> bytes:
        """Return the model file that holds the graph."""
        graph = message(7, [*self.nodes, string(2, self.name), *self.constants, *self.inputs, *self.outputs])
        return number(1, IR_VERSION) + string(2, "memory-cli") + graph + message(8, [string(1, ""), number(2, OPSET)])


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return string(1, name) + real(2, value) + number(20, _REAL)
    if isinstance(value, int):
        # Protocol buffers write a negative number as if it had 64 bits.
        return string(1, name) + number(3, value % 2**64) + number(20, _NUMBER)
    return string(1, name) + b"".join(number(8, each) for each in value) + number(20, _NUMBERS)


def _value(name: str, data_type: int, shape: Sequence[str | int]) -> bytes:
    sizes = [message(1, [string(2, each) if isinstance(each, str) else number(1, each)]) for each in shape]
    tensor = message(1, [number(1, data_type), message(2, sizes)])
    return string(1, name) + message(2, [tensor])
