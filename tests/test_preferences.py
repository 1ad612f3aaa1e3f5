"""What a query prefers by naming it, and what settings weigh: times, tags, kinds, sources, the old."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from typer.testing import CliRunner

from benchmarks.stores import opened, roots
from memory_cli.cli.app import app
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.text.time_words import spans_named

NOW = datetime(2026, 12, 2, 12, tzinfo=UTC)


def filled(folder, *statements):
    roots(folder)
    with opened(folder, now=NOW) as memory:
        for text, fields in statements:
            record(memory, text, **fields)
    return folder


def texts(folder, query, *assignments):
    with opened(folder, assignments=assignments, now=NOW) as memory:
        return [unit.text for unit in recall(memory, query, words=True).units]


def days(query, zone=UTC):
    found = spans_named(query, now=NOW, zone=lambda: zone)
    return [(each.start.astimezone(zone).date().isoformat(), (each.end - each.start).days) for each in found]


@pytest.mark.parametrize(
    ("query", "first", "length"),
    [
        ("What broke on October 13, 2023?", "2023-10-13", 1),
        ("what broke on 8th December, 2023", "2023-12-08", 1),
        ("What did we ship in May 2023?", "2023-05-01", 31),
        ("the plans of February 2024", "2024-02-01", 29),
        ("releases during 2025", "2025-01-01", 365),
        ("what happened 2025-03-04", "2025-03-04", 1),
        ("what did I do yesterday", "2026-12-01", 1),
        ("who came last week?", "2026-11-23", 7),
        ("what was said last Friday", "2026-11-27", 1),
        ("was war letzte Woche", "2026-11-23", 7),
        ("wer kam vor 2 Tagen", "2026-11-30", 1),
    ],
)  # fmt: skip
def test_times_are_read_from_a_question(query, first, length):
    assert (first, length) in days(query)


@pytest.mark.parametrize(
    "query", ["May I merge it?", "port 2023 is taken", "31 June 2023", "march on", "the last word"]
)
def test_what_only_looks_like_a_time_is_none(query):
    assert days(query) == []


def test_a_day_is_that_of_the_users_zone():
    (span,) = spans_named("yesterday", now=NOW, zone=lambda: ZoneInfo("Asia/Tokyo"))
    assert (span.start.hour, span.end - span.start) == (15, timedelta(days=1))


def test_a_time_prefers_its_statements_and_excludes_none(tmp_path):
    folder = filled(
        tmp_path,
        ("The release broke the login page.", {"at": "2023-05-09"}),
        ("The release broke the search page.", {"at": "2024-08-09"}),
        ("The release broke the start page.", {"at": "2025-08-09"}),
    )
    found = texts(folder, "Which page did the release break in May 2023?")
    assert found[0] == "The release broke the login page."
    assert len(found) == 3


def test_a_tag_and_a_kind_prefer_their_statements(tmp_path):
    folder = filled(
        tmp_path,
        ("The build takes an hour at night.", {"tag": ("ci",), "at": "2026-01-01"}),
        ("The build takes an hour by day.", {"kind": "DECISION", "at": "2026-01-02"}),
        ("The build takes an hour at noon.", {"at": "2026-01-03"}),
    )
    assert texts(folder, "how long does the ci build take")[0] == "The build takes an hour at night."
    found = texts(folder, "decisions: how long does the build take")
    assert found[0] == "The build takes an hour by day."
    assert len(found) == 3


def test_kinds_sources_and_the_old_are_weighed(tmp_path):
    folder = filled(
        tmp_path,
        ("The cache is flushed nightly.", {"kind": "RULE", "source": "notes"}),
        ("The cache is flushed weekly.", {"kind": "PLAN", "source": "chat"}),
    )
    rule, plan = "The cache is flushed nightly.", "The cache is flushed weekly."
    assert texts(folder, "cache flushed") == [plan, rule]
    assert texts(folder, "cache flushed", "retrieval.kind_weights=rule=2") == [rule, plan]
    assert texts(folder, "cache flushed", "retrieval.source_weights=chat=0.5") == [rule, plan]


@pytest.mark.parametrize("value", ["RULE", "RULE=", "=2", "RULE=-1", "RULE=many", "RULE=1000"])
def test_a_weight_that_is_none_is_refused(value, tmp_path):
    flags = roots(tmp_path)
    result = CliRunner().invoke(app, [*flags, "--set", f"retrieval.kind_weights={value}", "recall", "tea"])
    assert result.exit_code == 2
    assert "NAME=WEIGHT" in result.stderr
