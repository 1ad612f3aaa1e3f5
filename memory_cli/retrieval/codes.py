"""Codes of vectors: a byte for each of the directions that tell most, with a bound on what they leave out."""

import io
import json
import threading
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_cli.embedding import Matrix, Vector

MAGIC = b"memory codes 1\n"
# Rows that are read and checked at a time, and those that are compared: as numbers these fill a processor's cache.
CHUNK, BLOCK = 4096, 1024
# The directions kept are those that hold this share of the vectors' length.
SHARE = 0.97
WITNESSES = 8
# What rounding to float32 can add up to, many times over.
ROUNDING = 1e-4
_ROUNDED_SQUARE = 1e-6


class Damaged(Exception):
    """A file of codes is torn, of something else, or contradicts the store."""


class Segment:
    """The codes of the vectors whose numbers lie in one range, read from their file at each search.

    With `keeps`, what a second search reads stays in memory: whoever asks once has no use for it.

    A search gets an upper bound of each cosine. With `x` the vector, `c` its code turned back, `q` the query and `K`
    the directions kept: q·x <= q·c + |q in K| |x in K - c| + |q outside K| |x outside K|, by Cauchy and Schwarz.
    """

    def __init__(self, handle: io.BufferedIOBase) -> None:
        self._handle = handle
        self._lock = threading.Lock()
        self.bytes_read = 0
        self.keeps = False
        self.header = _header(handle)
        self._start = handle.tell()
        rows, dimension, kept = (int(self.header[name]) for name in ("rows", "dimension", "kept"))
        self._kept, self._checked = kept, set[int]()
        self._codes_kept: dict[int, NDArray[np.int8]] = {}
        sizes = (8 * rows, 8 * rows, 4 * rows, 4 * dimension * kept, 4 * kept)
        data = self._read(sum(sizes))
        if zlib.crc32(data) != self.header["checksum"]:
            raise Damaged
        ends = np.cumsum(sizes)
        parts = [data[end - size : end] for end, size in zip(ends, sizes, strict=True)]
        self.numbers: NDArray[np.int64] = np.frombuffer(parts[0], dtype="<i8")
        self.statements: NDArray[np.int64] = np.frombuffer(parts[1], dtype="<i8")
        self._rests: Vector = np.frombuffer(parts[2], dtype="<f4")
        self._basis: Matrix = np.frombuffer(parts[3], dtype="<f4").reshape(dimension, kept)
        self._steps: Vector = np.frombuffer(parts[4], dtype="<f4")
        self._codes = self._start + int(ends[-1])

    @property
    def witnesses(self) -> list[tuple[int, int]]:
        """Some numbers of vectors with the checksums that those had when the codes were made."""
        return [(int(number), int(checksum)) for number, checksum in self.header["witnesses"]]

    def bounds(self, query: Vector, found: Vector) -> None:
        """Put into found for each vector a number that its cosine with query does not exceed."""
        turned = query @ self._basis
        length = float(turned @ turned)
        outside = np.sqrt(max(0.0, float(query @ query) - length) + _ROUNDED_SQUARE)
        weights = turned * self._steps
        numbers = np.empty((BLOCK, self._kept), np.float32)
        for start, codes in self._chunks():
            for first in range(0, len(codes), BLOCK):
                some = codes[first : first + BLOCK]
                np.copyto(numbers[: len(some)], some)
                np.dot(numbers[: len(some)], weights, out=found[start + first : start + first + len(some)])
        found += np.float32(outside) * self._rests
        found += np.float32(np.sqrt(length) * self.header["error"] + ROUNDING)

    @property
    def size(self) -> int:
        """The bytes that all codes take."""
        return len(self.numbers) * self._kept

    def __del__(self) -> None:
        # The last search that still reads it may end long after the store has newer codes.
        self._handle.close()

    def _chunks(self) -> Iterator[tuple[int, NDArray[np.int8]]]:
        """Yield the codes with the place of the first, each until the next is asked for."""
        # One room for all: making it anew costs more than reading into it.
        room = np.empty((min(CHUNK, len(self.numbers)), self._kept), np.int8)
        for start in range(0, len(self.numbers), CHUNK):
            if (codes := self._codes_kept.get(start)) is None:
                codes = self._read_codes(start, room[: len(self.numbers) - start])
            yield start, codes

    def _read_codes(self, start: int, room: NDArray[np.int8]) -> NDArray[np.int8]:
        with self._lock:
            self._handle.seek(self._codes + start * self._kept)
            size = self._handle.readinto(room.reshape(-1).data)
        self.bytes_read += size
        if size != room.size:
            raise Damaged
        if start in self._checked:
            if self.keeps:
                self._codes_kept[start] = room.copy()
        elif zlib.crc32(room.data) != self.header["chunks"][start // CHUNK]:
            raise Damaged
        self._checked.add(start)
        return room

    def _read(self, size: int) -> bytes:
        data = self._handle.read(size)
        self.bytes_read += len(data)
        if len(data) != size:
            raise Damaged
        return data


def opened(path: Path, expected: dict[str, Any]) -> Segment:
    """Open a file of codes; one that is not what is expected is Damaged."""
    handle = path.open("rb")
    try:
        segment = Segment(handle)
        if any(segment.header.get(name) != value for name, value in expected.items()):
            raise Damaged
    except BaseException:
        handle.close()
        raise
    return segment


def in_memory(parts: Sequence[bytes]) -> Segment:
    """Return a segment that no file holds."""
    return Segment(io.BytesIO(b"".join(parts)))


def built(
    numbers: NDArray[np.int64], statements: NDArray[np.int64], matrix: Matrix, expected: dict[str, Any]
) -> list[bytes]:
    """Return the parts of the file of codes for these vectors."""
    basis = _basis(matrix)
    turned = matrix @ basis
    steps = np.maximum(np.abs(turned).max(axis=0, initial=0.0) / 127, 1e-12).astype("<f4")
    codes = np.rint(turned / steps).astype(np.int8)
    error = float(np.linalg.norm(turned - codes * steps, axis=1).max(initial=0.0))
    outside = np.einsum("ij,ij->i", matrix, matrix) - np.einsum("ij,ij->i", turned, turned)
    rests = np.sqrt(np.maximum(outside, 0) + _ROUNDED_SQUARE).astype("<f4")
    body = b"".join(each.tobytes() for each in (numbers.astype("<i8"), statements.astype("<i8"), rests, basis, steps))
    chunks = [codes[start : start + CHUNK].tobytes() for start in range(0, len(codes), CHUNK)]
    some = range(0, len(numbers), max(1, len(numbers) // WITNESSES))
    header = expected | {
        "rows": len(numbers),
        "kept": basis.shape[1],
        "error": error,
        "checksum": zlib.crc32(body),
        "chunks": [zlib.crc32(each) for each in chunks],
        "witnesses": [[int(numbers[each]), zlib.crc32(matrix[each].astype("<f4").tobytes())] for each in some],
    }
    return [*_heading(header), body, *chunks]


def _basis(matrix: Matrix) -> Matrix:
    """Return the directions in which the vectors are long, as columns; together they hold SHARE of all."""
    dimension = matrix.shape[1]
    if not len(matrix):
        return np.zeros((dimension, 0), "<f4")
    values, axes = np.linalg.eigh((matrix.T @ matrix).astype(np.float64))
    shares = np.cumsum(values[::-1]) / max(values.sum(), 1e-12)
    kept = int(np.searchsorted(shares, SHARE)) + 1
    return np.ascontiguousarray(axes[:, ::-1][:, : min(dimension, -(-kept // 32) * 32)], dtype="<f4")


def _heading(header: dict[str, Any]) -> Iterator[bytes]:
    text = json.dumps(header).encode()
    yield MAGIC
    yield len(text).to_bytes(4, "little")
    yield zlib.crc32(text).to_bytes(4, "little")
    yield text


def _header(handle: io.BufferedIOBase) -> dict[str, Any]:
    if handle.read(len(MAGIC)) != MAGIC:
        raise Damaged
    size, checksum = (int.from_bytes(handle.read(4), "little") for _ in range(2))
    text = handle.read(size)
    if len(text) != size or zlib.crc32(text) != checksum:
        raise Damaged
    header: dict[str, Any] = json.loads(text)
    return header
