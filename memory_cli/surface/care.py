"""The operations that look after a memory."""

from memory_cli.surface.operation import CARE, FILTER_FLAGS, Effect, Operation

LOOKING_AFTER = (
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
    Operation(
        "snapshot",
        Effect.READS,
        CARE,
        flags={"scope": ("-s", "--scope")},
        examples=("memory snapshot ~/backups/memory-today", "memory snapshot backup --scope global"),
    ),
    Operation(
        "verify",
        Effect.READS,
        CARE,
        flags={"scope": ("-s", "--scope")},
        examples=("memory verify", "memory verify ~/backups/memory-today"),
    ),
    Operation(
        "restore",
        Effect.CHANGES,
        CARE,
        flags={"scope": ("-s", "--scope"), "yes": ("-y", "--yes")},
        examples=("memory restore ~/backups/memory-today", "memory restore ~/backups/memory-today --yes"),
    ),
)
