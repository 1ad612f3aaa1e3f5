"""The declared settings and the layers that set them."""

from memory_cli.settings.directories import user_directory
from memory_cli.settings.keys import KEYS, Settings
from memory_cli.settings.layers import Loaded, Origin, load

__all__ = ["KEYS", "Loaded", "Origin", "Settings", "load", "user_directory"]
