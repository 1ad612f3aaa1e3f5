"""The files that are made from code are up to date.

Manual pages, completions, default settings, tables of README.md and the description of the HTTP API;
`python -m tests.test_generated` writes them anew.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_cli.cli import manual
from memory_cli.cli.app import app
from memory_cli.cli.help import summary
from memory_cli.serve.api.openapi import described
from memory_cli.settings import KEYS
from memory_cli.settings.document import default_toml, toml_value
from memory_cli.settings.layers import RESERVED

ROOT = Path(__file__).parents[1]
COMPLETIONS = {"bash": "memory.bash", "zsh": "_memory", "fish": "memory.fish", "powershell": "memory.ps1"}
ZSH_LAST = "compdef _memory_completion memory\n"
# zsh runs such a file at the first Tab, and with what Typer writes that one would complete nothing.
ZSH_FIRST_TAB = f"""if [ "$funcstack[1]" = "_memory" ]; then
  _memory_completion "$@"
else
  {ZSH_LAST}fi
"""


def table(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def commands():
    found = [(ctx.command_path, summary(command)) for command, ctx in manual.walk(app, "memory") if ctx.parent]
    return table(["command", "does"], [(f"`{path}`", said) for path, said in found])


def settings():
    rows = [(f"`{key.full}`", f"`{toml_value(key.default)}`", key.setting.sentence) for key in KEYS.values()]
    return table(["setting", "default", "says"], rows)


def exits():
    return table(["code", "means"], [(f"{code}", said) for code, said in manual.exits()])


TABLES = {"commands": commands, "settings": settings, "exit codes": exits}


def readme():
    """Return README.md with the tables between its markers made anew."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, made in TABLES.items():
        between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text = between.sub(lambda found, made=made: f"{found[1]}{made()}\n{found[2]}", text)
    return text


def generated():
    pages = {ROOT / "man" / name: text for name, text in manual.pages(app, "memory").items()}
    scripts = {ROOT / "completions" / name: script(shell) for shell, name in COMPLETIONS.items()}
    others = {
        ROOT / "memory_cli/settings/default.toml": default_toml(),
        ROOT / "README.md": readme(),
        ROOT / "docs/openapi.json": json.dumps(described(), indent=1) + "\n",
    }
    return pages | scripts | others


def script(shell):
    result = CliRunner().invoke(app, env={"_MEMORY_COMPLETE": f"source_{shell}"}, prog_name="memory")
    text = result.stdout.strip() + "\n"
    return text.replace(ZSH_LAST, ZSH_FIRST_TAB) if shell == "zsh" else text


def test_files_are_up_to_date():
    there = {path: path.read_text(encoding="utf-8") for path in generated() if path.exists()}
    stale = [path.name for path, text in generated().items() if there.get(path) != text]
    assert not stale, "run `python -m tests.test_generated`"


def test_no_file_is_left_over():
    assert {path.name for path in (ROOT / "man").iterdir()} == manual.pages(app, "memory").keys()
    assert {path.name for path in (ROOT / "completions").iterdir()} == set(COMPLETIONS.values())


def test_every_page_has_examples_exits_and_environment():
    for name, text in manual.pages(app, "memory").items():
        for heading in ("NAME", "SYNOPSIS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT"):
            assert f".SH {heading}\n" in text, (name, heading)


def test_the_pages_name_every_reserved_variable():
    assert set(manual.ENVIRONMENT) >= RESERVED


@pytest.mark.skipif(sys.platform == "win32", reason="bash reads it")
def test_bash_reads_its_completion():
    subprocess.run(["bash", "-n", ROOT / "completions/memory.bash"], check=True)


if __name__ == "__main__":
    (ROOT / "man").mkdir(exist_ok=True)
    (ROOT / "completions").mkdir(exist_ok=True)
    for left in {*(ROOT / "man").iterdir()} - generated().keys():
        left.unlink()
    for path, text in generated().items():
        path.write_text(text, encoding="utf-8")
