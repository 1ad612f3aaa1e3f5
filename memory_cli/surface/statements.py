"""The operations on statements."""

from memory_cli.surface.operation import FILTER_FLAGS, READ, WRITE, Effect, Operation

STATEMENTS = (
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
)
