"""Which projects' memories are believed although they came with a clone; kept in the account's store."""

from datetime import datetime
from pathlib import Path

from memory_cli.store.connection import Store
from memory_cli.store.moments import stored


def trusts(store: Store, project: Path) -> bool:
    """Tell whether the project's memory is trusted."""
    return store.db.execute("select 1 from trusted where project = ?", (str(project),)).fetchone() is not None


def trust(store: Store, project: Path, at: datetime) -> None:
    """Note that the project's memory is trusted."""
    with store.transaction():
        store.db.execute("insert or replace into trusted (project, at) values (?, ?)", (str(project), stored(at)))


def distrust(store: Store, project: Path) -> None:
    """Take the note back."""
    with store.transaction():
        store.db.execute("delete from trusted where project = ?", (str(project),))
