"""A memory for coding agents and people, in local files, by command line and MCP."""

__version__ = "0.1.0"
