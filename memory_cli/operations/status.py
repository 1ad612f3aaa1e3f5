"""Which memory this is, where it lives, and what waits to be done."""

from collections.abc import Iterator

from memory_cli import __version__, warm
from memory_cli.categories import checking
from memory_cli.embedding import model_state
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.results import ScopeStatus, Status
from memory_cli.operations import shown
from memory_cli.operations.languages import strangeness
from memory_cli.store import categories, connection, files, sidefiles, statements, sync, taken, vectors
from memory_cli.store.connection import Store


def status(memory: Memory) -> Status:
    """Show which memory this is, where it lives and why, and what waits.

    Nothing is made and no model is loaded.
    """
    roots = memory.roots
    model = memory.model()
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
        model=model.name,
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
        categories=len(categories.everything(found)),
        bytes=sizes.database,
        wal_bytes=sizes.wal,
        codes_bytes=sidefiles.size(found),
        schema=sizes.schema,
        pending=vectors.pending_count(found, model),
        models=vectors.models(found),
        handoff=statements.handoff(found) is not None,
        synced_at=shown.moment(met) if (met := sync.last_met(found)) else "",
        sync_conflicts=sync.count_conflicts(found),
    )


def _notes(memory: Memory, scopes: list[ScopeStatus], pending: int) -> list[str]:
    notes = [*memory.session.loaded.warnings, *filter(None, [memory.sending]), *_answering(memory)]
    if pending:
        have = "statement has" if pending == 1 else "statements have"
        notes.append(f"{pending} {have} no vector yet; recall, serve and `memory reindex` embed what is pending.")
    for each in scopes:
        notes += _of_models(memory, each)
        if each.sync_conflicts:
            said = "1 conflict" if each.sync_conflicts == 1 else f"{each.sync_conflicts} conflicts"
            notes.append(
                f"{said} of a sync in the {each.scope} memory: `memory sync conflicts --scope {each.scope}` shows what "
                "lost."
            )
    notes += [sentence for store in memory.stores() if (sentence := strangeness(memory, store))]
    notes += [sentence for store in memory.stores() for sentence in _arrivals(store)]
    return [*notes, *_drifted(memory)]


def _drifted(memory: Memory) -> Iterator[str]:
    """Name the files of categories that are not as their record says."""
    there = {store.scope: store for store in memory.stores()}
    for scope, folder in ((LOCAL, memory.roots.local_store), (GLOBAL, memory.roots.global_store)):
        store = there.get(scope)
        if store is not None:
            listed = categories.everything(store, deleted=True)
            yield from (f"{each}." for each in checking.problems(store.path.parent, listed))
        elif folder is not None and scope in memory.session.scopes and checking.has_files(folder):
            yield f"{folder} has files of categories and no database; `memory reindex` builds the record from them."


def _answering(memory: Memory) -> Iterator[str]:
    """Name the processes that answer recalls of the command line, of which a helper can be stopped."""
    for each in warm.listening(memory.session):
        _key, process, *helper = each.name.split(".")
        name = "helper" if helper else "server"
        stop = "; `memory helper stop` ends it" if helper else ""
        yield f"A {name} (process {process}) answers recalls of the command line{stop}."


def _arrivals(store: Store) -> Iterator[str]:
    """Yield what was taken in from older servers, and what is kept of it."""
    for each in taken.everything(store):
        kept = "which is as it was" if each.copied else "and nothing of it was lost"
        yield f"{each.statements} statements were taken in from {each.path}, {kept}."
    if kept_files := files.backups(store.path.parent):
        names = ", ".join(map(str, kept_files))
        yield f"Kept from an older server: {names}; `memory doctor --fix` removes what it finds to be here whole."


def _of_models(memory: Memory, scope: ScopeStatus) -> Iterator[str]:
    """Say which former models still answer, and which have vectors that nothing needs."""
    current = memory.model()
    others = sorted(set(scope.models) - {current.id})
    states = {id: model_state(id.partition("@")[0]) for id in others}
    helping = [id for id in others if scope.pending and states[id].available and states[id].id == id]
    if helping:
        made = f"{scope.models.get(current.id, 0):,} of {scope.statements:,}"
        yield (
            f"Vectors of {', '.join(helping)} answer in the {scope.scope} memory until those of {current.id} are "
            f"complete ({made}); serve and `memory reindex` make them."
        )
    if stale := [id for id in others if id not in helping]:
        makes = "makes new ones" if scope.pending else "takes them away"
        yield f"The {scope.scope} memory has stale vectors, of {', '.join(stale)}; `memory reindex` {makes}."
