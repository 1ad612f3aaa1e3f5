"""Build the indexes anew, and embed what waits for it."""

import os
from typing import Annotated

from memory_cli.memory import Memory
from memory_cli.models.results import Reindexed
from memory_cli.operations import parameters as given
from memory_cli.operations.pending import embed_batches, pending
from memory_cli.parameter import Described
from memory_cli.store import vectors, words

EVERYTHING = 1_000_000_000


def reindex(
    memory: Memory,
    *,
    words_only: Annotated[bool, Described("Build the word index and embed nothing.")] = False,
    vectors_only: Annotated[bool, Described("Embed what is pending and leave the word index.")] = False,
    embed: Annotated[bool, Described("Embed what has no vector; without it that waits for recall or serve.")] = True,
    jobs: Annotated[
        int, Described("Embed on so many cores, as far as there are; 0: runtime.threads.", at_least=0, at_most=1024)
    ] = 0,
    scope: given.Scope = "",
) -> Reindexed:
    """Build the word index anew and embed what has no vector yet.

    Vectors of statements that are gone go. It can be stopped at any time and goes on where it was. Vectors of another
    model answer until those of the current one are complete, and go then.
    """
    indexed = 0
    if not vectors_only:
        indexed = sum(words.rebuild(store, memory.progress) for store in memory.stores(scope))
    orphans = 0 if words_only else sum(vectors.requeue(store) for store in memory.stores(scope))
    embedder, why_not = memory.embedder(min(jobs, os.cpu_count() or 1)) if embed and not words_only else (None, "")
    embedded = dropped = 0
    for store in memory.stores(scope) if embedder else ():
        assert embedder is not None
        embedded += embed_batches(memory, store, embedder, most=EVERYTHING)
        dropped += vectors.drop_others(store, embedder.model)
    return Reindexed(indexed, embedded, pending(memory, scope), dropped=dropped, orphans=orphans, semantic=why_not)
