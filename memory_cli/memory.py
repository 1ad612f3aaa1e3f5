"""What an operation works with: the stores of both scopes, the settings, who asks, and a way to tell how far it is."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import field, replace
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memory_cli import provenance
from memory_cli.embedding import Embedder, ModelState, ModelUnavailable, loaded, model_state
from memory_cli.errors import Busy, Denied, Refused, UsageError
from memory_cli.models.frozen import Frozen
from memory_cli.models.history import Who
from memory_cli.projects import Roots, find_roots
from memory_cli.settings import Loaded, Settings, load
from memory_cli.settings.directories import user_home
from memory_cli.store import taken, trust
from memory_cli.store.connection import NAME, Store, open_store, translated
from memory_cli.store.legacy import signs
from memory_cli.text.times import local_zone

if TYPE_CHECKING:
    from memory_cli.retrieval.rerank import Reranking
    from memory_cli.settings.sections import Redact
    from memory_cli.store.kept import Kept
    from memory_cli.text.redaction import Redacted

LOCAL, GLOBAL = "local", "global"
LONGEST_NAME = 40
# How long a write in a hurry waits: as long as another one takes.
HURRY_MS = 3
# The provider of vectors that sends nothing anywhere.
HERE = "local"


class Progress(Protocol):
    """Tell whoever waits how many of how many steps are done."""

    def __call__(self, done: int, total: int, message: str) -> None:
        """Say that done of total steps of what message names are done."""


def silent(done: int, total: int, message: str) -> None:
    """Tell nobody."""


def utc_now() -> datetime:
    """Return the time, aware and in UTC."""
    return datetime.now(UTC)


class Session(Frozen):
    """What stays the same from call to call of one process: roots, settings, and who asks through which door."""

    roots: Roots
    loaded: Loaded
    agent: str
    device: str
    source: str
    environ: Mapping[str, str]
    clock: Callable[[], datetime] = utc_now
    # What a token admits its bearer to; whoever is at this machine is admitted to both.
    scopes: tuple[str, ...] = (LOCAL, GLOBAL)
    # The name of the token that whoever asks came with: the device, or the agent, that the rules of access know.
    bearer: str = ""
    # Where a server keeps its connections; without one each call opens and closes its own.
    kept: "Kept | None" = None
    # Whoever asks holds up everybody else meanwhile: what would have to be opened or waited for is Busy.
    hurried: bool = False

    @property
    def zone(self) -> tzinfo:
        """The user's zone, looked up when a time is read or shown, which few commands do."""
        return local_zone(self.environ)


