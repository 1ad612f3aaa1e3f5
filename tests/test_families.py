"""The history speaks of more than statements, and takes all of it back."""

import json
import sqlite3

import pytest

from benchmarks.stores import opened, roots
from memory_cli.errors import Refused, UsageError
from memory_cli.models.history import Item
from memory_cli.operations import chronicles
from memory_cli.operations.history import history
from memory_cli.operations.record import record
from memory_cli.operations.undo import undo
from memory_cli.store import journal
from memory_cli.store.families import FAMILIES, Family
from memory_cli.store.history import knows
from memory_cli.store.schema import MIGRATIONS


def value(store, name):
    row = store.db.execute("select value from counter where name = ?", (name,)).fetchone()
    return {"value": row["value"]} if row else None


def put(made, name, new):
    """Give a counter a value as part of a change, or take the counter away."""
    before = value(made.store, name)
    made.store.db.execute("delete from counter where name = ?", (name,))
    if new:
        made.store.db.execute("insert into counter (name, value) values (?, ?)", (name, new["value"]))
    effect = "remove" if not new else "change" if before else "add"
    made.items.append(Item(name, effect, before, "counter"))


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A project where a family of counters is kept in the history."""
    roots(tmp_path)
    counters = Family("Counter", value, lambda made, item: put(made, item.statement, item.before), ("value",))
    monkeypatch.setitem(FAMILIES, "counter", counters)
    return tmp_path


def counted(memory, name, number):
    with journal.writing(memory.store("local"), "count", memory.who, memory.now) as made:
        put(made, name, number and {"value": number})


def test_a_family_is_told_of_and_taken_back(place):
    with opened(place) as memory:
        for number in (3, 4, None):
            counted(memory, "tea", number)
        told = [
            (each.effect, dict(each.before), dict(each.after)) for one in history(memory).changes for each in one.items
        ]
        assert told == [
            ("remove", {"value": 4}, {}), ("change", {"value": 3}, {"value": 4}), ("add", {}, {"value": 3}),
        ]  # fmt: skip
        for left in ({"value": 4}, {"value": 3}, None):
            undo(memory)
            assert value(memory.store("local"), "tea") == left


def test_a_newer_change_in_the_way_is_named_with_the_family(place):
    with opened(place) as memory:
        counted(memory, "tea", 3)
        counted(memory, "tea", 4)
        with pytest.raises(Refused, match=r"^Counter tea was changed again by change local:2; undo that one first\.$"):
            undo(memory, "local:1")


def test_a_thing_and_a_statement_of_one_name_are_kept_apart(place):
    with opened(place) as memory:
        counted(memory, "tea", 3)
        store = memory.store("local")
        assert (knows(store, "tea"), knows(store, "tea", "counter")) == (False, True)
        record(memory, "green tea cools", id="tea")
        assert [each.operation for each in history(memory, "tea").changes] == ["record"]
        undo(memory, "tea")
        assert value(store, "tea") == {"value": 3}


def test_an_export_carries_the_family_and_one_that_is_not_known_is_refused(place, monkeypatch):
    with opened(place) as memory:
        counted(memory, "tea", 3)
        counted(memory, "tea", 4)
        lines = list(map(json.loads, chronicles.lines(memory.store("local"))))
        assert lines[1]["items"] == [
            {"statement": "tea", "family": "counter", "effect": "change", "before": {"value": 3}}
        ]
        assert chronicles.entry(memory, lines[1]).items == (Item("tea", "change", {"value": 3}, "counter"),)
        monkeypatch.delitem(FAMILIES, "counter")
        with pytest.raises(UsageError, match="'counter', which is not known here"):
            chronicles.entry(memory, lines[1])


def test_a_history_from_before_there_were_families_is_one_of_statements():
    with sqlite3.connect(":memory:") as db:
        MIGRATIONS[0](db)
        db.execute("insert into device (name) values ('desk')")
        db.execute("insert into change values (1, 0, 'record', 'cli', 1, 1, null)")
        db.execute("insert into change_item values (1, 0, 'tea', 'add', null)")
        for step in MIGRATIONS[1:]:
            step(db)
        assert db.execute("select family from change_item").fetchall() == [("statement",)]
    db.close()
