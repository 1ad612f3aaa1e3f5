"""The steps of a sync, as the device that asks for them takes them."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from memory_cli.memory import Memory
from memory_cli.models.frozen import Frozen
from memory_cli.models.sync import Digest, Row, Taken
from memory_cli.operations.sync.sides import Scope, side
from memory_cli.parameter import Described
from memory_cli.surface import Effect, Operation
from memory_cli.sync import asking


class Step(Operation):
    """A row of the API that no command and no tool stands for."""

    work: Callable[..., Any] | None = None

    @property
    def function(self) -> Callable[..., Any]:
        """The function."""
        assert self.work is not None
        return self.work


class Rows(Frozen):
    """What is known of each thing: its hash, and which writes of which device."""

    rows: list[Row]


def digest(memory: Memory, *, scope: Scope = "") -> Digest:
    """Show a whole store in short.

    It has a hash of all that syncs, and one of each bucket of it, so that two devices find where they differ.
    """
    return side(memory, scope).digest()


def rows(
    memory: Memory,
    *,
    buckets: Annotated[Sequence[str], Described("Only these buckets of the digest.")] = (),
    scope: Scope = "",
) -> Rows:
    """Show what is known of each thing in some buckets, or in all."""
    return Rows(side(memory, scope).rows(tuple(buckets)))


def export(
    memory: Memory,
    *,
    items: Annotated[Sequence[str], Described("What is wanted, each FAMILY/KEY/HASH with the hash that is known.")],
    scope: Scope = "",
) -> bytes:
    """Give an envelope with what is wanted, as far as it is there.

    It is lines of JSON, packed; of what has the hash that is known the content is left out.
    """
    return side(memory, scope).export(asking.wanted(items))


def take(memory: Memory, raw: bytes, *, scope: Scope = "") -> Taken:
    """Take in what an envelope holds, as far as whoever sent it may write it."""
    return side(memory, scope).take(raw)


def _step(path: str, work: Callable[..., Any]) -> Step:
    group, _, name = path.partition("/")
    return Step(name, Effect.CHANGES, "", "", SYNC, group, work=work)


SYNC = "sync"
DIGEST = _step(asking.DIGEST, digest)
STEPS = (DIGEST, _step(asking.ROWS, rows), _step(asking.EXPORT, export))
