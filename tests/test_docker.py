"""The Dockerfile fits the package: what it copies exists, what it starts is there, and nobody is root."""

import json
import re
import shlex
import tomllib
from pathlib import Path

from typer.main import get_command

from memory_cli.cli.app import app
from memory_cli.projects import _STORAGE_VARIABLES

ROOT = Path(__file__).parents[1]
LINES = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
STEPS = [line.split(maxsplit=1) for line in LINES if line and not line.startswith("#")]
IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def said(instruction):
    return [rest for name, rest in STEPS if name == instruction]


def copied():
    return [each for rest in said("COPY") if "--from" not in rest for each in rest.split()[:-1]]


def test_what_is_copied_exists_and_is_not_left_out():
    for each in copied():
        assert (ROOT / each).exists(), each
        assert f"!{each}" in IGNORED, each


def test_all_that_the_package_is_built_of_is_copied():
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", "uv.lock", PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]}
    needed |= {*wheel["packages"], *(each.split("/")[0] for each in wheel["shared-data"])}
    assert set(copied()) == needed


def test_what_it_starts_is_a_command_of_the_package():
    (program,), words = json.loads(said("ENTRYPOINT")[0]), json.loads(said("CMD")[0])
    assert program in PROJECT["project"]["scripts"]
    assert words == ["serve"] and words[0] in get_command(app).commands


def test_its_python_is_one_that_the_package_takes_and_the_same_in_both_stages():
    versions = set(re.findall(r"^FROM python:(\d+)\.(\d+)-slim", "\n".join(LINES), re.MULTILINE))
    least = re.fullmatch(r">=(\d+)\.(\d+)", PROJECT["project"]["requires-python"]).groups()
    assert len(said("FROM")) == 2 and len(versions) == 1
    assert tuple(map(int, *versions)) >= tuple(map(int, least))


def test_the_volume_is_the_storage_root_and_the_environment_is_on_the_path():
    environ = dict(each.split("=", 1) for rest in said("ENV") for each in shlex.split(rest))
    (volume,) = json.loads(said("VOLUME")[0])
    assert environ[_STORAGE_VARIABLES[0]] == volume
    assert environ["PATH"].split(":")[0] == f"{environ['UV_PROJECT_ENVIRONMENT']}/bin"
    assert f"{environ['UV_PROJECT_ENVIRONMENT']} {environ['UV_PROJECT_ENVIRONMENT']}" in said("COPY")[-1]


def test_it_ends_as_a_user_without_power_who_owns_the_volume():
    (user,), (made,) = said("USER"), [each for each in said("RUN") if each.startswith("useradd")]
    assert user != "root" and made.split("&&")[0].split()[-1] == user
    assert f"-o {user} -g {user} /data" in made
    assert not [name for name, _rest in STEPS[STEPS.index(["USER", user]) :] if name == "RUN"]


def test_what_is_installed_is_what_is_locked_and_no_registry_is_named():
    assert all("--locked" in each for each in said("RUN") if each.startswith("uv sync"))
    assert not [line for line in LINES if "://" in line or "index" in line]
