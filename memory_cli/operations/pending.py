"""Embedding what has no vector yet, a batch at a time, so that it can stop and go on anywhere."""

from memory_cli.embedding import Embedder, ModelUnavailable
from memory_cli.errors import Busy
from memory_cli.memory import Memory
from memory_cli.retrieval import meaning
from memory_cli.store import vectors
from memory_cli.store.connection import Store

# So many batches are kept at once: waiting for the disk takes a fast model as long as embedding a batch.
GROUP = 16


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
            left -= embed_batches(memory, store, embedder, most=left, deadline_ms=0)
        except Busy:
            continue


def embed_batches(
    memory: Memory, store: Store, embedder: Embedder, *, most: int, deadline_ms: int | None = None
) -> int:
    """Embed at most so many pending statements of store and return how many; what is made is kept as it comes."""
    done = 0
    total = min(most, vectors.pending_count(store, embedder.model))
    size = memory.settings.runtime.batch
    while done < total:
        rows = vectors.pending_batch(store, embedder.model, min(GROUP * size, total - done))
        if not rows:
            break
        made = embedder.embed([text for _number, text in rows], batch_size=size)
        meaning.fits(store, embedder.model, embedder.dimension)
        with store.transaction(deadline_ms=deadline_ms):
            vectors.put(
                store, embedder.model, embedder.dimension,
                [(number, text, vector) for (number, text), vector in zip(rows, made, strict=True)],
            )  # fmt: skip
        done += len(rows)
        memory.progress(done, total, "embedding")
    if done:
        meaning.settle(store, embedder)
    return done
