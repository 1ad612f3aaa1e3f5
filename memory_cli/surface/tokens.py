"""The operations on tokens."""

from memory_cli.surface.operation import CARE, Effect, Operation

TOKENS = (
    Operation(
        "add",
        Effect.ADDS,
        CARE,
        group="token",
        flags={"scope": ("-s", "--scope")},
        examples=("memory token add laptop", "memory token add ci-bot --scope global --tools core"),
    ),
    Operation("list_", Effect.READS, CARE, group="token", examples=("memory token list",)),
    Operation("revoke", Effect.REMOVES, CARE, group="token", examples=("memory token revoke laptop",)),
)
