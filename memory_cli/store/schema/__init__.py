"""The tables of a store, as the list of migrations that make them."""

import sqlite3
from collections.abc import Callable

from memory_cli.store.schema.m001_initial import APPLICATION_ID, m001_initial
from memory_cli.store.schema.m002_links import m002_links
from memory_cli.store.schema.m003_documents import m003_documents
from memory_cli.store.schema.m004_categories import m004_categories
from memory_cli.store.schema.m005_sync import m005_sync

__all__ = ["APPLICATION_ID", "MIGRATIONS"]

MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    m001_initial, m002_links, m003_documents, m004_categories, m005_sync,
)  # fmt: skip
