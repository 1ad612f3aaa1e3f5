"""Change a statement that keeps its id."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from memory_cli.errors import NotFound, Refused, UsageError
from memory_cli.memory import Memory
from memory_cli.models.results import Updated
from memory_cli.models.statement import HANDOFF, Origin, Statement
from memory_cli.operations import finding
from memory_cli.operations import parameters as given
from memory_cli.operations.intake import Cleaner
from memory_cli.parameter import Described
from memory_cli.store import journal, statements
from memory_cli.store.codec import differing, version
from memory_cli.text.identity import identity
from memory_cli.text.kinds import kind_named
from memory_cli.text.tags import tags_in
from memory_cli.text.times import parse_moment


def update(
    memory: Memory,
    id: Annotated[str, Described("The id, or an unambiguous beginning of it.")],
    text: Annotated[str, Described("The new words; none leaves them.")] = "",
    *,
    kind: Annotated[str, Described("The new kind; none leaves it.")] = "",
    tag: Annotated[Sequence[str], Described("Tags to add.")] = (),
    untag: Annotated[Sequence[str], Described("Tags to remove.")] = (),
    meta: Annotated[Mapping[str, Any] | None, Described("Metadata to merge in.")] = None,
    unset_meta: Annotated[Sequence[str], Described("Metadata keys to remove.")] = (),
    replace_meta: Annotated[bool, Described("Put `meta` in place of all metadata.")] = False,
    expires: Annotated[str, Described("When it stops being so: 7d, 2026-12-31, never.")] = "",
    superseded: Annotated[bool | None, Described("Whether something newer holds instead.")] = None,
    if_version: given.IfVersion = "",
    scope: given.Scope = "",
) -> Updated:
    """Change words, kind, tags, metadata or expiry of a statement.

    The id stays. What is not named stays as it is. Words that another statement has are refused.
    """
    clean = Cleaner(memory)
    store, found = finding.by_id(memory, id, scope)
    with journal.writing(store, "update", memory.who, memory.now) as made:
        before = statements.by_id(store, found.id)
        if before is None:
            raise NotFound(f"Statement {found.id} was forgotten meanwhile.")
        finding.check_version(before, if_version)
        words = clean.text(text) if text else before.text
        marked = tags_in(words) if words != before.text else ()
        after = replace(
            before,
            text=words,
            kind=_kind(kind, before),
            origins=_tagged(before.origins, clean.names((*given.several(tag), *marked), "tag"), given.several(untag)),
            metadata=_metadata(before, clean.metadata(meta or {}), given.several(unset_meta), whole=replace_meta),
            expires_at=_expiry(memory, expires, before),
            superseded=before.superseded if superseded is None else superseded,
        )
        now, changed = before, differing(before, after)
        if changed:
            other = statements.by_identity(store, identity(after.kind, after.text))
            if other is not None and other.number != before.number:
                raise Refused(f"Statement {other.id} has these words already; forget one of the two first.")
            now = journal.change(made, before, replace(after, updated_at=memory.now))
    names = ["tags" if each == "origins" else each for each in changed]
    return Updated(found.id, store.scope, names, redacted=sorted(clean.kinds), version=version(now))


def _kind(kind: str, before: Statement) -> str:
    named = kind_named(kind) if kind else before.kind
    if named != before.kind and HANDOFF in (named, before.kind):
        raise Refused("A handoff is set with `memory handoff` and cannot be made of, or into, another kind.")
    return named


def _tagged(origins: tuple[Origin, ...], more: Sequence[str], fewer: Sequence[str]) -> tuple[Origin, ...]:
    """Add tags to the first origin and remove tags from all."""
    gone = {each.removeprefix("#").casefold() for each in fewer}
    had = {tag.casefold() for each in origins for tag in each.tags}
    new = tuple(tag for each in more if (tag := each.removeprefix("#")).casefold() not in had)
    if not gone and not new:
        return origins
    first, *rest = origins
    kept = [
        replace(each, tags=tuple(tag for tag in each.tags if tag.casefold() not in gone)) for each in (first, *rest)
    ]
    return (replace(kept[0], tags=(*kept[0].tags, *new)), *kept[1:])


def _metadata(before: Statement, new: Mapping[str, Any], fewer: Sequence[str], *, whole: bool) -> Mapping[str, Any]:
    merged = dict(new) if whole else {**before.metadata, **new}
    for key in fewer:
        if key not in before.metadata:
            raise UsageError(
                f"Statement {before.id} has no metadata {key}; it has {', '.join(before.metadata) or 'none'}."
            )
        merged.pop(key, None)
    return merged


def _expiry(memory: Memory, expires: str, before: Statement) -> Any:
    if not expires:
        return before.expires_at
    if expires == "never":
        return None
    return parse_moment(expires, now=memory.now, zone=memory.session.zone, ahead=True)
