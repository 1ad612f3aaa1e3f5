"""Categories: named documents, plain or logs, every version of which is kept."""
