"""Long statements: cut into parts, found by a sentence anywhere in them, shown by the passage that answers."""

from memory_cli.embedding.parts import WHOLE, parts
from memory_cli.memory import open_memory
from memory_cli.operations.forget import forget
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.operations.reindex import reindex
from memory_cli.store import vectors
from memory_cli.text.chunking import octets, spans

MODEL = "all-MiniLM-L6-v2-int8@8199be6f"
FILLER = [
    f"On day {day} the crew of the harbour counted {day * 7} crates, moved them to shed {day % 9} and went home."
    for day in range(60)
]
HIDDEN = "The kitten prefers salmon for breakfast and refuses milk."


def long_text():
    return "\n\n".join(" ".join(FILLER[start : start + 6]) for start in range(0, 60, 6)).replace(
        FILLER[45], f"{FILLER[45]} {HIDDEN}"
    )


def test_pieces_are_whole_paragraphs_where_these_fit():
    text = "one two\n\nthree four\n\n" + "five six. " * 5 + "\n\nend"
    found = [text[each.start : each.end] for each in spans(text, 25)]
    assert found[0] == "one two\n\nthree four"
    assert all(len(each) <= 25 for each in found) and found[1].endswith("six.")
    assert "".join("".join(found).split()) == "".join(text.split())


def test_a_run_without_spaces_is_cut_by_what_it_takes():
    for text in ("x" * 1000, "検索" * 300, "🎈" * 99):
        found = spans(text, 100, octets)
        assert all(octets(text[each.start : each.end]) <= 100 for each in found)
        assert "".join(text[each.start : each.end] for each in found) == text


def test_nothing_but_white_space_has_no_pieces():
    assert spans(" \n\n ", 2) == [] and spans("", 2) == []


def test_a_short_statement_is_one_part():
    assert len(parts(MODEL, "x" * WHOLE)) == 1 and parts(MODEL, "tea")[0] == (0, 3)
    assert len(parts(MODEL, "word " * 400)) > 3


def test_a_long_statement_is_found_by_a_sentence_in_its_midst_and_shown_there(session):
    with open_memory(session) as memory:
        made = record(memory, long_text())
        record(memory, "The invoice is paid in the spring.")
        found = recall(memory, "which fish does the cat eat", budget=250)
        store = memory.store("local")
        assert vectors.models(store) == {MODEL: 2} and vectors.last(store) > 10
    first = found.units[0]
    assert first.id == made.id and first.cut and HIDDEN in first.text
    assert first.text.startswith("…") and first.text.endswith("…")


def test_a_long_statement_whose_words_change_loses_all_its_parts(session):
    with open_memory(session) as memory:
        made = record(memory, long_text())
        recall(memory, "cat")
        record(memory, "The ship has sailed.", id=made.id)
        recall(memory, "cat")
        count = memory.store("local").db.execute("select count(*) from vector").fetchone()[0]
    assert count == 1


def test_a_recall_leaves_what_is_too_long_for_it_to_whoever_has_the_time(session):
    with open_memory(session) as memory:
        record(memory, long_text() * 20)
        record(memory, HIDDEN)
        assert recall(memory, "cat food").units_pending == 1
        assert reindex(memory).embedded == 1
        assert recall(memory, "cat food").units_pending == 0


def test_long_statements_that_begin_alike_are_not_taken_for_repetitions(session):
    with open_memory(session) as memory:
        for end in ("The kitten prefers salmon.", "The kitten prefers herring."):
            record(memory, f"{long_text()}\n\n{end}")
        assert len(recall(memory, "what does the kitten prefer").units) == 2


def test_a_long_statement_that_another_connection_forgets_is_not_shown_again(session):
    with open_memory(session) as memory:
        made = record(memory, long_text())
        assert recall(memory, "which fish does the cat eat").units
        with open_memory(session) as other:
            forget(other, id=[made.id])
        assert recall(memory, "which fish does the cat eat").units == []
