"""What a server costs that nobody talks to, and how soon servers are gone when their client is.

uv run python -m benchmarks.idle --servers 20 --seconds 600
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from benchmarks.stores import opened, roots
from memory_cli.operations.record import record

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "idle", "version": "1"}},
}  # fmt: skip
# A client that starts a server, hears its first answer, says the server's number and is then killed.
CLIENT = """
import subprocess, sys, time
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(sys.argv[1].encode() + b"\\n")
server.stdin.flush()
server.stdout.readline()
print(server.pid, flush=True)
time.sleep(600)
"""

LIMITS = (0.5, 2, 10)

Server = subprocess.Popen[bytes]


def started(folder: Path) -> Server:
    """Start a server and shake hands with it."""
    server = subprocess.Popen(
        _command(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert server.stdin and server.stdout
    server.stdin.write(json.dumps(HELLO).encode() + b"\n")
    server.stdin.flush()
    assert server.stdout.readline()
    return server


def _command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "memory_cli", *roots(folder), "serve"]


def processor_seconds(process: int) -> float:
    """Return how long a process has had the processor."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until_gone(servers: Sequence[Server]) -> float:
    """Close the input of all servers and return after how many seconds the last of them is gone."""
    start = time.monotonic()
    for server in servers:
        assert server.stdin
        server.stdin.close()
    for server in servers:
        server.wait(timeout=60)
    return time.monotonic() - start


def until_orphan_is_gone(folder: Path) -> float:
    """Kill a client and return after how many seconds its server is gone."""
    command = [sys.executable, "-c", CLIENT, json.dumps(HELLO), *_command(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as client:
        assert client.stdout
        server = int(client.stdout.readline())
        client.send_signal(signal.SIGKILL)
    start = time.monotonic()
    while time.monotonic() < start + 60 and _runs(server):
        time.sleep(0.01)
    return time.monotonic() - start


def _runs(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    return False


def run(folder: Path, *, servers: int, seconds: float) -> dict[str, float]:
    """Measure servers of one project, in which a statement waits to be embedded."""
    roots(folder)
    with opened(folder) as memory:
        record(memory, "tea is green")
    quiet = started(folder)
    # The background looks once after the start, and what is pending then is no idle work.
    time.sleep(min(seconds, 20))
    before = processor_seconds(quiet.pid)
    time.sleep(seconds)
    idle = processor_seconds(quiet.pid) - before
    gone = until_gone([quiet, *(started(folder) for _ in range(servers - 1))])
    return {
        "idle_processor_seconds_in_ten_minutes": round(idle * 600 / seconds, 2),
        "gone_after_end_of_input": round(gone, 2),
        "gone_after_kill_of_client": round(until_orphan_is_gone(folder), 2),
    }


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=600)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        found = run(Path(temporary), servers=told.servers, seconds=told.seconds)
    print(json.dumps(found, indent=2))
    sys.exit(any(value > limit for value, limit in zip(found.values(), LIMITS, strict=True)))


if __name__ == "__main__":
    main()
