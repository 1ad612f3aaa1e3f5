"""The MCP server over the standard streams."""

import logging
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from importlib import import_module
from typing import Any

import anyio
from anyio import from_thread, to_thread
from mcp import MCPDeprecationWarning, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from memory_cli import __version__
from memory_cli.memory import GLOBAL, Session
from memory_cli.models.tokens import TOKEN, Token
from memory_cli.serve import prompts, resources, standard_streams
from memory_cli.serve.background import Background
from memory_cli.serve.bearer import borne
from memory_cli.serve.bind import answer, answer_at_once, bind, failed
from memory_cli.serve.streams import Inward, Outward
from memory_cli.serve.toolsets import CORE, admitted, not_offered, offered, seed_of
from memory_cli.serve.warm import Listener, end_by_signal
from memory_cli.surface import Operation

INSTRUCTIONS = """\
This is what was remembered between conversations. Call `memory_context` first.
Call `recall_memory` before you record or decide. Record one self-contained statement at a time with `record_memory`; \
forget what it contradicts with `forget_memory`, or supersede it by recording the new words under its `id`.
Choose `scope` by how far the user means it to reach: global for what holds in every project, local for this one. \
That nothing marks it as global is no reason for local.
End with `record_handoff`: what was done, what is open, where to go on."""
SOURCE = "mcp"
LONGEST_NAME = 64
# Those of the protocol, which are those of syslog.
LEVELS = {
    "debug": logging.DEBUG, "info": logging.INFO, "notice": logging.INFO, "warning": logging.WARNING,
    "error": logging.ERROR, "critical": logging.CRITICAL, "alert": logging.CRITICAL, "emergency": logging.CRITICAL,
}  # fmt: skip

Context = ServerRequestContext[Any, Any]


def nobody() -> None:
    """Tell nobody that a tool was called."""


class _Handlers:
    """What the server answers to each request."""

    def __init__(self, session: Session, tools: str, called: Callable[[], None]) -> None:
        self._operations = offered(tools)
        self._tools = {each.tool: bind(each) for each in self._operations}
        self._session = session
        self._called = called

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[self._tools[each.tool].tool for each in self._admitted(context)])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        admitted = self._admitted(context)
        if params.name not in {each.tool for each in admitted}:
            return failed(not_offered(params.name, admitted))
        bound = self._tools[params.name]

        def progress(done: int, total: int, message: str) -> None:
            from_thread.run(context.session.report_progress, done, total, message)

        session = _asked_by(self._session, context)
        given = params.arguments or {}
        try:
            if at_once := answer_at_once(bound, session, given):
                return at_once
            # Abandoned, a call still ends by itself; waited for, it would hold up the end of the server.
            return await to_thread.run_sync(answer, bound, session, given, progress, abandon_on_cancel=True)
        finally:
            self._called()

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return resources.RESOURCES

    async def list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return resources.TEMPLATES

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        session = _asked_by(self._session, context)
        return await to_thread.run_sync(resources.contents, session, str(params.uri), abandon_on_cancel=True)

    async def list_prompts(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return prompts.PROMPTS

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        session = _asked_by(self._session, context)
        given = params.arguments or {}
        return await to_thread.run_sync(prompts.prompt, session, params.name, given, abandon_on_cancel=True)

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        session = _asked_by(self._session, context)
        return await to_thread.run_sync(prompts.completed, session, params, abandon_on_cancel=True)

    async def set_level(self, context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        logging.getLogger("memory").setLevel(LEVELS[params.level])
        return types.EmptyResult()

    def _admitted(self, context: Context) -> list[Operation]:
        """Return what whoever asks may use: all that is offered, or those of its token's sets."""
        token = _token(context)
        return admitted(self._operations, token.tools) if token else self._operations


def make_server(
    session: Session, tools: str = CORE, *, scope: str = "", called: Callable[[], None] = nobody
) -> Server[Any]:
    """Return a server that offers sets of tools; it says after each call that there was one.

    It reaches one scope where one is named; another system's tools reach the global one, which such systems have.
    """
    seed = seed_of(tools)
    handlers = _Handlers(_through_this_door(session, scope or (GLOBAL if seed else "")), tools, called)
    if seed:
        # Its tools stand alone: resources and prompts would speak of ours.
        instructions = import_module(f"memory_cli.serve.seeds.{seed}").INSTRUCTIONS
        return Server(
            "memory",
            version=__version__,
            instructions=instructions,
            on_list_tools=handlers.list_tools,
            on_call_tool=handlers.call_tool,
        )
    # Clients of the older protocol set the level of the log, which the SDK warns is on its way out.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        return Server(
            "memory",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=handlers.list_tools,
            on_call_tool=handlers.call_tool,
            on_list_resources=handlers.list_resources,
            on_list_resource_templates=handlers.list_templates,
            on_read_resource=handlers.read_resource,
            on_list_prompts=handlers.list_prompts,
            on_get_prompt=handlers.get_prompt,
            on_completion=handlers.complete,
            on_set_logging_level=handlers.set_level,
        )


def alone(wake: Callable[[], None]) -> None:
    """Start nothing beside the server."""


def serve(
    session: Session, tools: str = CORE, *, scope: str = "", beside: Callable[[Callable[[], None]], None] = alone
) -> None:
    """Serve over the standard streams until the input ends, then end the process, and what was started beside with it.

    What is beside is told how to say that there may be something to embed.
    """
    standard_streams.require()
    background = Background(session)
    server = make_server(session, tools, scope=scope, called=background.wake)
    listener = Listener(session, background.wake)
    end_by_signal(listener)
    background.start()
    beside(background.wake)
    listener.start()
    anyio.run(_over_standard_streams, server)
    # Not a return: that would wait for a thread that still embeds, whose next start goes on where this one ended.
    listener.close()
    if session.kept:
        session.kept.close()
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(0)


async def _over_standard_streams(server: Server[Any]) -> None:
    lines, answers = standard_streams.taken()
    outward = Outward(lines, answers)
    # The descriptors are led away; what Python still buffers of a print must not follow at the end either.
    with redirect_stdout(sys.stderr):
        await server.run(Inward(lines, outward), outward, server.create_initialization_options())


def _through_this_door(session: Session, scope: str) -> Session:
    """Return a session whose records come from here; its agent is empty when nobody named one."""
    named = "" if session.agent == session.source else session.agent
    return replace(session, source=SOURCE, agent=named, scopes=(scope,) if scope else session.scopes)


def _token(context: Context) -> Token | None:
    """Return the token that a request over HTTP came with."""
    return context.request.scope.get(TOKEN) if context.request is not None else None


def _asked_by(session: Session, context: Context) -> Session:
    """Return the session with the name of the token, or of the client itself where no agent was named."""
    if token := _token(context):
        return borne(session, token)
    if session.agent:
        return session
    client = context.session.client_params
    printable = "".join(each if each.isprintable() else " " for each in client.client_info.name) if client else ""
    return replace(session, agent=" ".join(printable.split())[:LONGEST_NAME].strip() or SOURCE)
