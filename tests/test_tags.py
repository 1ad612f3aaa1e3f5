"""Tags that stand in a text."""

import json

import pytest

from memory_cli.text.tags import tags_in


@pytest.mark.parametrize("text, tags", [
    ("Ship it. #release #QA", ["release", "QA"]),
    ("#first word, (#second) and [[The Topic]] twice: [[the topic|shown]]", ["first", "second", "The Topic"]),
    ("#größe and #日本 and #multi-word_tag", ["größe", "日本", "multi-word_tag"]),
    ("issue #123, colour #ffcc00 or #fff, page x.html#part, https://a.b/#c", []),
    ("# Heading\n## Another\n#! shebang\n#include <x>", ["include"]),
    ("`#code` and\n```\n#comment [[link]]\n```\nafter #tail", ["tail"]),
    ("C# and F#, a#b, &#39; ##x #x#y", []),
    ("[[a#section]] [[]] [[ ]] [[x\ny]] [not][a link]", ["a"]),
    ("", []),
])  # fmt: skip
def test_only_what_is_meant_as_a_tag_is_one(text, tags):
    assert list(tags_in(text)) == tags


def test_a_text_full_of_tags_gives_twenty():
    assert len(tags_in(" ".join(f"#tag{number}" for number in range(1000)))) == 20


def test_every_door_finds_the_tags_of_a_text_and_leaves_the_text_as_it_is(memory):
    memory("record", "We cut releases on Mondays. #release", "--id", "a", "--tag", "given")
    memory("import", "-", input=json.dumps({"text": "Imported. [[topic]]", "id": "b"}))
    memory("update", "a", "We cut releases on Fridays. #friday")
    told = {each["id"]: each for each in json.loads(memory("list", "-o", "json").stdout)["units"]}
    assert sorted(told["a"]["tags"]) == ["friday", "given", "release"] and told["b"]["tags"] == ["topic"]
    assert told["a"]["text"].endswith("#friday")


def test_a_tag_that_was_taken_away_does_not_come_back_by_an_export(memory, tmp_path):
    memory("record", "Kept as it was. #gone", "--id", "a")
    memory("update", "a", "--untag", "gone")
    memory("export", "--format", "jsonl", "--to", str(tmp_path / "out.jsonl"))
    memory("forget", "--id", "a", "--purge")
    memory("import", str(tmp_path / "out.jsonl"))
    assert "tags" not in json.loads(memory("show", "a", "-o", "json").stdout)["unit"]
