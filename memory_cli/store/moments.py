"""Times as the store keeps them: microseconds since 1970, in UTC."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def stored(moment: datetime) -> int:
    """Return an aware time as the store keeps it."""
    return (moment - EPOCH) // MICROSECOND


def loaded(number: int) -> datetime:
    """Return the time that the store keeps as number, aware and in UTC."""
    return EPOCH + timedelta(microseconds=number)