class Memory(Frozen):
    """The stores opened for one call of one operation; no two calls, and so no two threads, share it."""

    session: Session
    progress: Progress
    now: datetime
    _stack: ExitStack
    _stores: dict[str, Store] = field(default_factory=dict)
    _foreign: dict[str, bool] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.session.loaded.settings

    @property
    def roots(self) -> Roots:
        """Which project and which storage root, and why."""
        return self.session.roots

    @property
    def patience_ms(self) -> int | None:
        """How long a write may wait for another's lock; nothing is as long as the settings say."""
        return HURRY_MS if self.session.hurried else None

    @property
    def who(self) -> Who:
        """Who makes a change, unless it says otherwise."""
        return Who(self.redacted(self.session.agent).text, self.redacted(self.session.device).text)

    def stores(self, scope: str = "") -> list[Store]:
        """Return the stores that exist, of one scope or of both, local first."""
        names = (scope,) if scope else (LOCAL, GLOBAL)
        return [store for name in names if (store := self._store(name, create=False))]

    def store(self, scope: str) -> Store:
        """Return the store of scope to write to, making it when there is none."""
        if scope == LOCAL and self.roots.local_store is None:
            raise Refused(
                "There is no project here, so there is no local memory. "
                "`memory init` in a project's own folder makes it one, and --project-root names one."
            )
        store = self._store(scope, create=True)
        assert store is not None
        return store

    def scope_to_write(self, scope: str) -> str:
        """Return the scope meant: this project's when none is named and there is a project, else the account's."""
        here = self.roots.project is not None and LOCAL in self.session.scopes
        return scope or (LOCAL if here else GLOBAL)

    def for_want_of_project(self, scope: str) -> str:
        """Say that what names no scope went to the account's memory since there is no project, empty otherwise."""
        return "" if scope or self.roots.project else "No project was found here, so it went to the global memory."

    def redacted(self, text: str) -> "Redacted":
        """Return text with its secrets blotted out, as the settings want it."""
        return _redacted(self.settings.redact, text)

    def is_foreign(self, scope: str) -> bool:
        """Tell whether the texts of scope are somebody else's: they came with a clone and nobody said to trust them."""
        if scope != LOCAL or self.roots.project is None:
            return False
        if LOCAL not in self._foreign:
            theirs = any(provenance.is_others(store.path) or taken.has_others(store) for store in self.stores(LOCAL))
            self._foreign[LOCAL] = theirs and not self.is_believed()
        return self._foreign[LOCAL]

    def is_believed(self) -> bool:
        """Tell whether the user said to trust what comes with this project."""
        account = self._opened(GLOBAL, create=False) if self.roots.project else None
        return account is not None and self.roots.project is not None and trust.trusts(account, self.roots.project)

    def model(self, *, check: bool = False) -> ModelState:
        """Say which model makes the vectors and whether it is to be had; `check` also hashes its files."""
        wanted = self.settings.dense
        if wanted.provider == HERE:
            return model_state(wanted.embedding_model, check=check)
        from memory_cli.embedding import provider  # few send their texts anywhere

        return provider.state(wanted, self.session.environ, offline=self.settings.runtime.offline)

    @property
    def sending(self) -> str:
        """Say what is sent where to be embedded, empty where nothing is."""
        wanted = self.settings.dense
        if wanted.provider == HERE or not self.model().available:
            return ""
        from memory_cli.embedding import provider  # few send their texts anywhere

        return provider.chosen(wanted, self.session.environ, offline=False).said

    def embedder(self, threads: int = 0, *, hurried: bool = False) -> tuple[Embedder | None, str]:
        """Return the embedding model, loaded once a process, or nothing and the reason.

        0 threads are the setting's; hurried is for somebody who waits for an answer.
        """
        wanted = self.settings.dense
        try:
            if wanted.provider != HERE:
                from memory_cli.embedding import provider, remote  # few send their texts anywhere

                service = provider.chosen(wanted, self.session.environ, offline=self.settings.runtime.offline)
                return remote.connected(service, wanted, _cleaner(self.settings.redact), hurried=hurried), ""
            threads = threads or self.settings.runtime.threads
            return loaded(wanted.embedding_model, threads=threads), ""
        except ModelUnavailable as error:
            return None, str(error)

    def reranking(self) -> "Reranking":
        """Return the cross-encoder that settles the order of an answer, loaded once a process, or the reason."""
        from memory_cli.retrieval.rerank import Reranking

        wanted = self.settings.dense
        if not wanted.reranker_model:
            return Reranking()
        from memory_cli.embedding.reranking import loaded_reranker  # few have one

        try:
            threads = self.settings.runtime.threads
            return Reranking(loaded_reranker(wanted.reranker_model, wanted.reranker_sha256, threads=threads))
        except ModelUnavailable as error:
            return Reranking(why_not=str(error))

    def _store(self, scope: str, *, create: bool) -> Store | None:
        if scope not in self.session.scopes:
            if create:
                raise Denied(f"The {scope} memory is out of reach here, for this token or this server.")
            return None
        return self._opened(scope, create=create)

    def _opened(self, scope: str, *, create: bool) -> Store | None:
        """Return the store of a scope, whatever whoever asks may reach."""
        folder = self.roots.local_store if scope == LOCAL else self.roots.global_store
        if folder is None:
            return None
        if scope not in self._stores:
            opened = self._stack.enter_context(self._opening(folder, scope, create=create))
            if opened is None:
                return None
            self._stores[scope] = opened
        return self._stores[scope]

    def _opening(self, folder: Path, scope: str, *, create: bool) -> AbstractContextManager[Store | None]:
        def before() -> None:
            if self.session.hurried:
                raise Busy(f"The store in {folder} is not open; try again.")
            if scope == LOCAL:
                _refuse_link(folder)
            self._take_in(folder, scope)

        if self.session.kept:
            return self.session.kept.open_store(folder, scope, self.settings.storage, create=create, before=before)
        before()
        return open_store(folder, scope, self.settings.storage, create=create)

    def _take_in(self, folder: Path, scope: str) -> None:
        """Take in what an older server left in the place of this store, if it did."""
        former = self.roots.former if scope == GLOBAL else None
        if not signs.seen(folder, former):
            return
        # Hardly a start has anything to take in.
        from memory_cli.store.legacy import takeover
        from memory_cli.store.legacy.arranging import Taking

        taking = Taking(self.who, self.now, lambda text: self.redacted(text).text)
        takeover.settle(takeover.Place(folder, scope, self.settings.storage, former), taking, provenance.is_others)


