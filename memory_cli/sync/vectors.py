"""Version vectors: which of two states knew of which (Parker et al., "Detection of Mutual Inconsistency", 1983)."""

from enum import Enum, auto

from memory_cli.models.sync import Vector


class Order(Enum):
    """How one state stands to another."""

    EQUAL = auto()
    BEFORE = auto()
    AFTER = auto()
    CONCURRENT = auto()


def compare(one: Vector, other: Vector) -> Order:
    """Return how one state stands to another; clocks have no say in it."""
    less = any(one.get(device, 0) < number for device, number in other.items())
    more = any(other.get(device, 0) < number for device, number in one.items())
    if less and more:
        return Order.CONCURRENT
    return Order.BEFORE if less else Order.AFTER if more else Order.EQUAL


def joined(one: Vector, other: Vector) -> dict[str, int]:
    """Return the vector of a state that knew of both."""
    return {device: max(one.get(device, 0), other.get(device, 0)) for device in sorted({*one, *other})}
