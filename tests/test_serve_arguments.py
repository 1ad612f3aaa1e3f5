from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import pytest

from memory_cli.errors import UsageError
from memory_cli.memory import Memory
from memory_cli.models.results import Listed
from memory_cli.parameter import Described
from memory_cli.serve.arguments import arguments_of, read
from memory_cli.surface import Effect, Operation


def brew(
    memory: Memory,
    text: Annotated[str, Described("What to brew.")],
    *,
    tag: Annotated[Sequence[str], Described("Tags.")] = (),
    scope: Annotated[Literal["", "local", "global"], Described("Where.")] = "",
    limit: Annotated[int, Described("How many.", at_least=1, at_most=9)] = 3,
    share: Annotated[float, Described("How much.")] = 0.5,
    hot: Annotated[bool, Described("Whether it is hot.")] = False,
    sweet: Annotated[bool | None, Described("Whether it is sweet.")] = None,
    meta: Annotated[Mapping[str, Any], Described("More.")] | None = None,
) -> Listed:
    """Brew."""
    raise NotImplementedError


class Brewing(Operation):
    function = staticmethod(brew)


ARGUMENTS = arguments_of(Brewing("brew", Effect.READS, "", tool="brew"))


def given(**arguments):
    return read("brew", ARGUMENTS, {"text": "tea", **arguments})


@pytest.mark.parametrize(
    "name, value, meant",
    [
        ("limit", "5", 5), ("limit", 5.0, 5), ("limit", " 7 ", 7),
        ("share", "0.25", 0.25), ("share", 1, 1.0),
        ("hot", "true", True), ("hot", "False", False), ("hot", 1, True), ("hot", "no", False),
        ("sweet", False, False), ("sweet", "yes", True),
        ("tag", "a,b", ["a", "b"]), ("tag", "a", ["a"]), ("tag", ["a,b"], ["a,b"]), ("tag", '["a", "b"]', ["a", "b"]),
        ("tag", [1, "b"], ["1", "b"]), ("tag", 5, ["5"]), ("tag", "[[a]]", ["[[a]]"]), ("tag", "null", ["null"]),
        ("scope", "Global", "global"), ("scope", " local ", "local"),
        ("meta", {"a": None}, {"a": None}), ("meta", '{"a": [1]}', {"a": [1]}),
        ("text", '{"a": 1}', '{"a": 1}'), ("text", "null", "null"), ("text", " 5 ", " 5 "), ("text", 2026, "2026"),
    ],
)  # fmt: skip
def test_what_a_client_sends_is_read_as_it_is_meant(name, value, meant):
    assert given(**{name: value})[name] == meant


@pytest.mark.parametrize("name", ["tag", "scope", "limit", "hot", "sweet", "meta"])
def test_null_is_absent(name):
    assert given(**{name: None}) == {"text": "tea"}


@pytest.mark.parametrize("name", ["scope", "limit", "hot", "sweet", "meta"])
@pytest.mark.parametrize("value", ["", "null", "None"])
def test_a_word_for_nothing_is_absent_where_it_is_no_value(name, value):
    assert given(**{name: value}) == {"text": "tea"}


def test_an_empty_name_is_left_for_the_operation_to_refuse():
    assert given(tag="")["tag"] == [""]


@pytest.mark.parametrize(
    "alias, name, value", [("tags", "tag", ["a"]), ("metadata", "meta", {"a": 1}), ("limits", "limit", 2)]
)
def test_a_name_of_another_tool_of_this_kind_is_taken(alias, name, value):
    assert given(**{alias: value})[name] == value


def test_content_is_taken_for_text():
    assert read("brew", ARGUMENTS, {"content": "tea"}) == {"text": "tea"}


@pytest.mark.parametrize(
    "name, value, wanted",
    [
        ("limit", "many", 'limit = "many"; it wants a whole number'),
        ("limit", 2.5, "limit = 2.5; it wants a whole number"),
        ("limit", True, "limit = true; it wants a whole number"),
        ("limit", 0, "limit = 0; it wants a whole number from 1 to 9"),
        ("limit", "10", 'limit = "10"; it wants a whole number from 1 to 9'),
        ("hot", "maybe", 'hot = "maybe"; it wants true or false'),
        ("scope", "globl", 'scope = "globl"; it wants one of local, global. Did you mean global?'),
        ("tag", {"a": 1}, 'tag = {"a": 1}; it wants a list of texts'),
        ("tag", [["a"]], 'tag = [["a"]]; it wants a list of texts'),
        ("meta", "a=1", 'meta = "a=1"; it wants an object'),
        ("meta", [1], "meta = [1]; it wants an object"),
        ("text", {"a": "\ud83d"}, r'text = {"a": "\ud83d"}; it wants text'),
        ("text", True, "text = true; it wants text"),
        ("share", "much", 'share = "much"; it wants a number'),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_is_wanted(name, value, wanted):
    with pytest.raises(UsageError) as refused:
        given(**{name: value})
    assert f"brew was given {wanted}" in str(refused.value)


def test_a_long_value_is_named_by_its_beginning():
    with pytest.raises(UsageError) as refused:
        given(limit="9" * 500 + "x")
    assert len(str(refused.value)) < 150


def test_an_unknown_argument_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match=r'no argument "limt"\. Did you mean limit\? It takes: text, tag, scope'):
        given(limt=9)


def test_a_missing_argument_is_named_with_what_it_is():
    with pytest.raises(UsageError, match=r"brew needs the argument text: What to brew\."):
        read("brew", ARGUMENTS, {"hot": True})


def test_one_argument_under_two_names_is_refused():
    with pytest.raises(UsageError, match="tag twice, once as tags"):
        given(tag=["a"], tags=["b"])
