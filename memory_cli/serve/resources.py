"""What a client can read by address: the handoff, each statement and each category."""

import json
from urllib.parse import unquote

from mcp import MCPError, types

from memory_cli.errors import MemoryCliError, NotFound
from memory_cli.memory import Memory, Session, open_memory
from memory_cli.models.document import document
from memory_cli.operations.category.read import read
from memory_cli.operations.handoff import handoff
from memory_cli.operations.show import show
from memory_cli.text.fence import fenced

HANDOFF = "memory://handoff"
STATEMENT = "memory://statement/"
CATEGORY = "memory://category/"

RESOURCES = types.ListResourcesResult(
    resources=[
        types.Resource(
            uri=HANDOFF,
            name="handoff",
            description="What the last conversation left for this one.",
            mime_type="text/plain",
        )
    ]
)
TEMPLATES = types.ListResourceTemplatesResult(
    resource_templates=[
        types.ResourceTemplate(
            uri_template=f"{STATEMENT}{{id}}",
            name="statement",
            description="One statement, whole, with where it came from and its changes.",
            mime_type="application/json",
        ),
        types.ResourceTemplate(
            uri_template=f"{CATEGORY}{{name}}",
            name="category",
            description="One category: its data, and beside it hash, version, time and writer.",
            mime_type="application/json",
        ),
    ]
)


def contents(session: Session, uri: str) -> types.ReadResourceResult:
    """Return what an address names, or say why there is nothing."""
    try:
        with open_memory(session) as memory:
            mime_type, text = _read(memory, uri)
    except MemoryCliError as error:
        raise MCPError(types.INVALID_PARAMS, str(error), {"uri": uri}) from error
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)])


def _read(memory: Memory, uri: str) -> tuple[str, str]:
    if uri == HANDOFF:
        found = handoff(memory)
        return "text/plain", fenced(found.text, foreign=found.foreign)
    if uri.startswith(STATEMENT):
        found = document(show(memory, unquote(uri.removeprefix(STATEMENT))))
        return "application/json", json.dumps(found, ensure_ascii=False)
    if uri.startswith(CATEGORY):
        found = document(read(memory, unquote(uri.removeprefix(CATEGORY))))
        return "application/json", json.dumps(found, ensure_ascii=False)
    raise NotFound(f"There is nothing at {uri}; there is {HANDOFF}, {STATEMENT}{{id}} and {CATEGORY}{{name}}.")
