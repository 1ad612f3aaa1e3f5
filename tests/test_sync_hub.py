"""Devices that meet at a hub alone, and never each other."""

import pytest

from benchmarks.stores import opened, roots
from memory_cli.operations.category.history import history
from memory_cli.operations.category.read import read
from memory_cli.operations.category.write import write
from memory_cli.operations.sync.conflicts import conflicts
from memory_cli.operations.sync.sides import side
from memory_cli.sync.running import PUSH, RUN, run


@pytest.fixture
def sync(tmp_path):
    """Sync a device with the hub: sync("laptop"), or in one direction."""
    for name in ("hub", "laptop", "phone"):
        roots(tmp_path / name)

    def work(name, direction=RUN):
        with device(tmp_path, name) as mine, device(tmp_path, "hub") as hub:
            return run(side(mine, "global"), side(hub, "global"), direction=direction, batch=100)

    return work


def device(place, name):
    return opened(place / name, environ={"MEMORY_DEVICE": name})


def put(place, name, **data):
    with device(place, name) as memory:
        write(memory, "shared", data=data, merge=True)


def kept(place, name):
    with device(place, name) as memory:
        return read(memory, "shared").data


def test_a_key_that_one_device_alone_writes_is_never_set_back(sync, tmp_path):
    put(tmp_path, "laptop", laptop=0, phone=0)
    sync("laptop")
    sync("phone")
    put(tmp_path, "laptop", laptop=1)
    put(tmp_path, "phone", phone=1)
    sync("laptop", PUSH)
    # The hub joins this with what the laptop gave, and the phone does not see that before it goes on.
    sync("phone", PUSH)
    put(tmp_path, "phone", phone=2)
    sync("laptop")
    put(tmp_path, "laptop", laptop=2)
    sync("laptop")
    done = sync("phone")
    assert not done.conflicts
    sync("laptop")
    assert [kept(tmp_path, name) for name in ("hub", "laptop", "phone")] == [{"laptop": 2, "phone": 2}] * 3
    with device(tmp_path, "hub") as memory:
        assert conflicts(memory).conflicts == []


def test_what_was_joined_is_a_version_beside_what_it_was_joined_to(sync, tmp_path):
    put(tmp_path, "laptop", a=0)
    sync("laptop")
    sync("phone")
    put(tmp_path, "laptop", b=1)
    put(tmp_path, "phone", c=1)
    sync("laptop", PUSH)
    sync("phone", PUSH)
    with device(tmp_path, "hub") as memory:
        versions = history(memory, "shared").versions
        texts = [read(memory, "shared", version=each.version).data for each in versions]
    assert texts == [{"a": 0, "b": 1, "c": 1}, {"a": 0, "c": 1}, {"a": 0, "b": 1}, {"a": 0}]
    assert versions[1].device == "phone"
