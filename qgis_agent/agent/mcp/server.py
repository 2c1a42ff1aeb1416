"""The SDK's low-level server over our tools, resources and prompts. Imports the SDK (0.8 s): see McpService."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from ...bridge.envelope import UPSTREAM_ERROR, Envelope, failure
from ..execution.registry import ToolSpec
from ..run_service import stopped_envelope
from ..texts import language_of
from .asking import KEY, asked_on_the_stream, can_be_asked, declined, form, waits_for_click
from .clients import AccessRefused, Client
from .instructions import instructions
from .offered import Offered, described, hints, titled
from .prompts import Prompts
from .resources import Resources
from .results import tool_result

if TYPE_CHECKING:
    from .service import McpService

NAME = "qgis-agent"
SUPPORTED = (*MODERN_PROTOCOL_VERSIONS, *reversed(HANDSHAKE_PROTOCOL_VERSIONS))
"""Newest first. The SDK's own answer to server/discover names the first only, though it serves them all."""
LIST_TTL_MS = 60_000
"""Tools change when a person changes what a client may do."""
FIXED_TTL_MS = 3_600_000
"""What only another version of the plugin changes."""
LAYERS_TTL_MS = 5_000
OLDER_NOT_FOUND = -32002
"""What "Resource not found" was until 2025-11-25; now it is -32602."""
PROGRESS_S = 5.0
"""Seconds between two signs of life of a long call, for hosts that end silent ones."""

Context = ServerRequestContext[Any, Any]
T = TypeVar("T")


def build_server(service: McpService, client_of: Callable[[Any], Client]) -> Server[Any]:
    """A server for one stream, or for all requests of an HTTP endpoint. ``client_of`` raises KeyError where nobody is allowed."""
    desk = Desk(service, client_of)
    server: Server[Any] = Server(
        NAME,
        version=service.version,
        title="QGIS Agent",
        instructions=desk.instructions,
        cache_hints={
            "server/discover": CacheHint(FIXED_TTL_MS),
            "tools/list": CacheHint(LIST_TTL_MS),
            "prompts/list": CacheHint(FIXED_TTL_MS),
            "resources/list": CacheHint(LAYERS_TTL_MS),
            "resources/templates/list": CacheHint(FIXED_TTL_MS),
            "resources/read": CacheHint(0),
        },
        get_tool_input_schema=desk.schema_of,
        on_list_tools=desk.guarded(desk.list_tools),
        on_call_tool=desk.guarded(desk.call_tool),
        on_list_resources=desk.guarded(desk.list_resources),
        on_list_resource_templates=desk.guarded(desk.list_templates),
        on_read_resource=desk.guarded(desk.read_resource),
        on_list_prompts=desk.guarded(desk.list_prompts),
        on_get_prompt=desk.guarded(desk.get_prompt),
        on_completion=desk.guarded(desk.complete),
    )

    async def discover(context: Context, _params: types.RequestParams) -> types.DiscoverResult:
        return types.DiscoverResult(
            supported_versions=list(SUPPORTED),
            capabilities=server.get_capabilities(protocol_version=context.protocol_version),
            instructions=desk.instructions,
        )

    server.add_request_handler("server/discover", types.RequestParams, discover)
    server.add_notification_handler(
        "notifications/cancelled", types.CancelledNotificationParams, desk.guarded(desk.cancelled)
    )
    # In place of the SDK's own, which traces requests for whoever collects such traces; nobody is to collect a person's.
    server.middleware[:] = [HearName(desk)]
    return server


