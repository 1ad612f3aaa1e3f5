"""The tables of the first version."""

import sqlite3

# "memo" in ASCII: tells our file from another program's before anything in it is believed.
APPLICATION_ID = 0x6D656D6F

# Every visible ASCII character but the quotes belongs to a token: the analysis, not SQLite, decides where words end.
TOKENIZE = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"

TABLES = f"""
create table counter (
    name text primary key,
    value integer not null
) without rowid;

-- autoincrement: a number is never used again, so a cache in another process cannot mistake a new row for an old one.
create table statement (
    number integer primary key autoincrement,
    id text not null unique,
    identity blob not null unique,
    folded blob not null,
    sequence integer not null unique,
    kind text not null,
    text text not null,
    at integer not null,
    updated_at integer not null,
    expires_at integer,
    metadata text,
    superseded integer not null default 0,
    recalls integer not null default 0,
    last_recalled_at integer
);
create index statement_folded on statement(folded);
create index statement_at on statement(at);
create index statement_kind on statement(kind);
create index statement_expires on statement(expires_at) where expires_at is not null;
create unique index statement_one_handoff on statement(kind) where kind = 'HANDOFF';

create table alias (
    id text primary key,
    statement integer not null references statement(number) on delete cascade
) without rowid;
create index alias_statement on alias(statement);

create table origin (
    number integer primary key,
    statement integer not null references statement(number) on delete cascade,
    agent text not null collate nocase,
    source text not null collate nocase,
    unique (statement, agent, source)
);
create index origin_agent on origin(agent);
create index origin_source on origin(source);

create table origin_tag (
    origin integer not null references origin(number) on delete cascade,
    tag text not null collate nocase,
    primary key (origin, tag)
) without rowid;
create index origin_tag_tag on origin_tag(tag);

create virtual table words using fts5(text, agent, tokenize = "{TOKENIZE}");
create virtual table words_terms using fts5vocab(words, 'col');

create table model (
    number integer primary key,
    name text not null unique,
    dimension integer not null
);
create table vector (
    number integer primary key autoincrement,
    model integer not null references model(number),
    statement integer not null references statement(number) on delete cascade,
    part integer not null default 0,
    components blob not null,
    unique (model, statement, part)
);
create index vector_statement on vector(statement);

-- What has no vector of the model that `counter` row 'model' names; filled in the transaction that wrote the words.
create table pending (
    statement integer primary key references statement(number) on delete cascade
);

create table device (
    number integer primary key,
    name text not null unique
);
create table change (
    number integer primary key autoincrement,
    at integer not null,
    operation text not null,
    agent text not null,
    device integer not null references device(number),
    device_number integer not null,
    undoes integer references change(number)
);
create index change_undoes on change(undoes) where undoes is not null;
create table change_item (
    change integer not null references change(number) on delete cascade,
    position integer not null,
    statement text not null,
    effect text not null,
    before text,
    primary key (change, position)
) without rowid;
create index change_item_statement on change_item(statement, change);

-- What was taken in from the files of older servers; `others` tells whether they were somebody else's.
create table taken (
    path text primary key,
    at integer not null,
    statements integer not null,
    copied integer not null,
    others integer not null
) without rowid;

-- The hashes of the documents that we wrote, which are never taken in as memory.
create table rendering (
    hash blob primary key,
    at integer not null
) without rowid;

-- Servers of the first seed share our file's name. They give up where an index has the name of their table; without
-- it they would make their tables here, and drop our `vector`.
create index unit on counter(value);

-- In the account's store: the projects whose memory came with a clone and is believed all the same.
create table trusted (
    project text primary key,
    at integer not null
) without rowid;
"""


def m001_initial(db: sqlite3.Connection) -> None:
    """Make the tables of the first version."""
    for statement in filter(str.strip, TABLES.split(";\n")):
        db.execute(statement)
    db.execute(f"pragma application_id = {APPLICATION_ID}")
