"""What says the same twice is shown once, and nothing else is."""

from datetime import UTC, datetime

import pytest

from memory_cli.models.statement import Statement
from memory_cli.retrieval.repetitions import Repetitions

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def collapsed(*texts, likeness=0.999):
    repetitions = Repetitions(lambda one, other: likeness, duplicate_cosine=0.99)
    given = [
        Statement(number, f"id{number}", "local", number, "ITEM", text, NOW, NOW) for number, text in enumerate(texts)
    ]
    return [found for each in given if (found := repetitions.collapse(each))]


def test_the_same_words_are_one_whatever_the_model_says():
    [found] = collapsed("use  tabs", "use tabs\n", likeness=None)
    assert (found.id, found.by, found.kept, found.likeness) == ("id1", "same words", "id0", 1.0)


def test_the_same_meaning_is_one():
    [found] = collapsed("The user prefers dark mode.", "The users prefer the dark mode")
    assert (found.by, found.likeness) == ("same meaning", 0.999)


@pytest.mark.parametrize("likeness", [None, 0.98])
def test_a_missing_or_distant_vector_makes_no_repetition(likeness):
    assert collapsed("The user prefers dark mode.", "The users prefer the dark mode", likeness=likeness) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("router is 10.0.0.1", "router is 10.0.1.1"),
        ("use tabs", "do not use tabs"),
        ("A manages B", "B manages A"),
        ("Alice manages Bob", "Bob manages Alice"),
        ("the log is in /Data", "the log is in /data"),
        ("the flag is on", "the flag is off"),
        ("the port is 80", "the port is 8080"),
        ("the server web-a is down", "the server web-b is down"),
        ("run it before the tests", "run it after the tests"),
        ("x = 1", "x = -1"),
    ],
)
def test_what_differs_in_a_number_a_name_a_negation_or_the_order_is_two(one, other):
    assert collapsed(one, other) == []


def test_a_hundred_templates_that_differ_in_one_number_are_all_kept():
    assert collapsed(*(f"The timeout of worker {number} is the same as ever" for number in range(100))) == []
