"""Pulling a model: only on explicit wish, from a server that plays the hub, with a model of 384 numbers a word."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from memory_cli.embedding import HUB, folders, load, model_state, traits
from memory_cli.embedding.onnx_graph import FLOAT, INT64, Graph

NAME = "BAAI/bge-small-en-v1.5"
MODEL = HUB[NAME]
WORDS = ("[PAD]", "[UNK]", "tea", "kettle", "storm", "how", "where", "what", "the", "a", "is")
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def weights():
    graph = Graph("tiny")
    table = np.random.default_rng(7).normal(size=(len(WORDS), MODEL.dimension)).astype(np.float32)
    graph.constant("table", table)
    for name in ("input_ids", "attention_mask"):
        graph.takes(name, INT64, ("batch", "tokens"))
    graph.node("Gather", ["table", "input_ids"], "last_hidden_state", axis=0)
    graph.gives("last_hidden_state", FLOAT, ("batch", "tokens", MODEL.dimension))
    return graph.encoded()


def tokenizer():
    words = {"type": "WordLevel", "vocab": {word: place for place, word in enumerate(WORDS)}, "unk_token": "[UNK]"}
    return json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None, "model": words,
    }).encode()  # fmt: skip


class Hub(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        place = self.path.removeprefix(f"/{MODEL.repository}/resolve/main/")
        if place == MODEL.weights_file and not self.server.direct:
            self.answer(302, b"", Location=f"/elsewhere/{place}")
        elif (content := self.server.files.get(place.removeprefix("/elsewhere/"))) is not None:
            self.answer(200, content, **{"X-Repo-Commit": COMMIT})
        else:
            self.answer(404, b"no such file")

    def answer(self, code, content, **headers):
        self.send_response(code)
        for name, value in {"Content-Length": str(len(content) + self.server.missing), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def hub():
    """A server that has the files of one repository."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.asked, server.direct, server.missing = [], False, 0
    server.files = {
        MODEL.weights_file: weights(), "tokenizer.json": tokenizer(),
        "tokenizer_config.json": json.dumps({"model_max_length": 10**30, "pad_token": "[PAD]"}).encode(),
    }  # fmt: skip
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def pull(memory, hub):
    endpoint = f"runtime.model_endpoint=http://127.0.0.1:{hub.server_port}/"
    return lambda *argv: memory("--set", endpoint, *argv[:-1], "model", "pull", NAME, *argv[-1:])


def test_a_model_is_pulled_with_the_hashes_of_its_files_and_the_revision(pull, hub):
    done = pull("-o", "json", "--quiet")
    assert done.exit_code == 0, done.stderr
    kept = folders.manifest(NAME)
    hashes = {each.name: each.sha256 for each in kept.files}
    assert hashes[MODEL.weights_file] == hashlib.sha256(hub.files[MODEL.weights_file]).hexdigest()
    assert set(hashes) == {MODEL.weights_file, "tokenizer.json", "tokenizer_config.json"}
    assert (kept.revision, kept.source) == (
        COMMIT,
        f"http://127.0.0.1:{hub.server_port}/{MODEL.repository}/resolve/main",
    )
    assert json.loads(done.stdout)["model"] == NAME


def test_what_was_pulled_is_private_and_embeds_without_the_hub(pull, hub):
    assert pull("--use").exit_code == 0
    asked = len(hub.asked)
    folder = folders.folder_of(NAME)
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    embedder = load(NAME)
    assert embedder.embed(["tea", "storm"]).shape == (2, MODEL.dimension)
    assert embedder.model == f"{NAME}@{folders.manifest(NAME).files[0].sha256[:8]}"
    assert len(hub.asked) == asked


def test_the_scale_of_a_model_from_a_hub_is_measured_here(pull):
    assert traits(NAME).scale.related == 0.5
    pull("--quiet")
    scale = folders.manifest(NAME).scale
    assert scale.related >= scale.unrelated + 0.05
    assert traits(f"{NAME}@whatever").scale == scale


def test_a_long_text_is_cut_where_the_authors_cut_it(pull):
    pull("--quiet")
    said = json.loads((folders.folder_of(NAME) / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert said == {"model_max_length": MODEL.max_tokens, "pad_token": "[PAD]"}


@pytest.mark.parametrize("fault", ["absent", "cut short", "too large", "no model", "no tokenizer"])
def test_a_pull_that_fails_says_why_and_leaves_nothing(pull, hub, fault):
    hub.direct = True
    if fault in ("absent", "no tokenizer"):
        del hub.files[MODEL.weights_file if fault == "absent" else "tokenizer.json"]
    elif fault == "too large":
        hub.files["tokenizer.json"] = b" " * 65_000_001
    elif fault == "cut short":
        hub.missing = 7
    else:
        hub.files[MODEL.weights_file] = b"not a graph"
    done = pull("--quiet")
    assert done.exit_code == 1
    assert {"absent": "404", "cut short": "short", "too large": "larger than", "no model": "cannot be loaded",
            "no tokenizer": "404"}[fault] in done.stderr  # fmt: skip
    assert list(folders.models_folder().iterdir()) == []


def test_nothing_answers_at_the_mirror(memory):
    done = memory("--set", "runtime.model_endpoint=http://127.0.0.1:9", "model", "pull", NAME)
    assert done.exit_code == 1
    assert "runtime.model_endpoint" in done.stderr


def test_a_mirror_must_be_a_web_address(memory):
    done = memory("--set", "runtime.model_endpoint=ftp://mirror", "model", "pull", NAME)
    assert (done.exit_code, "https://" in done.stderr) == (2, True)


def test_offline_forbids_a_pull(pull, hub):
    done = pull("--set", "runtime.offline=yes", "--quiet")
    assert (done.exit_code, hub.asked) == (5, [])
    assert "runtime.offline" in done.stderr


def test_an_encrypted_connection_is_never_left():
    import urllib.error
    import urllib.request

    from memory_cli.embedding.hub import _Careful

    asked = urllib.request.Request("https://hub.example/file")
    with pytest.raises(urllib.error.URLError, match="not encrypted"):
        _Careful().redirect_request(asked, None, 302, "Found", {}, "http://hub.example/file")


def test_a_model_that_was_pulled_is_verified_and_removed(pull, memory):
    pull("--quiet")
    assert memory("model", "verify", NAME).exit_code == 0
    with (folders.folder_of(NAME) / MODEL.weights_file).open("r+b") as file:
        file.write(b"\0")
    assert "SHA-256" in memory("model", "verify", NAME).stderr
    assert memory("model", "remove", NAME).exit_code == 0
    assert "memory model pull" in model_state(NAME).reason


def test_a_manifest_that_was_tampered_with_is_not_believed(pull):
    pull("--quiet")
    (folders.folder_of(NAME) / folders.MANIFEST).write_text('{"files": 1}', encoding="utf-8")
    assert "is not trusted" in model_state(NAME).reason


def test_the_table_says_what_fastembed_says():
    from fastembed import TextEmbedding
    from fastembed.text.onnx_embedding import supported_onnx_models

    listed = {each["model"]: each for each in TextEmbedding.list_supported_models()}
    first_token = {each.model for each in supported_onnx_models}
    for name, row in HUB.items():
        said = listed[name]
        assert (said["dim"], said["sources"]["hf"], said["model_file"]) == (
            row.dimension,
            row.repository,
            row.weights_file,
        )
        assert said["license"].lower() == row.licence.lower()
        assert (row.pooling == "cls") == (name in first_token)
        assert not said["additional_files"]
