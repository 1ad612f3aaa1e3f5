"""A corpus of real short texts, out of this machine's package lists and manual pages, and their vectors.

uv run python -m benchmarks.corpus --data DIR --model use-m3 --count 1001000

More languages of the package lists: Acquire::Languages in the configuration of apt, then `apt-get update`.
"""

import argparse
import gzip
import json
import random
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from memory_cli.embedding import loaded
from memory_cli.embedding.models import DEFAULT_MODEL

LISTS = Path("/var/lib/apt/lists")
MANUALS = Path("/usr/share/man")
TEXTS, VECTORS, MODEL = "texts.txt", "vectors.f32", "model.json"
QUERIES = 100
BATCH = 2000
LEAST, MOST = 20, 600

_DESCRIPTION = re.compile(r"Description-(?!md5)[\w%]+: ?(.*)")
_BULLET = re.compile(r"^\s+(?:[-*+•]|o)\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-ZÀ-ÝА-Я])|(?<=[。！？])")
_MACRO = re.compile(r"^[.'].*$", re.MULTILINE)
_ESCAPE = re.compile(r"\\f(?:\(..|\[\w*\]|.)|\\[&|^/,%)]|\\s[-+]?\d")


def texts(lists: Path, manuals: Path) -> Iterator[str]:
    """Yield every sentence, item or line of the descriptions and manual pages once, in an order that is mixed."""
    found = dict.fromkeys(_fit(each for part in (_descriptions(lists), _manuals(manuals)) for each in part))
    mixed = list(found)
    random.Random(7).shuffle(mixed)
    return iter(mixed)


def _descriptions(folder: Path) -> Iterator[str]:
    """Yield the short descriptions of packages and the sentences of the long ones, in every language there is."""
    for path in sorted(folder.glob("*_Translation-*")):
        with _opened(path) as lines:
            paragraph: list[str] = []
            for line in lines:
                head = _DESCRIPTION.match(line)
                if not line.startswith(" ") or line.strip() == "." or _BULLET.match(line):
                    yield from _sentences(paragraph)
                    paragraph = []
                if head:
                    yield head[1]
                elif line.startswith(" ") and line.strip() != ".":
                    paragraph.append(_BULLET.sub("", line, count=1).strip())
            yield from _sentences(paragraph)


def _manuals(folder: Path) -> Iterator[str]:
    """Yield the sentences of the manual pages, without their markup."""
    for path in sorted(folder.rglob("*.[1-8]*")):
        if path.is_file() and not path.is_symlink():
            with _opened(path) as lines:
                source = _ESCAPE.sub("", "".join(lines)).replace("\\-", "-").replace("\\(aq", "'")
            for paragraph in re.split(r"\n\s*\n", _MACRO.sub("\n", source)):
                yield from _sentences(paragraph.splitlines())


def _sentences(lines: Iterable[str]) -> list[str]:
    return _SENTENCE.split(" ".join(lines))


def _fit(candidates: Iterable[str]) -> Iterator[str]:
    for each in candidates:
        text = " ".join(each.split())
        if len(text.encode()) >= LEAST and "\\" not in text:
            yield textwrap.shorten(text, MOST)


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", errors="ignore")
    return path.open(encoding="utf-8", errors="ignore")


class Kept:
    """An embedder whose vectors were made before: what is measured is the search, not the model."""

    def __init__(self, folder: Path, model: str, dimension: int) -> None:
        import numpy as np

        self.model = model
        self.dimension = dimension
        self.now = datetime.now(UTC)
        self.asked = ""
        self._texts = (folder / TEXTS).read_text(encoding="utf-8").splitlines()
        self._matrix = np.memmap(folder / VECTORS, "<f4", "r").reshape(-1, dimension)
        self._rows = dict(zip(self._texts[: len(self._matrix)], range(len(self._matrix)), strict=True))

    def lines(self, count: int) -> Iterator[str]:
        """Yield so many texts as lines for an import."""
        if count + QUERIES > len(self._matrix):
            raise SystemExit(f"There are vectors for {len(self._matrix)} texts; embed more or ask for fewer.")
        return (f"{json.dumps({'text': text}, ensure_ascii=False)}\n" for text in self._texts[:count])

    def queries(self, count: int) -> list[str]:
        """Return texts that are in no store."""
        return self._texts[len(self._matrix) - count : len(self._matrix)]

    def knows(self, text: str) -> bool:
        """Say whether a text is one of the corpus that has a vector."""
        return text in self._rows

    def embed(self, texts: Sequence[str], *, batch_size: int = 0) -> Any:
        """Return the vectors of texts of the corpus."""
        return self._matrix[[self._rows[text] for text in texts]]

    def embed_query(self, text: str) -> Any:
        """Return the vector of the text that is asked, whatever a search made of its words."""
        return self._matrix[self._rows[self.asked]]


def kept(folder: Path) -> Kept:
    """Return the embedder whose vectors are in folder."""
    told = json.loads((folder / MODEL).read_text(encoding="utf-8"))
    return Kept(folder, told["model"], told["dimension"])


def embed(folder: Path, name: str, count: int) -> None:
    """Embed the first texts that have no vector yet; it can be stopped and goes on where it was."""
    embedder = loaded(name)
    told = {"model": embedder.model, "dimension": embedder.dimension}
    (folder / MODEL).write_text(json.dumps(told), encoding="utf-8")
    texts = (folder / TEXTS).read_text(encoding="utf-8").splitlines()[:count]
    with (folder / VECTORS).open("ab") as out:
        done = out.tell() // (4 * embedder.dimension)
        out.truncate(4 * embedder.dimension * done)
        for start in range(done, len(texts), BATCH):
            out.write(embedder.embed(texts[start : start + BATCH], batch_size=32).tobytes())
            out.flush()
            print(f"{start + BATCH} of {len(texts)}", file=sys.stderr)


def main() -> None:
    """Write the texts of this machine into a folder and embed as many as are wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lists", type=Path, default=LISTS)
    parser.add_argument("--manuals", type=Path, default=MANUALS)
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--count", type=int, default=101_000)
    given = parser.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    if not (given.data / TEXTS).exists():
        found = texts(given.lists, given.manuals)
        (given.data / TEXTS).write_text("".join(f"{each}\n" for each in found), encoding="utf-8")
    embed(given.data, given.model, given.count)


if __name__ == "__main__":
    main()
