"""Show what a sync would move."""

from memory_cli.memory import Memory
from memory_cli.models.sync import Different, Row
from memory_cli.operations.sync import sides
from memory_cli.operations.sync.sides import RemoteName, Scope
from memory_cli.sync import running


def diff(memory: Memory, remote: RemoteName = "", *, scope: Scope = "") -> Different:
    """Show what a sync with a remote would move, and move nothing.

    Here is what this device has and the remote lacks, there the reverse; what stands in both was changed by both.
    """
    peer = sides.peers(memory, scope, remote)[0]
    apart = running.apart(sides.side(memory, scope), peer)
    both = {each.name for each in apart.both}
    return Different(
        peer.name,
        [_named(row) for row, _has in apart.here if row.name not in both],
        [_named(row) for row, _has in apart.there if row.name not in both],
        [_named(row) for row in apart.both],
        not (apart.here or apart.there),
    )


def _named(row: Row) -> str:
    return f"{row.family} {row.key}{'' if row.hash else ' (deleted)'}"
