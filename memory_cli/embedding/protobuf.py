"""The wire encoding of protocol buffers: enough to write and change an ONNX graph and to read a SentencePiece model."""

import struct
from collections.abc import Iterable, Iterator
from mmap import mmap

from memory_cli.models.frozen import Frozen

Data = bytes | mmap

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def number(field: int, value: int) -> bytes:
    """Encode a whole number that is not negative."""
    return _varint(field << 3 | _VARINT) + _varint(value)


def real(field: int, value: float) -> bytes:
    """Encode a number of single precision."""
    return _varint(field << 3 | _FIXED32) + struct.pack("<f", value)


def string(field: int, text: str) -> bytes:
    """Encode a text."""
    return message(field, [text.encode("utf-8")])


def message(field: int, parts: Iterable[bytes]) -> bytes:
    """Encode bytes, or a message whose fields are encoded already."""
    content = b"".join(parts)
    return _varint(field << 3 | _BYTES) + _varint(len(content)) + content


class Field(Frozen):
    """A field as it stands in the data: with its number and length before it, and its content alone."""

    number: int
    whole: slice
    content: slice

    @property
    def size(self) -> int:
        """Count the bytes of the content."""
        return int(self.content.stop - self.content.start)


def within(data: Data, message: Field | None = None) -> Iterator[Field]:
    """Yield the fields of a message inside the data, or of all of it, in order."""
    place, end = (message.content.start, message.content.stop) if message else (0, len(data))
    while place < end:
        tag, after = _read_varint(data, place)
        content = _span(data, after, tag & 7)
        yield Field(tag >> 3, slice(place, content.stop), content)
        place = content.stop


def whole(data: Data, field: Field) -> int:
    """Read a field that is a whole number."""
    return _read_varint(data, field.content.start)[0]


def fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the fields of a message in order, each with its raw bytes."""
    for each in within(data):
        yield each.number, data[each.content]


def _span(data: Data, place: int, wire: int) -> slice:
    if wire == _VARINT:
        return slice(place, _read_varint(data, place)[1])
    if wire == _BYTES:
        size, place = _read_varint(data, place)
        return slice(place, place + size)
    return slice(place, place + {_FIXED64: 8, _FIXED32: 4}[wire])


def _read_varint(data: Data, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
