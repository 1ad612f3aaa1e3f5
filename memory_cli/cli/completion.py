"""What a shell may complete beside commands and options; read-only, silent, and nothing when anything is amiss."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from typing import Literal

import typer

from memory_cli.cli.call import Given
from memory_cli.errors import MemoryCliError
from memory_cli.memory import Memory, open_memory
from memory_cli.settings import KEYS
from memory_cli.text.kinds import SUGGESTED

Offered = list[tuple[str, str]]
Group = Literal["agent", "kind", "source", "tag"]
NEWEST = 1000
HELP_LENGTH = 60
# A Tab waits for nobody who writes.
NOT_WAITING = "storage.lock_deadline_ms=0"


def kinds(ctx: typer.Context, incomplete: str) -> Offered:
    """Offer the kinds in use and the suggested ones, in the letters that were begun with."""
    found = dict.fromkeys(SUGGESTED, "suggested") | dict(_counted(ctx, "kind"))
    spelled = str.lower if incomplete.islower() else str.upper
    return [(spelled(each), told) for each, told in found.items() if spelled(each).startswith(incomplete)]


def agents(ctx: typer.Context, incomplete: str) -> Offered:
    """Offer the agents that recorded something."""
    return _beginning(_counted(ctx, "agent"), incomplete)


def sources(ctx: typer.Context, incomplete: str) -> Offered:
    """Offer the sources that something came from."""
    return _beginning(_counted(ctx, "source"), incomplete)


def tags(ctx: typer.Context, incomplete: str) -> Offered:
    """Offer the tags in use."""
    return _beginning(_counted(ctx, "tag"), incomplete)


def ids(ctx: typer.Context, incomplete: str) -> Offered:
    """Offer the ids of the newest statements, with the beginning of their words."""
    # What completes is imported when something is completed.
    from memory_cli.operations.list_ import list_

    found: Offered = []
    with _quietly(), _memory(ctx) as memory:
        newest = list_(memory, limit=NEWEST, budget=0).units
        found = [(each.id, " ".join(each.text[:HELP_LENGTH].split())) for each in newest]
    return _beginning(found, incomplete)


def categories(ctx: typer.Context, incomplete: str) -> Offered:
    """Offer the categories, with their kind."""
    from memory_cli.store.categories import everything

    found: Offered = []
    with _quietly(), _memory(ctx) as memory:
        found = [(each.name, each.kind) for store in memory.stores() for each in everything(store)]
    return _beginning(found, incomplete)


def settings(incomplete: str) -> Offered:
    """Offer the settings, ready for a value."""
    return _beginning([(f"{key.full}=", key.setting.sentence) for key in KEYS.values()], incomplete)


def embedding_models(incomplete: str) -> Offered:
    """Offer the embedding models."""
    from memory_cli.embedding import HUB, KNOWN

    return _beginning([(each.name, " ".join(each.languages)) for each in (*KNOWN.values(), *HUB.values())], incomplete)


# By the name of the parameter.
COMPLETERS: dict[str, Callable[..., Offered]] = {
    "kind": kinds, "agent": agents, "source": sources, "tag": tags, "untag": tags, "id": ids, "category": categories,
}  # fmt: skip


def _counted(ctx: typer.Context, group: Group) -> Offered:
    from memory_cli.operations.stats import stats

    with _quietly(), _memory(ctx) as memory:
        counts: dict[str, int] = getattr(stats(memory), f"by_{group}")
        return [(name, str(count)) for name, count in counts.items()]
    return []


def _beginning(offered: Offered, incomplete: str) -> Offered:
    return [each for each in offered if each[0].startswith(incomplete)]


def _quietly() -> suppress:
    return suppress(MemoryCliError, OSError)


@contextmanager
def _memory(ctx: typer.Context) -> Iterator[Memory]:
    # The callback that makes Given does not run while a shell completes.
    said = ctx.find_root().params
    given = Given(**{each.name: said[each.name] for each in fields(Given) if said.get(each.name)})
    waiting = Given(given.project_root, given.storage_root, given.config_file, (*given.assignments, NOT_WAITING))
    with open_memory(waiting.session()) as memory:
        yield memory
