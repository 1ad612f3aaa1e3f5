"""Recall by meaning: which vectors are compared, and when they are not believed."""

from datetime import UTC, datetime

import numpy as np
import pytest

from memory_cli.models.history import Who
from memory_cli.models.statement import Filters, Origin, Statement
from memory_cli.retrieval import meaning
from memory_cli.retrieval.search import search
from memory_cli.settings import Settings
from memory_cli.store import journal, statements, vectors
from memory_cli.store.connection import open_store
from memory_cli.text.analysis import query_terms

NOW = datetime(2026, 11, 30, tzinfo=UTC)


class Topics:
    """An embedder that knows three topics and nothing else."""

    model = "topics@1"
    dimension = 4
    words = (("tea", "brew", "kettle"), ("car", "vehicle", "driving"), ("rain", "storm", "weather"))

    def embed(self, texts, *, batch_size=16):
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text):
        vector = np.array([*(sum(text.lower().count(word) for word in topic) for topic in self.words), 0.1], np.float32)
        return vector / np.linalg.norm(vector)


class English(Topics):
    """The same under the name of a model that is known to know only English."""

    model = "all-MiniLM-L6-v2-int8@1"


@pytest.fixture
def store(tmp_path):
    meaning.forget_vectors()
    with open_store(tmp_path / "store", "local", Settings().storage, create=True) as opened:
        yield opened


def remember(store, *texts, embedder=None, **fields):
    with journal.writing(store, "record", Who("me", "here"), NOW) as made:
        for text in texts:
            origins = (Origin(fields.get("agent", "me"), "cli"),)
            journal.add(
                made, Statement(0, f"i{hash(text)}", "local", 0, fields.get("kind", "ITEM"), text, NOW, NOW, origins)
            )
    if embedder:
        embed(store, embedder)


def embed(store, embedder):
    rows = vectors.pending_batch(store, embedder.model, 100)
    made = embedder.embed([text for _, text in rows])
    with store.transaction():
        return vectors.put(
            store, embedder.model, embedder.dimension, [(*row, vector) for row, vector in zip(rows, made, strict=True)]
        )


def recalled(store, query, embedder, **filters):
    found = search(
        [store], query, Filters(now=NOW, **filters), settings=Settings(), embedder=embedder, why_not="", limit=10
    )
    return [hit.statement.text for hit in found.hits]


def test_a_statement_is_found_without_a_word_in_common(store):
    remember(store, "the kettle is in the cupboard", "a storm is near", embedder=Topics())
    assert recalled(store, "brew", Topics()) == ["the kettle is in the cupboard"]
    assert recalled(store, "brew", None) == []


def test_filters_hold_in_the_meaning_leg(store):
    remember(store, *(f"kettle {number}" for number in range(60)), embedder=Topics())
    remember(store, "a kettle and a storm", kind="RULE", embedder=Topics())
    assert recalled(store, "brew", Topics(), kinds=("RULE",)) == ["a kettle and a storm"]


def test_what_has_no_vector_yet_is_found_by_its_words(store):
    remember(store, "a storm", embedder=Topics())
    remember(store, "the vehicle tax is due in March")
    assert recalled(store, "vehicle tax", Topics()) == ["the vehicle tax is due in March"]


def test_the_cache_follows_what_other_connections_do(store):
    remember(store, "the kettle", embedder=Topics())
    assert recalled(store, "brew", Topics()) == ["the kettle"]
    with open_store(store.path.parent, "local", Settings().storage) as other:
        remember(other, "an old teapot", embedder=Topics())
        with journal.writing(other, "forget", Who("me", "here"), NOW) as made:
            journal.remove(made, statements.page(other, Filters(now=NOW), limit=5)[1])
    assert recalled(store, "brew", Topics()) == ["an old teapot"]


def test_a_model_is_not_asked_about_scripts_that_it_does_not_know(store):
    remember(store, "茶は冷たい tea", "rain", embedder=English())
    assert recalled(store, "brew", English()) == []
    assert recalled(store, "冷たい", English()) == ["茶は冷たい tea"]


def test_names_in_latin_letters_at_the_beginning_do_not_make_a_foreign_text_known(store):
    names = "(tea, Camellia sinensis, Floresta Amazônica, Selva Amazónica, Forêt amazonienne, Amazoneregenwoud) "
    remember(store, names + "ป่าดิบชื้นอเมซอนเป็นป่าใบกว้างชื้นที่ครอบคลุมพื้นที่ส่วนใหญ่ของแอ่งอเมซอน" * 4, embedder=English())
    assert recalled(store, "brew", English()) == []


@pytest.mark.parametrize(
    ("query", "understood"),
    [
        ("where is the kettle", True),
        ("kettle", True),
        ("Wo ist der Kessel", False),
        ("где чайник", False),
        ("42", True),
    ],
)
def test_a_model_is_asked_only_in_the_languages_it_knows(query, understood):
    assert meaning.understood(query_terms(query), English(), 0.5) is understood
    assert meaning.understood(query_terms(query), Topics(), 0.5)


def test_vectors_of_another_model_stay_until_they_are_dropped(store):
    remember(store, "the kettle", "a storm", embedder=Topics())
    assert vectors.pending_count(store, Topics.model) == 0
    assert vectors.pending_count(store, English.model) == 2
    assert embed(store, English()) == 2
    assert vectors.models(store) == {Topics.model: 2, English.model: 2}
    assert vectors.drop_others(store, English.model) == 2
    assert vectors.models(store) == {English.model: 2}


def test_a_vector_of_words_that_changed_meanwhile_is_not_stored(store):
    remember(store, "the kettle")
    with store.transaction():
        assert vectors.put(store, Topics.model, 4, [(1, "the pan", np.ones(4, np.float32))]) == 0
    assert vectors.pending_count(store, Topics.model) == 1


def test_each_part_of_a_score_can_be_told(store):
    remember(store, "the kettle of the office", embedder=Topics())
    found = search([store], "kettle", Filters(now=NOW), settings=Settings(), embedder=Topics(), why_not="", limit=1)
    assert set(found.hits[0].parts) == {"words", "meaning"}
    assert found.hits[0].score == pytest.approx(sum(found.hits[0].parts.values()), abs=1e-3)


def test_what_reads_as_another_language_is_not_given_to_an_english_model(tmp_path):
    from benchmarks.stores import opened, roots
    from memory_cli.operations.recall import recall
    from memory_cli.operations.record import record

    roots(tmp_path)
    for text in ("Wir deployen nur dienstags.", "Bitte kurze Antworten geben.", "Die Datenbank läuft auf Port 5433."):
        with opened(tmp_path) as memory:
            record(memory, text)
    with opened(tmp_path) as memory:
        for query in ("Lieblingsfarbe des Elefanten", "Wer gewinnt die Weltmeisterschaft"):
            assert recall(memory, query).units == []
        assert recall(memory, "auf welchem Port läuft die Datenbank").units[0].text.endswith("5433.")
