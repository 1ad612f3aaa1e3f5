"""The real packaged model, and what is said where it cannot be had."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fastembed import TextEmbedding

from memory_cli.embedding import (
    DEFAULT_MODEL,
    KNOWN,
    Embedder,
    ModelUnavailable,
    PinnedFile,
    load,
    loaded,
    model_state,
    packaged,
)
from memory_cli.embedding.calibration import PAIRS
from memory_cli.embedding.lean import lean
from memory_cli.embedding.packaged import in_batches, open_model
from memory_cli.embedding.state import tokenizer_folder, weights_file

MINILM = KNOWN[DEFAULT_MODEL]

LOAD_AND_EMBED = f"""
from memory_cli.embedding import load
load({DEFAULT_MODEL!r}).embed(["The deployment runs every Friday."])
"""

RECORD_EFFECTS = """
import os, sys
effects = []
def watch(event, arguments):
    flags = arguments[2] if event == "open" else 0
    writing = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    making = event == "os.mkdir" and not os.path.isdir(arguments[0])
    if writing or making or event.startswith(("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.rename")):
        effects.append((event, arguments))
sys.addaudithook(watch)
"""


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return loaded(DEFAULT_MODEL)


def python(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-W", "error", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def cosine(embedder: Embedder, one: str, other: str) -> float:
    first, second = embedder.embed([one, other])
    return float(first @ second)


def test_vectors_are_unit_rows_of_float32_in_the_dimension_that_the_row_names(embedder: Embedder) -> None:
    matrix = embedder.embed(["one", "two words", ""])
    assert embedder.model == "all-MiniLM-L6-v2-int8@8199be6f"
    assert matrix.shape == (3, embedder.dimension) == (3, 384)
    assert matrix.dtype == np.float32
    assert np.allclose(np.linalg.norm(matrix, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, 384)


def test_cosines_are_those_of_the_model(embedder: Embedder) -> None:
    assert cosine(embedder, "prefers dark mode", "like a dark theme when coding") == pytest.approx(0.528, abs=0.03)
    assert cosine(embedder, "The user prefers dark mode.", "DB credentials rotate monthly.") < 0.25
    assert cosine(embedder, "The user prefers dark mode.", "The deployment runs every Friday.") < 0.25


def test_a_text_has_the_same_vector_in_any_batch(embedder: Embedder) -> None:
    texts = [f"{'service ' * (number % 7 * 9)}listens on port {number}" for number in range(40)]
    alone = np.stack([embedder.embed_query(text) for text in texts])
    for size in (3, 40):
        together = embedder.embed(texts, batch_size=size)
        assert (alone * together).sum(axis=1).min() > 0.999


@pytest.mark.parametrize("long", ["word " * 250, "\N{CJK UNIFIED IDEOGRAPH-9501}" * 400])
def test_long_texts_go_in_smaller_batches_than_short_ones(long: str) -> None:
    batches = in_batches([long, "tea"] * 20, 16)
    assert sorted(index for batch in batches for index in batch) == list(range(40))
    assert [len(batch) for batch in batches][:2] == [16, 4]
    assert max(len(batch) for batch in batches[2:]) <= 3


def test_vectors_are_bit_for_bit_those_of_the_whole_file(embedder: Embedder) -> None:
    texts = ["", "tea", *(first for pair in PAIRS for first in pair), "A long one, and another word. " * 40]
    file = weights_file(MINILM, check=False)
    name = packaged._registered(MINILM, file)
    folder = str(tokenizer_folder(MINILM, file.parent))
    plain = TextEmbedding(name, specific_model_path=folder, cache_dir=folder, threads=1, local_files_only=True)
    expected = np.stack([row for text in texts for row in plain.embed([text])])
    assert np.array_equal(embedder.embed(texts, batch_size=1), expected)


def test_of_the_weights_only_small_constants_are_copied_and_no_table_is_made_floats() -> None:
    file = weights_file(MINILM, check=False)
    made = lean(file, MINILM.table)
    # The file has 23 MB.
    assert len(made) < 500_000
    assert f"{MINILM.table}_floats".encode() in made and f"{MINILM.table}_f\x12".encode() not in made


LINUX = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel says there what is resident")

RESIDENT = rf"""
import re
from pathlib import Path
from memory_cli.embedding import load
embedder = load({DEFAULT_MODEL!r})
for text in (" ".join(["word"] * 300), "tea"):
    embedder.embed([text] * 64)
