"""Taking in what the servers of memory-ultra-rag-mcp left: their databases of every schema, and their documents."""
