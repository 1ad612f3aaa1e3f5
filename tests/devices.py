"""Machines of somebody who has several, and what a stranger leaves in the folder that they share."""

import json
from hashlib import sha256

from typer.testing import CliRunner

from benchmarks.stores import roots
from memory_cli.cli.app import app
from memory_cli.models.sync import Parcel, Row
from memory_cli.sync import envelope
from memory_cli.sync.contents import hash_of

STRANGER = "ab" * 8
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
PLAIN = {"kind": "memory", "text": "{}"}
SAID = {
    "kind": "ITEM",
    "at": 1,
    "updated_at": 1,
    "expires_at": None,
    "metadata": {},
    "superseded": False,
    "aliases": [],
}


TOLD = {**SAID, "text": "told words", "origins": [["eve", "chat", []]]}


class Answer(dict):
    """An answer as JSON, which leaves out what is empty, 0 or false."""

    def __missing__(self, name):
        return ()


class Device:
    """One of the machines of somebody who has several."""

    def __init__(self, place, name, carried):
        self.place, self.name, self.carried = place, name, carried
        self.flags = roots(place)

    def run(self, *argv, code=0):
        done = CliRunner().invoke(
            app, [*self.flags, *argv, "-o", "json"], env={"MEMORY_DEVICE": self.name}, prog_name="memory"
        )
        assert not isinstance(done.exception, Exception), done.exception
        assert done.exit_code == code, done.output
        self.said = done.stderr
        return json.loads(done.stdout, object_hook=Answer) if done.stdout else done.stderr

    def record(self, text, *argv):
        return self.run("record", text, "--scope", "global", *argv)["id"]

    def write(self, name, data, *argv, **kwargs):
        return self.run("category", "write", name, json.dumps(data), *argv, **kwargs)

    def read(self, name, **kwargs):
        return self.run("category", "read", name, **kwargs)["data"]

    def sync(self, *argv, code=0):
        return self.run("sync", "folder", str(self.carried), *argv, code=code)

    def texts(self):
        return sorted(each["text"] for each in self.run("list", "--scope", "global", "--limit", "100")["units"])

    def lost(self, scope="global"):
        return [each["lost"] for each in self.run("sync", "conflicts", "--scope", scope)["conflicts"]]


def around(*devices):
    """Sync one after the other until each has seen what every other has."""
    for each in (*devices, *devices):
        each.sync()


def said(text, **more):
    return {**SAID, "text": text, "origins": [["eve", "chat", []]], **more}


def parcel(key, content, *, hash="", family="statement"):
    return Parcel(Row(family, key, hash or hash_of(content), {STRANGER: 1}), content)


def leave(carried, *parcels, raw=b""):
    """Leave an envelope in the folder as another device would."""
    raw = raw or envelope.packed(STRANGER, "eve", parcels)
    place = carried / STRANGER
    place.mkdir(parents=True, exist_ok=True)
    name = f"00-{sha256(raw).hexdigest()[:32]}.gz"
    (place / name).write_bytes(raw)
    told = {"format": "memory-sync-folder", "version": 1, "device": STRANGER, "name": "eve", "root": "",
            "buckets": {"00": {"rows": "other", "file": name}}}  # fmt: skip
    (place / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    return place / name
