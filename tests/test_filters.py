"""One set of filters, in every operation that selects and in every leg of a recall, and nothing else comes through."""

import json
import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from benchmarks.stores import Letters, opened, roots
from memory_cli.memory import LOCAL
from memory_cli.models.statement import Filters
from memory_cli.operations import parameters, shown
from memory_cli.operations.context import context
from memory_cli.operations.export import export
from memory_cli.operations.forget import forget
from memory_cli.operations.import_ import import_
from memory_cli.operations.list_ import list_
from memory_cli.operations.pending import embed_batches
from memory_cli.operations.record import record
from memory_cli.operations.stats import stats
from memory_cli.retrieval.search import search
from memory_cli.store.filters import effective
from memory_cli.surface import OPERATIONS
from tests.doors import by_client, by_command_line

FILTERING = ("recall", "list", "forget", "stats")
FILTERS = {"kind", "scope", "agent", "source", "tag", "meta", "since", "until", "include_expired", "superseded"}
SUBJECTS = ["deploys need two reviews", "tea cools in the green pot", "port 8080 serves the api", "we cache sessions"]


def test_every_operation_that_selects_has_the_same_filters(memory):
    for each in (each for each in OPERATIONS if each.command in FILTERING):
        assert {parameter.name for parameter in each.parameters()} >= FILTERS, each.command
    told = memory("export", "--help").stdout
    assert all(f"--{name.replace('_', '-')}" in told for name in FILTERS)


def planted(folder, project="project"):
    """Plant each subject under every agent, source, tag, kind, scope and age; what is asked for is one in many."""
    line = 0
    with opened(folder, project=project) as memory:
        for scope in ("local", "global"):
            lines = []
            for agent, source, tag, kind in COMBINATIONS:
                line += 1
                text = f"{SUBJECTS[line % 4]} {project} {scope} {agent} {source} {tag} {kind} {line}"
                lines.append(
                    {"text": text, "agent": agent, "source": source, "tags": [tag], "kind": kind,
                     "at": f"2026-0{1 + line % 9}-15T12:00:00Z", "metadata": {"n": line % 3},
                     "superseded": line % 5 == 0} | ({"expires_at": "2020-01-01"} if line % 7 == 0 else {})
                )  # fmt: skip
            if scope == "local" or project == "project":
                assert not import_(memory, map(json.dumps, lines), scope=scope).failed
        for store in memory.stores():
            embed_batches(memory, store, Letters(), most=10_000)


