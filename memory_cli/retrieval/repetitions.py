"""Statements that say the same: which of the ranked hits are shown, and which are listed as repetitions."""

import re
from collections.abc import Callable, Iterable
from typing import Literal

from memory_cli.models.frozen import Frozen
from memory_cli.models.statement import Statement
from memory_cli.text.analysis import index_tokens

By = Literal["same words", "same meaning"]

# Little words whose coming and going changes nothing; `not`, `on`, `before` and the like change everything.
LIGHT = frozenset({"a", "an", "the", "that", "just", "also", "pleas"})
_TRIMMED = "\"'“”‘’«»„.,;:!?()[]{}<>…、。，；：！？（）「」"
_PLAIN = re.compile(r"[^\W\d_]?[^\W\d_A-Z]*")


class Collapsed(Frozen):
    """A hit that is not shown, which test it met, how like it is, and the id of the hit that stands for it."""

    id: str
    scope: str
    by: By
    likeness: float
    kept: str


class Repetitions:
    """Takes hits, best first, and tells those that say the same as one taken before.

    Two statements mean the same only when their vectors nearly coincide and they have the same words in the same
    order, light words and endings aside, and the same identifiers: no model sees a negation, a digit or who did what.
    """

    def __init__(self, alike: Callable[[Statement, Statement], float | None], duplicate_cosine: float) -> None:
        self.alike = alike
        self.least = duplicate_cosine
        self.words: dict[str, Statement] = {}
        self.meanings: dict[tuple[str, ...], list[Statement]] = {}

    def collapse(self, statement: Statement) -> Collapsed | None:
        """Return what statement repeats, or take it as new."""
        words = " ".join(statement.text.split())
        if same := self.words.get(words):
            return Collapsed(statement.id, statement.scope, "same words", 1.0, same.id)
        group = self.meanings.setdefault(gist(statement.text), [])
        for other in group:
            likeness = self.alike(statement, other)
            if likeness is not None and likeness >= self.least:
                return Collapsed(statement.id, statement.scope, "same meaning", likeness, other.id)
        self.words[words] = statement
        group.append(statement)
        return None


def gist(text: str) -> tuple[str, ...]:
    """Return what must be equal for two texts to say the same: identifiers as written, then words in their order."""
    written = sorted(each for each in _trimmed(text.split()) if not _PLAIN.fullmatch(each))
    return (*written, "", *(token for token in index_tokens(text) if token not in LIGHT))


def _trimmed(chunks: Iterable[str]) -> Iterable[str]:
    return (trimmed for chunk in chunks if (trimmed := chunk.strip(_TRIMMED)))
