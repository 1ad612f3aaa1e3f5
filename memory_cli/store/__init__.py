"""SQLite: the only package that holds SQL."""
