"""The user's own directories for settings and data, as platformdirs names them."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

STORE_FOLDER = ".memory-rag"

DirectoryKind = Literal["config", "data"]

_VARIABLES = {"config": "XDG_CONFIG_HOME", "data": "XDG_DATA_HOME"}
_LINUX = {"config": ".config", "data": ".local/share"}
_MACOS = "Library/Application Support"


def user_directory(
    kind: DirectoryKind, environ: Mapping[str, str], *, home: Path | None = None, app: str = "memory-cli"
) -> Path:
    """Return the user's directory of a kind for an application."""
    if sys.platform not in ("linux", "darwin") or "ANDROID_ROOT" in environ:
        return _by_platformdirs(kind, app)
    # The same rules as platformdirs has here (a test compares); importing it would cost a third of a start.
    chosen = environ.get(_VARIABLES[kind], "")
    if os.path.isabs(chosen):
        return Path(chosen) / app
    return (home or user_home(environ)) / (_LINUX[kind] if sys.platform == "linux" else _MACOS) / app


def user_home(environ: Mapping[str, str]) -> Path:
    """Return the user's home directory."""
    named = environ.get("HOME", "")
    return Path(named) if os.path.isabs(named) and sys.platform != "win32" else Path.home()


def expand_home(text: str, home: Path) -> Path:
    """Return a path with a leading tilde replaced, as a shell would have."""
    # A variable set in a client's JSON has met no shell.
    return home / text[2:] if text == "~" or text.startswith("~/") else Path(text)


def _by_platformdirs(kind: DirectoryKind, app: str) -> Path:
    from platformdirs import user_config_path, user_data_path

    return (user_config_path if kind == "config" else user_data_path)(app, appauthor=False)
