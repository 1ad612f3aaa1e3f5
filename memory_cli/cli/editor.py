"""Editing a text in the person's own editor."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from memory_cli.errors import MemoryCliError, UsageError


def edited(text: str, *, suffix: str) -> str:
    """Return text as the person left it in $VISUAL or $EDITOR."""
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not command:
        raise UsageError("Neither VISUAL nor EDITOR names an editor; set one, such as EDITOR=nano.")
    path = Path(keep(text, suffix=suffix))
    try:
        code = subprocess.run([*command, str(path)], check=False).returncode  # noqa: S603
        if code:
            raise MemoryCliError(f"The editor {command[0]} ended with {code}; nothing was changed.")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"The editor {command[0]} cannot be run: {error.strerror}.") from error
    finally:
        path.unlink(missing_ok=True)


def keep(text: str, *, suffix: str) -> str:
    """Write text into a file of its own, which only its owner can read, and return the path."""
    handle, name = tempfile.mkstemp(prefix="memory-", suffix=suffix)
    with open(handle, "w", encoding="utf-8") as out:
        out.write(text)
    return name
