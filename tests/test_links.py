"""Links between statements: made, derived, followed, taken back, and drawn."""

import json
import re

import pytest

TEXTS = {
    "old": "We deploy on Fridays.", "new": "We deploy on Mondays.", "why": "Friday deploys failed twice.",
    "tea": "Green tea is steeped at eighty degrees. [[tea]]", "cup": "The cup holds three decilitres. #tea",
}  # fmt: skip


@pytest.fixture
def linked(memory):
    """Some statements, and a way to run a command and read its document."""
    for id, text in TEXTS.items():
        assert memory("record", text, "--id", id).exit_code == 0

    def run(*argv, code=0):
        done = memory(*argv, "-o", "json")
        assert done.exit_code == code, done.output
        return json.loads(done.stdout) if done.stdout else done.stderr

    return run


def pairs(found):
    return [(each["from_id"], each["type"], each["to_id"]) for each in found]


def test_a_link_is_seen_from_both_ends_and_taken_back_by_undo(linked):
    linked("link", "why", "new", "--type", "supports")
    for id in ("why", "new"):
        assert pairs(linked("links", id)["links"]) == [("why", "supports", "new")]
    assert linked("link", "why", "new", "--type", "supports")["already_linked"]
    assert [each["type"] for each in linked("show", "new")["links"]] == ["supports"]
    linked("undo")
    assert linked("links", "new")["links"] == []
    linked("undo", "local:7")
    assert pairs(linked("links", "new")["links"]) == [("why", "supports", "new")]


def test_what_supersedes_comes_first_and_is_named(linked):
    done = linked("link", "new", "old", "--type", "supersedes")
    assert done["superseded"]
    units = linked("recall", "Fridays", "--words")["units"]
    assert [each["id"] for each in units][:1] == ["new"] or units[0]["id"] == "why"
    order = [each["id"] for each in units]
    assert order.index("new") < order.index("old")
    assert next(each for each in units if each["id"] == "old")["superseded_by"] == "new"
    assert "new" not in [each["id"] for each in linked("recall", "Fridays", "--words", "--superseded")["units"]]
    assert linked("unlink", "new", "old")["current"] == ["old"]
    assert not any(each.get("superseded") for each in linked("list")["units"])


def test_links_go_with_a_statement_and_come_back_with_it(linked):
    linked("link", "why", "new")
    linked("link", "new", "old", "--type", "contradicts")
    linked("forget", "--id", "new")
    assert linked("links", "why")["links"] == [] and linked("links", "old")["links"] == []
    linked("undo")
    assert pairs(linked("links", "new")["links"]) == [("new", "contradicts", "old"), ("why", "related", "new")]


def test_a_link_reaches_from_one_memory_into_the_other(linked, memory):
    memory("record", "I deploy by hand.", "--scope", "global", "--id", "hand")
    linked("link", "hand", "old", "--type", "supersedes")
    assert linked("show", "old")["unit"]["superseded"]
    (found,) = linked("links", "old")["links"]
    assert (found["scope"], found["text"]) == ("global", "I deploy by hand.")
    linked("forget", "--id", "old")
    assert linked("links", "hand")["links"][0]["missing"]
    linked("unlink", "hand", "old")
    assert linked("links", "hand")["links"] == []


@pytest.mark.parametrize("argv, code", [
    (("link", "why", "why"), 2), (("link", "why", "nowhere"), 3), (("link", "why", "new", "--type", "similar"), 2),
    (("unlink", "why", "new"), 3), (("links", "nowhere"), 3), (("graph", "--limit", "201"), 2),
])  # fmt: skip
def test_what_cannot_be_linked_is_refused(linked, argv, code):
    linked(*argv, code=code)


def test_words_in_a_text_that_are_marked_as_tags_are_tags_and_link(linked):
    assert pairs(linked("links", "cup", "--type", "tag")["links"]) == [("cup", "tag", "tea")]
    assert [each["id"] for each in linked("list", "--tag", "tea")["units"]] == ["cup", "tea"]


