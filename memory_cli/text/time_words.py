"""Times that a question speaks of in words: `last week`, `in May 2023`, `on 3 June`, `yesterday`, `letzte Woche`."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache

from memory_cli.text.times import Span

# A month without a year is that of any of the last years.
YEARS = 10
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january januar jänner", "february februar", "march märz", "april", "may mai", "june juni", "july juli",
         "august", "september", "october oktober", "november", "december dezember"), 1)
    for name in names.split()
}  # fmt: skip
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        ("monday montag", "tuesday dienstag", "wednesday mittwoch", "thursday donnerstag", "friday freitag",
         "saturday samstag", "sunday sonntag"))
    for name in names.split()
}  # fmt: skip
_UNITS = {"day": 1, "tag": 1, "week": 7, "woche": 7, "month": 30, "monat": 30, "year": 365, "jahr": 365}
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_LAST = "last|past|previous|letzten?|letztes|letzter|vergangenen?|vergangenes"
_THIS = "this|current|diese|diesen|diesem|dieser|dieses"
_UNIT = "days?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|monats?|jahre?n?|jahres?"
# A question without any of these, or of the names, or a year or a date in figures, speaks of no time.
_SIGNS = frozenset(
    {"yesterday", "gestern", "today", "heute", "last", "past", "previous", "letzte", "letzten", "letztes", "letzter",
     "vergangene", "vergangenen", "vergangenes", "this", "current", "diese", "diesen", "diesem", "dieser", "dieses",
     "ago", "vor"}
)  # fmt: skip
_FIGURES = re.compile(r"(?:19|20)\d\d")
_NUMBERS = {"a": 1, "an": 1, "einem": 1, "einer": 1, "two": 2, "zwei": 2, "three": 3, "drei": 3, "few": 3}


def spans_named(text: str, *, now: datetime, zone: Callable[[], tzinfo]) -> list[Span]:
    """Return the spans of time that a question speaks of, in its zone."""
    found: list[Span] = []
    named = {*re.findall(r"[^\W\d_]+", text.lower())}
    if not (named & (_SIGNS | _MONTHS.keys() | _WEEKDAYS.keys()) or _FIGURES.search(text)):
        return found
    for each in _spoken().finditer(text):
        local = zone()
        today = now.astimezone(local).date()
        try:
            found += [_span(first, after, local) for first, after in _dates(each, today)]
        except (ValueError, OverflowError):
            # 31 June, or a year before the first: it reads like a time and is none.
            continue
    return found


@cache
def _spoken() -> re.Pattern[str]:
    # It takes milliseconds to compile, and hardly a question speaks of a time.
    month, weekday = "|".join(_MONTHS), "|".join(_WEEKDAYS)
    return re.compile(
        rf"""\b(?:
            (?P<iso>(?:19|20)\d\d-\d\d(?:-\d\d)?)
          | {_DAY}\s+(?:of\s+)?(?P<month>{month})\b(?:,?\s*{_YEAR})?
          | (?P<month2>{month})\s+{_DAY.replace("day", "day2")}\b(?:,?\s*{_YEAR.replace("year", "year2")})?
          | (?P<month3>{month})\s*,?\s*(?:of\s+)?{_YEAR.replace("year", "year3")}
          | (?:in|im|during|since|last|this|late|early|mid|of)\s+(?P<month4>{month})
            (?:,?\s*{_YEAR.replace("year", "year4")})?
          | (?:in|im|during|since|by|of|jahr|year|summer|winter|spring|autumn|fall|seit)
            \s+{_YEAR.replace("year", "year5")}
          | (?P<relative>yesterday|gestern|today|heute)
          | (?:(?P<last>{_LAST})|(?P<this>{_THIS}))\s+(?P<unit>week|month|year|woche|monats?|jahr|jahres)
          | (?:(?:on|am|{_LAST})\s+)(?P<weekday>{weekday})
          | (?P<count>\d{{1,3}}|a|an|two|three|few)\s+(?P<ago>days?|weeks?|months?|years?)\s+ago
          | vor\s+(?P<vor>\d{{1,3}}|einem|einer|zwei|drei)\s+(?P<unit2>{_UNIT})
        )\b""",
        re.IGNORECASE | re.VERBOSE,
    )


def _dates(found: re.Match[str], today: date) -> Iterator[tuple[date, date]]:
    said = {name: value.lower() for name, value in found.groupdict().items() if value}
    if "iso" in said:
        yield _month(*_numbers(said["iso"])) if said["iso"].count("-") == 1 else _one(date.fromisoformat(said["iso"]))
    elif month := next((said[name] for name in ("month", "month2", "month3", "month4") if name in said), ""):
        day = int(said.get("day") or said.get("day2") or 0)
        written = next((said[name] for name in ("year", "year2", "year3", "year4") if name in said), "")
        years = [int(written)] if written else range(today.year, today.year - YEARS, -1)
        for year in years:
            yield _one(date(year, _MONTHS[month], day)) if day else _month(year, _MONTHS[month])
    elif "year5" in said:
        yield date(int(said["year5"]), 1, 1), date(int(said["year5"]) + 1, 1, 1)
    else:
        yield _relative(said, today)


def _relative(said: dict[str, str], today: date) -> tuple[date, date]:
    if "relative" in said:
        return _one(today - timedelta(days=said["relative"] in ("yesterday", "gestern")))
    if "weekday" in said:
        return _one(today - timedelta(days=(today.weekday() - _WEEKDAYS[said["weekday"]] - 1) % 7 + 1))
    if "unit" in said:
        return _calendar(said["unit"], today, back=int("last" in said))
    word = said.get("count") or said["vor"]
    count = _NUMBERS.get(word) or int(word)
    unit = said.get("ago") or said["unit2"]
    length = next(days for name, days in _UNITS.items() if unit.startswith((name, name[:-1] + "en")))
    about = today - timedelta(days=count * length)
    # Who says three weeks ago does not mean one day.
    return about - timedelta(days=length // 2), about + timedelta(days=length // 2 + 1)


def _calendar(unit: str, today: date, *, back: int) -> tuple[date, date]:
    if unit.startswith("wo") or unit == "week":
        first = today - timedelta(days=today.weekday() + 7 * back)
        return first, first + timedelta(days=7)
    if unit.startswith("mon"):
        months = today.year * 12 + today.month - 1 - back
        return _month(months // 12, months % 12 + 1)
    return date(today.year - back, 1, 1), date(today.year - back + 1, 1, 1)


def _numbers(written: str) -> tuple[int, int]:
    year, month = written.split("-")
    return int(year), int(month)


def _one(day: date) -> tuple[date, date]:
    return day, day + timedelta(days=1)


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def _span(first: date, after: date, zone: tzinfo) -> Span:
    return Span(*(datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC) for day in (first, after)))
