"""The operations on categories."""

from memory_cli.surface.operation import WRITE, Effect, Operation

SCOPE = {"scope": ("-s", "--scope")}
REASON = {"reason": ("-m", "--reason"), "expected_hash": ("--expect",)}
SET = "categories"


def _row(name: str, effect: Effect, *examples: str, tool: str = "", **more: dict[str, tuple[str, ...]]) -> Operation:
    flags = SCOPE | more.get("flags", {})
    return Operation(
        name, effect, WRITE, f"category_{tool}" if tool else "", SET if tool else "", group="category", flags=flags,
        examples=tuple(f"memory category {each}" for each in examples),
    )  # fmt: skip


CATEGORIES = (
    _row("read", Effect.READS, "read base", "read base --fields editor,shell", "read base --version 3", tool="read"),
    _row(
        "write", Effect.CHANGES, 'write base --data editor=vim -m "moved to vim"',
        'write base -m "why" --merge - < patch.json', tool="write", flags=REASON,
    ),
    _row("append", Effect.ADDS, "append journal --data did=tests", "append journal - < entry.json", tool="append"),
    _row("delete", Effect.REMOVES, 'delete old -m "nobody reads it"', tool="delete", flags=REASON),
    _row("restore", Effect.CHANGES, "restore base --version 3", "restore old", tool="restore", flags=REASON),
    _row("list_", Effect.READS, "list", "list --scope global -o json", tool="list"),
    _row("search", Effect.READS, 'search "which editor"', "search vim --category base --hybrid", tool="search",
         flags={"limit": ("-n", "--limit")}),
    _row("history", Effect.READS, "history base", tool="history", flags={"limit": ("-n", "--limit")}),
    _row("delta", Effect.READS, "delta base --since-hash 44136fa355b3", tool="delta"),
    _row("diff", Effect.READS, "diff base", "diff base 3 7"),
    _row("log", Effect.READS, "log journal", "log journal --limit 5", flags={"limit": ("-n", "--limit")}),
    _row("compact", Effect.REMOVES, "compact --keep-versions 20 --dry-run", "compact base --older-than 90d",
         tool="compact"),
)  # fmt: skip
