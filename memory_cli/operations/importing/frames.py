"""What an import and its workers say to each other over pipes: one value a frame, its length before it."""

import pickle  # only between this program and the workers that it started itself
from io import FileIO
from typing import Any

WIDTH = 8


def packed(value: Any) -> bytes:
    """Return a value as one frame."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(WIDTH, "little") + data


def read(stream: FileIO) -> Any:
    """Return the value of the next frame; raises EOFError where the other side ended."""
    length = int.from_bytes(_exactly(stream, WIDTH), "little")
    return pickle.loads(_exactly(stream, length))  # noqa: S301 - see above


def write(stream: FileIO, frame: bytes) -> None:
    """Write a frame whole, waiting as long as the pipe is full."""
    left = memoryview(frame)
    while left:
        left = left[stream.write(left) or 0 :]


def _exactly(stream: FileIO, length: int) -> bytearray:
    data = bytearray(length)
    left = memoryview(data)
    while left:
        count = stream.readinto(left)
        if not count:
            raise EOFError
        left = left[count:]
    return data
