"""What was changed, by whom, and what was there before."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_cli.models.frozen import Frozen


class Who(Frozen):
    """Who makes a change: the agent, and the device that it works on."""

    agent: str
    device: str


class Item(Frozen):
    """What a change did to one thing: a statement, or one of another family.

    `statement` is what names the thing in its family, a statement's id above all.
    `effect` is `add`, `change` or `remove`. `before` holds, by field, what it takes to go back: nothing for an
    addition, the fields that became others for a change, everything for a removal.
    """

    statement: str
    effect: str
    before: Mapping[str, Any] | None
    family: str = "statement"


class Change(Frozen):
    """One entry of a store's history; `items` may be the first few of `count`."""

    number: int
    scope: str
    at: datetime
    operation: str
    agent: str
    device: str
    device_number: int
    undoes: int | None
    undone_by: int | None
    count: int
    items: tuple[Item, ...]
