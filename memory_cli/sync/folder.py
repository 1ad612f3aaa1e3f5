"""A plain folder that carries a sync: each device writes what it has under its own id and reads what others wrote."""

import json
import os
import re
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from memory_cli.errors import MemoryCliError, Refused, UsageError
from memory_cli.models.frozen import replace
from memory_cli.models.sync import Row, Synced, Taken, Told
from memory_cli.private import make_folders, write_private
from memory_cli.store import sync
from memory_cli.sync import envelope, taking
from memory_cli.sync.checking import DEVICE
from memory_cli.sync.envelope import Envelope
from memory_cli.sync.exchange import Side, buckets_of

FORMAT, VERSION = "memory-sync-folder", 1
MANIFEST = "manifest.json"
FILE = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}\.gz")
# A manifest has a line for each of at most 256 buckets.
LARGEST_MANIFEST = 1 << 20
BATCH = 500


class Carrier:
    """One sync through a folder, in which each device has a folder of its own that no other writes into."""

    def __init__(self, mine: Side, folder: Path) -> None:
        self.mine, self.folder = mine, folder
        self.notes: list[str] = []
        self.taken: list[Taken] = []
        self.bytes = 0

    def run(self) -> Synced:
        """Take what others left here, then leave what is here now."""
        make_folders(self.folder)
        self.mine.rows(())
        own = sync.device(self.mine.store)
        equal = True
        for each in self._others(own):
            equal = self._take_from(each) and equal
        pushed = self._left(self.folder / own)
        found = self.mine.digest()
        self.mine.note(found, str(self.folder))
        conflicts: list[Told] = [told for each in self.taken for told in each.conflicts]
        refused: list[Told] = [told for each in self.taken for told in each.refused]
        return Synced(
            str(self.folder), sum(each.applied + each.merged for each in self.taken), pushed,
            sum(each.merged for each in self.taken), self.bytes, equal and not refused, found.root, conflicts, refused,
            self.notes,
        )  # fmt: skip

    def _others(self, own: str) -> list[Path]:
        found = []
        for each in sorted(self.folder.iterdir()):
            if not DEVICE.fullmatch(each.name) or each.name == own:
                continue
            if each.is_symlink() or not each.is_dir():
                self.notes.append(f"{each} is no folder of a device; it was passed over.")
            else:
                found.append(each)
        return found

    def _take_from(self, folder: Path) -> bool:
        """Take in what another device left; tell whether all of it could be read."""
        try:
            said = manifest(folder)
        except (MemoryCliError, OSError) as error:
            self.notes.append(f"{folder.name}: {error}")
            return False
        whole = True
        found: list[Envelope] = []
        ours = self.mine.digest().buckets
        for bucket, there in said["buckets"].items():
            if ours.get(bucket) == there["rows"]:
                continue
            try:
                raw = read(folder / there["file"], self.mine.most)
                found.append(envelope.opened(raw, self.mine.most))
                self.bytes += len(raw)
            except (UsageError, Refused, OSError) as error:
                self.notes.append(f"{folder.name}: {error} It is tried again at the next sync.")
                whole = False
        self._take(found)
        return whole

    def _take(self, found: Sequence[Envelope]) -> None:
        """Take in what was read, a batch at a time, in the order in which it was written and not in that of buckets."""
        parcels = taking.in_order((one for each in found for one in each.parcels), self.mine.store)
        for start in range(0, len(parcels), BATCH):
            batch = replace(found[0], parcels=parcels[start : start + BATCH], broken=[])
            self.taken.append(self.mine.take_opened(batch))
        self.taken += [Taken(refused=[Told(*one) for one in each.broken]) for each in found]

    def _left(self, folder: Path) -> int:
        try:
            return self._leave(folder)
        except OSError as error:
            raise MemoryCliError(
                f"{folder} cannot be written ({error.strerror or error}), so the others do not get what is here; what "
                "they left was taken in."
            ) from error

    def _leave(self, folder: Path) -> int:
        """Write the buckets that are not as they were, the manifest, and remove what it names no more."""
        make_folders(folder)
        before = _manifest_or_none(folder)
        digest = self.mine.digest()
        rows: dict[str, list[Row]] = defaultdict(list)
        for each in self.mine.rows(()):
            rows[sync.bucket_of(*each.name)].append(each)
        buckets = {}
        written = 0
        for bucket, hash in buckets_of([one for found in rows.values() for one in found]).items():
            known = before.get(bucket)
            if known and known["rows"] == hash and self._is_whole(folder / known["file"]):
                buckets[bucket] = known
                continue
            raw = self.mine.export([(*each.name, "") for each in rows[bucket]])
            name = f"{bucket}-{sha256(raw).hexdigest()[:32]}.gz"
            write_private(folder / name, raw)
            buckets[bucket] = {"rows": hash, "file": name}
            written += len(rows[bucket])
            self.bytes += len(raw)
        said = {
            "format": FORMAT, "version": VERSION, "device": digest.device, "name": digest.name, "root": digest.root,
            "buckets": buckets,
        }  # fmt: skip
        write_private(folder / MANIFEST, json.dumps(said, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
        named = {each["file"] for each in buckets.values()}
        for old in folder.glob("*.gz"):
            if old.name not in named and (old.is_symlink() or not old.is_dir()):
                old.unlink(missing_ok=True)
        return written

    def _is_whole(self, path: Path) -> bool:
        """Tell whether what was left here is as it was written, whatever carried it since."""
        try:
            read(path, self.mine.most)
        except (UsageError, OSError):
            return False
        return True


def manifest(folder: Path) -> dict[str, Any]:
    """Return what a device says that it left, or say what is wrong with it."""
    path = folder / MANIFEST
    try:
        said = json.loads(read_plain(path, LARGEST_MANIFEST))
    except FileNotFoundError as error:
        raise UsageError(f"{path} is not there; the folder is not whole yet.") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON, or not whole yet.") from error
    if not isinstance(said, dict) or said.get("format") != FORMAT or said.get("version") != VERSION:
        raise UsageError(f"{path} is none of this version; update the older of the two programs.")
    buckets = said.get("buckets")
    if not isinstance(buckets, dict) or not all(_is_bucket(name, each) for name, each in buckets.items()):
        raise UsageError(f"{path} is damaged.")
    return said


def read(path: Path, most: int) -> bytes:
    """Return an envelope that is whole, which its name tells."""
    try:
        raw = read_plain(path, most)
    except FileNotFoundError as error:
        raise UsageError(f"{path.name} is not there yet.") from error
    if sha256(raw).hexdigest()[:32] != path.stem.partition("-")[2]:
        raise UsageError(f"{path.name} is not whole.")
    return raw


def read_plain(path: Path, most: int) -> bytes:
    """Return the bytes of a file that is no link, and not larger than it may be."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(handle, "rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise UsageError(f"{path.name} is larger than {most:,} bytes; sync.max_bytes is the limit.")
    return raw


def _manifest_or_none(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = manifest(folder)["buckets"]
    except (MemoryCliError, OSError):
        # Whatever was there, it is written anew.
        return {}
    return found


def _is_bucket(name: str, said: Any) -> bool:
    if not isinstance(said, dict) or not isinstance(said.get("rows"), str) or not isinstance(said.get("file"), str):
        return False
    return FILE.fullmatch(said["file"]) is not None and said["file"].partition("-")[0] == name
