"""What each setting of sync does, as something that differs between its default and another value."""

from benchmarks.stores import opened, roots
from memory_cli.errors import MemoryCliError
from memory_cli.operations.category.read import read
from memory_cli.operations.category.write import write
from memory_cli.operations.record import record
from memory_cli.operations.sync.folder import folder as carry
from memory_cli.operations.sync.run import run
from memory_cli.operations.sync.sides import side
from memory_cli.operations.sync.status import status
from tests.between import between
from tests.http_server import served, token


def asked_for(folder, *assignments):
    """Return why a sync without a token does not begin."""
    roots(folder)
    with opened(folder, assignments=["sync.remotes=hub=http://127.0.0.1:9", *assignments]) as memory:
        told = [each.name for each in status(memory).remotes]
        try:
            return told, run(memory)
        except MemoryCliError as error:
            return told, str(error)


def contested(folder, *assignments):
    """Return what is kept of a key that two devices wrote differently, of which the second one meets it."""
    kept = []
    for step in range(4):
        for name in ("one", "two"):
            roots(folder / name)
            rules = assignments if name == "two" else ()
            with opened(folder / name, assignments=rules, environ={"MEMORY_DEVICE": name}) as memory:
                if step == 1:
                    write(memory, "base", data={"editor": name})
                carry(memory, str(folder / "carried"))
                kept = [*kept, read(memory, "base").data] if step == 3 else kept
    return kept


def taken_in(folder, *assignments):
    """Return whether an envelope with a long text is taken in."""
    for name in ("one", "two"):
        roots(folder / name)
    with opened(folder / "one") as memory:
        write(memory, "base", data={"text": "x" * 20_000})
        raw = side(memory, "global").export([("category", "base", "")])
    with opened(folder / "two", assignments=assignments) as memory:
        try:
            return side(memory, "global").take(raw).applied
        except MemoryCliError as error:
            return str(error)


def exchanged(folder, *assignments):
    """Return how many requests a sync made of a remote that takes its time, and whether it was done."""
    for name in ("one", "two"):
        roots(folder / name)
    environ = {"MEMORY_SYNC_TOKEN": token(folder / "two", "one")}
    with served(folder / "two", "--api") as running, between(running.address, delay=0.15) as slow:
        rules = [f"sync.remotes=hub={slow.address}", *assignments]
        with opened(folder / "one", assignments=rules, environ=environ) as memory:
            for number in range(3):
                record(memory, f"Statement {number}.", scope="global")
            try:
                return slow.passed, run(memory).synced[0].equal, slow.passed
            except MemoryCliError as error:
                return str(error)
