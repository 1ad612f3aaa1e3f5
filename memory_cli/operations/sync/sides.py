"""The two sides of a sync: this store as the settings and the rules of access want it, and the remotes."""

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

from memory_cli.categories import access, files
from memory_cli.categories.canonical import document_of, text_of
from memory_cli.errors import NotFound, Refused, UsageError
from memory_cli.memory import GLOBAL, Memory
from memory_cli.models.categories import LOG
from memory_cli.operations import parameters as given
from memory_cli.operations.category import places
from memory_cli.operations.intake import Cleaner
from memory_cli.parameter import Described
from memory_cli.store import categories, links
from memory_cli.store.connection import Store
from memory_cli.store.families import STATEMENT
from memory_cli.sync.contents import Content
from memory_cli.sync.exchange import Peer, Side
from memory_cli.sync.taking import ABOUT

Scope = Annotated[given.ScopeName, Described("local: this project; global: the account, by default.")]
RemoteName = Annotated[str, Described("A remote of sync.remotes; all of them by default.")]
TOKEN = "MEMORY_SYNC_TOKEN"  # noqa: S105 - the name of a variable


def side(memory: Memory, scope: str) -> Side:
    """Return this side: the store of a scope, made when there is none, with what somebody did to its files."""
    store = memory.store(scope or GLOBAL)
    require_own(memory, store)
    notice_files(memory, store)
    wanted = memory.settings.sync
    return Side(
        store, memory.who, memory.session.clock, wanted.conflict_strategy, wanted.max_bytes,
        fit=lambda family, content: fit(memory, family, content), may=lambda name, device: may(memory, name, device),
        took=lambda names: place_files(memory, store, names),
    )  # fmt: skip


def require_own(memory: Memory, store: Store) -> None:
    """Refuse to sync a memory that came with a clone."""
    if memory.is_foreign(store.scope):
        raise Refused("This project's memory is somebody else's and is not synced; `memory trust` makes it yours.")


def notice_files(memory: Memory, store: Store) -> None:
    """Take in what somebody did to the files of categories, so that it syncs, too."""
    known = {each.name for each in categories.everything(store)}
    for name in sorted(known | set(files.named(store))):
        places.look(memory, store, name)


def place_files(memory: Memory, store: Store, names: Collection[str]) -> None:
    """Give categories that came in their files, which otherwise waited for a reader."""
    for name in sorted(names):
        places.look(memory, store, name)


def fit(memory: Memory, family: str, content: Content) -> Content:
    """Return what came from elsewhere as it may be stored: no longer than it may be, its secrets blotted out."""
    if family == ABOUT:
        return {name: memory.redacted(each).text if isinstance(each, str) else each for name, each in content.items()}
    clean = Cleaner(memory)
    if family == STATEMENT:
        return {
            **content,
            "text": clean.text(content["text"]),
            "metadata": clean.metadata(content["metadata"]),
            "origins": [
                [clean.text(agent, "agent"), clean.text(source, "source"), list(clean.names(tags, "tag"))]
                for agent, source, tags in content["origins"]
            ],
        }
    if family == links.FAMILY:
        return {**content, "agent": memory.redacted(content["agent"]).text}
    if content["kind"] == LOG:
        return {**content, "entries": [{**each, "body": _body(clean, each["body"])} for each in content["entries"]]}
    return {**content, "text": clean.text(text_of(clean.metadata(document_of(content["text"], "its text"))))}


def may(memory: Memory, name: str, device: str) -> None:
    """Refuse a category that whoever sent it, or the device that wrote it, may not write."""
    if memory.session.bearer:
        places.require(memory, name)
    else:
        writer = device or memory.settings.acl.device_name or memory.session.device
        access.require(memory.settings.acl, name, device=writer, agent="", bearer=writer)


def remotes(memory: Memory) -> dict[str, str]:
    """Return the address of each remote by its name."""
    found = {}
    for each in memory.settings.sync.remotes:
        name, _, address = each.partition("=")
        if not name.strip() or not address.strip().startswith(("http://", "https://")):
            where = memory.session.loaded.origin("sync.remotes").where
            raise UsageError(f"{where}: sync.remotes holds {each!r}, which is not NAME=ADDRESS with http or https.")
        found[name.strip()] = address.strip().rstrip("/")
    return found


def peers(memory: Memory, scope: str, remote: str = "") -> list[Peer]:
    """Return the remotes that are meant; nothing is sent before somebody asks one."""
    there = remotes(memory)
    if not there:
        raise UsageError(
            "There is no remote. `memory config set sync.remotes desk=https://desk.example.org` names one, and `memory "
            "sync folder DIR` needs none."
        )
    if remote and remote not in there:
        raise NotFound(f"There is no remote {remote}; there is {', '.join(there)}.")
    if memory.settings.runtime.offline:
        raise Refused("runtime.offline is set, so nothing is synced over HTTP; `memory sync folder DIR` needs no net.")
    from memory_cli.sync.http_peer import HttpPeer  # few sync, and it takes an HTTP library along

    secret, wanted = _token(memory), memory.settings.sync
    return [
        HttpPeer(name, address, secret, scope or GLOBAL, timeout_ms=wanted.timeout_ms, most=wanted.max_bytes)
        for name, address in there.items()
        if remote in ("", name)
    ]


def _token(memory: Memory) -> str:
    wanted = memory.settings.sync
    variable = wanted.token_variable or TOKEN
    if wanted.token_file:
        return _secret_in(Path(wanted.token_file).expanduser())
    if secret := memory.session.environ.get(variable, "").strip():
        return secret
    raise UsageError(
        f"There is no token for the remotes: `memory token add NAME` at the remote shows one; put it into {variable}, "
        "or into a file of mode 0600 that sync.token_file names."
    )


def _secret_in(path: Path) -> str:
    try:
        if os.name != "nt" and path.stat().st_mode & 0o077:
            raise Refused(f"{path} can be read by others; `chmod 600 {path}` makes it yours.")
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"sync.token_file: {path} cannot be read ({error}).") from error


def _body(clean: Cleaner, body: str) -> str:
    found: Mapping[str, Any] = clean.metadata({"entry": json.loads(body)})
    return json.dumps(found["entry"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
