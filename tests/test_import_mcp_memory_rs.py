"""What mcp-memory-rs kept comes in with its history, once, and its folder stays as it was."""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memory_cli.categories.canonical import text_of
from tests.test_importing import contents

TABLES = """
create table category (
    name text primary key, namespace text not null default 'default', content_hash text not null,
    updated_at text not null, updated_by text not null, write_policy text not null default 'device',
    size_bytes integer not null default 0
);
create table category_version (
    id integer primary key autoincrement, category_name text not null, content_hash text not null, diff_json text,
    reason text, actor text not null, timestamp text not null
);
create virtual table search_fts using fts5(category_name, key_path, value_text);
"""


class Kept:
    """A folder of mcp-memory-rs, written as its README tells of it: a file a category, backups, and a database."""

    def __init__(self, place):
        self.place = place
        for name in ("categories", "backups"):
            (place / name).mkdir(parents=True)
        self.sql(TABLES)

    def sql(self, script, *values):
        with closing(sqlite3.connect(self.place / "memory.db")) as db:
            db.execute(script, values) if values else db.executescript(script)
            db.commit()

    def write(self, name, data, at, actor="laptop", reason=None):
        self._back_up(name, at, "")
        text = text_of(data)
        (self.place / "categories" / f"{name}.json").write_text(text, encoding="utf-8")
        hash, moment = hashlib.sha256(text.encode()).hexdigest(), f"{at}.123456789+00:00"
        self.sql("delete from category where name = ?", name)
        self.sql(
            "insert into category (name, content_hash, updated_at, updated_by) values (?, ?, ?, ?)",
            name, hash, moment, actor,
        )  # fmt: skip
        self.sql(
            "insert into category_version (category_name, content_hash, reason, actor, timestamp) values (?,?,?,?,?)",
            name, hash, reason, actor, moment,
        )  # fmt: skip

    def delete(self, name, at):
        self._back_up(name, at, ".deleted")
        (self.place / "categories" / f"{name}.json").unlink()
        self.sql("delete from category_version where category_name = ?", name)
        self.sql("delete from category where name = ?", name)

    def _back_up(self, name, at, mark):
        file = self.place / "categories" / f"{name}.json"
        if file.exists():
            copy = self.place / "backups" / f"{name}.{at.replace(':', '-')}{mark}.json"
            copy.write_bytes(file.read_bytes())


def log(*entries, most=200):
    kept = [{"id": number, "ts": f"2026-06-0{number + 1}T09:00:00+00:00", "data": data} for number, data in entries]
    return {"_kind": "log", "_retention": {"max_entries": most, "max_age_days": None}, "entries": kept}


@pytest.fixture
def source(tmp_path):
    kept = Kept(tmp_path / "elsewhere" / "mcp")
    kept.write("base", {"editor": "vi"}, "2026-06-01T10:00:00", reason="first")
    kept.write("base", {"editor": "vim"}, "2026-06-02T10:00:00", "phone")
    kept.write("base", {"editor": "helix", "_kind": "mine"}, "2026-06-03T10:00:00")
    kept.write("gone", {"a": 1}, "2026-06-01T11:00:00")
    kept.write("gone", {"a": 2}, "2026-06-02T11:00:00")
    kept.delete("gone", "2026-06-03T11:00:00")
    kept.write("journal", log((0, {"n": 0})), "2026-06-01T09:00:00", "phone", "append")
    kept.write("journal", log((0, {"n": 0}), (1, {"n": 1})), "2026-06-02T09:00:00", reason="append")
    kept.write("journal", log((1, {"n": 1}), (2, {"n": 2}), most=2), "2026-06-03T09:00:00", reason="append")
    return kept


@pytest.fixture
def take(memory, source):
    def run(*options, code=0, place=source.place):
        done = memory("import", "--from", "mcp-memory-rs", *([str(place)] if place else []), *options, "-o", "json")
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)

    return run


@pytest.fixture
def category(memory):
    def run(*argv, code=0):
        done = memory("category", *argv, "-o", "json")
        assert done.exit_code == code, done.output
        return json.loads(done.stdout) if done.stdout else done.stderr

    return run


