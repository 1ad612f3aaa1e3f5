"""The OpenAPI document of the API, made from the operations."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from memory_cli import __version__
from memory_cli.serve.api import syncing
from memory_cli.serve.api.table import Row, rows
from memory_cli.serve.arguments import arguments_of
from memory_cli.serve.gate import HEALTH
from memory_cli.serve.schema import Schema, input_schema, output_schema
from memory_cli.sync.asking import IMPORT, PACKED, PREFIX

JSON = "application/json"
BINARY = {"type": "string", "format": "binary"}
DONE = "What was done, or found."
ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
FAILURES = {
    400: "The body cannot be read.",
    401: "A token is needed, and this is none of this memory's.",
    403: "The token does not reach this, the rules of access do not allow it, or another page asked.",
    404: "What was asked for is not there.",
    409: "It was not done: somebody else was faster, it is ambiguous, or it needs to be agreed to.",
    413: "The body is larger than is taken.",
    415: "The body is not said to be JSON.",
    421: "This server does not answer to that host.",
    422: "An argument is wrong, missing or unknown; the sentence names it.",
    503: "The store is busy, or cannot be used; with Retry-After it may be tried again.",
}
ONLY_POST = {400, 413, 415}


def described() -> dict[str, Any]:
    """Return the whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "memory",
            "version": __version__,
            "description": "What was remembered between conversations: statements, handoffs and categories.",
        },
        "paths": {HEALTH: _health(), f"{PREFIX}/openapi.json": _itself(), f"{PREFIX}/{IMPORT}": {"post": _import()}}
        | {row.path: {method.lower(): _operation(row, method) for method in row.methods} for row in rows()},
        "components": {
            "schemas": {"Error": ERROR},
            "responses": {
                _failure(code): _response(text, _reference("schemas", "Error")) for code, text in FAILURES.items()
            },
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "What `memory token add NAME` printed."}
            },
        },
        "security": [{"token": []}],
    }


def _operation(row: Row, method: str) -> dict[str, Any]:
    posts = method == "POST"
    name = row.operation.command.replace(" ", "_").replace("-", "_")
    told = _told(name if posts else f"{name}_by_address", row.operation.function, row.tools)
    schema = input_schema(row.arguments)
    if posts:
        body = {JSON: {"schema": schema | {"additionalProperties": False}}}
        told["requestBody"] = {"required": bool(schema.get("required")), "content": body}
    else:
        told["parameters"] = list(_parameters(schema))
    failures = [code for code in FAILURES if posts or code not in ONLY_POST]
    if row.operation.returns is bytes:
        return told | {"responses": _responses(DONE, BINARY, failures, kind=PACKED)}
    return told | {"responses": _responses(DONE, output_schema(row.operation), failures)}


def _import() -> dict[str, Any]:
    told = _told("sync_import", syncing.take, syncing.SYNC)
    scope = input_schema(arguments_of(syncing.DIGEST))
    body = {"required": True, "content": {PACKED: {"schema": BINARY}}}
    taken = {"type": "object", "properties": {name: {"type": "integer"} for name in ("applied", "merged", "unchanged")}}
    return told | {
        "parameters": list(_parameters(scope)), "requestBody": body, "responses": _responses(DONE, taken, [*FAILURES]),
    }  # fmt: skip


def _told(name: str, function: Callable[..., Any], tools: str) -> dict[str, Any]:
    summary, _empty, more = (inspect.getdoc(function) or "").partition("\n\n")
    told: dict[str, Any] = {"operationId": name, "summary": summary, "tags": [tools]}
    return told | ({"description": more} if more else {})


def _parameters(schema: Schema) -> Iterator[dict[str, Any]]:
    needed = schema.get("required", [])
    for name, each in schema["properties"].items():
        bare = {key: value for key, value in each.items() if key != "description"}
        told = {"name": name, "in": "query", "description": each["description"], "required": name in needed}
        # An object is written as JSON, there being no better way in an address.
        yield told | ({"content": {JSON: {"schema": bare}}} if each["type"] == "object" else {"schema": bare})


def _responses(text: str, schema: Schema, failures: list[int], *, kind: str = JSON) -> dict[str, Any]:
    refused = {str(code): _reference("responses", _failure(code)) for code in failures}
    return {"200": _response(text, schema, kind=kind), **refused}


def _response(text: str, schema: Schema, *, kind: str = JSON) -> dict[str, Any]:
    return {"description": text, "content": {kind: {"schema": schema}}}


def _failure(code: int) -> str:
    return f"Failure{code}"


def _reference(kind: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/components/{kind}/{name}"}


def _health() -> dict[str, Any]:
    schema = {"type": "object", "properties": {"status": {"type": "string"}, "version": {"type": "string"}}}
    told = {"operationId": "health", "summary": "Tell that the server is there.", "security": []}
    return {
        "get": told | {"responses": _responses("It is.", schema | {"required": ["status", "version"]}, [403, 421, 503])}
    }


def _itself() -> dict[str, Any]:
    told = {"operationId": "openapi", "summary": "Describe the API."}
    return {"get": told | {"responses": _responses("This document.", {"type": "object"}, [401, 403, 421, 503])}}
