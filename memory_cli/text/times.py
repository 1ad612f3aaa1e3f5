"""Moments and periods as people write them, read in their zone and kept in UTC."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path

from memory_cli.errors import UsageError
from memory_cli.models.frozen import Frozen

FORMS = (
    "2026-10-31T14:05, with Z or +02:00 where it is not your local time; 2026-10-31, 2026-W40, 2026-10 or 2026; "
    "now, today, yesterday or tomorrow; 45s, 30m, 12h, 7d or 2w; or seconds since 1970"
)

_RELATIVE = re.compile(r"(\d+)\s*([smhdw])", re.ASCII)
_EPOCH = re.compile(r"(\d{9,11}|\d{12,14})(?:\.(\d{1,9}))?", re.ASCII)
_YEAR = re.compile(r"(\d{4})", re.ASCII)
_MONTH = re.compile(r"(\d{4})-(\d{2})", re.ASCII)
_WEEK = re.compile(r"(\d{4})-?W(\d{2})", re.ASCII)
# fromisoformat takes any character between date and time, even a digit.
_INSTANT = re.compile(r"([\dW-]+[T ][\d:.,]+)\s*(Z|[+-][\d:]+)?", re.ASCII)
_CLOCK = {"s": "seconds", "m": "minutes", "h": "hours"}
_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}


class Span(Frozen):
    """What a time stands for: from start up to end, in UTC; an instant starts where it ends."""

    start: datetime
    end: datetime


def parse_moment(text: str, *, now: datetime, zone: tzinfo, ahead: bool = False) -> datetime:
    """Read a time as a moment in UTC; a period is its start."""
    return parse_span(text, now=now, zone=zone, ahead=ahead).start


def parse_until(text: str, *, now: datetime, zone: tzinfo) -> datetime:
    """Read a time as the end of a filter; a period is included whole."""
    return parse_span(text, now=now, zone=zone).end


def parse_span(text: str, *, now: datetime, zone: tzinfo, ahead: bool = False) -> Span:
    """Read a time as the span that it stands for.

    Times without an offset are local. One that the clock shows twice is the first of the two; one that it jumps over is
    as long after the jump as it was to be after the clock's last reading before it (02:30 becomes 03:30).
    A duration counts back from now, or on from it when ahead; its days and weeks keep the hour of the clock.
    """
    written = text.strip()
    try:
        if ":" in written:
            # Neither a duration nor a period is written with one.
            return _instant(written, zone)
        span = _duration(written.lower(), now, zone, ahead) or _period(written, now, zone) or _instant(written, zone)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{text!r} is not a time. Write one of: {FORMS}.") from error
    return span


def format_moment(moment: datetime) -> str:
    """Write a moment in UTC, with a fraction only where there is one."""
    return moment.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


def local_zone(environ: Mapping[str, str]) -> tzinfo:
    """Return the user's zone: TZ, else the system's."""
    # Few commands read or show a time; zoneinfo adds a tenth to a start.
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    name = environ.get("TZ", "/etc/localtime").removeprefix(":")
    try:
        if not name:
            return UTC
        if not name.startswith("/"):
            return ZoneInfo(name)
        _, found, key = str(Path(name).resolve()).rpartition("/zoneinfo/")
        if found:
            return ZoneInfo(key)
        with open(name, "rb") as file:
            return ZoneInfo.from_file(file, key=name)
    except (ZoneInfoNotFoundError, OSError, ValueError):
        return SystemZone()


class SystemZone(tzinfo):
    """The zone that the C library works with, where no zone file tells: Windows, or a TZ that spells out its rules."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Return how far the local clock is from UTC."""
        return moment.replace(tzinfo=None).astimezone().utcoffset() if moment else None

    def dst(self, moment: datetime | None) -> timedelta | None:
        """Return nothing: the C library tells only the whole offset."""
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        """Return the name of the zone at a moment."""
        return moment.replace(tzinfo=None).astimezone().tzname() if moment else None

    def fromutc(self, moment: datetime) -> datetime:
        """Return a moment of UTC as the local clock shows it."""
        local = moment.replace(tzinfo=UTC).astimezone()
        first = local.replace(tzinfo=self, fold=0)
        return first if first.utcoffset() == local.utcoffset() else first.replace(fold=1)


def _duration(written: str, now: datetime, zone: tzinfo, ahead: bool) -> Span | None:
    if written == "now":
        return Span(now.astimezone(UTC), now.astimezone(UTC))
    if not (found := _RELATIVE.fullmatch(written)):
        return None
    count = int(found[1]) if ahead else -int(found[1])
    if found[2] in _CLOCK:
        moment = now.astimezone(UTC) + timedelta(**{_CLOCK[found[2]]: count})
    else:
        local = now.astimezone(zone)
        moment = (local + timedelta(days=count * (7 if found[2] == "w" else 1))).replace(fold=local.fold)
    return Span(moment.astimezone(UTC), moment.astimezone(UTC))


def _period(written: str, now: datetime, zone: tzinfo) -> Span | None:
    if written.lower() in _DAYS:
        first = now.astimezone(zone).date() + timedelta(days=_DAYS[written.lower()])
        return _days(first, first + timedelta(days=1), zone)
    if found := _YEAR.fullmatch(written):
        return _days(date(int(found[1]), 1, 1), date(int(found[1]) + 1, 1, 1), zone)
    if found := _MONTH.fullmatch(written):
        year, month = int(found[1]), int(found[2])
        return _days(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1), zone)
    if found := _WEEK.fullmatch(written.upper()):
        first = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        return _days(first, first + timedelta(days=7), zone)
    try:
        first = date.fromisoformat(written.upper())
    except ValueError:
        return None
    return _days(first, first + timedelta(days=1), zone)


def _days(first: date, after: date, zone: tzinfo) -> Span:
    return Span(*(datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC) for day in (first, after)))


def _instant(written: str, zone: tzinfo) -> Span:
    if found := _EPOCH.fullmatch(written):
        whole, fraction = found[1], (found[2] or "")
        unit = 1_000_000 if len(whole) < 12 else 1_000
        part = int(fraction.ljust(9, "0")) * unit // 1_000_000_000
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(whole) * unit + part)
    else:
        found = _INSTANT.fullmatch(written.upper())
        moment = datetime.fromisoformat(f"{found[1]}{found[2] or ''}" if found else "")
        moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return Span(moment.astimezone(UTC), moment.astimezone(UTC))