COMBINATIONS = [
    (agent, source, tag, kind)
    for agent in ("ann", "bob", "cy")
    for source in ("chat", "notes.md")
    for tag in ("red", "green", "blue")
    for kind in ("FACT", "RULE", "PLAN")
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filters")
    roots(folder)
    (folder / "other/.git").mkdir(parents=True)
    planted(folder)
    planted(folder, project="other")
    return folder


def chosen(chance):
    """Return a random set of filters, in the words of the operations."""
    every = {
        "kind": [chance.choice(["FACT", "rule", "Plan"])],
        "scope": chance.choice(["local", "global"]),
        "agent": [chance.choice(["ann", "BOB", "cy"])],
        "source": [chance.choice(["chat", "notes.md"])],
        "tag": [chance.choice(["red", "#green", "blue"])],
        "meta": {"n": chance.randrange(3)},
        "since": f"2026-0{chance.randrange(1, 5)}",
        "until": f"2026-0{chance.randrange(5, 9)}",
        "superseded": chance.random() < 0.5,
        "include_expired": True,
    }
    return {name: every[name] for name in chance.sample(sorted(every), chance.randrange(1, 4))}


def passes(given, unit):
    """Tell whether a shown statement is what the filters ask for; written without a look at how they work."""
    month = unit.at[:7]
    return (
        " project " in unit.text
        and unit.kind == given.get("kind", [unit.kind])[0].upper()
        and unit.scope == given.get("scope", unit.scope)
        and given.get("agent", unit.agents)[0].lower() in unit.agents
        and given.get("source", unit.sources)[0] in unit.sources
        and given.get("tag", unit.tags)[0].removeprefix("#") in unit.tags
        and unit.metadata.get("n", 0) == given.get("meta", {"n": unit.metadata.get("n", 0)})["n"]
        and given.get("since", month) <= month <= given.get("until", month)
        and unit.superseded == given.get("superseded", unit.superseded)
        and (given.get("include_expired", False) or not unit.expires_at)
    )


def found(memory, query, given, leg):
    """Return what one leg, or both, find for a query, whatever its likeness."""
    scope, asked = given.get("scope", ""), {name: value for name, value in given.items() if name != "scope"}
    if leg == "meaning":
        query = "zzzz qqqq"
    answer = search(
        memory.stores(scope), query, parameters.filters(memory, **asked), settings=memory.settings,
        embedder=None if leg == "words" else Letters(), why_not="", limit=1000,
    )  # fmt: skip
    return [shown.unit(memory, hit.statement) for hit in answer.hits], answer.collapsed


LOOSE = [f"retrieval.{name}=0" for name in ("floor", "floor_words", "floor_alone", "least_meaning", "relative_margin")]


def test_five_hundred_questions_through_every_leg_bring_nothing_that_was_not_asked_for(place):
    chance, counted = random.Random(17), dict.fromkeys(("words", "meaning", "both"), 0)
    for number in range(500):
        leg, given, query = [*counted][number % 3], chosen(chance), chance.choice(SUBJECTS)
        with opened(place, assignments=LOOSE) as memory:
            units, collapsed = found(memory, query, given, leg)
            everything = list_(memory, **given, limit=1000, budget=0).units
        counted[leg] += len(units)
        assert [each.text for each in units if not passes(given, each)] == []
        assert {each.id for each in units} | {each.id for each in collapsed} <= {each.id for each in everything}
    assert min(counted.values()) > 1000, counted


def test_list_stats_export_and_forget_select_the_same(place, tmp_path):
    chance = random.Random(23)
    for number in range(60):
        given = chosen(chance) | {"include_expired": number % 2 == 0}
        with opened(place) as memory:
            units = list_(memory, **given, limit=1000, budget=0).units
            whole = list_(memory, limit=1000, include_expired=True, budget=0).units
            assert stats(memory, **given).total == len(units) == sum(passes(given, each) for each in whole)
            assert export(memory, **given, format="jsonl", to=str(tmp_path / "out")).statements == len(units)
            if len(given) > 2 and units:
                assert forget(memory, **given).matched == len(units)


def test_context_shows_neither_another_project_nor_what_expired_or_is_superseded(place):
    for query in ("", *SUBJECTS):
        with opened(place) as memory:
            units = context(memory, query, budget=0).units
            current = {each.id for each in list_(memory, superseded=False, limit=1000, budget=0).units}
        assert units and {each.id for each in units} <= current
        assert all(" project " in each.text for each in units)


@pytest.mark.parametrize("leg", ["words", "meaning", "both"])
def test_a_narrow_window_of_a_large_store_still_fills_its_answer(leg, tmp_path):
    roots(tmp_path)
    lines = [{"text": f"tea cools in the green pot {number}", "agent": "many"} for number in range(3000)]
    lines += [{"text": f"the pot stands {number} steps from tea", "agent": "one"} for number in range(5)]
    with opened(tmp_path, assignments=LOOSE) as memory:
        import_(memory, map(json.dumps, lines))
        for store in memory.stores():
            embed_batches(memory, store, Letters(), most=10_000)
        units, _collapsed = found(memory, "tea cools in the green pot", {"agent": ["one"]}, leg)
    assert len(units) == 5


@pytest.mark.parametrize(
    "given",
    [["--knd", "fact"], ["--tag", ""], ["--kind", "no kind"], ["--since", "yesterdy"], ["--scope", "here"],
     ["--agent", " "], ["--meta", "n"], ["--tag", "nothing-such"], ["--agent", "an"], ["--source", "cl"]],
)  # fmt: skip
def test_a_filter_that_is_misspelt_or_matches_nothing_forgets_nothing(memory, given):
    memory("record", "tea", "--tag", "a", "--agent", "ann")
    before = memory("export", "--format", "jsonl").stdout
    done = memory("forget", *given, "--yes", "--expect", "1")
    assert done.exit_code in (2, 3) and done.stderr
    assert memory("export", "--format", "jsonl").stdout == before


def test_no_filter_at_all_and_another_count_forget_nothing(memory):
    memory("record", "tea", "--tag", "a")
    assert memory("forget", "--yes", "--expect", "1").exit_code == 2
    assert memory("forget", "--scope", "local", "--yes", "--expect", "1").exit_code == 2
    assert memory("forget", "--include-expired", "--yes", "--expect", "1").exit_code == 2
    for more in ([], ["--yes"], ["--expect", "1"], ["--yes", "--expect", "2"], ["--yes", "--expect", "0"]):
        assert memory("forget", "--tag", "a", *more).exit_code == 5
    assert memory("stats").stdout.splitlines()[0].split("\t")[-1] == "1"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "given", [{"tags": ""}, {"tag": []}, {"kind": ["no kind"]}, {"since": "yesterdy"}, {"agents": [" "]}, {"tagg": "a"}]
)
async def test_a_tool_refuses_a_misspelt_filter_and_forgets_nothing(agent, memory, given):
    memory("record", "tea", "--tag", "a")
    done, answer = await by_client(agent, "forget", given | {"yes": True, "expect_count": 1})
    assert not done and answer
    assert by_command_line(memory, "stats", {})[1]["total"] == 1


