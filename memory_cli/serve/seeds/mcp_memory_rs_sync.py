"""The tools of mcp-memory-rs that tell how devices stand to each other, and bring them together."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from memory_cli.categories.canonical import missing
from memory_cli.errors import MemoryCliError, NotFound, Refused, UsageError
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.sync import Row, SyncedAll, Taken
from memory_cli.operations.category import places
from memory_cli.operations.parameters import ScopeName
from memory_cli.operations.sync import moving, sides
from memory_cli.operations.sync.manifest import manifest
from memory_cli.operations.sync.status import status
from memory_cli.parameter import Described
from memory_cli.private import write_private
from memory_cli.serve.seeds.mcp_memory_rs_sync_answers import (
    Apart,
    Compared,
    Exported,
    Leaf,
    Leaves,
    Manifested,
    Outcome,
    Pulled,
    Standing,
    Stepped,
)
from memory_cli.settings.directories import expand_home, user_home
from memory_cli.store import categories as kept
from memory_cli.store.connection import Store
from memory_cli.sync import envelope, running, settling
from memory_cli.sync.checking import checked_row
from memory_cli.sync.folder import read_plain

EVERYTHING = 1_000_000_000
# How a device that never synced calls itself, and how it is called by another that did neither.
UNSETTLED, NOBODY = "unsettled", "0" * 16
PUSH, FAMILY = "push_dirty", kept.FAMILY
Categories = Annotated[Sequence[str], Described("Only these categories; all by default.")]
Strategy = Annotated[
    Literal["", "last_write_wins", "local_wins", "remote_wins", "keep_both"],
    Described("Which of two states is kept that cannot be joined; the setting by default."),
]


def memory_status(memory: Memory) -> Standing:
    """Tell what this device holds, how many categories changed since the last sync, and when that was."""
    told = status(memory, scope=_scope(memory))
    store = next(iter(memory.stores(_scope(memory))), None)
    changed = settling.unsettled(store) if store else {}
    dirty = sum(family == FAMILY for family, _key in changed)
    remotes = ", ".join(each.address for each in told.remotes if each.address)
    last = max((each.at for each in told.remotes), default="")
    count = told.items.get(FAMILY, 0)
    return Standing(True, told.name, remotes, told.root, count, dirty, last, told.note)


def sync_manifest(memory: Memory) -> Manifested:
    """Tell all categories by hash, with a root hash over everything that syncs. Nothing is written anywhere."""
    told = manifest(memory, scope=_scope(memory), limit=EVERYTHING)
    store = next(iter(memory.stores(_scope(memory))), None)
    rows = [each for each in told.items if each.family == FAMILY]
    leaves = [_leaf(memory, store, Row(each.family, each.key, each.hash, each.vector)) for each in rows if store]
    return Manifested(True, Leaves(told.name, told.at, told.root, leaves))


def sync_diff(
    memory: Memory,
    remote_manifest_path: Annotated[str, Described("A file with what sync_manifest told on the other device.")],
) -> Compared:
    """Compare this device's manifest with one of another device, and tell what a sync would move."""
    theirs = _manifest_in(_path(memory, remote_manifest_path), memory.settings.sync.max_bytes)
    told = manifest(memory, scope=_scope(memory), limit=EVERYTHING)
    ours = [Row(each.family, each.key, each.hash, each.vector) for each in told.items if each.family == FAMILY]
    there = [_row(each) for each in theirs["categories"]]
    equal = {(each.key, each.hash) for each in ours} & {(each.key, each.hash) for each in there}
    mine, other = ([each for each in rows if (each.key, each.hash) not in equal] for rows in (ours, there))
    found = running.compared(mine, other)
    both = [row.key for row in found.both]
    pull, push = (
        [row.key for row, _hash in rows if row.key not in both] for rows in (found.there, found.here)
    )  # fmt: skip
    same = sorted({row.key for row in (*ours, *there)} - {*pull, *push, *both})
    root = str(theirs.get("merkle_root", ""))
    return Compared(
        True, told.name, str(theirs.get("device_id", "")), told.root, root, root == told.root, len(pull), len(push),
        len(both), len(same), Apart(pull, push, both, same),
    )  # fmt: skip


def sync_push(
    memory: Memory,
    export_path: Annotated[str, Described("The file to write, new or an envelope of before.")],
    categories: Categories = (),
) -> Exported:
    """Write categories into a file that sync_pull of another device takes in."""
    side = sides.side(memory, _scope(memory))
    path = _path(memory, export_path).absolute()
    rows = _named(side.rows(()), categories)
    wanted = [(*each.name, "") for each in rows]
    raw = side.export(wanted)
    try:
        write_private(_target(path, side.store, side.most), raw)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
    return Exported(True, str(path), memory.who.device, len(wanted), len(raw))


