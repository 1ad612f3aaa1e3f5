"""What is imported from: a file, a folder or standard input, looked at before it is read."""

import json
from collections.abc import Iterator
from functools import cached_property
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from memory_cli.errors import UsageError
from memory_cli.store import files, foreign

HEAD = 65_536
# A document is held in memory whole, several times its size.
LARGEST = 1_000_000_000


class Source:
    """A place to import from; of a stream only the head is read before a format is chosen."""

    def __init__(self, path: Path | None = None, stream: BinaryIO | None = None) -> None:
        self.path = path
        self._stream = stream

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return str(self.path) if self.path else "standard input"

    @property
    def folder(self) -> Path | None:
        """The folder that it is, if it is one."""
        return self.path if self.path and self.path.is_dir() else None

    @property
    def size(self) -> int:
        """How many bytes it has; nobody knows how many a stream will bring."""
        return self.path.stat().st_size if self.path and not self.folder else 0

    @cached_property
    def head(self) -> bytes:
        """The first bytes of a file or a stream; a folder has none."""
        if self.folder:
            return b""
        if self._stream is not None:
            # Two lines that say something: one alone may be a document.
            head, said = b"", 0
            while said < 2 and (line := self._stream.readline(LARGEST)):
                head += line
                said += bool(line.strip())
            return head
        if self.path and files.is_held(self.path):
            # One of the stores that are open here, which closing it would unlock.
            return files.head(self.path, HEAD)
        with self._opened() as stream:
            # The first line whole, however long its text is: it tells lines from one document.
            head = stream.read(HEAD)
            return head if b"\n" in head else head + stream.readline(LARGEST)

    @cached_property
    def tables(self) -> dict[str, set[str]]:
        """The tables of a database with their columns; what is none has none."""
        if self.path is None or not self.head.startswith(foreign.MAGIC):
            return {}
        return foreign.tables(self.path)

    @cached_property
    def document(self) -> Any:
        """The whole as one JSON document; refuse what is none, or too large."""
        return parsed(self.data(), self.name)

    @cached_property
    def is_document(self) -> bool:
        """Whether the whole is one JSON document, and not a line each; one line alone is looked at as a document."""
        start = self.head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if start[:1] != b"{":
            return start[:1] == b"["
        first, _, rest = start.partition(b"\n")
        alone = not rest.strip() and (self._stream is not None or self.size <= len(self.head))
        try:
            json.loads(first)
        except ValueError:
            return True
        except RecursionError:
            # One record that will be refused.
            return False
        return alone

    def data(self) -> bytes:
        """Return all of it, or refuse what is too large."""
        with self._opened() as stream:
            data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UsageError(f"{self.name} has more than {LARGEST:,} bytes; split it.")
        return data

    def lines(self) -> Iterator[str]:
        """Yield its lines one by one; only a line feed ends a line."""
        with self._opened() as stream:
            for number, line in enumerate(stream):
                yield line.removeprefix(b"" if number else b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")

    def _opened(self) -> BinaryIO:
        if self._stream is not None:
            # Its head was read already.
            return _Rest(self.head, self._stream)  # type: ignore[return-value]
        assert self.path is not None
        try:
            return self.path.open("rb")
        except OSError as error:
            raise UsageError(f"{self.name} cannot be read: {error.strerror}.") from error


class _Rest:
    """A stream whose head was read."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head, self._stream = head, stream

    def __enter__(self) -> "_Rest":
        return self

    def __exit__(self, *ended: object) -> None:
        pass

    def read(self, size: int) -> bytes:
        return self._head + self._stream.read(max(0, size - len(self._head)))

    def __iter__(self) -> Iterator[bytes]:
        head = self._head if self._head.endswith(b"\n") else self._head + self._stream.readline()
        return chain(BytesIO(head), self._stream)


def parsed(data: bytes, name: str) -> Any:
    """Return the JSON document that data is, or refuse it by name."""
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not a JSON document that can be read: {error}") from error
