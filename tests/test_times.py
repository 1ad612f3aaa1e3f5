"""Times as people write them, in their zones, on days when the clocks change."""

import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_cli.errors import UsageError
from memory_cli.text.times import SystemZone, format_moment, local_zone, parse_moment, parse_span, parse_until

NOW = datetime(2026, 10, 15, 11, 30, tzinfo=UTC)


def zone(name):
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:
        pytest.skip(f"this machine has no zone {name}")


def read(text, where="UTC", now=NOW, **options):
    return format_moment(parse_moment(text, now=now, zone=zone(where), **options))


def span(text, where="UTC", now=NOW):
    found = parse_span(text, now=now, zone=zone(where))
    return format_moment(found.start), format_moment(found.end)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-10-01T12:00:00Z", "2026-10-01T12:00:00Z"),
        ("2026-10-01t12:00:00z", "2026-10-01T12:00:00Z"),
        ("2026-10-01T12:00:00+02:00", "2026-10-01T10:00:00Z"),
        ("2026-10-01 12:00 -0330", "2026-10-01T15:30:00Z"),
        ("2026-10-01T12:00:00.25+13:45", "2026-09-30T22:15:00.250000Z"),
        ("1790000000", "2026-09-21T14:13:20Z"),
        ("1790000000.5", "2026-09-21T14:13:20.500000Z"),
        ("1790000000500", "2026-09-21T14:13:20.500000Z"),
        ("now", "2026-10-15T11:30:00Z"),
        (" NOW ", "2026-10-15T11:30:00Z"),
        ("45s", "2026-10-15T11:29:15Z"),
        ("30m", "2026-10-15T11:00:00Z"),
        ("12h", "2026-10-14T23:30:00Z"),
    ],
)
def test_an_instant_is_the_same_in_every_zone(text, moment):
    for where in ("UTC", "Pacific/Auckland", "America/St_Johns"):
        assert span(text, where) == (moment, moment)


@pytest.mark.parametrize(
    ("where", "moment"),
    [
        ("UTC", "2026-10-01T12:00:00Z"),
        ("Pacific/Auckland", "2026-09-30T23:00:00Z"),
        ("America/New_York", "2026-10-01T16:00:00Z"),
        ("Asia/Kolkata", "2026-10-01T06:30:00Z"),
        ("America/St_Johns", "2026-10-01T14:30:00Z"),
        ("Pacific/Kiritimati", "2026-09-30T22:00:00Z"),
        ("Pacific/Apia", "2026-09-30T23:00:00Z"),
        ("Europe/Berlin", "2026-10-01T10:00:00Z"),
    ],
)
def test_a_time_without_an_offset_is_local(where, moment):
    assert read("2026-10-01T12:00", where) == moment
    assert read("2026-10-01 12:00:00", where) == moment


