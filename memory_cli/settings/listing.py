"""The settings as a list shows them: each with its value and where it came from."""

from memory_cli.models.frozen import Frozen
from memory_cli.settings.keys import KEYS, Key, Kind, Value
from memory_cli.settings.layers import Layer, Loaded, Origin


class SettingRow(Frozen):
    """One setting as a list shows it; a secret shows as set or unset."""

    key: str
    value: Value
    default: Value
    layer: Layer
    file: str
    kind: Kind
    sentence: str


def rows(loaded: Loaded) -> list[SettingRow]:
    """List every setting with its value and where it came from."""
    return [row_of(key, loaded.value(key.full), loaded.origin(key.full)) for key in KEYS.values()]


def row_of(key: Key, value: Value, origin: Origin) -> SettingRow:
    """Show one setting; a secret as set or unset."""
    default = key.default
    if key.setting.secret:
        value, default = ("set" if value else "unset"), ("set" if default else "unset")
    return SettingRow(key.full, value, default, origin.layer, origin.where, key.setting.kind, key.setting.sentence)
