"""A memory for coding agents and people: local files, recall by words and by meaning, a command line and an MCP server."""

__version__ = "0.1.0"
