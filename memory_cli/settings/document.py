"""The packaged default.toml, rendered from the declared settings."""

from dataclasses import fields

from memory_cli.settings.keys import DEFAULTS, KEYS, Key, Value

_HEADING = """\
# Every setting of memory with its default. Generated from the declarations: nothing reads this file.
# Copy what you change into config.toml in your configuration directory or in a project's .memory-rag/.
"""


def default_toml() -> str:
    """Render every setting with its default as a TOML document."""
    return _HEADING + "".join(_section(section.name) for section in fields(DEFAULTS))


def toml_value(value: Value) -> str:
    """Write a value as TOML does."""
    # JSON writes strings, lists and truth values just as TOML reads them; it is needed for documents alone.
    import json

    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _section(name: str) -> str:
    head = f"\n# {getattr(DEFAULTS, name).__doc__}\n[{name}]\n"
    return head + "\n".join(_entry(key) for key in KEYS.values() if key.section == name)


def _entry(key: Key) -> str:
    return f"# {key.setting.sentence} ({'; '.join(_facts(key))})\n{key.name} = {toml_value(key.default)}\n"


def _facts(key: Key) -> list[str]:
    setting = key.setting
    facts: list[str] = [setting.kind]
    if setting.choices:
        facts.append(" or ".join(setting.choices))
    if setting.at_least is not None and setting.at_most is not None:
        facts.append(f"{setting.at_least} to {setting.at_most}")
    elif setting.at_least is not None or setting.at_most is not None:
        facts.append(f"at least {setting.at_least}" if setting.at_most is None else f"at most {setting.at_most}")
    if not setting.project:
        facts.append("not in a project's file")
    return facts
