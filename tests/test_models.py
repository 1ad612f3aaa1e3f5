"""Choosing among embedding models: the list, the current one, refusals, and what is said of languages."""

import json

import pytest

from memory_cli.embedding import DEFAULT_MODEL, HUB, KNOWN, folders
from memory_cli.embedding.calibration import measured
from memory_cli.embedding.languages import knows, script
from memory_cli.embedding.protobuf import fields, message, number, string
from memory_cli.settings.directories import user_directory

MINILM, USE = KNOWN[DEFAULT_MODEL], KNOWN["use-m3"]
THAI = ("ข้อมูลสำรองถูกเก็บไว้ในห้องใต้ดิน", "ผู้ใช้ชอบโหมดมืด", "ประชุมทุกวันศุกร์ตอนบ่าย")
GREEK = ("Τα αντίγραφα βρίσκονται στο υπόγειο.", "Η σύσκεψη είναι κάθε Παρασκευή.", "Προτιμά σκούρα χρώματα.")


@pytest.fixture
def config(elsewhere):
    """The user's own file of settings, with a comment and another setting in it."""
    file = user_directory("config", {"HOME": str(elsewhere / "home")}) / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("# mine\n[retrieval]\nlimit = 7  # enough\n", encoding="utf-8")
    return file


def listed(memory):
    return {each["name"]: each for each in json.loads(memory("model", "list", "-o", "json").stdout)["models"]}


def test_the_list_names_each_model_its_state_and_which_is_the_current_one(memory):
    found = listed(memory)
    assert found.keys() == KNOWN.keys() | HUB.keys()
    assert [name for name, each in found.items() if each.get("current")] == [DEFAULT_MODEL]
    assert found[DEFAULT_MODEL]["state"] == "installed"
    assert found["use-m3"]["state"] in ("can be installed", "needs an extra")
    assert {found[name]["state"] for name in HUB} == {"can be pulled"}
    assert found["use-m3"]["dimension"] == 512


def test_use_writes_the_setting_and_keeps_what_else_stands_in_the_file(memory, config):
    assert memory("model", "use", DEFAULT_MODEL).exit_code == 0
    text = config.read_text(encoding="utf-8")
    assert text.startswith("# mine\n[retrieval]\nlimit = 7  # enough\n")
    assert f'embedding_model = "{DEFAULT_MODEL}"' in text
    assert config.stat().st_mode & 0o777 == 0o600


def test_use_keeps_a_link_to_settings_that_lie_elsewhere(memory, config, tmp_path):
    config.rename(tmp_path / "dotfiles.toml")
    config.symlink_to(tmp_path / "dotfiles.toml")
    assert memory("model", "use", DEFAULT_MODEL).exit_code == 0
    assert config.is_symlink()
    assert DEFAULT_MODEL in (tmp_path / "dotfiles.toml").read_text(encoding="utf-8")


def test_use_says_when_another_layer_counts_more(memory, monkeypatch):
    monkeypatch.setenv("MEMORY_DENSE_EMBEDDING_MODEL", "use-m3")
    assert "MEMORY_DENSE_EMBEDDING_MODEL" in memory("model", "use", DEFAULT_MODEL).stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("use", "use-m4"), 2, "the nearest is use-m3"),
        (("use", "use-m3"), 5, "memory model install use-m3"),
        (("use", "BAAI/bge-small-en-v1.5"), 5, "memory model pull BAAI/bge-small-en-v1.5"),
        (("install", DEFAULT_MODEL), 2, "comes with memory"),
        (("install", "BAAI/bge-small-en-v1.5"), 2, "memory model pull"),
        (("pull", "use-m3"), 2, "needs no hub"),
        (("remove", DEFAULT_MODEL), 5, "is the current model"),
        (("remove", "use-m3"), 3, "nothing to remove"),
        (("verify", "nonsense"), 2, "memory model list"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_way_out(memory, config, words, code, said):
    before = config.read_text(encoding="utf-8")
    done = memory("model", *words)
    assert (done.exit_code, said in done.stderr) == (code, True), done.stderr
    assert config.read_text(encoding="utf-8") == before
    assert not folders.models_folder().exists()


def test_a_model_that_is_not_installed_is_told_by_status_and_recall_answers_by_words(memory):
    memory("record", "mint tea cools")
    chosen = ("--set", "dense.embedding_model=use-m3")
    assert "memory model install use-m3" in memory(*chosen, "status").stderr
    assert "mint tea" in memory(*chosen, "recall", "mint").stdout


@pytest.mark.parametrize("texts, name", [(THAI, "use-m3"), (GREEK, "sentence-transformers/")])
def test_the_first_recall_and_status_say_that_the_model_does_not_know_the_language(memory, texts, name):
    for text in texts:
        memory("record", text)
    first, second = (json.loads(memory("recall", texts[0], "-o", "json").stdout) for _ in range(2))
    assert "does not know" in first["warning"] and name in first["warning"]
    assert "warning" not in second
    assert "does not know" in memory("status").stderr


def test_nothing_is_said_of_a_memory_in_the_language_of_the_model(memory):
    for text in ("The kettle is in the cupboard.", "Deploys need two reviews.", THAI[0]):
        memory("record", text)
    assert "warning" not in json.loads(memory("recall", THAI[0], "-o", "json").stdout)
    assert "does not know" not in memory("status").stderr


def test_a_model_knows_its_scripts():
    assert all(knows(USE, text, 0.5) for text in (*THAI, "Deploys need two reviews.", "Развёртывание", "42"))
    assert not any(knows(USE, text, 0.5) for text in GREEK)
    assert not any(knows(MINILM, text, 0.5) for text in (*THAI, "Das ist nicht mit dem Server verbunden"))
    assert [script(text) for text in (THAI[0], GREEK[0], "茶は冷たい", "42")] == ["Thai", "Greek", "Kana", ""]


def test_the_scale_that_is_measured_is_near_the_one_that_is_known():
    from memory_cli.embedding import loaded

    scale = measured(loaded(DEFAULT_MODEL))
    assert scale.unrelated == pytest.approx(MINILM.scale.unrelated, abs=0.05)
    assert scale.related == pytest.approx(MINILM.scale.related, abs=0.1)


def test_a_model_that_is_there_stays_when_another_cannot_take_its_place():
    with folders.staged("use-m3") as folder:
        (folder / "model.onnx").write_bytes(b"first")
    with pytest.raises(KeyboardInterrupt), folders.staged("use-m3") as folder:
        (folder / "model.onnx").write_bytes(b"second")
        raise KeyboardInterrupt
    assert (folders.folder_of("use-m3") / "model.onnx").read_bytes() == b"first"
    assert [each.name for each in folders.models_folder().iterdir()] == ["use-m3"]


def test_what_is_encoded_is_read_again():
    encoded = number(1, 300) + string(2, "tea") + message(17, [b"x" * 200])
    assert list(fields(encoded)) == [(1, b"\xac\x02"), (2, b"tea"), (17, b"x" * 200)]