def test_similar_statements_are_linked_when_the_vector_is_made(linked, memory):
    memory("record", "We deploy on Monday.", "--id", "near")
    linked("recall", "deploy")
    found = linked("links", "near", "--type", "similar")["links"]
    assert found and found[0]["score"] >= 0.75 and {found[0]["from_id"], found[0]["to_id"]} == {"near", "new"}


def test_a_reindex_links_what_was_embedded_before_there_were_links(linked, memory, tmp_path):
    import sqlite3

    memory("record", "We deploy on Monday.", "--id", "near")
    linked("recall", "deploy")
    db = sqlite3.connect(tmp_path / "project/.memory-rag/memory.sqlite3")
    db.execute("delete from likeness")
    db.execute("update counter set value = (select max(number) from vector) where name = 'linked'")
    db.commit()
    db.close()
    assert linked("reindex", "--links", "--dry-run")["linked"] > 0
    assert linked("links", "near", "--type", "similar")["links"] == []
    assert linked("reindex", "--links")["linked"] > 0
    assert linked("links", "near", "--type", "similar")["links"]


def test_the_graph_holds_what_matches_and_its_neighbours(linked):
    linked("link", "why", "new")
    found = linked("graph", "Mondays")
    assert {each["id"] for each in found["nodes"]} == {"new", "why"}
    assert pairs(found["edges"]) == [("why", "related", "new")]
    assert {each["id"] for each in linked("graph")["nodes"]} == {"why", "new", "tea", "cup"}
    assert "hint" in linked("graph", "nothing like it")


def test_a_graph_is_bounded(memory):
    lines = [json.dumps({"text": f"thing {number}", "tags": ["all"]}) for number in range(300)]
    memory("import", "-", input="\n".join(lines))
    found = json.loads(memory("graph", "--limit", "200", "--budget", "0", "-o", "json").stdout)
    assert (len(found["nodes"]), len(found["edges"])) == (200, 500) and found["truncated"]
    usual = json.loads(memory("graph", "-o", "json").stdout)
    ids = {each["id"] for each in usual["nodes"]}
    assert usual["truncated"] and ids and all({each["from_id"], each["to_id"]} <= ids for each in usual["edges"])
    assert len(json.dumps(usual)) < 2000 * 4


def test_a_graph_is_drawn_for_other_programs_and_nothing_in_it_is_markup(linked, memory):
    memory("record", 'A "quoted" <b>thing</b> \x1b[31m', "--id", "odd")
    linked("link", "odd", "why")
    mermaid = memory("graph", "--format", "mermaid").stdout
    assert mermaid.startswith("graph LR\n") and "#quot;quoted#quot; #lt;b#gt;" in mermaid and "\x1b" not in mermaid
    dot = memory("graph", "--format", "dot").stdout
    assert re.search(r'label="A \\"quoted\\"', dot) and dot.rstrip().endswith("}")
    tree = memory("graph", "-o", "table").stdout
    assert "odd" in tree and "related" in tree and "\x1b[31m" not in tree
    assert "odd\trelated\twhy\t1.00" in memory("graph").stdout


def test_links_are_exported_and_come_back_byte_for_byte(linked, memory, tmp_path):
    linked("link", "why", "new", "--type", "supports")
    linked("link", "new", "old", "--type", "supersedes")
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    memory("export", "--format", "jsonl", "--to", str(first))
    other = ["--project-root", str(tmp_path / "other"), "--storage-root", str(tmp_path / "elsewhere")]
    (tmp_path / "other").mkdir()
    done = memory(*other, "import", str(first), "-o", "json")
    assert done.exit_code == 0, done.output
    memory(*other, "export", "--format", "jsonl", "--to", str(second))
    assert first.read_bytes() == second.read_bytes() and first.read_bytes().count(b'"link": ') == 2
    assert json.loads(done.stdout)["links"] == 2
    assert json.loads(memory(*other, "import", str(first), "-o", "json").stdout)["new"] == 0


def test_a_purge_leaves_no_link(linked, tmp_path):
    linked("link", "why", "new", "--type", "supports")
    linked("forget", "--id", "why", "--purge")
    raw = (tmp_path / "project/.memory-rag/memory.sqlite3").read_bytes()
    assert b"why supports" not in raw and linked("links", "new")["links"] == []
