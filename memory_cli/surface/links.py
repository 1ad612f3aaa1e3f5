"""The operations on links between statements."""

from memory_cli.surface.operation import READ, WRITE, Effect, Operation

LINKS = (
    Operation(
        "link",
        Effect.ADDS,
        WRITE,
        "link_memory",
        "curate",
        idempotent=True,
        flags={"type": ("-t", "--type")},
        examples=("memory link 7k2m9qx4ra 3hd0p2wv8c", "memory link 7k2m9qx4ra 3hd0p2wv8c --type supersedes"),
    ),
    Operation(
        "unlink",
        Effect.REMOVES,
        WRITE,
        flags={"type": ("-t", "--type")},
        examples=("memory unlink 7k2m9qx4ra 3hd0p2wv8c",),
    ),
    Operation(
        "links",
        Effect.READS,
        READ,
        "memory_links",
        "curate",
        flags={"type": ("-t", "--type"), "scope": ("-s", "--scope"), "limit": ("-n", "--limit")},
        examples=("memory links 7k2m9qx4ra", "memory links 7k2m9qx4ra --type similar"),
    ),
    Operation(
        "graph",
        Effect.READS,
        READ,
        "memory_graph",
        "curate",
        flags={"scope": ("-s", "--scope"), "limit": ("-n", "--limit")},
        examples=("memory graph", "memory graph deploy", "memory graph --format mermaid > memory.mmd"),
    ),
)
