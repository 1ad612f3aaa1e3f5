"""What a person can ask a client to begin with, and what it may complete while they type."""

import json

from mcp import MCPError, types

from memory_cli.errors import MemoryCliError
from memory_cli.memory import Session, open_memory
from memory_cli.models.document import document
from memory_cli.operations.category import places
from memory_cli.operations.context import context
from memory_cli.operations.recall import recall
from memory_cli.serve.resources import CATEGORY, STATEMENT
from memory_cli.store import statements
from memory_cli.text.fence import fenced

START, RECALL = "start", "recall"
QUERY = types.PromptArgument(name="query", description="What it is about.", required=False)
PROMPTS = types.ListPromptsResult(
    prompts=[
        types.Prompt(
            name=START,
            description="Begin with what was remembered: the handoff, standing rules, and what the query is about.",
            arguments=[QUERY],
        ),
        types.Prompt(
            name=RECALL,
            description="Put what is remembered about something into the conversation.",
            arguments=[types.PromptArgument(name="query", description="A question or some words.", required=True)],
        ),
    ]
)
MOST = 50


def prompt(session: Session, name: str, given: dict[str, str]) -> types.GetPromptResult:
    """Return what was remembered as the first message of a conversation."""
    query = given.get("query", "")
    try:
        with open_memory(session) as memory:
            if name == START:
                found = document(context(memory, query))
            elif name == RECALL:
                found = document(recall(memory, query))
            else:
                raise MCPError(types.INVALID_PARAMS, f"There is no prompt {name!r}; there is {START} and {RECALL}.")
    except MemoryCliError as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from error
    text = fenced(json.dumps(found, ensure_ascii=False, separators=(",", ":")))
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(messages=[message])


def completed(session: Session, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Return what there is that begins as was typed of an address: ids or names; of anything else nothing is known."""
    found: list[str] = []
    begun = params.argument.value
    address = params.ref.uri if isinstance(params.ref, types.ResourceTemplateReference) else ""
    if address.startswith((STATEMENT, CATEGORY)):
        with open_memory(session) as memory:
            if address.startswith(CATEGORY):
                found = [each for each in places.names(memory, "") if each.startswith(begun)]
            for store in memory.stores() if address.startswith(STATEMENT) else ():
                found += [each.id for each in statements.by_prefix(store, begun, MOST + 1)]
    return types.CompleteResult(completion=types.Completion(values=found[:MOST], has_more=len(found) > MOST))
