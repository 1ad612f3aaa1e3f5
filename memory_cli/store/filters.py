"""The conditions that filters put on statements, as SQL over the alias `s` of the statement table."""

import json
from itertools import pairwise
from typing import Any

from memory_cli.errors import UsageError
from memory_cli.models.frozen import replace
from memory_cli.models.statement import Filters
from memory_cli.store.connection import Store
from memory_cli.store.moments import stored
from memory_cli.text.soundness import LARGEST

Parameters = dict[str, Any]
# A condition that is true of every statement.
EVERYTHING = "1"


def effective(store: Store, filters: Filters) -> Filters:
    """Return filters without those that every statement of store passes, as far as its indexes tell that at once."""
    dropped: dict[str, Any] = {}
    if filters.since is not None and not _any(store, "at < ?", stored(filters.since)):
        dropped["since"] = None
    if filters.until is not None and not _any(store, "at >= ?", stored(filters.until)):
        dropped["until"] = None
    if not filters.include_expired and not _any(store, "expires_at <= ?", stored(filters.now)):
        dropped["include_expired"] = True
    if filters.kinds and not _other_kinds(store, sorted(set(filters.kinds))):
        dropped["kinds"] = ()
    return replace(filters, **dropped) if dropped else filters


def _other_kinds(store: Store, kinds: list[str]) -> bool:
    """Tell whether a statement has another kind, which lies before, between or after these."""
    between = (_any(store, "kind > ? and kind < ?", *pair) for pair in pairwise(kinds))
    return _any(store, "kind < ?", kinds[0]) or _any(store, "kind > ?", kinds[-1]) or any(between)


def _any(store: Store, condition: str, *given: object) -> bool:
    return store.db.execute(f"select 1 from statement where {condition} limit 1", given).fetchone() is not None


def conditions(filters: Filters) -> tuple[str, Parameters]:
    """Return a condition that is true of the statements that pass filters, and its parameters."""
    parts: list[str] = []
    parameters: Parameters = {}
    if filters.kinds:
        parts.append(f"s.kind in ({_listed('kind', filters.kinds, parameters)})")
    for bound, sign, moment in (("since", ">=", filters.since), ("until", "<", filters.until)):
        if moment is not None:
            parts.append(f"s.at {sign} :{bound}")
            parameters[bound] = stored(moment)
    if not filters.include_expired:
        parts.append("(s.expires_at is null or s.expires_at > :now)")
        parameters["now"] = stored(filters.now)
    if filters.superseded is not None:
        parts.append("s.superseded = :superseded")
        parameters["superseded"] = int(filters.superseded)
    for place, (key, value) in enumerate(filters.metadata):
        parts.append(
            f"json_extract(s.metadata, :meta_key{place}) in ({_listed(f'meta{place}_', _readings(value), parameters)})"
        )
        parameters[f"meta_key{place}"] = _path(key)
    if filters.selects_origins:
        inner, more = origin_conditions(filters)
        parts.append(f"s.number in (select o.statement from origin o where {inner})")
        parameters |= more
    return " and ".join(parts) or EVERYTHING, parameters


def origin_conditions(filters: Filters) -> tuple[str, Parameters]:
    """Return a condition on the alias `o` of the origin table, true of the origins that filters select."""
    parts: list[str] = []
    parameters: Parameters = {}
    for column, names in (("agent", filters.agents), ("source", filters.sources)):
        if names:
            parts.append(f"o.{column} in ({_listed(column, names, parameters)})")
    if filters.tags:
        marks = _listed("tag", filters.tags, parameters)
        parts.append(f"o.number in (select t.origin from origin_tag t where t.tag in ({marks}))")
    return " and ".join(parts) or "1", parameters


def _listed(name: str, values: tuple[Any, ...], parameters: Parameters) -> str:
    named = {f"{name}{place}": value for place, value in enumerate(values)}
    parameters |= named
    return ", ".join(f":{each}" for each in named)


def _path(key: str) -> str:
    if '"' in key or "\0" in key:
        raise UsageError(f"A metadata key to filter by cannot hold a quotation mark or a NUL character: {key!r}")
    return f'$."{key}"'


def _readings(value: Any) -> tuple[Any, ...]:
    """Return value as text and, where it reads as one, as a JSON number or truth value: `--meta n=3` means both."""
    if isinstance(value, list | dict):
        raise UsageError(f"Metadata is filtered by a text, a number or a truth value, not by {str(value)[:60]}.")
    if not isinstance(value, str):
        return (_comparable(value),)
    try:
        read = json.loads(value)
    except ValueError:
        return (value,)
    return (value, _comparable(read)) if isinstance(read, bool | int | float) else (value,)


def _comparable(value: Any) -> Any:
    # SQLite takes a whole number of more than 64 bits in JSON for a float, too.
    return float(str(value)) if isinstance(value, int) and abs(value) > LARGEST else value
