"""Metadata on the command line: `--meta key=value` for texts, `--meta-json` for all that JSON can say."""

import inspect
import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from memory_cli.errors import UsageError


def parameters(name: str, description: str) -> Iterator[inspect.Parameter]:
    """Yield the two options that stand for one mapping."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    pairs = typer.Option(f"--{name}", help=f"{description} The value is kept as text.", metavar="KEY=VALUE")
    whole = typer.Option(f"--{name}-json", help="The same as a JSON object, with numbers, truth values and lists.",
                         metavar="JSON")  # fmt: skip
    yield inspect.Parameter(name, keyword, default=[], annotation=Annotated[list[str], pairs])
    yield inspect.Parameter(f"{name}_json", keyword, default=None, annotation=Annotated[str | None, whole])


def parsed(pairs: Sequence[str], document: str | None) -> dict[str, Any] | None:
    """Return the mapping that pairs and a JSON document mean together, and nothing when neither was given."""
    if not pairs and document is None:
        return None
    found = _object(document) if document is not None else {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--meta {pair}: write it as KEY=VALUE.")
        found[key.strip()] = value
    return found


def _object(document: str) -> dict[str, Any]:
    try:
        found = json.loads(document)
    except ValueError as error:
        raise UsageError(f"--meta-json is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise UsageError("--meta-json is not a JSON object.")
    return found
