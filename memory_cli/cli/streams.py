"""Streams and arguments as UTF-8; what is no UTF-8 comes through as lone surrogates, for the store to refuse."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from memory_cli.errors import UsageError

STANDARD_INPUT = "-"


def use_utf8() -> None:
    """Make the standard streams speak UTF-8, whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A path that is no UTF-8 is shown with its bytes spelled out, which in JSON is an escape of just that.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def arguments() -> list[str]:
    """Return the arguments of this process, read as UTF-8."""
    return [each if os.name == "nt" else os.fsencode(each).decode("utf-8", "surrogateescape") for each in sys.argv[1:]]


def as_path(argument: str) -> Path:
    """Return the path that an argument names, in the encoding that this system's file names have."""
    if not argument:
        raise UsageError("A path is empty; name one, or leave it out.")
    return Path(argument if os.name == "nt" else os.fsdecode(argument.encode("utf-8", "surrogateescape")))


def text(source: str) -> str:
    """Return all the text of a file, or of standard input for a dash; none is refused."""
    with opened(source) as stream:
        read = stream.read().decode("utf-8", "surrogateescape")
    if not read.strip():
        raise UsageError(f"{'Standard input' if source == STANDARD_INPUT else source} holds no text.")
    return read


def lines(stream: BinaryIO) -> Iterator[str]:
    """Yield the lines of a stream one by one; only a line feed ends a line."""
    for number, line in enumerate(stream):
        yield line.removeprefix(b"" if number else b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


@contextmanager
def opened(source: str) -> Iterator[BinaryIO]:
    """Open a file to be read, or standard input for a dash."""
    if source == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    try:
        stream = as_path(source).open("rb")
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror}.") from error
    with stream:
        yield stream


def size(source: str) -> int:
    """Return how many bytes a file has; nobody knows how many standard input will bring."""
    return 0 if source == STANDARD_INPUT else as_path(source).stat().st_size
