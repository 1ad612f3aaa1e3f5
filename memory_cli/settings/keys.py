"""Every setting, declared once: its type, its default, its bounds and what it does."""

from dataclasses import field, fields
from types import MappingProxyType
from typing import NamedTuple, get_args, get_origin

from memory_cli.models.frozen import Frozen
from memory_cli.settings.access import Acl
from memory_cli.settings.dense import Dense
from memory_cli.settings.index import Index
from memory_cli.settings.links import Links
from memory_cli.settings.retrieval import Retrieval
from memory_cli.settings.sections import Context, Record, Redact, Runtime, Storage
from memory_cli.settings.setting import Kind, Setting, Value
from memory_cli.settings.sync import Sync

__all__ = ["KEYS", "SECTIONS", "Key", "Kind", "Setting", "Settings", "Value"]


class Settings(Frozen):
    """Every setting in force, by section."""

    storage: Storage = field(default_factory=Storage)
    record: Record = field(default_factory=Record)
    redact: Redact = field(default_factory=Redact)
    dense: Dense = field(default_factory=Dense)
    runtime: Runtime = field(default_factory=Runtime)
    retrieval: Retrieval = field(default_factory=Retrieval)
    context: Context = field(default_factory=Context)
    index: Index = field(default_factory=Index)
    links: Links = field(default_factory=Links)
    acl: Acl = field(default_factory=Acl)
    sync: Sync = field(default_factory=Sync)


class Key(NamedTuple):
    """One setting as the layers know it."""

    section: str
    name: str
    type: type
    default: Value
    setting: Setting

    @property
    def full(self) -> str:
        """Name the key as files and flags do."""
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        """Name the variable that sets the key."""
        return f"MEMORY_{self.section}_{self.name}".upper()


DEFAULTS = Settings()


def _declared() -> dict[str, Key]:
    keys = {}
    for section in fields(DEFAULTS):
        values = getattr(DEFAULTS, section.name)
        for each in fields(values):
            annotated, setting = get_args(each.type)
            assert isinstance(setting, Setting), each.name
            key = Key(section.name, each.name, get_origin(annotated) or annotated, getattr(values, each.name), setting)
            keys[key.full] = key
    return keys


KEYS = MappingProxyType(_declared())
SECTIONS = frozenset(section.name for section in fields(Settings))
