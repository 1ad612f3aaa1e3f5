"""Embedding what has no vector yet, a batch at a time, so that it can stop and go on anywhere."""

from collections.abc import Iterator

from memory_cli.embedding import Embedder, Matrix, ModelUnavailable
from memory_cli.errors import Busy
from memory_cli.memory import Memory
from memory_cli.retrieval import likenesses, meaning
from memory_cli.store import vectors
from memory_cli.store.connection import Store

# So many batches are kept at once: waiting for the disk takes a fast model as long as embedding a batch.
GROUP = 32
EVERYTHING = 2**62


def pending(memory: Memory, scope: str = "") -> int:
    """Count the statements that have no vector of the current model."""
    model = memory.model().id
    return sum(vectors.pending_count(store, model) for store in memory.stores(scope))


def ready(memory: Memory, scope: str = "") -> tuple[Embedder | None, str]:
    """Return the embedder after it has made the vectors that are due, or nothing and the reason."""
    embedder, why_not = memory.embedder(hurried=True)
    if embedder is None:
        return None, why_not
    try:
        embed_due(memory, embedder, scope)
    except ModelUnavailable as error:
        # A provider that fails is not asked a second time for the question itself.
        return None, str(error)
    return embedder, ""


def embed_due(memory: Memory, embedder: Embedder, scope: str = "") -> None:
    """Embed what is pending while it is little; give way to whoever is writing."""
    left = memory.settings.runtime.embed_in_recall
    for store in memory.stores(scope):
        if not left:
            return
        # What came with a clone stays as it came until somebody trusts it.
        if memory.is_foreign(store.scope):
            continue
        try:
            left -= embed_batches(memory, store, embedder, most=left, most_texts=left, deadline_ms=0)
        except Busy:
            continue


def embed_batches(
    memory: Memory,
    store: Store,
    embedder: Embedder,
    *,
    most: int,
    most_texts: int = EVERYTHING,
    deadline_ms: int | None = None,
) -> int:
    """Embed at most so many pending statements of store and return how many; what is made is kept as it comes.

    A long one has several texts; with a bound on those, one that has more by itself waits for who has the time.
    """  # fmt: skip
    done, left = 0, most_texts
    total = min(most, vectors.pending_count(store, embedder.model))
    size = memory.settings.runtime.batch
    while done < total:
        rows = vectors.pending_batch(store, embedder.model, min(GROUP * size, total - done))
        some = _affordable(embedder.model, rows, left, GROUP * size)
        if not some:
            break
        made = embedder.embed([part for _number, _text, parts in some for part in parts], batch_size=size)
        meaning.fits(store, embedder.model, embedder.dimension)
        with store.transaction(deadline_ms=deadline_ms):
            vectors.put(store, embedder.model, embedder.dimension, _grouped(some, made))
        done, left = done + len(some), left - len(made)
        memory.progress(done, total, "embedding")
    if done:
        meaning.settle(store, embedder)
        link_batches(memory, store, embedder, most=most, deadline_ms=deadline_ms)
    return done


def _affordable(model: str, rows: list[tuple[int, str]], most: int, usual: int) -> list[tuple[int, str, list[str]]]:
    """Return statements with their texts: as many as fit into the usual number, or one that has more than that."""
    from memory_cli.embedding.parts import parts  # not for those who ask by words alone

    some: list[tuple[int, str, list[str]]] = []
    count = 0
    for number, text in rows:
        texts = [text[each.start : each.end] for each in parts(model, text)]
        if count + len(texts) <= min(most, usual) or (not some and len(texts) <= most):
            some.append((number, text, texts))
            count += len(texts)
    return some


def _grouped(some: list[tuple[int, str, list[str]]], made: Matrix) -> Iterator[tuple[int, str, Matrix]]:
    start = 0
    for number, text, texts in some:
        yield number, text, made[start : start + len(texts)]
        start += len(texts)


def link_batches(memory: Memory, store: Store, embedder: Embedder, *, most: int, deadline_ms: int | None = None) -> int:
    """Link what at most so many new vectors are of to what is like it, and return how many links that makes."""
    wanted, progress = memory.settings.links, memory.progress
    return likenesses.derive(store, embedder, wanted, memory.now, most=most, deadline_ms=deadline_ms, progress=progress)
