"""Finding the one statement that an id, the beginning of one, or exact words mean."""

from memory_cli.errors import NotFound, Refused, UsageError
from memory_cli.memory import Memory
from memory_cli.models.statement import Statement
from memory_cli.store import statements
from memory_cli.store.codec import version
from memory_cli.store.connection import Store

SHORTEST_PREFIX = 4
NAMED = 5

Place = tuple[Store, Statement]


def by_id(memory: Memory, id: str, scope: str = "") -> Place:
    """Return the statement with this id, alias or unambiguous beginning of an id, and its store."""
    if not id.strip():
        raise UsageError("The id is empty; a list shows ids.")
    stores = memory.stores(scope)
    found = [(store, one) for store in stores if (one := statements.by_id(store, id))]
    if not found and len(id) >= SHORTEST_PREFIX:
        found = [(store, one) for store in stores for one in statements.by_prefix(store, id, NAMED)]
    if not found:
        raise NotFound(f"No statement has the id {id}; a list and a recall show ids.")
    if len(found) > 1:
        raise Refused(f"{id} means several statements: {named(found)}. Give one whole id, or its scope.")
    return found[0]


def check_version(found: Statement, wanted: str) -> None:
    """Refuse to go on when a statement, read under the lock, is no longer what a caller saw."""
    if wanted and wanted != version(found):
        raise Refused(
            f"Statement {found.id} was changed meanwhile: it is version {version(found)} now, not {wanted}. "
            "Look at it again (`memory show`), then decide."
        )


def named(found: list[Place]) -> str:
    """Return how a sentence names some statements."""
    listed = ", ".join(f"{one.id} ({one.scope}, {one.kind})" for _store, one in found[:NAMED])
    return listed + (f" and {len(found) - NAMED} more" if len(found) > NAMED else "")
