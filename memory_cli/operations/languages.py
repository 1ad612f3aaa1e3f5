"""Saying that a memory is in languages which its model does not know, and what changes that."""

from collections import Counter

from memory_cli.embedding import HUB, KNOWN, Traits, traits
from memory_cli.embedding.languages import knows, script
from memory_cli.errors import Busy
from memory_cli.memory import Memory
from memory_cli.models.results import Unit
from memory_cli.models.statement import Filters
from memory_cli.operations.models import EXTRA, INSTALLABLE, INSTALLED, state_of
from memory_cli.store import statements, told
from memory_cli.store.connection import Store

# The newest statements that stand for all, and how much of each.
SAMPLE, HEAD = 100, 400


def strangeness(memory: Memory, store: Store) -> str:
    """Say that most of what store holds is in languages that the current model does not know, if it is so."""
    model = traits(memory.model().id)
    newest = statements.page(store, Filters(now=memory.now, include_expired=True), limit=SAMPLE)
    strange = [each.text[:HEAD] for each in newest if model and not _known(memory, model, each.text)]
    if model is None or 2 * len(strange) <= len(newest):
        return ""
    (written, _count), *_ = Counter(map(script, strange)).most_common(1)
    return (
        f"Most of the {store.scope} memory is in a language that the model {model.name} does not know, so words alone "
        f"find it. {_remedy(written)}"
    )


def first_strangeness(memory: Memory, units: list[Unit], scope: str) -> str:
    """Say it at the first recall that meets such statements, or none, and never again of this store and model."""
    model = traits(memory.model().id)
    if model is None or (units and 2 * sum(not _known(memory, model, each.text) for each in units) < len(units)):
        return ""
    for store in memory.stores(scope):
        if not told.was(store, model.name) and (sentence := strangeness(memory, store)):
            try:
                with store.transaction(deadline_ms=0):
                    told.remember(store, model.name)
            except Busy:
                # Then it is said once more.
                pass
            return sentence
    return ""


def _known(memory: Memory, model: Traits, text: str) -> bool:
    return knows(model, text[:HEAD], memory.settings.retrieval.latin_share)


def _remedy(written: str) -> str:
    others = [each for each in (*KNOWN.values(), *HUB.values()) if each.languages != ("en",)]
    name = next(each.name for each in others if not each.scripts or written in each.scripts)
    match state_of(name):
        case state if state == INSTALLED:
            return f"`memory model use {name}` changes that."
        case state if state == INSTALLABLE:
            return f"`memory model install {name} --use` changes that."
        case state if state == EXTRA:
            return f"With memory-cli[{KNOWN[name].extra}] installed, `memory model install {name} --use` changes that."
    return f"`memory model pull {name} --use` changes that."
