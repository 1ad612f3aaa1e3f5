"""What must hold in every store, whatever happened to the processes that wrote it."""

import sqlite3

from memory_cli.store import categories
from memory_cli.store.connection import Store

COUNTS = {
    "statements without a row in the word index": """
        select count(*) from statement s where not exists (select 1 from words_content c where c.id = s.number)
    """,
    "rows of the word index without a statement": """
        select count(*) from words_content c where not exists (select 1 from statement s where s.number = c.id)
    """,
    "vectors without a statement": """
        select count(*) from vector v where not exists (select 1 from statement s where s.number = v.statement)
    """,
    "vectors of the wrong length": """
        select count(*) from vector v join model m on m.number = v.model where length(v.components) <> 4 * m.dimension
    """,
    "statements with neither a vector nor a place in the queue": """
        select count(*) from statement s
        where not exists (select 1 from pending p where p.statement = s.number)
        and not exists (select 1 from vector v where v.statement = s.number)
    """,
    "statements from nowhere": """
        select count(*) from statement s where not exists (select 1 from origin o where o.statement = s.number)
    """,
}

OF_CATEGORIES = {
    "categories without their newest version": """
        select count(*) from category c where not exists (
            select 1 from category_version v where v.category = c.name and v.version = c.version and v.hash is c.hash
        )
    """,
    "categories without their text": """
        select count(*) from category c where c.kind = 'memory' and c.hash is not null
        and not exists (select 1 from category_payload p where p.hash = c.hash)
    """,
}


def problems(store: Store) -> list[str]:
    """Return a sentence for each thing that is wrong in the store; none when all is well."""
    try:
        return _problems(store)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        return [f"SQLite cannot read the whole of it: {error}"]


def of_tables(db: sqlite3.Connection) -> list[str]:
    """Return what is wrong as far as reading tells."""
    found = [f"SQLite finds: {row[0]}" for row in db.execute("pragma integrity_check") if row[0] != "ok"]
    found += [f"a row of {row[0]} points to nothing" for row in db.execute("pragma foreign_key_check")]
    # An older schema has none.
    of_categories = db.execute("select 1 from sqlite_master where name = 'category_payload'").fetchone()
    for name, sql in (COUNTS | OF_CATEGORIES if of_categories else COUNTS).items():
        if count := db.execute(sql).fetchone()[0]:
            found.append(f"{name}: {count}")
    if of_categories and (damaged := sum(not each for each in categories.sound(db))):
        found.append(f"texts of categories that are not what their hash says: {damaged}")
    return found


def _problems(store: Store) -> list[str]:
    found = of_tables(store.db)
    try:
        store.db.execute("insert into words (words, rank) values ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        found.append(f"the word index does not agree with itself: {error}")
    return found
