"""The one form in which things travel: packed lines of JSON, verified by hash before anything is touched."""

import gzip
import json
import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

from memory_cli.errors import Refused, UsageError
from memory_cli.models.frozen import Frozen
from memory_cli.models.sync import Parcel
from memory_cli.sync.checking import checked_about, checked_row

FORMAT, VERSION = "memory-sync", 1


class TooMuch(UsageError):
    """An envelope is larger than a side takes; fewer things at a time may do."""


class Envelope(Frozen):
    """What was sent: by which device, and the things; those that are no things are named in `broken`."""

    device: str
    name: str
    parcels: list[Parcel]
    broken: list[tuple[str, str, str]]


def packed(device: str, name: str, parcels: Iterable[Parcel]) -> bytes:
    """Return things as they travel; the same things make the same bytes."""
    lines = [_line(each) for each in parcels]
    body = "".join(f"{each}\n" for each in lines).encode("utf-8", "surrogatepass")
    header = {
        "format": FORMAT, "version": VERSION, "device": device, "name": name, "count": len(lines),
        "sha256": sha256(body).hexdigest(),
    }  # fmt: skip
    return gzip.compress(json.dumps(header, ensure_ascii=False).encode() + b"\n" + body, mtime=0)


def opened(raw: bytes, most: int) -> Envelope:
    """Return what an envelope holds, or refuse it whole; unpacked it may have so many bytes."""
    head, _, body = _unpacked(raw, most).partition(b"\n")
    header = _json(head, "its first line")
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise UsageError("This is no envelope of a sync; nothing was taken from it.")
    if header.get("version") != VERSION:
        raise Refused(
            f"The envelope is of version {header.get('version')!r} and this program reads {VERSION}; update it."
        )
    if sha256(body).hexdigest() != header.get("sha256"):
        raise UsageError("The envelope was damaged on its way (its hash is another); nothing was taken from it.")
    lines = body.splitlines()
    if header.get("count") != len(lines):
        raise UsageError("The envelope lacks a part of what it names; nothing was taken from it.")
    parcels, broken = _read(lines)
    return Envelope(_text(header, "device"), _text(header, "name"), parcels, broken)


def _read(lines: Sequence[bytes]) -> tuple[list[Parcel], list[tuple[str, str, str]]]:
    parcels, broken = [], []
    for line in lines:
        read: Any = None
        try:
            read = _json(line, "a line")
            parcels.append(Parcel(checked_row(read), read.get("content"), checked_about(read.get("about", {}))))
        except (UsageError, Refused) as error:
            names = read if isinstance(read, dict) else {}
            broken.append((str(names.get("family", "?"))[:40], str(names.get("key", "?"))[:140], str(error)))
    return parcels, broken


def _line(one: Parcel) -> str:
    row = one.row
    line: dict[str, Any] = {"family": row.family, "key": row.key, "hash": row.hash, "vector": dict(row.vector)}
    line |= {"content": one.content} if one.content is not None else {}
    line |= {"about": dict(one.about)} if one.about else {}
    return json.dumps(line, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _unpacked(raw: bytes, most: int) -> bytes:
    """Unpack no more than may be: a small envelope can hold any number of zeros."""
    packer = zlib.decompressobj(wbits=31)
    try:
        found = packer.decompress(raw, most + 1)
    except zlib.error as error:
        raise UsageError(f"The envelope cannot be unpacked ({error}); nothing was taken from it.") from error
    if len(found) > most:
        raise TooMuch(f"The envelope holds more than {most:,} bytes; sync.max_bytes is the limit.")
    if not packer.eof or packer.unused_data:
        raise UsageError("The envelope is cut off, or something follows it; nothing was taken from it.")
    return found


def _json(line: bytes, what: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"Of an envelope {what} is not JSON: {error}.") from error


def _text(header: dict[str, Any], name: str) -> str:
    value = header.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= 256:
        raise UsageError(f"The envelope does not say its {name}; nothing was taken from it.")
    return value
