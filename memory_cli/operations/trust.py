"""Say that a project's memory, which came with a clone, is to be believed."""

from typing import Annotated

from memory_cli.errors import Refused
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.results import Trusted
from memory_cli.parameter import Described
from memory_cli.store import trust as trusts


def trust(
    memory: Memory,
    *,
    revoke: Annotated[bool, Described("Stop trusting it.")] = False,
) -> Trusted:
    """Trust this project's memory although it came with a clone.

    Statements of a store that git tracks, or that another user owns, are somebody else's text: every answer marks
    them as foreign until you have read them and run this.
    """
    project = memory.roots.project
    if project is None:
        raise Refused(
            "There is no project here whose memory could be trusted; go into one, or name it with --project-root."
        )
    if revoke:
        for store in memory.stores(GLOBAL):
            trusts.distrust(store, project)
    else:
        trusts.trust(memory.store(GLOBAL), project, memory.now)
    return Trusted(str(project), trusted=not revoke, foreign=revoke and memory.is_foreign(LOCAL))
