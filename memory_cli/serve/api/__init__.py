"""The operations over plain HTTP, for what speaks no MCP."""
