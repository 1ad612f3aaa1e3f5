"""The completion scripts in their shells: bash, zsh and fish, as a user has them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "completions"
COMMANDS = Path(sys.executable).parent
BASH = """
source '{script}'
COMP_WORDS=(memory {words}); COMP_CWORD={last}
_memory_completion memory
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
FISH = "source '{script}'; complete -C 'memory {words}'"
# A Tab is pressed in a terminal of zsh's own; what it wrote there is the answer.
ZSH = """
zmodload zsh/zpty
zpty -b shell "PS1= TERM=dumb zsh -f -i"
zpty -w shell "fpath=('{folder}' \\$fpath); autoload -Uz compinit; compinit -u -D; echo read''y"
zpty -r shell line '*ready*'
zpty -w -n shell $'memory {words}\\t'
zpty -r shell line '*{expected}*' && print -r -- "$line"
"""
# The modules of ours that completing may import: a few more than it did when this was measured.
OURS = 110
CASES = (("sta", "status"), ("list --kind RU", "RULE"), ("--set retrieval.li", "retrieval.limit="))


def needs(shell):
    missing = shutil.which(shell) is None and not os.environ.get("CI")
    return pytest.mark.skipif(missing or sys.platform == "win32", reason=f"{shell} is not here")


def ran(*command, **environ):
    path = f"{COMMANDS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, capture_output=True, check=False, text=True, timeout=60, env={**os.environ, "PATH": path, **environ}
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


@needs("bash")
@pytest.mark.parametrize("words, expected", CASES)
def test_bash_completes(words, expected):
    code = BASH.format(script=SCRIPTS / "memory.bash", words=words, last=len(words.split()))
    assert expected in ran("bash", "--norc", "-c", code).split()


@needs("fish")
@pytest.mark.parametrize("words, expected", CASES)
def test_fish_completes(words, expected):
    code = FISH.format(script=SCRIPTS / "memory.fish", words=words)
    assert expected in re.split(r"\s", ran("fish", "--no-config", "-c", code))


@needs("zsh")
@pytest.mark.parametrize("words, expected", [("statu", "status"), *CASES[1:]])
def test_zsh_completes_at_the_first_tab(words, expected):
    assert expected in ran("zsh", "-f", "-c", ZSH.format(folder=SCRIPTS, words=words, expected=expected))


INSTALLED = {
    "bash": (".bash_completions/memory.sh", "memory.bash"),
    "zsh": (".zfunc/_memory", "_memory"),
    "fish": (".config/fish/completions/memory.fish", "memory.fish"),
}


@pytest.mark.parametrize("shell", [pytest.param(each, marks=needs(each)) for each in INSTALLED])
def test_completion_is_shown_and_installed_for_the_shell_that_asks(shell, tmp_path):
    # What comes after keeps the shell from giving its place to the program, which looks for it above itself.
    shown = ran(shell, "-c", "memory --show-completion; true", HOME=str(tmp_path))
    ran(shell, "-c", "memory --install-completion; true", HOME=str(tmp_path))
    place, script = INSTALLED[shell]
    installed = (tmp_path / place).read_text(encoding="utf-8")
    assert installed.strip() == shown.strip()
    assert (SCRIPTS / script).read_text(encoding="utf-8").splitlines()[:3] == installed.strip().splitlines()[:3]


COUNTED = """
import json, sys
from memory_cli.cli.main import main
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
HEAVY = {"asyncio", "fastembed", "mcp", "numpy", "onnxruntime", "pydantic", "rich", "socket", "starlette", "tokenizers"}


@pytest.mark.parametrize("words", ["list --kind R", "recall x --tag h", "show a", "--set retrieval.li"])
def test_a_tab_imports_nothing_heavy_and_makes_no_store(words, roots, tmp_path):
    line = f"memory {' '.join(roots)} {words}"
    asked = {"_MEMORY_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    environ = {**os.environ, **asked, "PYTHONPATH": str(SCRIPTS.parent)}
    done = subprocess.run([sys.executable, "-c", COUNTED], capture_output=True, check=False, text=True, env=environ)
    assert done.returncode == 0, done.stderr
    modules = json.loads(done.stderr.splitlines()[-1])
    assert not HEAVY & set(modules)
    assert len([each for each in modules if each.startswith("memory_cli.")]) <= OURS
    assert [each.name for each in tmp_path.rglob("*")] == ["project"]
