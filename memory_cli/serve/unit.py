"""The unit that makes systemd keep the server running for one user."""

from collections.abc import Mapping, Sequence

from memory_cli.errors import UsageError

# What chooses the memory; the rest of a shell's variables may be secrets, and none belongs into a file.
CARRIED = (
    "MEMORY_PROJECT_ROOT", "MEMORY_STORAGE_ROOT", "MEMORY_CONFIG", "MEMORY_REQUIRE_CONFIG", "MEMORY_AGENT",
    "MEMORY_DEVICE",
)  # fmt: skip
UNIT = """\
# Save it as ~/.config/systemd/user/memory.service, then:
#   systemctl --user daemon-reload
#   systemctl --user enable --now memory
# It runs while you are logged in; `loginctl enable-linger` lets it run without that.
{token}[Unit]
Description=Memory for agents, over HTTP

[Service]
ExecStart={command}
{environment}WorkingDirectory=%h
Restart=on-failure
RestartSec=5
# What it is refused for, such as a missing token, will not pass by itself.
RestartPreventExitStatus=2 5
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6

[Install]
WantedBy=default.target
"""
TOKEN = "# It needs a token to start: `memory token add NAME`.\n"  # noqa: S105 - a sentence


def unit(command: Sequence[str], environ: Mapping[str, str], *, port: int, token: bool) -> str:
    """Return the unit that runs this command, without any secret in it."""
    if not port:
        raise UsageError("With --port 0 the server would be elsewhere at each start; name its port.")
    named = {name: environ[name] for name in CARRIED if environ.get(name)}
    return UNIT.format(
        token=TOKEN if token else "",
        command=" ".join(quoted(each, program=not place) for place, each in enumerate(command)),
        environment="".join(f"Environment={quoted(f'{name}={value}')}\n" for name, value in named.items()),
    )


def quoted(word: str, *, program: bool = True) -> str:
    """Return a word as systemd reads it: in quotes where it must be, and nothing in it a specifier or a variable.

    The dollar of a variable is one in arguments alone.
    """
    if any(not each.isprintable() for each in word):
        raise UsageError(f"{word!r} cannot be written into a unit; give it without line ends and the like.")
    word = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    word = word if program else word.replace("$", "$$")
    plain = word.isascii() and not set(" \t;'\"\\$") & set(word) and word
    return word if plain else f'"{word}"'
