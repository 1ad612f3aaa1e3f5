"""What must not grow with a store is counted: statements executed, rows read and files opened."""

import json

import pytest

from benchmarks.stores import opened, roots
from memory_cli.memory import LOCAL
from memory_cli.models.statement import Filters
from memory_cli.operations.doctor import doctor
from memory_cli.operations.import_ import import_
from memory_cli.operations.record import record
from memory_cli.retrieval.search import search, similar_words
from memory_cli.retrieval.words import affordable
from memory_cli.store import sidefiles, statements, words
from memory_cli.text.analysis import query_terms

WORDS = ("amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heron", "inlet", "jasper")


def filled(folder, count):
    roots(folder)
    texts = (f"thing {number} is {WORDS[number % 10]} and {WORDS[number // 10 % 10]}" for number in range(count))
    with opened(folder) as memory:
        import_(memory, [json.dumps({"text": each}) for each in texts])
    return folder


def executed(store, do):
    seen: list[str] = []
    store.db.set_trace_callback(lambda sql: None if sql.startswith("--") else seen.append(sql))
    do()
    store.db.set_trace_callback(None)
    return seen


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("small"), 60)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("large"), 2000)


def recalled(folder, query):
    with opened(folder) as memory:
        store = memory.stores(LOCAL)[0]
        wanted = Filters(now=memory.now)
        return executed(
            store,
            lambda: search(
                [store], query, wanted, settings=memory.settings, embedder=None, why_not="", limit=10
            ),
        )  # fmt: skip


def test_a_recall_executes_as_many_statements_on_a_large_store(small, large):
    query = "which thing is amber and heron"
    recalled(small, query), recalled(large, query)
    assert len(recalled(large, query)) == len(recalled(small, query)) < 40


def similar(folder, text):
    with opened(folder) as memory:
        store = memory.stores(LOCAL)[0]
        record(memory, text)
        new = statements.page(store, Filters(now=memory.now), limit=1)[0]
        found = []
        seen = executed(store, lambda: found.extend(similar_words(store, new)))
        return [each.text for each in found], [each for each in seen if "words_" not in each]


def test_what_is_similar_to_a_record_is_found_by_few_statements_in_a_large_store(large):
    similar(large, "one more thing is amber and birch")
    found, seen = similar(large, "a thing is amber and also birch")
    assert "one more thing is amber and birch" in found and len(found) == 3
    # The rows of its four words are not counted: two of them are frequent, and known as that by now.
    assert len([each for each in seen if "from words where words match" in each]) <= 4
    assert len(seen) <= 9, seen


def test_statements_are_counted_once_for_each_state_of_a_store(large):
    recalled(large, "amber")
    assert not [each for each in recalled(large, "amber") if "count(*) from statement" in each]
    with opened(large) as memory:
        import_(memory, ['{"text": "one thing more"}'])
    assert [each for each in recalled(large, "amber") if "count(*) from statement" in each]


def test_an_imported_statement_costs_five_inserts_and_a_batch_few_queries(tmp_path):
    roots(tmp_path)
    with opened(tmp_path) as memory:
        store = memory.store(LOCAL)
        few = executed(store, lambda: import_(memory, ['{"text": "a"}']))
        more = executed(store, lambda: import_(memory, [json.dumps({"text": f"b {each}"}) for each in range(100)]))
    own = [each for each in more if "words_" not in each]
    assert len(own) - len(few) <= 5 * 100


def test_frequent_words_are_not_looked_up_beside_rare_ones(large):
    with opened(large) as memory:
        store = memory.stores(LOCAL)[0]
        asked = query_terms("thing 1234 amber")
        counts = words.counts(store, asked.terms)
        chosen = {term.token for term in affordable(asked.terms, counts, 300)}
    assert "1234" in chosen and "thing" not in chosen


def test_a_filter_that_most_pass_lists_no_more_than_its_limit(large):
    with opened(large) as memory:
        store = memory.stores(LOCAL)[0]
        filters = Filters(now=memory.now, superseded=False)
        assert len(words.allowed(store, filters, limit=10) or ()) == 10
        assert words.passing(store, filters, [1, 2, 10**9]) == [1, 2]


def test_doctor_looks_at_the_permissions_of_side_files(tmp_path):
    filled(tmp_path, 3)
    with opened(tmp_path) as memory:
        path = sidefiles.path(memory.stores(LOCAL)[0], "m", 1, 2)
        path.touch()
        path.chmod(0o644)
        assert [each for each in doctor(memory).findings if str(path) in each.problem]
