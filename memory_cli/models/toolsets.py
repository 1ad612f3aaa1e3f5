"""The names of the sets of tools."""

CORE, ALL = "core", "all"
TOOL_SETS = (CORE, "curate", "categories", "sync", "admin")
# Sets of other systems' tools, which stand alone, by their modules in `memory_cli.serve.seeds`.
SEEDS = {"shared-memory": "shared_memory", "mcp-memory-rs": "mcp_memory_rs"}
# What can be named wherever sets are.
NAMES = (*TOOL_SETS, ALL, *SEEDS)
