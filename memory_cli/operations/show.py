"""One statement, whole."""

from dataclasses import replace
from typing import Annotated

from memory_cli.memory import Memory
from memory_cli.models.results import Shown
from memory_cli.operations import finding, shown
from memory_cli.operations import parameters as given
from memory_cli.operations.history import change_shown
from memory_cli.operations.links import links
from memory_cli.parameter import Described
from memory_cli.store import codec, history
from memory_cli.store.history import Selection

CHANGES, LINKS = 10, 20


def show(
    memory: Memory,
    id: Annotated[str, Described("The id, or an unambiguous beginning of it.")],
    *,
    scope: given.Scope = "",
) -> Shown:
    """Show one statement whole: where it came from, its changes and links."""
    store, found = finding.by_id(memory, id, scope)
    with store.snapshot():
        selected = Selection(found.id)
        changes = [change_shown(memory, store, each) for each in history.changes(store, selected, limit=CHANGES)]
    linked = links(memory, found.id, scope=scope, limit=LINKS)
    return Shown(
        unit=replace(shown.unit(memory, found, whole=True), last_recalled_at=shown.moment(found.last_recalled_at)),
        origins=[
            {"agent": each.agent, "source": each.source} | ({"tags": list(each.tags)} if each.tags else {})
            for each in found.origins
        ],
        changes=changes,
        links=linked.links,
        aliases=list(found.aliases),
        version=codec.version(found),
    )
