"""A cross-encoder settles the order of an answer: a tiny real one, which fastembed runs."""

from types import SimpleNamespace

import pytest

from benchmarks.stores import opened, roots
from memory_cli.embedding import ModelUnavailable
from memory_cli.embedding.folders import folder_of, sha256
from memory_cli.embedding.reranking import loaded_reranker
from memory_cli.operations.recall import recall
from memory_cli.operations.record import record
from memory_cli.retrieval.fusion import Ranked
from memory_cli.retrieval.rerank import Reranking, reordered
from memory_cli.settings.retrieval import Retrieval
from tests.rerankers import build

# Words alone put the shorter before the longer.
TEXTS = ("tea", "tea of rust", "tea of silver leaves", "tea in a pot of gold and jade", "tea-22 is the code of rust")
NO_MEANING = "dense.embedding_model=of-another-day"


@pytest.fixture
def recalled(tmp_path):
    """Ask the statements with a reranker in a folder or under a name, and more settings."""
    roots(tmp_path)
    with opened(tmp_path) as memory:
        for text in TEXTS:
            record(memory, text)

    def ask(model="", sha256="", query="tea", *settings, **options):
        chosen = (f"dense.reranker_model={model}", f"dense.reranker_sha256={sha256}")
        with opened(tmp_path, assignments=(NO_MEANING, *(chosen if model else ()), *settings)) as memory:
            return recall(memory, query, **options)

    return ask


def texts(answer):
    return [each.text for each in answer.units]


def test_its_order_is_final_and_comes_before_the_cut(recalled, tmp_path):
    hash_ = build(tmp_path / "model")
    plain, answer = recalled(limit=2), recalled(tmp_path / "model", hash_, limit=2, explain=True)
    assert texts(plain)[0] == "tea" and plain.reranked == 0 and plain.rerank == ""
    assert texts(answer) == [TEXTS[3], TEXTS[2]]
    assert (answer.reranked, answer.rerank) == (len(TEXTS), "")
    assert [each.explain["rerank"] for each in answer.units] == [3, 2]


def test_it_reads_question_and_statement_apart(tmp_path):
    reranker = loaded_reranker(str(tmp_path / "model"), build(tmp_path / "model"))
    assert reranker.scores("gold", ["gold silver", "Rust", "tea", "gold"]) == [5, -1, 0, 3]
    assert loaded_reranker(str(tmp_path / "model"), sha256(tmp_path / "model/model.onnx")) is reranker


def test_an_identifier_keeps_its_place(recalled, tmp_path):
    answer = recalled(tmp_path / "model", build(tmp_path / "model"), "tea-22 tea")
    assert texts(answer)[:2] == [TEXTS[4], TEXTS[3]]


def test_a_name_is_looked_for_among_the_models_of_the_user(recalled):
    hash_ = build(folder_of("Some/reranker"))
    assert texts(recalled("Some/reranker", hash_))[0] == TEXTS[3]


def test_its_depth_bounds_it(recalled, tmp_path):
    answer = recalled(tmp_path / "model", build(tmp_path / "model"), "tea", "retrieval.rerank_depth=3")
    assert (answer.reranked, texts(answer)[0], texts(answer)[3:]) == (3, TEXTS[2], texts(recalled())[3:])


def test_without_time_nothing_moves_and_the_answer_says_so(recalled, tmp_path):
    answer = recalled(tmp_path / "model", build(tmp_path / "model"), "tea", "retrieval.rerank_ms=0")
    assert texts(answer) == texts(recalled())
    assert answer.reranked == 0 and "after 0 of 5" in answer.rerank


def spoil(folder, how):
    if how == "weights":
        (folder / "model.onnx").write_bytes(b"no model")
    elif how == "tokenizer":
        (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    elif how == "configuration":
        (folder / "tokenizer_config.json").write_text("{", encoding="utf-8")
    else:
        (folder / "tokenizer.json").unlink()


@pytest.mark.parametrize("how", ["weights", "tokenizer", "configuration", "absent"])
def test_what_cannot_be_loaded_is_said_and_words_answer(how, recalled, tmp_path):
    build(tmp_path / "model")
    spoil(tmp_path / "model", how)
    answer = recalled(tmp_path / "model", sha256(tmp_path / "model/model.onnx"))
    assert texts(answer) == texts(recalled()) and answer.reranked == 0
    assert str(tmp_path / "model") in answer.rerank


def test_an_output_of_another_shape_is_said(recalled, tmp_path):
    answer = recalled(tmp_path / "model", build(tmp_path / "model", columns=0))
    assert texts(answer) == texts(recalled()) and "fails" in answer.rerank


@pytest.mark.parametrize("said", ["", "0" * 64])
def test_only_a_file_of_the_right_hash_is_loaded(said, recalled, tmp_path):
    hash_ = build(tmp_path / "model")
    answer = recalled(tmp_path / "model", said)
    assert answer.reranked == 0 and hash_ in answer.rerank and "dense.reranker_sha256" in answer.rerank


def test_a_name_that_is_not_here_is_said_on_standard_error_too(memory):
    memory("record", "tea")
    done = memory("--set", "dense.reranker_model=nobody", "recall", "tea")
    assert done.exit_code == 0 and "tea" in done.stdout
    assert "Not reranked: The reranker nobody is not here" in done.stderr


def test_by_words_alone_nothing_is_loaded(recalled):
    assert recalled("nobody", words=True).rerank == ""


def test_a_file_that_came_with_a_clone_names_no_reranker(memory, tmp_path):
    place = tmp_path / "project/.memory-rag"
    place.mkdir()
    (place / "config.toml").write_text('[dense]\nreranker_model = "/theirs"\n', encoding="utf-8")
    done = memory("recall", "tea")
    assert done.exit_code == 2 and "dense.reranker_model" in done.stderr


class Slow:
    """Takes a second a text on a clock of its own, and likes what comes last."""

    now = 0.0

    def scores(self, query, texts):
        self.now += len(texts)
        return [self.now + place for place, _ in enumerate(texts)]


def candidates(count, superseded=()):
    match = SimpleNamespace(identifier=False)
    rows = [SimpleNamespace(match=match, candidate=SimpleNamespace(superseded=n in superseded)) for n in range(count)]
    return [Ranked(row, 1.0, {"number": float(n)}) for n, row in enumerate(rows)]


def numbers(order):
    return [int(each.parts["number"]) for each in order]


def test_what_there_was_no_time_for_keeps_its_place():
    slow = Slow()
    found = reordered(
        candidates(12), ["x"] * 12, "q", Reranking(slow), Retrieval(rerank_ms=9000), clock=lambda: slow.now
    )
    assert (numbers(found.order), found.scored) == ([7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11], 8)
    assert "after 8 of 12" in found.said


def test_what_was_superseded_stays_below():
    slow = Slow()
    found = reordered(candidates(4, {2, 3}), ["x"] * 2, "q", Reranking(slow), Retrieval(), clock=lambda: 0.0)
    assert numbers(found.order) == [1, 0, 2, 3]


def test_a_failure_on_the_way_leaves_the_order_as_it_was():
    class Failing(Slow):
        def scores(self, query, texts):
            if self.now:
                raise ModelUnavailable("It broke.")
            return super().scores(query, texts)

    found = reordered(candidates(9), ["x"] * 9, "q", Reranking(Failing()), Retrieval(), clock=lambda: 0.0)
    assert (numbers(found.order), found.scored, found.said) == (list(range(9)), 0, "It broke.")