class Desk:
    """The handlers of one server."""

    def __init__(self, service: McpService, client_of: Callable[[Any], Client]) -> None:
        self._service = service
        self._client_of = client_of
        self._offered = Offered(service.runs.registry)
        self._open: dict[tuple[str, Any], list[anyio.CancelScope]] = {}
        """Calls of older hosts over HTTP, by client and the host's id."""
        self._tools = {name: tool_of(self._offered[name]) for name in self._offered.names()}
        language = language_of("", service.locale)
        self._chinese = language == "zh"
        self.instructions = instructions(language)
        self._resources = Resources(service.runs.catalogue, language)
        self._prompts = Prompts(service.runs.catalogue, language)

    def guarded(self, handler: Callable[[Context, Any], Awaitable[T]]) -> Callable[[Context, Any], Awaitable[T]]:
        """A handler whose faults reach our log and not the wire, where the SDK would put the words of any exception."""

        async def run(context: Context, params: Any) -> T:
            try:
                return await handler(context, params)
            except (MCPError, ValidationError):
                raise
            except Exception as error:
                sys.stderr.write(self._service.redactor.text(traceback.format_exc()))
                raise MCPError(types.INTERNAL_ERROR, f"{context.method} failed") from error

        return run

    def client(self, context: Context) -> Client:
        """Who asks. MCPError where they are not allowed."""
        try:
            client = self._client_of(context)
        except KeyError:
            raise MCPError(types.INVALID_REQUEST, "This client is not allowed.") from None
        said = context.session.client_params
        if said is not None:
            client.said(said.client_info.name, said.client_info.version)
        return client

    # tools

    def schema_of(self, name: str) -> dict[str, Any] | None:
        """The parameter schema of a tool; the SDK would list all tools for it at each call over HTTP."""
        spec = self._offered.get(name)
        return spec.shown() if spec is not None else None

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams) -> types.ListToolsResult:
        """tools/list: the tools of the client's level and packs, by name. A client that QGIS refuses sees what a reader sees."""
        _no_cursor(params)
        try:
            access = await self.client(context).access()
        except AccessRefused:
            access = None
        shown = self._offered.shown(access, replica=self._service.replica)
        return types.ListToolsResult(tools=[self._tools[spec.name] for spec in shown])

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """tools/call. A name that no client can call is a protocol error; all else is a result that the model can read."""
        spec = self._offered.get(params.name)
        if spec is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:80]}")
        arguments = dict(params.arguments or {})
        client = self.client(context)
        problem = self._offered.problem(spec, arguments, replica=self._service.replica) or declined(params)
        if problem is not None:
            return tool_result(problem)
        envelope = await self._cancellable(context, client, spec, arguments)
        if not waits_for_click(spec.name, envelope) or params.input_responses or not can_be_asked(context):
            return tool_result(envelope)
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return types.InputRequiredResult(input_requests={KEY: types.ElicitRequest(params=form(self._chinese))})
        if await asked_on_the_stream(context, self._chinese):
            envelope = await self._settled(context, client, spec, arguments)
        return tool_result(envelope)

    async def _cancellable(
        self, context: Context, client: Client, spec: ToolSpec, arguments: dict[str, Any]
    ) -> Envelope:
        """The call. Over HTTP a host of the older era cancels by another POST, which the SDK's stateless sessions cannot connect
        with it. Two programs with one token may use one id: then it is not known whose is meant, and both go on."""
        if context.request is None or context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return await self._settled(context, client, spec, arguments)
        scopes = self._open.setdefault((client.id, context.request_id), [])
        try:
            with anyio.CancelScope() as scope:
                scopes.append(scope)
                return await self._settled(context, client, spec, arguments)
            return stopped_envelope()
        finally:
            scopes.remove(scope)
            if not scopes:
                self._open.pop((client.id, context.request_id), None)

    async def cancelled(self, context: Context, params: types.CancelledNotificationParams) -> None:
        """notifications/cancelled, after the SDK has done with it what it can."""
        scopes = self._open.get((self.client(context).id, params.request_id), [])
        if len(scopes) == 1:
            scopes[0].cancel()

    async def _settled(self, context: Context, client: Client, spec: ToolSpec, arguments: dict[str, Any]) -> Envelope:
        beat = None
        if _wants_progress(context):
            beat = asyncio.get_running_loop().create_task(_signs_of_life(context, spec.label(arguments)))
        try:
            return await client.call(spec.name, arguments)
        except Exception:  # noqa: BLE001  (a fault of ours must not cost the model its answer)
            sys.stderr.write(self._service.redactor.text(traceback.format_exc()))
            hint = "Try another way; the log of QGIS has the details."
            return failure(UPSTREAM_ERROR, f"{spec.name} failed by a fault of its own.", hint=hint, reason="internal")
        finally:
            if beat is not None:
                beat.cancel()

    # resources

    async def list_resources(self, context: Context, params: types.PaginatedRequestParams) -> types.ListResourcesResult:
        """resources/list: the layer catalogue, the map, its picture, and a resource for each layer."""
        await self._access(context)
        return self._resources.listed(params.cursor)

    async def list_templates(
        self, context: Context, params: types.PaginatedRequestParams
    ) -> types.ListResourceTemplatesResult:
        """resources/templates/list: a layer, a style."""
        self.client(context)
        _no_cursor(params)
        return self._resources.templates()

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """resources/read."""
        try:
            return await self._resources.read(self.client(context), params.uri)
        except MCPError as error:
            older = context.protocol_version not in MODERN_PROTOCOL_VERSIONS
            if error.error.code != types.INVALID_PARAMS or not older:
                raise
            raise MCPError(OLDER_NOT_FOUND, error.error.message, error.error.data) from None

    # prompts

    async def list_prompts(self, context: Context, params: types.PaginatedRequestParams) -> types.ListPromptsResult:
        """prompts/list."""
        self.client(context)
        _no_cursor(params)
        return self._prompts.listed()

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """prompts/get."""
        self.client(context)
        return self._prompts.get(params.name, params.arguments or {})

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """completion/complete: layers and fields of the open project."""
        await self._access(context)
        chosen = params.context.arguments if params.context is not None else None
        if isinstance(params.ref, types.PromptReference):
            values = self._prompts.complete(params.ref.name, params.argument.name, params.argument.value, chosen or {})
        else:
            values = self._resources.complete(params.ref.uri, params.argument.name, params.argument.value)
        shown = values[:100]
        return types.CompleteResult(
            completion=types.Completion(values=shown, total=len(values), has_more=len(values) > len(shown))
        )

    async def _access(self, context: Context) -> None:
        """The catalogue is shown to nobody whom QGIS refuses."""
        try:
            await self.client(context).access()
        except AccessRefused as refused:
            raise MCPError(types.INVALID_REQUEST, str(refused) or "QGIS does not allow this now.") from refused


