"""Settings: declared once, set in six layers, refused by name."""

import os
import sys
from pathlib import Path

import pytest

from memory_cli import settings
from memory_cli.errors import UsageError
from memory_cli.settings import KEYS, user_directory
from memory_cli.settings.document import default_toml, toml_value
from memory_cli.settings.keys import Key, Setting
from memory_cli.settings.listing import row_of, rows
from memory_cli.settings.values import checked, parsed

PACKAGE = Path(settings.__file__).parent


@pytest.fixture
def load(tmp_path):
    """Load settings of files that live nowhere but in the test."""

    def run(*assignments, user="", project="", file="", **environ):
        texts = {"user.toml": user, "project/.memory-rag/config.toml": project, "file.toml": file}
        for name, text in texts.items():
            if text:
                (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / name).write_text(text, encoding="utf-8")
        return settings.load(
            project_root=tmp_path / "project",
            config_file=tmp_path / "file.toml" if file else None,
            assignments=assignments,
            environ=environ,
            user_config=tmp_path / "user.toml",
        )

    return run


def refusal(call, *args, **kwargs):
    with pytest.raises(UsageError) as caught:
        call(*args, **kwargs)
    return str(caught.value)


LAYERS = {
    "user": {"user": "retrieval.limit = 1"},
    "project": {"project": "[retrieval]\nlimit = 2"},
    "file": {"file": "[retrieval]\nlimit = 3"},
    "environment": {"MEMORY_RETRIEVAL_LIMIT": "4"},
    "set": {},
}


@pytest.mark.parametrize("top", range(5))
def test_the_highest_layer_that_says_something_wins(load, top):
    told = {name: value for layer in list(LAYERS)[: top + 1] for name, value in LAYERS[layer].items()}
    loaded = load(*(["retrieval.limit=5"] if top == 4 else []), **told)
    assert loaded.settings.retrieval.limit == top + 1
    assert loaded.origin("retrieval.limit").layer == list(LAYERS)[top]


def test_layers_join_key_by_key(load):
    loaded = load(user="[retrieval]\nlimit = 7\nbudget = 500", project="retrieval.limit = 8")
    assert (loaded.settings.retrieval.limit, loaded.settings.retrieval.budget) == (8, 500)


def test_nothing_said_is_the_defaults(load):
    loaded = load()
    assert loaded.settings == settings.Settings()
    assert loaded.origin("storage.journal_mode") == settings.Origin("default")
    assert loaded.files == ()