@contextmanager
def open_memory(
    session: Session | None = None,
    progress: Progress = silent,
    *,
    project_root: Path | str | None = None,
    storage_root: Path | str | None = None,
    agent: str = "",
) -> Iterator[Memory]:
    """Open the memory of a session, or of a program that names its roots.

    Roots and agent are for a program without a session; what is not named is found as on the command line. A memory is
    for one thread; a session may be shared.
    """
    if session is None:
        session = make_session(
            project_root=Path(project_root) if project_root else None,
            storage_root=Path(storage_root) if storage_root else None,
            source="python",
        )
        session = replace(session, agent=agent or session.agent)
    with translated(), ExitStack() as stack:
        yield Memory(session, progress, session.clock(), stack)


def make_session(
    *,
    project_root: Path | None = None,
    storage_root: Path | None = None,
    config_file: Path | None = None,
    assignments: Sequence[str] = (),
    environ: Mapping[str, str] = os.environ,
    cwd: Path | None = None,
    source: str,
) -> Session:
    """Find roots and settings for a process whose door is source; nothing is made."""
    roots = chosen_roots(project_root=project_root, storage_root=storage_root, environ=environ, cwd=cwd)
    loaded = load(project_root=roots.project, config_file=config_file, assignments=assignments, environ=environ)
    _check_patterns(loaded)
    return Session(
        roots=roots,
        loaded=loaded,
        agent=environ.get("MEMORY_AGENT", "").strip() or source,
        device=_device(environ),
        source=source,
        environ=environ,
    )


def chosen_roots(
    *,
    project_root: Path | None = None,
    storage_root: Path | None = None,
    environ: Mapping[str, str] = os.environ,
    cwd: Path | None = None,
) -> Roots:
    """Find the roots of a process; no settings are read."""
    return find_roots(
        project_root=project_root,
        storage_root=storage_root,
        environ=environ,
        cwd=cwd or Path.cwd(),
        home=user_home(environ),
        # Not tempfile.gettempdir: importing tempfile would cost every start.
        temporary=Path(next(filter(None, map(environ.get, ("TMPDIR", "TEMP", "TMP"))), "/tmp")),  # noqa: S108
    )


def _redacted(wanted: "Redact", text: str) -> "Redacted":
    return _name_redacted(wanted, text) if len(text) <= LONGEST_NAME else _text_redacted(wanted, text)


@lru_cache(maxsize=64)
def _name_redacted(wanted: "Redact", text: str) -> "Redacted":
    """Return what a call of a server meets each time, such as who asks and through which door."""
    return _text_redacted(wanted, text)


def _text_redacted(wanted: "Redact", text: str) -> "Redacted":
    # Its patterns take longer to compile than the rest of a start, and nothing that only reads needs them.
    from memory_cli.text.redaction import Redacted, redact

    return redact(text, allow=wanted.allow, patterns=wanted.patterns) if wanted.enabled else Redacted(text, ())


def _cleaner(wanted: "Redact") -> Callable[[str], str]:
    return lambda text: _redacted(wanted, text).text


def _refuse_link(folder: Path) -> None:
    """Refuse a project's memory that its repository leads elsewhere: what is written there may be the user's own."""
    if link := provenance.link_of_others(folder / NAME):
        raise Refused(
            f"{link} is a link that came with the repository and leads to {os.readlink(link)}, so nothing is read or "
            "written there. Remove it, or take it out of the repository (`git rm --cached`) if you made it."
        )


def _check_patterns(loaded: Loaded) -> None:
    """Refuse a redaction pattern that cannot be used, before anything is opened."""
    for pattern in loaded.settings.redact.patterns:
        from memory_cli.text.redaction import check_pattern

        try:
            check_pattern(pattern)
        except UsageError as error:
            where = loaded.origin("redact.patterns").where
            raise UsageError(f"{where}: redact.patterns cannot be used. {error}") from error


def _device(environ: Mapping[str, str]) -> str:
    if named := environ.get("MEMORY_DEVICE", "").strip():
        return named
    # Not socket.gethostname: importing socket would cost every start.
    return os.uname().nodename if hasattr(os, "uname") else environ.get("COMPUTERNAME", "unknown")