class HearName:
    """initialize names the host, also over HTTP, where later requests of the older era do not."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """See ServerMiddleware."""
        if ctx.method == "initialize":
            info = (ctx.params or {}).get("clientInfo")
            if isinstance(info, dict):
                self._desk.client(ctx).said(str(info.get("name", "")), str(info.get("version", "")))
        return await call_next(ctx)


def _wants_progress(context: Context) -> bool:
    meta = (context.params or {}).get("_meta")
    return isinstance(meta, dict) and "progressToken" in meta


async def _signs_of_life(context: Context, label: str) -> None:
    """Progress for a host that asked for it: at once what is done, then every few seconds that it still is."""
    beats = 0
    while True:
        await context.session.report_progress(float(beats), message=label)
        beats += 1
        await asyncio.sleep(PROGRESS_S)


def _no_cursor(params: types.PaginatedRequestParams) -> None:
    if params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor: this list has one page.")


def tool_of(spec: ToolSpec) -> types.Tool:
    """A tool as a host is told of it: the smaller parameter schema, which admits all that is checked and no unknown key."""
    title = titled(spec.name)
    return types.Tool(
        name=spec.name,
        title=title,
        description=described(spec),
        input_schema=spec.shown(),
        annotations=types.ToolAnnotations(title=title, **hints(spec)),
    )
