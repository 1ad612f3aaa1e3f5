"""What a shell completes: read-only, silent, and nothing when anything is amiss."""

import pytest
from typer.testing import CliRunner

from memory_cli.cli.app import app


@pytest.fixture
def completed(roots):
    """Return what bash is offered for a command line."""

    def run(*words, incomplete="", before=roots):
        line = ["memory", *before, *words]
        asked = {"COMP_WORDS": " ".join([*line, incomplete]), "COMP_CWORD": str(len(line))}
        environ = {"_MEMORY_COMPLETE": "complete_bash", **asked}
        done = CliRunner().invoke(app, env=environ, prog_name="memory")
        assert (done.exit_code, done.stderr) == (0, "")
        return done.stdout.split()

    return run


def test_kinds_are_those_in_use_and_the_suggested(memory, completed):
    memory("record", "tea", "--kind", "ritual")
    assert set(completed("list", "--kind", incomplete="R")) == {"RITUAL", "RULE"}
    assert set(completed("list", "--kind", incomplete="ri")) == {"ritual"}


def test_tags_agents_and_sources_are_those_in_use(memory, completed):
    memory("record", "tea", "--tag", "hot", "--agent", "anna", "--source", "chat")
    assert completed("recall", "x", "--tag") == ["hot"]
    assert completed("recall", "x", "--agent") == ["anna"]
    assert completed("recall", "x", "--source") == ["chat"]


def test_ids_come_with_the_beginning_of_their_words(memory, completed, roots):
    memory("record", "tea cools\nquickly", "--id", "abc")
    assert completed("show") == completed("forget", "--id", incomplete="a") == ["abc"]
    environ = {"_MEMORY_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": " ".join(["memory", *roots, "show", "a"])}
    assert "tea cools quickly" in CliRunner().invoke(app, env=environ, prog_name="memory").stdout


def test_categories_are_completed_wherever_one_is_named(memory, completed):
    for name in ("base", "basement", "other"):
        memory("category", "write", name, "{}")
    assert completed("category", "read", incomplete="bas") == ["base", "basement"]
    assert (
        completed("category", "edit", incomplete="o") == completed("context", "--category", incomplete="o") == ["other"]
    )


def test_settings_are_ready_for_a_value(completed):
    assert completed("--set", incomplete="retrieval.li", before=()) == ["retrieval.limit="]


def test_what_is_amiss_completes_nothing_and_makes_nothing(completed, tmp_path):
    assert completed("show", before=["--project-root", str(tmp_path / "nowhere")]) == []
    assert completed("show") == []
    assert not (tmp_path / "storage").exists()
