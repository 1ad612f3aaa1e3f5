"""The JSON Schemas of a tool, as plain as any client can read: no references, unions, nulls or boolean schemas."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from memory_cli.models.document import required
from memory_cli.serve.arguments import Argument
from memory_cli.surface import Operation

Schema = dict[str, Any]

# What holds a result that is no object, as the SDK does it.
RESULT = "result"

_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number"}


def input_schema(arguments: Mapping[str, Argument]) -> Schema:
    """Return what a tool takes."""
    return _object(
        {name: _argument(each) for name, each in arguments.items()},
        [name for name, each in arguments.items() if each.required],
    )


def output_schema(operation: Operation) -> Schema:
    """Return what the document of an operation's result looks like.

    Every client pays for it in each conversation: so of what is nested it names only what is always there.
    """
    result = operation.returns
    if not is_dataclass(result):
        return _object({RESULT: _plain(result)}, [RESULT])
    return _result(result, [each.name for each in fields(result)])


def _argument(argument: Argument) -> Schema:
    described = argument.described
    schema = _plain(argument.type) | {"description": described.text}
    if described.at_least is not None:
        schema["minimum"] = described.at_least
    if described.at_most is not None:
        schema["maximum"] = described.at_most
    # An empty default says no more than that the argument is not required.
    if not argument.required and argument.default:
        schema["default"] = argument.default
    return schema


def _plain(type: Any) -> Schema:
    origin, inner = get_origin(type) or type, get_args(type)
    if is_dataclass(type):
        return _result(type, _always(type))
    if origin in (Union, types.UnionType):
        # Of a result, None is what is left out.
        (only,) = (each for each in inner if each is not types.NoneType)
        return _plain(only)
    if origin is Literal:
        return {"type": "string", "enum": [each for each in inner if each]}
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": _plain(inner[0])}
    if origin in (dict, Mapping):
        return {"type": "object"} | ({} if inner[1] is Any else {"additionalProperties": _plain(inner[1])})
    return {"type": _NAMES[type]}


def _result(type: Any, names: Sequence[str]) -> Schema:
    hints = get_type_hints(type)
    return _object({name: _plain(hints[name]) for name in names}, _always(type))


def _always(type: Any) -> list[str]:
    return [each.name for each in fields(type) if required(each)]


def _object(properties: Mapping[str, Schema], needed: Sequence[str]) -> Schema:
    return {"type": "object", "properties": dict(properties)} | ({"required": list(needed)} if needed else {})
