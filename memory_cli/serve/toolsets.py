"""Which operations a server offers."""

from collections.abc import Sequence
from importlib import import_module

from memory_cli.errors import UsageError
from memory_cli.models.toolsets import ALL, CORE, NAMES, SEEDS, TOOL_SETS
from memory_cli.serve.arguments import nearest
from memory_cli.surface import OPERATIONS, Operation

__all__ = ["ALL", "CORE", "admitted", "not_offered", "offered", "seed_of"]


def offered(tools: str) -> list[Operation]:
    """Return the operations of the named sets; the others only add to the core."""
    named = {each.strip().casefold() for each in tools.split(",") if each.strip()}
    for each in sorted(named.difference(NAMES)):
        raise UsageError(f"There is no set of tools {each!r}.{nearest(each, NAMES)} There is {', '.join(NAMES)}.")
    if foreign := named & SEEDS.keys():
        if len(named) > 1:
            raise UsageError(f"The tools of {min(foreign)} stand alone: name no other set with it.")
        return list(import_module(f"memory_cli.serve.seeds.{SEEDS[named.pop()]}").TOOLS)
    wanted = set(TOOL_SETS) if ALL in named else named | {CORE}
    return [each for each in OPERATIONS if each.tool and each.tools in wanted]


def seed_of(tools: str) -> str:
    """Return the module of the other system whose tools are named, empty where ours are."""
    return SEEDS.get(tools.strip().casefold().strip(","), "")


def admitted(operations: list[Operation], sets: Sequence[str]) -> list[Operation]:
    """Return the operations of these sets among those that a server offers; without sets all of them."""
    return [each for each in operations if not sets or each.tools in sets or ALL in sets]


def not_offered(name: str, operations: list[Operation]) -> str:
    """Return the sentence that says why there is no tool of this name, and what there is."""
    others = {each.tool: each.tools for each in OPERATIONS if each.tool}
    if name in others:
        return f"The tool {name} is not offered here; start the server with `--tools {others[name]}`."
    names = [each.tool for each in operations]
    return f"There is no tool {name!r}.{nearest(name, names)} There is {', '.join(names)}."