print(re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text(encoding="utf-8"))[1])
"""


@LINUX
def test_what_a_large_batch_took_is_given_back() -> None:
    done = python(RESIDENT)
    assert done.returncode == 0, done.stderr
    # 172 MB; with an arena, floats of every word and nothing given back it was 343.
    assert int(done.stdout) < 230_000


def test_only_the_start_of_a_long_text_is_read(embedder: Embedder) -> None:
    assert cosine(embedder, "word " * 300, "word " * 1_000_000) > 0.999


def test_threads_share_one_embedder(embedder: Embedder) -> None:
    texts = [f"the budget of quarter {number}" for number in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: loaded(DEFAULT_MODEL), range(8))) == {embedder}
        rows = np.stack(list(pool.map(embedder.embed_query, texts)))
    assert (rows * embedder.embed(texts)).sum(axis=1).min() > 0.999


def test_loading_twice_works_and_gives_the_same_vectors(embedder: Embedder) -> None:
    again = load(DEFAULT_MODEL)
    assert again is not embedder
    assert float(again.embed_query("tea") @ embedder.embed_query("tea")) > 0.999


def test_loading_prints_writes_and_fetches_nothing() -> None:
    # The tests of the browser view bring trio, which asks ldconfig for a library when fastembed's client imports it.
    without_trio = "import sys; sys.modules['trio'] = None\n"
    done = python(without_trio + RECORD_EFFECTS + LOAD_AND_EMBED + "assert effects == [], effects")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_asking_for_the_state_imports_no_library() -> None:
    heavy = {"numpy", "fastembed", "onnxruntime", "tokenizers", "huggingface_hub", MINILM.package}
    code = f"""
import sys
from memory_cli.embedding import model_state
assert model_state({DEFAULT_MODEL!r}, check=True).available
print(sorted({heavy!r} & set(sys.modules)))
"""
    assert python(code).stdout == "[]\n"


@pytest.mark.parametrize("package", ["fastembed", "onnxruntime", "tokenizers", "numpy", MINILM.package])
def test_a_missing_package_is_named(package: str) -> None:
    code = f"""
import sys
sys.modules[{package!r}] = None
from memory_cli.embedding import ModelUnavailable, load, model_state
try:
    load({DEFAULT_MODEL!r})
except ModelUnavailable as error:
    assert str(error) == model_state({DEFAULT_MODEL!r}).reason
    print(error)
"""
    done = python(code)
    assert (done.returncode, done.stderr) == (0, "")
    assert package.replace("_", "-") in done.stdout and "install" in done.stdout


def test_a_library_that_cannot_be_imported_is_reported() -> None:
    done = python("import sys; sys.modules['fastembed.text'] = None" + LOAD_AND_EMBED)
    assert done.returncode == 1
    assert "ModelUnavailable: The embedding model all-MiniLM-L6-v2-int8 needs fastembed, which fails" in done.stderr


def test_a_model_file_cut_short_is_named_with_the_hash_it_should_have(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"\x08" * 1024)
    state = model_state(DEFAULT_MODEL, folder=tmp_path)
    assert not state.available
    assert all(part in state.reason for part in (str(file), "1024 bytes", MINILM.weights.sha256, MINILM.requirement))
    with pytest.raises(ModelUnavailable, match="1024 bytes"):
        load(DEFAULT_MODEL, folder=tmp_path)


def test_a_model_file_of_the_right_size_and_other_bytes_is_never_loaded(tmp_path: Path) -> None:
    with (tmp_path / "model.onnx").open("wb") as stream:
        stream.truncate(MINILM.weights.size)
    assert model_state(DEFAULT_MODEL, folder=tmp_path).available
    assert "has SHA-256" in model_state(DEFAULT_MODEL, folder=tmp_path, check=True).reason
    with pytest.raises(ModelUnavailable, match="has SHA-256"):
        load(DEFAULT_MODEL, folder=tmp_path)


def test_a_model_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"model\.onnx cannot be read"):
        load(DEFAULT_MODEL, folder=tmp_path)


@pytest.mark.parametrize(
    ("content", "sha256"),
    [
        (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (b"not a graph", "895e68762bdb5ab0ea5d47bb1e70087dc75c721be8bf957051796f004e80ba23"),
    ],
)
def test_what_the_engine_refuses_is_told_as_an_unavailable_model(tmp_path: Path, content: bytes, sha256: str) -> None:
    (tmp_path / "model.onnx").write_bytes(content)
    broken = replace(MINILM, weights=PinnedFile("model.onnx", len(content), sha256))
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        open_model(broken, folder=tmp_path)


def test_a_row_with_the_wrong_dimension_is_caught_at_the_first_text() -> None:
    wrong = open_model(replace(MINILM, dimension=512))
    with pytest.raises(ModelUnavailable, match="gives 384 numbers a text, not 512"):
        wrong.embed_query("tea")


def test_an_unknown_model_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ModelUnavailable, match=f"'bert'; there is {DEFAULT_MODEL}"):
        load("bert")
    assert not model_state("bert").available
