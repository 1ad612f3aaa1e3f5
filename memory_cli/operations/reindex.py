"""Build the indexes anew, and embed what waits for it."""

from typing import Annotated

from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.results import Reindexed
from memory_cli.operations import parameters as given
from memory_cli.operations.category import rebuilding
from memory_cli.operations.pending import embed_batches, pending
from memory_cli.parameter import Described
from memory_cli.processors import processors
from memory_cli.store import links as link_rows
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
    links: Annotated[
        bool, Described("Only link what is alike, also what was embedded before there were links.")
    ] = False,
    dry_run: Annotated[bool, Described("With links: say how many there would be.")] = False,
    scope: given.Scope = "",
) -> Reindexed:
    """Build the word index anew and embed what has no vector yet.

    Categories are read again from their files where the record lacks them, and files that are missing are written.
    Vectors of statements that are gone go. It can be stopped at any time and goes on where it was. Vectors of another
    model answer until those of the current one are complete, and go then.
    """
    if links:
        return _linked(memory, scope, dry_run=dry_run)
    if dry_run:
        raise UsageError("Only the links have a dry run: --links --dry-run.")
    indexed = count = 0
    notes: list[str] = []
    if not vectors_only:
        count, notes = rebuilding.rebuilt(memory, scope)
        indexed = sum(words.rebuild(store, memory.progress) for store in memory.stores(scope))
    orphans = 0 if words_only else sum(vectors.requeue(store) for store in memory.stores(scope))
    embedder, why_not = memory.embedder(min(jobs, processors())) if embed and not words_only else (None, "")
    embedded = dropped = 0
    for store in memory.stores(scope) if embedder else ():
        assert embedder is not None
        embedded += embed_batches(memory, store, embedder, most=EVERYTHING)
        dropped += vectors.drop_others(store, embedder.model)
    return Reindexed(
        indexed, embedded, pending(memory, scope), dropped=dropped, orphans=orphans, categories=count, failed=notes,
        semantic=why_not,
    )  # fmt: skip


def _linked(memory: Memory, scope: str, *, dry_run: bool) -> Reindexed:
    """Link what is alike among all that has a vector; one that was stopped goes on where it was."""
    from memory_cli.retrieval import likenesses  # not for those who build the word index

    embedder, why_not = memory.embedder()
    count = 0
    for store in memory.stores(scope) if embedder else ():
        assert embedder is not None
        wanted, now, progress = memory.settings.links, memory.now, memory.progress
        if dry_run:
            count += likenesses.counted(store, embedder, wanted, now, progress)
            continue
        if not link_rows.count_waiting(store, embedder.model):
            with store.transaction():
                link_rows.note_done(store, 0)
        count += likenesses.derive(store, embedder, wanted, now, most=EVERYTHING, progress=progress)
    return Reindexed(0, 0, pending(memory, scope), linked=count, dry_run=dry_run, semantic=why_not)
