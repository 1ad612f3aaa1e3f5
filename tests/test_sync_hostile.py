"""Envelopes that somebody made to do harm: each thing that is none is named, and nothing of it is stored."""

import copy
import gzip
import json
import random
from hashlib import sha256

import pytest

from benchmarks.stores import opened, roots
from memory_cli.errors import MemoryCliError
from memory_cli.operations.category.append import append
from memory_cli.operations.category.write import write
from memory_cli.operations.link import link
from memory_cli.operations.record import record
from memory_cli.operations.sync.sides import side
from memory_cli.store import checks
from memory_cli.sync.contents import hash_of

THERE = "0" * 16
ODD = [
    None, True, -1, 1, 1.5, 2**53, 2**63, 10**30, 10**18, -(10**18), 1e300, "", "a", "a\0", "\ud800", "../x", "x" * 500,
    "HANDOFF", [], {}, [1], {"a": 1}, [["a", "b", []]], [[1, 2, 3]], [None], {THERE: 1}, {THERE: 2**60}, "0" * 64,
    [{"maker": THERE, "number": 1, "at": 1, "agent": "a", "device": "b", "body": "["}],
]  # fmt: skip


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    """The first line of an envelope, and the things in it."""
    place = tmp_path_factory.mktemp("sender")
    roots(place)
    with opened(place) as memory:
        tea = record(memory, "Tea is drunk.", scope="global", tag=["x"], meta={"n": 1})
        rule = record(memory, "Kettles are descaled.", kind="RULE", scope="global", expires="7d")
        link(memory, tea.id, rule.id, type="supports")
        write(memory, "base", data={"a": 1, "b": [1, {"c": None}]})
        append(memory, "journal", data={"x": 1})
        mine = side(memory, "global")
        raw = mine.export([(*row.name, "") for row in mine.rows(())])
    head, *lines = gzip.decompress(raw).splitlines()
    return json.loads(head), [json.loads(each) for each in lines]


@pytest.fixture
def take(sent, tmp_path):
    roots(tmp_path)

    def run(things):
        body = "".join(f"{json.dumps(each)}\n" for each in things).encode()
        head = {**sent[0], "count": len(things), "sha256": sha256(body).hexdigest()}
        with opened(tmp_path) as memory:
            return side(memory, "global").take(gzip.compress(json.dumps(head).encode() + b"\n" + body))

    return run


def paths(value, path=()):
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in pairs:
        yield from paths(each, (*path, key))


def bent(thing, path, new):
    """Return a thing with something else at a path, and with the hash of what it holds then."""
    thing = copy.deepcopy(thing)
    inner = thing
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = copy.deepcopy(new)
    if isinstance(thing.get("content"), dict):
        thing["hash"] = hash_of(thing["content"])
    return thing


@pytest.mark.parametrize("family, path, new, says", [
    ("link", ("content",), "text", "object"),
    ("link", ("content", "score"), 10**30, "score"),
    ("link", ("content", "agent"), "\ud800", "surrogate"),
    ("link", ("content", "at"), 10**18, "calendar"),
    ("statement", ("content", "at"), 10**18, "calendar"),
    ("statement", ("content", "text"), "a\0", "NUL"),
    ("statement", ("content", "metadata"), {"a": "\ud800"}, "surrogate"),
    ("statement", ("content", "kind"), "no kind", "kind"),
    ("statement", ("vector",), {THERE: 2**60}, "vector"),
    ("category", ("key",), "../x", "../x"),
    ("category", ("key",), ".hidden", "hidden"),
    ("category", ("about", "at"), 10**18, "calendar"),
    ("category", ("about", "reason"), "\ud800", "surrogate"),
    ("category", ("about", "device"), {"a": 1}, "device"),
])  # fmt: skip
def test_a_thing_that_is_none_is_named_and_the_rest_lands(sent, take, family, path, new, says):
    things = sent[1]
    odd = next(place for place, each in enumerate(things) if each["family"] == family)
    taken = take([bent(each, path, new) if place == odd else each for place, each in enumerate(things)])
    assert says in " ".join(each.why + each.key for each in taken.refused)
    assert taken.applied >= len(things) - 2


def test_whatever_is_sent_there_is_no_traceback_and_the_store_is_whole(sent, take, tmp_path):
    chance = random.Random(7)
    for number in range(250):
        things = copy.deepcopy(chance.sample(sent[1], chance.randint(1, 3)))
        for place, each in enumerate(things):
            spots = [path for path in paths(each) if path]
            things[place] = bent(each, chance.choice(spots), chance.choice(ODD))
            if chance.random() < 0.5:
                things[place]["vector"] = {THERE: number + 1}
        try:
            take(things)
        except MemoryCliError:
            continue
    with opened(tmp_path) as memory:
        assert checks.problems(memory.store("global")) == []
