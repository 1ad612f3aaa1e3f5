"""The charts of the documents show the figures that are kept."""

import xml.etree.ElementTree as ET

from benchmarks.charts import drawn, made


def test_charts_are_up_to_date():
    stale = [path.name for path, text in made().items() if not path.exists() or path.read_text("utf-8") != text]
    assert not stale, "run `python -m benchmarks.charts`"


def test_a_missed_target_is_seen_and_text_is_no_markup():
    bars = [{"name": "a < b", "value": 2, "target": 1}, {"name": "c", "value": 1, "target": 2}]
    picture = ET.fromstring(drawn([{"title": "t", "lower": True, "bars": bars}], "x"))
    classes = [each.get("class") for each in picture.iter("{http://www.w3.org/2000/svg}rect")]
    assert (classes.count("missed"), classes.count("bar")) == (1, 1)
    assert "a < b" in [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
