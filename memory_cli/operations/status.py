"""Which memory this is, where it lives, and what waits to be done."""

from memory_cli import __version__
from memory_cli.embedding import model_state
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.results import ScopeStatus, Status
from memory_cli.store import connection, statements, vectors


def status(memory: Memory) -> Status:
    """Show which memory this is, where it lives and why, and what waits.

    Nothing is made and no model is loaded.
    """
    roots = memory.roots
    model = model_state(memory.settings.dense.embedding_model)
    scopes = [_scope(memory, LOCAL, model.id)] if roots.local_store else []
    scopes.append(_scope(memory, GLOBAL, model.id))
    pending = sum(each.pending for each in scopes)
    return Status(
        version=__version__,
        project=str(roots.project or ""),
        project_why=roots.project_why,
        storage=str(roots.storage),
        storage_why=roots.storage_why,
        scopes=scopes,
        model=memory.settings.dense.embedding_model,
        units_pending=pending,
        semantic_available=model.available,
        semantic=model.reason,
        agent=memory.session.agent,
        device=memory.session.device,
        notes=_notes(memory, scopes, pending),
    )


def _scope(memory: Memory, scope: str, model: str) -> ScopeStatus:
    folder = memory.roots.local_store if scope == LOCAL else memory.roots.global_store
    found = next(iter(memory.stores(scope)), None)
    if found is None:
        return ScopeStatus(scope, str(folder), exists=False)
    sizes = connection.sizes(found)
    return ScopeStatus(
        scope,
        str(folder),
        exists=True,
        statements=statements.count(found),
        bytes=sizes.database,
        wal_bytes=sizes.wal,
        schema=sizes.schema,
        pending=vectors.pending_count(found, model),
        models=vectors.models(found),
        handoff=statements.handoff(found) is not None,
    )


def _notes(memory: Memory, scopes: list[ScopeStatus], pending: int) -> list[str]:
    notes = list(memory.session.loaded.warnings)
    if pending:
        notes.append(f"{pending} statements have no vector yet; recall, serve and `memory reindex` embed them.")
    model = model_state(memory.settings.dense.embedding_model).id
    for each in scopes:
        if stale := sorted(set(each.models) - {model}):
            notes.append(
                f"The {each.scope} memory has stale vectors, of {', '.join(stale)}; `memory reindex` makes new ones."
            )
    return notes