@pytest.mark.parametrize(
    ("text", "where", "start", "end"),
    [
        ("today", "UTC", "2026-10-15T00:00:00Z", "2026-10-16T00:00:00Z"),
        ("today", "Pacific/Auckland", "2026-10-15T11:00:00Z", "2026-10-16T11:00:00Z"),
        ("today", "Pacific/Kiritimati", "2026-10-15T10:00:00Z", "2026-10-16T10:00:00Z"),
        ("Yesterday", "Asia/Kolkata", "2026-10-13T18:30:00Z", "2026-10-14T18:30:00Z"),
        ("tomorrow", "America/St_Johns", "2026-10-16T02:30:00Z", "2026-10-17T02:30:00Z"),
        ("2026-11-01", "America/New_York", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"),
        ("2026-03-08", "America/New_York", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
        ("2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
        ("2026-10", "Europe/Berlin", "2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"),
        ("2026-12", "UTC", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("2026", "Pacific/Auckland", "2025-12-31T11:00:00Z", "2026-12-31T11:00:00Z"),
        ("2026-W40", "UTC", "2026-09-28T00:00:00Z", "2026-10-05T00:00:00Z"),
        ("20261001", "UTC", "2026-10-01T00:00:00Z", "2026-10-02T00:00:00Z"),
        # The day that Samoa skipped has no moment in it.
        ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"),
    ],
)
def test_a_period_runs_from_its_start_up_to_the_next(text, where, start, end):
    assert span(text, where) == (start, end)
    assert format_moment(parse_until(text, now=NOW, zone=zone(where))) == end


def test_a_day_whose_midnight_does_not_exist_starts_when_the_clock_resumes():
    assert read("2018-11-04", "America/Sao_Paulo") == "2018-11-04T03:00:00Z"


@pytest.mark.parametrize(
    ("text", "where", "moment"),
    [
        ("2026-03-08T02:30", "America/New_York", "2026-03-08T07:30:00Z"),
        ("2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00Z"),
        ("2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30:00Z"),
        ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00Z"),
        ("2026-09-27T02:30", "Pacific/Auckland", "2026-09-26T14:30:00Z"),
    ],
)
def test_a_skipped_time_is_after_the_jump_and_a_repeated_one_the_first(text, where, moment):
    assert read(text, where) == moment


def test_days_keep_the_hour_of_the_clock_and_hours_do_not():
    after_the_change = datetime(2026, 11, 2, 14, 0, tzinfo=UTC)
    assert read("2d", "America/New_York", after_the_change) == "2026-10-31T13:00:00Z"
    assert read("48h", "America/New_York", after_the_change) == "2026-10-31T14:00:00Z"
    assert read("1w", "America/New_York", after_the_change) == "2026-10-26T13:00:00Z"


def test_an_expiry_counts_ahead():
    assert read("7d", ahead=True) == "2026-10-22T11:30:00Z"
    assert read("30m", ahead=True) == "2026-10-15T12:00:00Z"


def test_no_days_ago_is_now_even_in_a_repeated_hour():
    second = datetime(2026, 11, 1, 6, 30, tzinfo=UTC)
    assert read("0d", "America/New_York", second) == format_moment(second)


@pytest.mark.parametrize(
    "text",
    ["", " ", "soon", "7", "7x", "-7d", "99999999999d", "2026-13", "2026-02-30", "2026-W54", "9999", "0000",
     "25:00", "2026-10-01x12:00", "2026-10-01T12:00 Berlin",
     "2026-10-01T25:00", "1" * 20, "1" * 5000 + "d", "2026-10-01T12:00+25:00", "٢٠٢٦", "7d\0", "0001-01-01"],
)  # fmt: skip
def test_what_is_no_time_is_refused_with_the_forms_that_are(text):
    with pytest.raises(UsageError, match=r"not a time.*2026-10-31.*yesterday.*7d"):
        parse_span(text, now=NOW, zone=timezone(timedelta(hours=13)))


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_that_was_written_is_read_back(moment):
    assert parse_moment(format_moment(moment), now=NOW, zone=UTC) == moment


@given(st.text(max_size=20))
def test_any_text_is_a_span_or_is_refused(text):
    try:
        found = parse_span(text, now=NOW, zone=UTC)
    except UsageError:
        return
    assert found.start <= found.end


def test_the_zone_is_that_of_tz():
    assert local_zone({"TZ": "Asia/Kolkata"}) == zone("Asia/Kolkata")
    assert local_zone({"TZ": ":Europe/Berlin"}) == zone("Europe/Berlin")
    assert local_zone({"TZ": ""}) is UTC
    assert local_zone({}).utcoffset(NOW) is not None


@pytest.mark.parametrize("name", ["CET-1CEST,M3.5.0,M10.5.0/3", "../../etc/passwd", "No/Where", "/no/such/file"])
def test_a_tz_that_names_no_zone_leaves_the_system_to_tell(name):
    assert isinstance(local_zone({"TZ": name}), SystemZone)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its zone")
@pytest.mark.parametrize(
    "moment",
    [datetime(2026, 7, 1, 12, tzinfo=UTC), datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
     datetime(2026, 10, 25, 1, 30, tzinfo=UTC), datetime(2026, 12, 1, 12, tzinfo=UTC)],
)  # fmt: skip
def test_the_system_zone_knows_when_clocks_change(monkeypatch, moment):
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    try:
        local = moment.astimezone(SystemZone())
        assert local.replace(tzinfo=None) == moment.astimezone(zone("Europe/Berlin")).replace(tzinfo=None)
        assert local.astimezone(UTC) == moment
    finally:
        monkeypatch.undo()
        time.tzset()
