"""Which package may import which, and what a start must not import."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "memory_cli"
# From below to above; what stands in one line does not import each other.
LAYERS = (
    {"errors", "models", "parameter", "private", "processors"},
    {"locks", "sockets"},
    {"wire"},
    {"settings", "text"},
    {"projects", "provenance"},
    {"tokens"},
    {"store", "embedding"},
    {"retrieval", "categories"},
    {"sync"},
    {"memory"},
    {"warm"},
    {"operations"},
    {"surface"},
    {"cli", "serve", "web"},
    {"__main__"},
)
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}
FRONT_ENDS = {"typer", "rich", "mcp", "starlette", "anyio", "httpx", "httpx2"}
HEAVY = {"numpy", "onnxruntime", "fastembed", "mcp", "pydantic", "starlette", "rich", "platformdirs", "tomllib"}
FILES = sorted(set(PACKAGE.rglob("*.py")) - {PACKAGE / "__init__.py"})
STARTS = ("--version", "--help", "recall --help", "record tea", "recall tea --words", "list", "config list", "status")


def imports(path, *, nested=True):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if nested else tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def layer(path):
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def used(path, **how):
    found = {name.split(".")[1] for name in imports(path, **how) if name.startswith("memory_cli.")}
    return found & (RANKS.keys() | {path.stem for path in PACKAGE.iterdir()}) - {layer(path)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_those_below_it(path):
    above = {each for each in used(path) if RANKS[each] >= RANKS[layer(path)]}
    assert above <= ({"serve", "web"} if layer(path) == "cli" else set())


def test_the_command_line_imports_the_server_only_when_it_serves():
    for path in (PACKAGE / "cli").rglob("*.py"):
        assert not used(path, nested=False) & {"serve", "web"}, path


def test_the_core_knows_no_front_end():
    for path in FILES:
        if layer(path) not in ("cli", "serve", "web"):
            assert not FRONT_ENDS & {name.split(".")[0] for name in imports(path)}, path


def test_only_the_store_speaks_to_sqlite():
    for path in FILES:
        if layer(path) != "store":
            assert "sqlite3" not in {name.split(".")[0] for name in imports(path)}, path


def test_the_operations_annotate_with_what_both_front_ends_can_read():
    for path in (PACKAGE / "operations").rglob("*.py"):
        assert "__future__.annotations" not in set(imports(path)), path


@pytest.mark.parametrize("line", STARTS)
def test_a_start_imports_nothing_heavy(line, tmp_path, roots):
    code = f"""
import sys
from memory_cli.cli.main import main
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
print(*sorted({HEAVY} & set(sys.modules)), file=sys.stderr)
"""
    command = [sys.executable, "-c", code, *(roots if line != "--version" else ()), *line.split()]
    environ = {"PYTHONPATH": str(PACKAGE.parent), "HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=environ)
    assert done.stderr.splitlines()[-1] == ""
