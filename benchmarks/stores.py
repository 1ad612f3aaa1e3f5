"""Throw-away stores for measurements and for tests with real processes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from memory_cli.memory import Memory, make_session, open_memory


def roots(folder: Path) -> list[str]:
    """Make a project and a storage root in folder and return the flags that name them."""
    for name in ("project/.git", "storage"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return ["--project-root", str(folder / "project"), "--storage-root", str(folder / "storage")]


@contextmanager
def opened(
    folder: Path,
    *,
    source: str = "benchmark",
    assignments: Sequence[str] = (),
    environ: Mapping[str, str] = MappingProxyType({}),
    project: str = "project",
    now: datetime | None = None,
) -> Iterator[Memory]:
    """Open the memory of the roots in folder, for one call."""
    session = make_session(
        project_root=folder / project,
        storage_root=folder / "storage",
        # A kill is not a power cut: what is measured and tested here needs no wait for the disk.
        assignments=["storage.synchronous=normal", *assignments],
        environ={"HOME": str(folder), "MEMORY_DEVICE": "bench", **environ},
        cwd=folder,
        source=source,
    )
    with open_memory(replace(session, clock=lambda: now) if now else session) as memory:
        yield memory


class Letters:
    """An embedder for tests that need vectors and not meaning: how often each letter stands in a text."""

    model = "letters@1"
    dimension = 26

    def embed(self, texts: Sequence[str], *, batch_size: int = 16) -> Any:
        """Embed texts: one unit row each."""
        import numpy as np

        rows = np.array(
            [[1 + text.lower().count(chr(97 + place)) for place in range(26)] for text in texts], np.float32
        )
        rows = rows.reshape(len(texts), 26)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, text: str) -> Any:
        """Embed a question."""
        return self.embed([text])[0]
