"""The wire encoding of protocol buffers: enough to write an ONNX graph and to read a SentencePiece model."""

import struct
from collections.abc import Iterable, Iterator

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


def fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the fields of a message in order, each with its raw bytes; a varint has none."""
    place = 0
    while place < len(data):
        tag, place = _read_varint(data, place)
        start, end = _span(data, place, tag & 7)
        yield tag >> 3, data[start:end] if tag & 7 != _VARINT else b""
        place = end


def _span(data: bytes, place: int, wire: int) -> tuple[int, int]:
    if wire == _VARINT:
        return place, _read_varint(data, place)[1]
    if wire == _BYTES:
        size, place = _read_varint(data, place)
        return place, place + size
    return place, place + {_FIXED64: 8, _FIXED32: 4}[wire]


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
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
