"""How the steps of a sync are asked for over HTTP: what both ends must write alike."""

from collections.abc import Sequence

from memory_cli.errors import UsageError

PREFIX = "/api/v1"
DIGEST, ROWS, EXPORT, IMPORT = "sync/digest", "sync/rows", "sync/export", "sync/import"
PACKED = "application/gzip"


def item(family: str, key: str, has: str) -> str:
    """Return what is wanted as one text; only its middle may hold a slash."""
    return f"{family}/{key}/{has}"


def wanted(items: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return what texts say is wanted, or refuse the first that says nothing."""
    found = []
    for each in items:
        family, _, rest = each.partition("/")
        key, slash, has = rest.rpartition("/")
        if not slash or not key:
            raise UsageError(
                f"{each[:140]!r} names nothing that syncs; it is FAMILY/KEY/HASH, the hash of what is there."
            )
        found.append((family, key, has))
    return found
