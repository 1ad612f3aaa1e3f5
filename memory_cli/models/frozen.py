"""Frozen dataclasses that are made at once: `dataclass` compiles six methods a class, which every start would pay."""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, ClassVar, TypeVar, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen:
    """A base whose subclasses are frozen dataclasses; all share these methods instead of having their own."""

    __match_args__: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]] = frozenset()
    _required: ClassVar[frozenset[str]] = frozenset()
    _defaults: ClassVar[dict[str, Any]] = {}
    _factories: ClassVar[dict[str, Callable[[], Any]]] = {}

    def __init_subclass__(cls) -> None:
        made: Any = dataclass(init=False, repr=False, eq=False)(cls)
        declared = fields(made)
        cls._names = frozenset(each.name for each in declared)
        cls._required = frozenset(each.name for each in declared if each.default is each.default_factory is MISSING)
        cls._defaults = {each.name: each.default for each in declared if each.default is not MISSING}
        cls._factories = {each.name: each.default_factory for each in declared if each.default_factory is not MISSING}

    def __init__(self, *given: Any, **named: Any) -> None:
        names = self.__match_args__
        if len(given) > len(names) or (given and named):
            values = self._merged(given, named)
        else:
            values = {**self._defaults, **named, **dict(zip(names, given, strict=False))}
        if len(values) < len(names) or not named.keys() <= self._names:
            self._complete(values)
        # Not by way of __setattr__, which refuses.
        self.__dict__.update(values)
        self.__post_init__()

    def _merged(self, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        placed = dict(zip(self.__match_args__, given, strict=False))
        if len(given) > len(self.__match_args__) or placed.keys() & named.keys():
            raise TypeError(f"{type(self).__name__} takes {', '.join(self.__match_args__)}, each once.")
        return {**self._defaults, **placed, **named}

    def _complete(self, values: dict[str, Any]) -> None:
        if values.keys() - self._names:
            raise TypeError(f"{type(self).__name__} takes {', '.join(self.__match_args__)}, each once.")
        if missing := self._required.difference(values):
            raise TypeError(f"{type(self).__name__} needs {', '.join(sorted(missing))}.")
        for name in self._factories.keys() - values.keys():
            values[name] = self._factories[name]()

    def __post_init__(self) -> None:
        """Complete what was given."""

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__qualname__}({shown})"

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, Frozen) and type(other) is type(self) else False

    def __hash__(self) -> int:
        return hash(self._parts())

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _parts(self) -> tuple[Any, ...]:
        return tuple(map(self.__dict__.__getitem__, self.__match_args__))


T = TypeVar("T", bound=Frozen)


def replace(one: T, **changes: Any) -> T:
    """Return a copy with other values; `dataclasses.replace` takes several times as long."""
    if not changes.keys() <= set(one.__match_args__):
        raise TypeError(f"{type(one).__name__} has {', '.join(one.__match_args__)}.")
    made = object.__new__(type(one))
    made.__dict__.update(one.__dict__, **changes)
    made.__post_init__()
    return made
