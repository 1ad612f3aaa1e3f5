"""The systemd unit that `memory serve --print-unit` prints."""

import shlex
import shutil
import subprocess
import sys

import pytest

from memory_cli.serve.unit import quoted

ANALYZE = shutil.which("systemd-analyze")


def fields(text):
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))


@pytest.fixture
def unit(memory):
    def print_it(*options):
        done = memory("serve", "--http", *options, "--print-unit")
        assert done.exit_code == 0, done.output
        return done.stdout

    return print_it


def test_a_unit_starts_this_program_whole_with_the_options_given(unit, roots):
    told = fields(unit("--api", "--port", "8123", "--tools", "core,categories"))
    command = shlex.split(told["ExecStart"])
    assert command[:3] == [sys.executable, "-m", "memory_cli"] and command[3:7] == roots
    assert command[7:] == [
        "serve",
        "--tools",
        "core,categories",
        "--http",
        "--host",
        "127.0.0.1",
        "--port",
        "8123",
        "--api",
    ]
    assert told["Restart"] == "on-failure" and told["NoNewPrivileges"] == "yes" and told["WantedBy"] == "default.target"


def test_a_unit_makes_and_needs_nothing(unit, tmp_path):
    assert "memory token add" in unit("--api") and "memory token add" not in unit()
    assert "memory token add" in unit("--host", "0.0.0.0")
    assert not (tmp_path / "storage").exists()


def test_a_unit_takes_the_variables_that_choose_the_memory_and_no_others(unit, monkeypatch):
    monkeypatch.setenv("MEMORY_DEVICE", "my laptop, 100%")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    text = unit("--api")
    assert 'Environment="MEMORY_DEVICE=my laptop, 100%%"' in text and "secret" not in text


@pytest.mark.parametrize("options, says", [
    (("--print-unit",), "--http"),
    (("--http", "--print-unit", "--print-config", "json"), "one of them"),
    (("--http", "--port", "0", "--print-unit"), "--port 0"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused_with_the_way_out(memory, options, says):
    done = memory("serve", *options)
    assert done.exit_code == 2 and says in done.stderr and not done.stdout


@pytest.mark.parametrize("word, is_written", [
    ("plain", "plain"),
    ("a b", '"a b"'),
    ("100%", "100%%"),
    ('say "x"', '"say \\"x\\""'),
    ("$HOME", '"$$HOME"'),
    ("", '""'),
])  # fmt: skip
def test_a_word_is_written_as_systemd_reads_it(word, is_written):
    assert quoted(word, program=False) == is_written


@pytest.mark.skipif(ANALYZE is None, reason="there is no systemd here")
def test_systemd_takes_it(unit, tmp_path):
    file = tmp_path / "memory.service"
    file.write_text(unit("--api", "--ui"), encoding="utf-8")
    done = subprocess.run([ANALYZE, "verify", "--user", file], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