def test_an_origin_names_the_file_or_the_variable(load, tmp_path):
    loaded = load(user="record.max_characters = 9", MEMORY_RUNTIME_THREADS="2")
    assert loaded.origin("record.max_characters").where == str(tmp_path / "user.toml")
    assert loaded.origin("runtime.threads").where == "MEMORY_RUNTIME_THREADS"


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ({"user": "[retrieval]\nlimits = 3"}, ["retrieval.limits", "'retrieval.limit'", "user.toml"]),
        ({"user": "[retrival]\nlimit = 3"}, ["retrival.limit", "'retrieval.limit'"]),
        ({"user": "limit = 3"}, ["'limit'"]),
        ({"user": "[unheard]"}, ["'unheard'"]),
        ({"project": "[storage.journal_mode]\nx = 1"}, ["storage.journal_mode", "a text", "config.toml"]),
        ({"file": "[retrieval]\nlimit = '3'"}, ["retrieval.limit", "'3'", "whole number", "file.toml"]),
        ({"file": "[retrieval]\nlimit = true"}, ["retrieval.limit", "True"]),
        ({"file": "[retrieval]\nlimit = 3.0"}, ["retrieval.limit", "3.0"]),
        ({"file": "redact.enabled = 1"}, ["redact.enabled", "true or false"]),
        ({"file": "redact.patterns = [1]"}, ["redact.patterns", "list of texts"]),
        ({"file": "redact.patterns = ['']"}, ["redact.patterns", "empty item"]),
        ({"user": "retrieval.duplicate_cosine = nan"}, ["retrieval.duplicate_cosine", "finite"]),
        ({"user": "retrieval.limit = 0"}, ["retrieval.limit", "0", "at least 1"]),
        ({"user": "retrieval.duplicate_cosine = 1.5"}, ["1.5", "at most 1"]),
        ({"user": "storage.journal_mode = 'off'"}, ["'off'", "wal or delete"]),
        ({"user": "dense.embedding_model = ''"}, ["dense.embedding_model", "empty"]),
        ({"user": "retrieval.limit = "}, ["user.toml", "TOML"]),
        ({"MEMORY_RETRIEVAL_LIMIT": "ten"}, ["MEMORY_RETRIEVAL_LIMIT", "retrieval.limit", "'ten'"]),
        ({"MEMORY_RETRIEVAL_LIMTI": "1"}, ["MEMORY_RETRIEVAL_LIMTI", "'MEMORY_RETRIEVAL_LIMIT'"]),
        ({"MEMORY_DENSE_EMBEDDING_MODEL": "a\udc80"}, ["dense.embedding_model", "valid text"]),
        ({"MEMORY_REQUIRE_CONFIG": "maybe"}, ["MEMORY_REQUIRE_CONFIG", "'maybe'"]),
        ({"MEMORY_CONFIG": "/nowhere/at/all.toml"}, ["MEMORY_CONFIG", "does not exist"]),
    ],
)
def test_what_means_nothing_is_refused_by_name(load, said, named):
    message = refusal(load, **said)
    assert all(each in message for each in named), message


@pytest.mark.parametrize("assignment", ["retrieval.limit", "retrieval.limit=", "=3", "nothing.such=1"])
def test_an_assignment_that_means_nothing_is_refused(load, assignment):
    assert "--set" in refusal(load, assignment)


def test_a_file_that_is_no_text_is_refused(load, tmp_path):
    (tmp_path / "user.toml").write_bytes(b"a = '\xff'")
    assert "UTF-8" in refusal(load)
    (tmp_path / "user.toml").unlink()
    (tmp_path / "user.toml").mkdir()
    assert "cannot be read" in refusal(load)


@pytest.mark.parametrize(
    "variable",
    ["MEMORY_PROJECT_ROOT", "MEMORY_STORAGE_ROOT", "MEMORY_AGENT", "MEMORY_DEVICE", "MEMORY_UNHEARD_OF", "MEMORY_SYNC",
     "MEMORY_ULTRARAG_LIMIT", "STORAGE_X"],
)  # fmt: skip
def test_variables_of_others_are_not_judged(load, variable):
    assert load(**{variable: "anything"}).settings == settings.Settings()


def test_an_empty_variable_is_no_layer(load):
    loaded = load(user="runtime.threads = 3", MEMORY_RUNTIME_THREADS="", MEMORY_CONFIG="", MEMORY_STORAGE_NONSENSE="")
    assert loaded.origin("runtime.threads").layer == "user"


@pytest.mark.parametrize("key", [key for key in KEYS.values() if not key.setting.project], ids=lambda key: key.full)
def test_a_projects_file_may_not_set_what_is_the_users(load, key):
    message = refusal(load, project=f"{key.full} = {toml_value(key.default)}")
    assert key.full in message
    assert "project's file" in message


def test_a_key_of_the_first_seed_is_a_warning_in_a_projects_file_alone(load):
    loaded = load(project="[runtime]\nmodel_cache_root = ''\nthreads = 2")
    assert loaded.settings.runtime.threads == 2
    assert len(loaded.warnings) == 1
    assert "runtime.model_cache_root" in refusal(load, user="runtime.model_cache_root = ''")


@pytest.mark.parametrize("text", ["a, b", '["a", "b"]', "['a', 'b']", "['a', 'b',]"])
def test_a_list_is_written_with_commas_or_as_an_array(load, text):
    assert load(f"redact.allow={text}").settings.redact.allow == ("a", "b")
    assert load(MEMORY_REDACT_ALLOW=text).settings.redact.allow == ("a", "b")


