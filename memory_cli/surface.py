"""The table of operations: the one place that says what both front ends offer."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from importlib import import_module
from typing import Any, get_type_hints

from memory_cli.models.frozen import Frozen


class Effect(StrEnum):
    """What an operation does to the store; a recall's counts are no change."""

    READS = "reads"
    ADDS = "adds"
    CHANGES = "changes"
    REMOVES = "removes"


class Operation(Frozen):
    """One function of `memory_cli.operations` and how the front ends present it.

    `name` is that of the function and of its module, which is imported when it is first asked for: a start needs one.
    `tool` is the tool's name, none when there is no tool; `tools` the set that it belongs to.
    """

    name: str
    effect: Effect
    panel: str
    tool: str = ""
    tools: str = ""
    idempotent: bool = False
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    examples: tuple[str, ...] = ()

    @property
    def function(self) -> Callable[..., Any]:
        """The function."""
        found: Callable[..., Any] = getattr(import_module(f"memory_cli.operations.{self.name}"), self.name)
        return found

    @property
    def returns(self) -> type[Any]:
        """The class of its results."""
        found: type[Any] = get_type_hints(self.function)["return"]
        return found

    @property
    def command(self) -> str:
        """The command's name."""
        return self.name.rstrip("_").replace("_", "-")

    def parameters(self) -> Iterator[inspect.Parameter]:
        """Yield what a caller passes, with resolved annotations: all but the memory."""
        hints = get_type_hints(self.function, include_extras=True)
        _memory, *rest = inspect.signature(self.function).parameters.values()
        for parameter in rest:
            yield parameter.replace(annotation=hints[parameter.name])


READ, WRITE, CARE = "Find", "Remember", "Look after"
FILTER_FLAGS = {
    "kind": ("-k", "--kind"),
    "scope": ("-s", "--scope"),
    "agent": ("-a", "--agent"),
    "tag": ("-t", "--tag"),
    "limit": ("-n", "--limit"),
}

OPERATIONS = (
    Operation(
        "record",
        Effect.ADDS,
        WRITE,
        "record_memory",
        "core",
        flags={
            "kind": ("-k", "--kind"),
            "scope": ("-s", "--scope"),
            "agent": ("-a", "--agent"),
            "tag": ("-t", "--tag"),
        },
        examples=(
            'memory record "Deploys need two reviews." --kind RULE',
            'memory record "I like tabs." --kind PREFERENCE --scope global',
            'memory record "The API is frozen." --tag release --expires 7d',
            "git log -1 --format=%B | memory record -",
        ),
    ),
    Operation(
        "recall",
        Effect.READS,
        READ,
        "recall_memory",
        "core",
        flags=FILTER_FLAGS,
        examples=(
            'memory recall "how do we deploy?"',
            "memory recall retry_policy --words --limit 3",
            'memory recall "what did we decide" --kind DECISION --since 2026-10',
            'memory recall "cache" -o json | jq -r ".units[].id"',
        ),
    ),
    Operation(
        "forget",
        Effect.REMOVES,
        WRITE,
        "forget_memory",
        "core",
        flags=FILTER_FLAGS
        | {
            "expect_count": ("--expect",),
            "id": ("-i", "--id"),
            "yes": ("-y", "--yes"),
        },
        examples=(
            'memory forget "I like tabs."',
            "memory forget --id 7k2m9qx4ra",
            "memory forget --tag scratch --yes --expect 12",
        ),
    ),
    Operation(
        "handoff",
        Effect.CHANGES,
        WRITE,
        "record_handoff",
        "core",
        idempotent=True,
        examples=(
            'memory handoff "Parser done; next: error messages. Tests in tests/test_parse.py fail."',
            "memory handoff",
        ),
    ),
    Operation(
        "context",
        Effect.READS,
        READ,
        "memory_context",
        "core",
        examples=("memory context", 'memory context "the release" --budget 800', "memory context --for claude-code"),
    ),
    Operation(
        "update",
        Effect.CHANGES,
        WRITE,
        "update_memory",
        "curate",
        idempotent=True,
        flags={"tag": ("-t", "--tag"), "kind": ("-k", "--kind"), "scope": ("-s", "--scope")},
        examples=(
            'memory update 7k2m9qx4ra "I like spaces."',
            "memory update 7k2m --tag style --untag draft",
            "memory update 7k2m --superseded",
        ),
    ),
    Operation(
        "list_",
        Effect.READS,
        READ,
        "list_memory",
        "curate",
        flags=FILTER_FLAGS,
        examples=("memory list", "memory list --kind RULE --scope global", "memory list --since yesterday -o json"),
    ),
    Operation("show", Effect.READS, READ, flags={"scope": ("-s", "--scope")}, examples=("memory show 7k2m9qx4ra",)),
    Operation(
        "history",
        Effect.READS,
        READ,
        "memory_history",
        "curate",
        flags=FILTER_FLAGS,
        examples=("memory history", "memory history 7k2m9qx4ra"),
    ),
    Operation(
        "undo",
        Effect.CHANGES,
        WRITE,
        "undo_memory",
        "curate",
        flags={"scope": ("-s", "--scope")},
        examples=("memory undo", "memory undo local:12"),
    ),
    Operation(
        "stats",
        Effect.READS,
        CARE,
        "memory_stats",
        "admin",
        flags=FILTER_FLAGS,
        examples=("memory stats", "memory stats --scope global -o json"),
    ),
    Operation("status", Effect.READS, CARE, "memory_status", "admin", examples=("memory status",)),
    Operation(
        "doctor",
        Effect.ADDS,
        CARE,
        "memory_doctor",
        "admin",
        idempotent=True,
        examples=("memory doctor", "memory doctor --fix"),
    ),
    Operation("trust", Effect.ADDS, CARE, examples=("memory trust", "memory trust --revoke")),
    Operation(
        "reindex",
        Effect.ADDS,
        CARE,
        flags={"scope": ("-s", "--scope"), "words_only": ("--words",), "vectors_only": ("--vectors",)},
        examples=("memory reindex", "memory reindex --vectors", "memory reindex --no-embed"),
    ),
    Operation(
        "retire_document",
        Effect.CHANGES,
        CARE,
        idempotent=True,
        flags={"scope": ("-s", "--scope")},
        examples=("memory retire-document", "memory retire-document --scope global"),
    ),
)
TOOL_SETS = ("core", "curate", "admin")