def sync_pull(
    memory: Memory,
    import_path: Annotated[str, Described("The file that sync_push of another device wrote.")],
    conflict_strategy: Strategy = "",
) -> Pulled:
    """Take in what sync_push of another device wrote; what is older than what is here changes nothing."""
    side = sides.side(memory, _scope(memory))
    side = replace(side, strategy=conflict_strategy or side.strategy)
    taken = side.take(_read(_path(memory, import_path), side.most))
    return Pulled(
        not taken.refused, taken.applied + taken.merged, len(taken.conflicts), len(taken.refused),
        Outcome(taken.conflicts, taken.refused),
    )  # fmt: skip


def memory_sync(
    memory: Memory,
    direction: Annotated[Literal["push_dirty", "pull_remote"], Described("Give what changed, or take what did.")],
    categories: Categories = (),
) -> Stepped:
    """Run one step of a sync with the remotes that are set: give them what changed here, or take what changed there."""
    if categories:
        return _some(memory, direction, categories)
    done = moving.moved(memory, "", _scope(memory), running.PUSH if direction == PUSH else running.PULL)
    return _stepped(direction, done)


def _some(memory: Memory, direction: str, names: Sequence[str]) -> Stepped:
    """Move some categories alone."""
    there = sides.peers(memory, _scope(memory))
    here = sides.side(memory, _scope(memory))
    if direction == PUSH:
        _named(here.rows(()), names)
    moved, outcome = 0, Outcome()
    for peer in there:
        apart = running.apart(here, peer)
        rows = apart.here if direction == PUSH else apart.there
        wanted = [(*row.name, has) for row, has in rows if row.family == FAMILY and row.key in names]
        if wanted:
            taken = peer.take(here.export(wanted)) if direction == PUSH else here.take(peer.export(wanted))
            moved += taken.applied + taken.merged
            outcome = _with(outcome, taken)
    pushed, pulled = (moved, 0) if direction == PUSH else (0, moved)
    return Stepped(not outcome.errors, direction, pushed, pulled, outcome)


def _named(rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Return the rows of these categories, or of all; refuse a name that there never was."""
    there = {each.key: each for each in rows if each.family == FAMILY}
    for name in names:
        if name not in there:
            raise missing(name, list(there))
    return [there[name] for name in names or there]


def _with(outcome: Outcome, taken: Taken) -> Outcome:
    return Outcome([*outcome.conflicts, *taken.conflicts], [*outcome.errors, *taken.refused])


def _stepped(direction: str, done: SyncedAll) -> Stepped:
    each = done.synced
    outcome = Outcome([told for one in each for told in one.conflicts], [told for one in each for told in one.refused])
    pushed, pulled = sum(one.pushed for one in each), sum(one.pulled for one in each)
    return Stepped(not (outcome.errors or done.failed), direction, pushed, pulled, outcome, done.failed)


def _leaf(memory: Memory, store: Store, row: Row) -> Leaf:
    one = kept.found(store, row.key)
    if one is None or not one.there:
        return Leaf(row.key, "", row.hash, row.vector)
    told = places.meta(memory, store, one)
    return Leaf(row.key, told.hash, row.hash, row.vector, told.updated_at, told.updated_by, told.version)


def _manifest_in(path: Path, most: int) -> dict[str, Any]:
    try:
        said = json.loads(_read(path, most))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON that can be read.") from error
    said = said.get("manifest", said) if isinstance(said, dict) else {}
    if not isinstance(said, dict) or not isinstance(said.get("categories"), list):
        raise UsageError(f"{path} holds no manifest, which sync_manifest tells.")
    return said


def _row(given: Any) -> Row:
    if not isinstance(given, dict):
        raise UsageError("The manifest holds what is no category.")
    said = given.get("vector")
    vector = (
        {NOBODY if device == UNSETTLED else device: said[device] for device in said} if isinstance(said, dict) else {}
    )
    return checked_row({"family": FAMILY, "key": given.get("name"), "hash": given.get("merkle_leaf"), "vector": vector})


def _path(memory: Memory, text: str) -> Path:
    try:
        whole = text.strip() and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        whole = False
    if not whole:
        raise UsageError("That is no path of a file.")
    return expand_home(text, user_home(memory.session.environ))


def _read(path: Path, most: int) -> bytes:
    try:
        return read_plain(path, most)
    except FileNotFoundError as error:
        raise NotFound(f"{path} is not there.") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error


def _target(path: Path, store: Store, most: int) -> Path:
    """Return where an envelope may be written: a new file, or in place of one of before."""
    home = store.path.parent.absolute()
    if path == home or home in path.parents:
        raise Refused(f"{path} is inside the memory itself; name a file elsewhere.")
    if not path.parent.is_dir():
        raise NotFound(f"{path.parent} is no folder that is there.")
    if path.is_symlink() or path.exists():
        try:
            envelope.opened(_read(path, most), most)
        except MemoryCliError as error:
            raise Refused(f"{path} is there and no envelope of a sync, so it was left as it is.") from error
    return path


def _scope(memory: Memory) -> ScopeName:
    return GLOBAL if GLOBAL in memory.session.scopes else LOCAL  # type: ignore[return-value]
