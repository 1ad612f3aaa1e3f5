"""The operations of sync."""

from memory_cli.surface.operation import CARE, Effect, Operation

SCOPE = {"scope": ("-s", "--scope")}
SET = "sync"


def _row(name: str, effect: Effect, *examples: str, tool: str = "", **more: dict[str, tuple[str, ...]]) -> Operation:
    return Operation(
        name, effect, CARE, tool, SET if tool else "", group="sync", flags=SCOPE | more.get("flags", {}),
        examples=tuple(f"memory sync {each}" for each in examples),
    )  # fmt: skip


SYNC = (
    _row("status", Effect.READS, "status", "status --scope local -o json"),
    _row("run", Effect.CHANGES, "run", "run laptop", tool="memory_sync"),
    _row("pull", Effect.CHANGES, "pull", "pull laptop", tool="sync_pull"),
    _row("push", Effect.CHANGES, "push", "push laptop", tool="sync_push"),
    _row("diff", Effect.CHANGES, "diff laptop", tool="sync_diff"),
    _row("manifest", Effect.READS, "manifest", "manifest -o json --limit 1000", tool="sync_manifest",
         flags={"limit": ("-n", "--limit")}),
    _row("folder", Effect.CHANGES, "folder ~/Dropbox/memory", "folder ./shared --scope local --readable"),
    _row("conflicts", Effect.READS, "conflicts"),
    _row("resolve", Effect.CHANGES, "resolve 3 --keep lost"),
)  # fmt: skip
