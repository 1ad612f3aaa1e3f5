"""Keeping the vectors that came with an import, where the model that made them is the one in use."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from memory_cli.embedding import traits
from memory_cli.embedding.models import HUB
from memory_cli.embedding.parts import parts
from memory_cli.memory import Memory
from memory_cli.store import statements, vectors
from memory_cli.store.connection import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 500
WIDTH = 4


class Made(NamedTuple):
    """A vector: the id and the text that it is of, the model that made it, and its components as 32-bit floats."""

    id: str
    text: str
    model: str
    components: bytes


def keep(memory: Memory, made: Iterable[Made], scope: str) -> int:
    """Keep the vectors of the model in use whose statements have none yet; return how many were kept."""
    model = memory.model()
    names = {model.name, HUB[model.name].repository if model.name in HUB else model.name}
    wanted = (each for each in made if _is_same(each.model, names))
    kept = 0
    while batch := list(islice(wanted, BATCH)):
        kept += sum(_keep(store, model.id, batch) for store in memory.stores(scope))
    return kept


def _is_same(model: str, names: set[str]) -> bool:
    """Tell whether a model is called one of names, whoever stands before its own name."""
    return _own_name(model) in set(map(_own_name, names))


def _own_name(model: str) -> str:
    return model.replace(":", "/").rpartition("/")[2].casefold()


def _keep(store: Store, model: str, batch: list[Made]) -> int:
    known = traits(model)
    width = known.dimension if known else vectors.dimension(store, model)
    with store.transaction():
        rows = list(_fitting(store, model, batch, width))
        return vectors.put(store, model, width or len(rows[0][2]), rows) if rows else 0


def _fitting(
    store: Store, model: str, batch: list[Made], width: int | None
) -> "Iterator[tuple[int, str, NDArray[np.float32]]]":
    """Yield those whose statement still says what they are of, lacks a vector and is short enough for one."""
    import numpy as np  # a tenth of a second, paid only where there is a vector to keep

    for each in batch:
        width = width or len(each.components) // WIDTH
        found = statements.by_id(store, each.id)
        if found is None or found.text != each.text.strip() or len(each.components) != WIDTH * width:
            continue
        vector = np.frombuffer(each.components, "<f4")
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or length < 1e-6 or len(parts(model, found.text)) > 1:
            continue
        if not len(vectors.of_statements(store, model, width, [found.number]).numbers):
            yield found.number, found.text, (vector / length).astype(np.float32)