def test_a_whole_number_will_do_for_a_number(load):
    cosine = load(user="retrieval.duplicate_cosine = 1").settings.retrieval.duplicate_cosine
    assert (cosine, type(cosine)) == (1.0, float)
    assert "at most 1" in refusal(load, user=f"retrieval.duplicate_cosine = 1{'0' * 400}")


def test_a_list_can_be_emptied_and_a_broken_array_is_refused(load):
    assert load("redact.allow=", user="redact.allow = ['x']").settings.redact.allow == ()
    assert "redact.allow" in refusal(load, "redact.allow=[a, b]")
    assert "empty item" in refusal(load, "redact.allow=a,,b")


def test_an_assignment_keeps_what_follows_the_first_equals_sign_and_the_last_one_wins(load):
    loaded = load("dense.embedding_model=a=b", "redact.enabled=YES", "redact.enabled=no")
    assert loaded.settings.dense.embedding_model == "a=b"
    assert loaded.settings.redact.enabled is False


def test_a_flag_goes_before_the_variable_that_names_a_file(load, tmp_path):
    (tmp_path / "other.toml").write_text("retrieval.limit = 90", encoding="utf-8")
    named = {"MEMORY_CONFIG": str(tmp_path / "other.toml")}
    assert load(**named).settings.retrieval.limit == 90
    assert load(file="retrieval.limit = 3", **named).settings.retrieval.limit == 3


def test_a_required_configuration_must_be_found(load):
    assert "MEMORY_REQUIRE_CONFIG" in refusal(load, MEMORY_REQUIRE_CONFIG="1")
    assert load(MEMORY_REQUIRE_CONFIG="0").files == ()
    assert load(MEMORY_REQUIRE_CONFIG="1", project="retrieval.limit = 2").files


def test_rows_tell_every_setting_and_where_it_came_from(load):
    listed = {row.key: row for row in rows(load("retrieval.limit=4"))}
    assert set(listed) == set(KEYS)
    row = listed["retrieval.limit"]
    assert (row.value, row.default, row.layer, row.file) == (4, 10, "set", "--set")


def test_a_secret_shows_as_set_or_unset_and_never_in_a_refusal():
    key = Key("sync", "token", str, "", Setting("The token.", secret=True, choices=("a",)))
    row = row_of(key, "hunter2", settings.Origin("environment", "MEMORY_SYNC_TOKEN"))
    assert (row.value, row.default) == ("set", "unset")
    assert "hunter2" not in refusal(parsed, key, "hunter2", "MEMORY_SYNC_TOKEN")


@pytest.mark.parametrize("key", KEYS.values(), ids=lambda key: key.full)
def test_every_setting_is_declared_whole(key):
    assert checked(key, key.default, "the default") == key.default
    assert key.setting.sentence[0].isupper()
    assert key.setting.sentence.endswith(".")
    assert key.type not in (int, float) or None not in (key.setting.at_least, key.setting.at_most)


def test_the_packaged_document_is_the_declared_defaults(load):
    written = (PACKAGE / "default.toml").read_text(encoding="utf-8")
    assert written == default_toml(), "renew it: write default_toml() to memory_cli/settings/default.toml"
    assert load(user=written).settings == settings.Settings()


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="elsewhere platformdirs itself is asked")
@pytest.mark.parametrize("xdg", [None, "", "relative", "/some/where", "/some/where/"])
def test_directories_are_those_of_platformdirs(monkeypatch, xdg):
    from platformdirs import user_config_path, user_data_path

    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False) if xdg is None else monkeypatch.setenv(variable, xdg)
    assert user_directory("config", os.environ) == user_config_path("memory-cli", appauthor=False)
    assert user_directory("data", os.environ) == user_data_path("memory-cli", appauthor=False)
    monkeypatch.delenv("HOME")
    assert user_directory("data", os.environ) == user_data_path("memory-cli", appauthor=False)