def test_every_version_comes_with_its_time_its_writer_and_its_reason(take, category, source):
    done = take()
    assert (done["new"], done["already_recorded"], done["categories"]) == (9, 0, 3)
    told = category("history", "base")["versions"]
    assert [(each["at"][:10], each["agent"], each.get("reason", "")) for each in reversed(told)] == [
        ("2026-06-01", "laptop", "first"), ("2026-06-02", "phone", ""), ("2026-06-03", "laptop", ""),
    ]  # fmt: skip
    assert category("read", "base", "--version", "1")["data"] == {"editor": "vi"}
    found = category("read", "base")
    assert found["data"] == {"editor": "helix", "_kind": "mine"} and found["meta"]["kind"] == "memory"
    file = (source.place / "categories/base.json").read_bytes()
    assert found["meta"]["hash"] == hashlib.sha256(file).hexdigest()


def test_what_was_deleted_there_is_deleted_here_and_its_backups_are_its_history(take, category):
    take()
    category("read", "gone", code=3)
    told = category("history", "gone")["versions"]
    assert [each["operation"] for each in told] == ["delete", "import", "import"]
    assert category("read", "gone", "--version", "2")["data"] == {"a": 2}
    assert category("restore", "gone")["version"] == 4


def test_a_log_keeps_its_numbers_times_writers_and_bounds(take, category):
    take()
    entries = category("log", "journal")["entries"]
    assert [(each["id"], each["at"][:10], each["data"]["n"]) for each in entries] == [
        (2, "2026-06-02", 1), (3, "2026-06-03", 2),
    ]  # fmt: skip
    assert category("read", "journal")["meta"]["kind"] == "log"
    before = category("read", "journal", "--version", "1")["data"]["entries"]
    assert [(each["id"], each["by"]) for each in before] == [(1, "phone"), (2, "laptop"), (3, "laptop")]
    assert category("append", "journal", '{"n": 3}')["entry"] == 4
    assert [each["id"] for each in category("log", "journal")["entries"]] == [3, 4]


def test_three_imports_are_one_and_what_came_later_comes_then(take, category, source):
    would, before = take("--dry-run"), contents(source.place)
    assert (would["new"], would["categories"]) == (9, 3) and category("list")["categories"] == []
    take()
    for _again in range(2):
        again = take()
        assert (again["new"], again["already_recorded"]) == (0, 9)
    assert contents(source.place) == before
    source.write("base", {"editor": "emacs"}, "2026-06-04T10:00:00")
    source.write("journal", log((2, {"n": 2}), (3, {"n": 3})), "2026-06-04T09:00:00")
    assert take()["new"] == 2
    assert category("read", "base")["data"] == {"editor": "emacs"}
    assert [each["id"] for each in category("log", "journal")["entries"]] == [2, 3, 4]


def test_what_has_another_history_here_is_named_and_left(take, category):
    category("write", "base", '{"of": "here"}')
    category("append", "gone", '{"n": 1}')
    category("write", "journal", "{}")
    done = take(code=1)
    assert done["new"] == 0 and len(done["failed"]) == 3
    assert all("left as it is" in each for each in done["failed"])
    assert category("read", "base")["data"] == {"of": "here"}


def test_what_was_imported_syncs(take, memory, tmp_path):
    take()
    for options in ((), ("--storage-root", str(tmp_path / "there"))):
        assert memory(*options, "sync", "folder", str(tmp_path / "bus")).exit_code == 0
    there = ("--storage-root", str(tmp_path / "there"), "category")
    assert json.loads(memory(*there, "log", "journal", "-o", "json").stdout)["total"] == 2
    assert json.loads(memory(*there, "read", "base", "-o", "json").stdout)["data"]["editor"] == "helix"
    assert memory(*there, "read", "gone").exit_code == 3


def test_one_undo_takes_an_import_back_and_another_brings_it_again(take, category, memory):
    take()
    undone = json.loads(memory("undo", "-o", "json").stdout)
    assert category("list")["categories"] == []
    memory("undo", undone["change"])
    assert category("read", "base")["data"]["editor"] == "helix"
    assert category("log", "journal")["total"] == 2