# In each zone a day on which the clock is put on or back, and its length in hours.
DAYS = [
    ("Europe/Berlin", "2026-03-29", 23), ("Europe/Berlin", "2026-10-25", 25), ("America/New_York", "2026-03-08", 23),
    ("America/New_York", "2026-11-01", 25), ("Australia/Lord_Howe", "2026-04-05", 24.5),
    ("Asia/Kolkata", "2026-06-15", 24),
    ("Pacific/Auckland", "2026-09-27", 23), ("America/Santiago", "2026-09-06", 23),
    ("Pacific/Kiritimati", "2026-01-01", 24),
    ("Africa/Casablanca", "2026-02-15", 25), ("UTC", "2026-02-28", 24),
]  # fmt: skip


@pytest.mark.parametrize(("zone", "day", "hours"), DAYS)
def test_a_day_is_whole_and_half_open_in_the_users_zone(zone, day, hours, memory, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    start = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    end = (datetime.fromisoformat(day) + timedelta(days=1)).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    assert end - start == timedelta(hours=hours)
    second = timedelta(seconds=1)
    for name, at in {"before": start - second, "first": start, "last": end - second, "after": end}.items():
        memory("record", f"{name} tea", "--at", at.isoformat())
    for command in (["list"], ["recall", "tea", "--words"]):
        told = memory(*command, "--since", day, "--until", day).stdout.splitlines()
        assert sorted(line.split("\t")[4] for line in told) == ["first tea", "last tea"]
    assert memory("list", "--until", day).stdout.count("\n") == 3
    assert memory("list", "--since", day).stdout.count("\n") == 3
    assert memory("forget", "--since", day, "--until", day, "--yes", "--expect", "2").exit_code == 0


@pytest.mark.parametrize(("zone", "today"), [("Pacific/Kiritimati", "2026-10-26"), ("Pacific/Niue", "2026-10-25")])
def test_yesterday_and_a_month_are_the_users(zone, today, tmp_path):
    roots(tmp_path)
    now = datetime(2026, 10, 25, 11, 30, tzinfo=UTC)
    with opened(tmp_path, environ={"TZ": zone}, now=now) as memory:
        yesterday = datetime.fromisoformat(today).date() - timedelta(days=1)
        for hour in ("00:00", "23:59:59"):
            record(memory, f"{hour} yesterday", at=f"{yesterday}T{hour}")
        record(memory, "the day before", at=f"{yesterday - timedelta(days=1)}T23:59:59")
        record(memory, "today", at=f"{today}T00:00")
        told = [each.text for each in list_(memory, since="yesterday", until="yesterday").units]
        assert told == ["23:59:59 yesterday", "00:00 yesterday"]
        assert list_(memory, since="2026-10", until="2026-10").total == 4
        assert list_(memory, until="2026-09").total == list_(memory, since="2026-11").total == 0


def test_a_filter_that_everything_passes_is_no_filter(tmp_path):
    roots(tmp_path)
    early, late = datetime(2020, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC)
    with opened(tmp_path) as memory:
        for kind in ("FACT", "RULE", "PLAN"):
            record(memory, f"tea is a {kind}", kind=kind)
        store = memory.stores(LOCAL)[0]
        now = memory.now

        def left(**named):
            return effective(store, Filters(now=now, **named))

        everything = Filters(now=now, include_expired=True)
        assert left(since=early, until=late, kinds=("RULE", "FACT", "PLAN")) == everything
        assert left(since=now, until=now).until == now
        assert left(since=late).since == late
        for some in (("FACT", "PLAN"), ("FACT", "RULE"), ("PLAN", "RULE"), ("NONE",)):
            assert left(kinds=some).kinds == some
        record(memory, "tea is hot", expires="2100-01-01")
        assert left() == everything
        assert left(include_expired=False).include_expired
        later = Filters(now=datetime(2101, 1, 1, tzinfo=UTC))
        assert effective(store, later) == later
