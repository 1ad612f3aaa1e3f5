"""Links between statements, and a history that speaks of more than statements."""

import sqlite3

TABLES = """
-- In `statement` stands whatever names the thing in its family: an id, a link's ends and type, the name of a document.
alter table change_item add column family text not null default 'statement';

-- Links that somebody made, in the store of the statement that they come from. Ends are ids and no row numbers: the
-- other end may be in the other scope, and a statement that an undo brings back has another row.
create table link (
    number integer primary key,
    from_id text not null,
    to_id text not null,
    type text not null,
    score real not null,
    at integer not null,
    agent text not null,
    unique (from_id, type, to_id)
);
create index link_to on link(to_id);

-- Statements of like meaning, made with the vector; what is derived goes with its statements and is no history.
create table likeness (
    statement integer not null references statement(number) on delete cascade,
    other integer not null references statement(number) on delete cascade,
    score real not null,
    at integer not null,
    primary key (statement, other)
) without rowid;
create index likeness_other on likeness(other);

-- Up to which vector likenesses were made; those from before there were any wait until somebody asks for them.
insert into counter (name, value)
select 'linked', coalesce((select seq from sqlite_sequence where name = 'vector'), 0);
"""


def m002_links(db: sqlite3.Connection) -> None:
    """Make the tables of links, and name in the history what family a thing is of."""
    for statement in filter(str.strip, TABLES.split(";\n")):
        db.execute(statement)