def test_a_database_that_is_lost_or_broken_costs_the_writers_alone(take, category, source):
    (source.place / "memory.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    done = take(code=1)
    assert len(done["failed"]) == 1 and "memory.db" in done["failed"][0]
    assert category("read", "base", "--version", "1")["data"] == {"editor": "vi"}
    assert category("read", "base")["data"]["editor"] == "helix"
    category("read", "gone", code=3)


def test_what_cannot_be_read_is_named_and_the_rest_comes_in(take, category, source):
    (source.place / "categories/broken.json").write_text("{", encoding="utf-8")
    (source.place / "categories/a b.json").write_text("{}", encoding="utf-8")
    (source.place / "backups/base.2026-06-02T10-00-00.json").write_text("[", encoding="utf-8")
    (source.place / "backups/no backup.json").write_text("{}", encoding="utf-8")
    done = take(code=1)
    assert len(done["failed"]) == 3 and any("broken.json" in each for each in done["failed"])
    assert "1 versions" in done["note"] and category("read", "base")["meta"]["version"] == 2


def test_a_file_that_somebody_edited_there_is_the_newest_version(take, category, source):
    (source.place / "categories/base.json").write_text('{"editor": "ed"}', encoding="utf-8")
    take()
    found = category("read", "base")
    assert found["data"] == {"editor": "ed"} and found["meta"]["updated_by"] == "file"


def test_secrets_are_blotted_out_of_every_version(take, category, source, tmp_path):
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC3dEf"
    source.write("base", {"key": token}, "2026-06-04T10:00:00", reason=f"because {token}")
    source.write("base", {"key": "none"}, "2026-06-05T10:00:00")
    assert take()["redacted"]
    raw = b"".join(path.read_bytes() for path in (tmp_path / "storage").rglob("*") if path.is_file())
    assert token.encode() not in raw
    assert take()["new"] == 0


@pytest.mark.parametrize("by", ["MCP_MEMORY_DIR", "MCP_MEMORY_CONFIG", "XDG_CONFIG_HOME", "HOME"])
def test_its_folder_is_found_where_it_says(by, take, source, tmp_path, monkeypatch):
    config = {"MCP_MEMORY_CONFIG": "its.toml", "XDG_CONFIG_HOME": "xdg/mcp-memory-rs/config.toml"}.get(by)
    if by == "HOME":
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        (tmp_path / "home").mkdir()
        source.place.rename(tmp_path / "home/.memory")
    elif config:
        (tmp_path / config).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / config).write_text(f'[storage]\nbase_dir = "{source.place}"\n', encoding="utf-8")
        monkeypatch.setenv(by, str(tmp_path / ("xdg" if by == "XDG_CONFIG_HOME" else config)))
    else:
        monkeypatch.setenv(by, str(source.place))
    assert take(place=None)["categories"] == 3


def rules(source, device="laptop"):
    (source.place / "config.toml").write_text(
        f'[acl]\ndevice_name = "{device}"\nadmin_devices = ["server"]\ndevice_categories = ["laptop", "phone"]\n',
        encoding="utf-8",
    )


def test_the_rules_of_access_come_into_the_users_own_settings(take, category, memory, source, elsewhere):
    rules(source)
    own = Path(elsewhere, "home/.config/memory-cli/config.toml")
    assert "would be taken over" in take("--dry-run")["note"] and not own.exists()
    own.parent.mkdir(parents=True)
    own.write_text('# mine\n[acl]\ndevice_name = "phone"\n', encoding="utf-8")
    assert "acl.device_name" in take()["note"]
    kept = own.read_text(encoding="utf-8")
    assert kept.startswith('# mine\n[acl]\ndevice_name = "phone"\n') and '["server"]' in kept
    category("write", "phone", "{}")
    category("write", "base", "{}", code=5)


def test_rules_of_another_folder_are_not_taken(take, source, tmp_path, monkeypatch):
    (tmp_path / "other.toml").write_text('[acl]\nadmin_devices = ["server"]\n', encoding="utf-8")
    monkeypatch.setenv("MCP_MEMORY_CONFIG", str(tmp_path / "other.toml"))
    assert "rules" not in take().get("note", "")


def test_rules_that_would_keep_this_device_out_are_told_and_not_taken(take, category, source):
    rules(source, device="stranger")
    assert "were not taken over" in take()["note"]
    category("write", "anything", "{}")
    (source.place / "config.toml").write_text("[acl]\nadmin_devices = 7\n", encoding="utf-8")
    assert "admin_devices" in take()["note"]


def test_the_rules_hold_for_an_import(memory, source):
    done = memory("--set", "acl.admin_devices=boss", "--set", "acl.device_name=x", "import", str(source.place))
    assert done.exit_code == 1 and done.stderr.count("admin_devices") >= 3
    assert json.loads(memory("category", "list", "-o", "json").stdout)["categories"] == []
