"""Devices that sync over HTTP with a hub that is served, at random and killed at random, come to the same.

uv run python -m benchmarks.devices_http --rounds 5 --steps 40
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.stores import roots

NAMES = ("laptop", "phone")
SOURCES = Path(__file__).parents[1]
KEYS = ("a", "b", "c")


def memory(place: Path, name: str, *argv: str, environ: Mapping[str, str], kill: float = 0) -> Any:
    """Run the program on a device; return its document, nothing where it was killed after so many seconds."""
    command = [sys.executable, "-m", "memory_cli", *roots(place / name), *argv, "-o", "json"]
    told = {**environ, "MEMORY_DEVICE": name, "HOME": str(place / name)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=told, text=True) as running:
        try:
            said, why = running.communicate(timeout=kill or None)
        except subprocess.TimeoutExpired:
            running.kill()
            running.communicate()
            return None
    assert running.returncode == 0, (argv, why)
    return json.loads(said)


@contextmanager
def served(place: Path, environ: Mapping[str, str]) -> Iterator[str]:
    """Serve the hub; yield its address."""
    command = [sys.executable, "-m", "memory_cli", *roots(place / "hub"), "serve", "--http", "--api", "--port", "0"]
    told = {**environ, "MEMORY_DEVICE": "hub", "HOME": str(place / "hub")}
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.PIPE, env=told, text=True) as running:
        assert running.stderr is not None
        try:
            yield running.stderr.readline().partition("http://")[2].partition("/")[0]
        finally:
            running.terminate()


def once(place: Path, seed: int, steps: int) -> str:
    """Do so many random things, sync until all is quiet, and say what is apart or lost."""
    chance = random.Random(seed)
    environ = {**os.environ, "PYTHONPATH": str(SOURCES)}
    environ["MEMORY_SYNC_TOKEN"] = memory(place, "hub", "token", "add", "all", environ=environ)["token"]
    kept: set[str] = set()
    with served(place, environ) as address:
        environ["MEMORY_SYNC_REMOTES"] = f"hub=http://{address}"
        for step in range(steps):
            name = chance.choice(NAMES)
            act = chance.randrange(5)
            if act == 0:
                text = f"statement {seed} {step} of {name}"
                kept.add(text)
                memory(place, name, "record", text, "--scope", "global", environ=environ)
            elif act == 1:
                data = json.dumps({chance.choice(KEYS): f"{name} {step}"})
                memory(place, name, "category", "write", "base", data, "--merge", environ=environ)
            elif act == 2:
                memory(place, name, "category", "append", "journal", json.dumps({name: step}), environ=environ)
            else:
                direction = chance.choice(("run", "push", "pull"))
                memory(place, name, "sync", direction, environ=environ, kill=chance.uniform(0.1, 0.8) * (act == 3))
        for _ in range(3):
            for name in NAMES:
                memory(place, name, "sync", "run", environ=environ)
    found = {name: memory(place, name, "sync", "manifest", environ=environ)["root"] for name in (*NAMES, "hub")}
    texts = {
        each["text"]
        for each in memory(place, "phone", "list", "--limit", "1000", "--budget", "0", environ=environ)["units"]
    }
    return f"seed={seed} statements={len(kept)} apart={len(set(found.values())) - 1} lost={len(kept - texts)}"


def main() -> None:
    """Print a line for each round."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    for seed in range(given.seed, given.seed + given.rounds):
        with tempfile.TemporaryDirectory() as folder:
            print(once(Path(folder), seed, given.steps), flush=True)


if __name__ == "__main__":
    main()
