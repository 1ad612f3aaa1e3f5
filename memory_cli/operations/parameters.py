"""Parameters that several operations share, described once, and the filters that they make."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.statement import Filters
from memory_cli.parameter import Described
from memory_cli.text.kinds import kind_named
from memory_cli.text.times import parse_moment, parse_until

ScopeName = Literal["", "local", "global"]

Scope = Annotated[ScopeName, Described("local: this project; global: the account; both by default.")]
Kinds = Annotated[Sequence[str], Described("Only these kinds.")]
Agents = Annotated[Sequence[str], Described("Only what these agents recorded.")]
Sources = Annotated[Sequence[str], Described("Only what came from these sources.")]
Tags = Annotated[Sequence[str], Described("Only what has one of these tags.")]
Meta = Annotated[Mapping[str, Any], Described("Only what has this metadata.")]
Since = Annotated[str, Described("Only from this time on: 7d, 2026-10, ISO 8601.")]
Until = Annotated[str, Described("Only up to this time; a day or month whole.")]
Expired = Annotated[bool, Described("Also what has expired.")]
Superseded = Annotated[bool | None, Described("Only what is superseded, or only what is not.")]
Limit = Annotated[int, Described("At most this many.", at_least=1, at_most=1000)]
Offset = Annotated[int, Described("Pass over this many: `next` of the last answer.", at_least=0)]
Budget = Annotated[int, Described("About so many tokens; -1 the setting, 0 no bound.", at_least=-1)]
IfVersion = Annotated[str, Described("Only while this is its version, which show tells.")]
Yes = Annotated[bool, Described("Do it; without this nothing is changed.")]


def several(values: Sequence[str]) -> tuple[str, ...]:
    """Return these texts; in Python one text stands for itself, and not for its letters."""
    return (values,) if isinstance(values, str) else tuple(values)


def filters(
    memory: Memory,
    *,
    kind: Sequence[str] = (),
    agent: Sequence[str] = (),
    source: Sequence[str] = (),
    tag: Sequence[str] = (),
    meta: Mapping[str, Any] | None = None,
    since: str = "",
    until: str = "",
    include_expired: bool = False,
    superseded: bool | None = None,
) -> Filters:
    """Return the filters that these parameters mean."""
    kind, agent, source, tag = map(several, (kind, agent, source, tag))
    for name, values in (("kind", kind), ("agent", agent), ("source", source), ("tag", tag)):
        if any(not each.strip() for each in values):
            raise UsageError(f"The filter {name} is empty; name a value, or leave the filter out.")
    return Filters(
        now=memory.now,
        kinds=tuple(kind_named(each) for each in kind),
        agents=agent,
        sources=source,
        tags=tuple(each.removeprefix("#") for each in tag),
        since=parse_moment(since, now=memory.now, zone=memory.session.zone) if since else None,
        until=parse_until(until, now=memory.now, zone=memory.session.zone) if until else None,
        metadata=tuple((meta or {}).items()),
        include_expired=include_expired,
        superseded=superseded,
    )
