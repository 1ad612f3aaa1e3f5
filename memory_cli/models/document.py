"""A result as the JSON document that every front end shows."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar, get_args, get_type_hints

T = TypeVar("T")


def document(value: Any) -> Any:
    """Return value as JSON values; of a dataclass, a field that equals its default is left out."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            each.name: document(getattr(value, each.name)) for each in fields(value) if not _says_nothing(value, each)
        }
    if isinstance(value, Mapping):
        return {str(key): document(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [document(each) for each in value]
    return value


def required(field: "Field[Any]") -> bool:
    """Tell whether a field of a result is always there."""
    return field.default is MISSING and field.default_factory is MISSING


def _says_nothing(value: Any, field: "Field[Any]") -> bool:
    if required(field):
        return False
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return bool(getattr(value, field.name) == default)


def restored(kind: type[T], found: Mapping[str, Any]) -> T:
    """Return the result that `document` made a document of."""
    hints = get_type_hints(kind)
    return kind(**{name: _restored(hints[name], value) for name, value in found.items()})


def _restored(kind: Any, value: Any) -> Any:
    if is_dataclass(kind) and isinstance(kind, type):
        return restored(kind, value)
    inner = [each for each in get_args(kind) if isinstance(each, type) and is_dataclass(each)]
    if not inner:
        return value
    return [restored(inner[0], each) for each in value] if isinstance(value, list) else restored(inner[0], value)
