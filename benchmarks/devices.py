"""Several devices at random work, synced at random and killed on the way: they come to the same, and lose nothing.

    uv run python -m benchmarks.devices --rounds 200

Each round has two or three stores, clocks that are days apart, and a strategy for conflicts. What one of them was told
and nobody who knew of it took away must be there in the end, or be kept as what lost in a conflict.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.device_states import SHARED, all_statements, differing, key_now, lost, pieces, state
from benchmarks.stores import opened, roots
from memory_cli.errors import MemoryCliError
from memory_cli.memory import GLOBAL, LOCAL, Memory
from memory_cli.models.sync import Synced
from memory_cli.operations.category.append import append
from memory_cli.operations.category.delete import delete
from memory_cli.operations.category.restore import restore
from memory_cli.operations.category.write import write
from memory_cli.operations.forget import forget
from memory_cli.operations.handoff import handoff
from memory_cli.operations.link import link
from memory_cli.operations.record import record
from memory_cli.operations.sync import sides
from memory_cli.operations.sync.folder import folder
from memory_cli.operations.undo import undo
from memory_cli.operations.unlink import unlink
from memory_cli.operations.update import update
from memory_cli.store import checks, links, sync
from memory_cli.sync import running
from memory_cli.sync.exchange import root_of
from memory_cli.sync.merging import STRATEGIES

START = datetime(2026, 5, 1, tzinfo=UTC)
STEPS = 40
# Of so many steps of any kind one is a sync.
SYNCS = 0.25
# More than any set of devices takes to come to the same: each round every pair meets.
MOST_MEETINGS = 12
LONGEST_SYNC = 0.15


@dataclass(frozen=True)
class Device:
    """A store of its own, and a clock of its own."""

    place: Path
    name: str
    skew: float
    scope: str
    strategy: str

    @contextmanager
    def open(self, tick: int) -> Iterator[Memory]:
        """Open its memory at a moment."""
        roots(self.place)
        now = START + timedelta(seconds=self.skew + tick)
        chosen = [f"sync.conflict_strategy={self.strategy}", "sync.batch_items=5"]
        with opened(
            self.place, source=self.name, environ={"MEMORY_DEVICE": self.name}, now=now, assignments=chosen
        ) as memory:
            yield memory


@dataclass
class World:
    """All devices; `told` is what any of them was told, `taken` what one took away that knew of it.

    `forgotten` are the ids of statements that somebody took away.
    """

    devices: list[Device]
    chance: random.Random
    tick: int = 0
    told: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)

    @property
    def scope(self) -> str:
        """The scope that everything happens in."""
        return self.devices[0].scope

    def new(self, what: str) -> str:
        """Return a text that there never was."""
        self.tick += 1
        return f"{what} {self.tick:06d}"

    def id(self, memory: Memory) -> str:
        """Return the id of a statement, or one that there is not."""
        found = all_statements(memory, self.scope)
        return self.chance.choice(found).id if found else "nobody"


def made(folder: Path, chance: random.Random) -> World:
    """Return devices that have nothing yet."""
    scope, strategy = chance.choice((GLOBAL, GLOBAL, LOCAL)), chance.choice(STRATEGIES)
    return World(
        [
            Device(folder / name, name, chance.choice((0, chance.uniform(-9, 9) * 86_400)), scope, strategy)
            for name in ("anna", "bert", "cleo")[: chance.choice((2, 3))]
        ],
        chance,
    )


def act(world: World, device: Device) -> None:
    """Do one thing on a device, and note what it was told and what it took away."""
    # Often at the same moment as something else: a clock tells nothing.
    with device.open(world.tick // 20 * 20 if world.chance.random() < 0.5 else world.tick) as memory:
        before, kept = pieces(memory, world.scope), lost(memory, world.scope)
        ids = {each.id for each in all_statements(memory, world.scope)}
        moved = {each: key_now(memory.store(world.scope), each) for each in world.told}
        # What there is nothing for yet is refused.
        try:
            world.chance.choice(WORK)(world, memory)
        except MemoryCliError:
            return
        ids -= {each.id for each in all_statements(memory, world.scope)}
        after, gone = pieces(memory, world.scope), kept.difference(lost(memory, world.scope))
    world.told |= after - before
    world.forgotten |= ids
    # A purge also takes what lost in a conflict.
    world.taken |= before - after | gone | {each for each, now in moved.items() if now in before - after}


def _record(world: World, memory: Memory) -> None:
    text = world.chance.choice((*SHARED, world.new("statement"), world.new("statement"), world.new("statement")))
    meta = {world.chance.choice("ab"): world.new("value")} if world.chance.random() < 0.3 else None
    record(memory, text, scope=_named(world), tag=world.chance.sample("xyz", 1), meta=meta)


def _update(world: World, memory: Memory) -> None:
    text = world.chance.choice((SHARED[0], *(world.new("statement") for _ in range(5))))
    update(memory, world.id(memory), text, scope=_named(world))


def _describe(world: World, memory: Memory) -> None:
    meta = {world.chance.choice("ab"): world.new("value")}
    update(memory, world.id(memory), scope=_named(world), tag=["x"], untag=["y"], meta=meta)


def _forget(world: World, memory: Memory) -> None:
    forget(memory, id=[world.id(memory)], scope=_named(world), purge=world.chance.random() < 0.3)


def _hand_over(world: World, memory: Memory) -> None:
    if world.scope == LOCAL:
        handoff(memory, world.new("handoff"))


def _write(world: World, memory: Memory) -> None:
    data = {world.chance.choice("klm"): world.new("leaf")}
    name = world.chance.choice(("base", "plan"))
    write(memory, name, data=data, merge=world.chance.random() < 0.7, scope=_named(world))


def _append(world: World, memory: Memory) -> None:
    append(memory, "journal", data={"did": world.new("entry")}, scope=_named(world))


def _delete(world: World, memory: Memory) -> None:
    delete(memory, world.chance.choice(("base", "plan", "journal")), scope=_named(world))


def _restore(world: World, memory: Memory) -> None:
    restore(memory, world.chance.choice(("base", "plan", "journal")), scope=_named(world))


def _link(world: World, memory: Memory) -> None:
    link(memory, world.id(memory), world.id(memory), type=world.chance.choice(("supersedes", "related")))


def _unlink(world: World, memory: Memory) -> None:
    for each in links.newest(memory.store(world.scope), 1):
        unlink(memory, each.from_id, each.to_id)


def _undo(world: World, memory: Memory) -> None:
    undo(memory, scope=_named(world))


def _named(world: World) -> Any:
    return world.scope


WORK: tuple[Callable[[World, Memory], None], ...] = (
    *[_record] * 5, *[_update] * 4, *[_describe] * 2, *[_forget] * 2, _hand_over, *[_write] * 4, *[_append] * 3,
    _delete, _restore, _link, _link, _unlink, _undo,
)  # fmt: skip


def meet(world: World, one: Device, other: Device, direction: str) -> Synced:
    """Sync two devices with each other."""
    with one.open(world.tick) as here, other.open(world.tick) as there:
        mine, theirs = (sides.side(each, _named(world)) for each in (here, there))
        done = running.run(mine, theirs, direction=direction, batch=5)
    assert not done.refused, done.refused
    return done


def carry(device: Device, place: Path, tick: int) -> Synced:
    """Sync a device through a folder."""
    with device.open(tick) as memory:
        scope: Any = device.scope
        done = folder(memory, str(place), scope=scope)
    assert not done.refused, done.refused
    return done


def carry_and_kill(world: World, device: Device, place: Path, delay: float) -> None:
    """Begin to sync a device through a folder, in a process that is killed after delay seconds."""
    told = json.dumps([str(device.place), device.name, device.skew, device.scope, device.strategy])
    command = [sys.executable, "-m", "benchmarks.devices", "--carry", told, str(place), str(world.tick)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)


def sync_any(world: World, place: Path, *, kills: float) -> None:
    """Sync some two devices, in some way and direction."""
    world.tick += 1
    one, other = world.chance.sample(world.devices, 2)
    if world.chance.random() < kills:
        carry_and_kill(world, one, place, world.chance.uniform(0, LONGEST_SYNC))
    elif world.chance.random() < 0.4:
        carry(one, place, world.tick)
    else:
        meet(world, one, other, world.chance.choice((running.RUN, running.PUSH, running.PULL)))


def come_together(world: World, place: Path) -> int:
    """Sync until every device has the same root; return how many times each pair met."""
    by_folder = world.chance.random() < 0.5
    for done in range(MOST_MEETINGS):
        world.tick += 1
        world.chance.shuffle(world.devices)
        for number, one in enumerate(world.devices):
            if by_folder:
                carry(one, place, world.tick)
            else:
                for other in world.devices[:number]:
                    meet(world, one, other, running.RUN)
        if len(set(_roots(world))) == 1:
            return done + 1
    raise AssertionError(f"after {MOST_MEETINGS} meetings the devices are not the same: {_apart(world)}")


def check(world: World) -> None:
    """Fail unless the devices hold the same, pass every check, and have all that nobody took away."""
    states, there = [], set()
    for device in world.devices:
        with device.open(world.tick) as memory:
            states.append(state(memory, world.scope))
            there |= pieces(memory, world.scope) | lost(memory, world.scope)
            store = memory.store(world.scope)
            assert checks.problems(store) == [], checks.problems(store)
    for other in states[1:]:
        assert other == states[0], f"the same roots of other things: {differing(states[0], other)}"
    with world.devices[0].open(world.tick) as memory:
        now = {each: key_now(memory.store(world.scope), each) for each in world.told - world.taken}
    # A link goes with each of its ends, also with one that an undo brought back.
    missing = [now[each] for each in now if not world.forgotten & {*each.split(), *now[each].split()}]
    missing = sorted({*missing} - {""} - there)
    assert not missing, f"lost: {missing}"


def round_of(place: Path, seed: int, *, steps: int = STEPS, kills: float = 0.0) -> int:
    """Let devices work and sync, and look at what they come to; return how many syncs it took in the end."""
    chance = random.Random(seed)
    world = made(place, chance)
    shared = place / "shared"
    for _ in range(steps):
        world.tick += 1
        if chance.random() < SYNCS:
            sync_any(world, shared, kills=kills)
        else:
            act(world, chance.choice(world.devices))
    try:
        meetings = come_together(world, shared)
        check(world)
    except AssertionError as error:
        raise AssertionError(f"seed {seed}, {world.devices[0].strategy}, {world.scope}: {error}") from error
    return meetings


def _roots(world: World) -> Iterator[str]:
    for device in world.devices:
        with device.open(world.tick) as memory:
            yield root_of(sides.side(memory, _named(world)).rows(()))


def _apart(world: World) -> list[Any]:
    rows = []
    for device in world.devices:
        with device.open(world.tick) as memory:
            rows.append(
                {each.name: (each.hash[:8], dict(each.vector)) for each in sync.rows(memory.store(world.scope))}
            )
    names = sorted({name for each in rows for name in each})
    return [(name, *(each.get(name) for each in rows)) for name in names if len({str(e.get(name)) for e in rows}) > 1]


def main() -> None:
    """Run the rounds, or one sync that is to be killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=float, default=0.3, help="the share of syncs that are killed")
    parser.add_argument("--carry", nargs=3, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.carry:
        place, name, skew, scope, strategy = json.loads(told.carry[0])
        print("ready", flush=True)
        carry(Device(Path(place), name, skew, scope, strategy), Path(told.carry[1]), int(told.carry[2]))
        return
    most = 0
    for number in range(told.rounds):
        with tempfile.TemporaryDirectory() as temporary:
            most = max(most, round_of(Path(temporary), told.seed + number, kills=told.kills))
    print(f"rounds={told.rounds} apart=0 lost=0 meetings={most}")


if __name__ == "__main__":
    main()
