"""What the MCP conformance suite wants a server to have: tools, resources and prompts with names and contents of its own.

``extend`` puts them beside the real ones, in a server that was built with ``fixtures: true`` (a hidden switch of the command line). The
module is no part of the plugin: an agent process finds it only where a test has put this folder on its path. Everything that the
suite looks at between them, the transport, versions, headers, capabilities, errors, caching, is what the plugin does.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import struct
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError

Handler = Callable[[Any, Any], Awaitable[Any]]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
STEP_S = 0.05


def extend(server: Server[Any]) -> None:
    """Add the fixtures to a server whose own handlers are there already."""
    for method, params, wrapper in (
        ("tools/list", types.PaginatedRequestParams, _with_tools),
        ("tools/call", types.CallToolRequestParams, _calling),
        ("resources/list", types.PaginatedRequestParams, _with_resources),
        ("resources/templates/list", types.PaginatedRequestParams, _with_templates),
        ("resources/read", types.ReadResourceRequestParams, _reading),
        ("prompts/list", types.PaginatedRequestParams, _with_prompts),
        ("prompts/get", types.GetPromptRequestParams, _getting),
        ("completion/complete", types.CompleteRequestParams, _completing),
    ):
        entry = server.get_request_handler(method)
        assert entry is not None, method
        server.add_request_handler(method, params, wrapper(entry.handler))
    for method, kind in (
        ("logging/setLevel", types.SetLevelRequestParams),
        ("resources/subscribe", types.SubscribeRequestParams),
        ("resources/unsubscribe", types.UnsubscribeRequestParams),
    ):
        server.add_request_handler(method, kind, _nothing)
    own_schema = server.get_tool_input_schema
    assert own_schema is not None
    server.get_tool_input_schema = lambda name: SCHEMAS.get(name) if name in TOOLS else own_schema(name)
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="fixtures"))


async def _nothing(_context: Any, _params: Any) -> types.EmptyResult:
    return types.EmptyResult()


def _png() -> bytes:
    """One grey pixel."""

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(b"\x00\x80")) + part(b"IEND", b"")


def _wav() -> bytes:
    """Two silent samples."""
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8)
    body = b"WAVE" + form + struct.pack("<4sI", b"data", 2) + b"\x80\x80"
    return struct.pack("<4sI", b"RIFF", len(body)) + body


PNG, WAV = (base64.b64encode(each()).decode() for each in (_png, _wav))


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def _embedded(uri: str, kind: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri=uri, mime_type=kind, text=text)
    )


# tools


def _says(*content: Any, is_error: bool = False) -> Handler:
    async def run(_context: Any, _params: Any) -> types.CallToolResult:
        return types.CallToolResult(content=list(content), is_error=is_error)

    return run


async def _logging(context: Any, _params: Any) -> types.CallToolResult:
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", text, related_request_id=context.request_id)
        await asyncio.sleep(STEP_S)
    return types.CallToolResult(content=[_text("Three messages were logged.")])


async def _progress(context: Any, _params: Any) -> types.CallToolResult:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await asyncio.sleep(STEP_S)
    return types.CallToolResult(content=[_text("All three steps are done.")])


async def _echo(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(json.dumps(params.arguments or {}))])


async def _needs_sampling(context: Any, _params: Any) -> types.CallToolResult:
    wanted = types.ClientCapabilities(sampling=types.SamplingCapability())
    if not context.session.check_client_capability(wanted):
        data = types.MissingRequiredClientCapabilityErrorData(required_capabilities=wanted)
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This needs sampling.",
            data=data.model_dump(by_alias=True, exclude_none=True),
        )
    return types.CallToolResult(content=[_text("The client can sample.")])


# tools that ask in the middle of a call: the older era, within a session


def _form(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _asks_now(schema: dict[str, Any]) -> Handler:
    async def run(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        words = str((params.arguments or {}).get("message", "Please answer."))
        answer = await context.session.elicit_form(words, schema, context.request_id)
        return types.CallToolResult(content=[_text(f"{answer.action}: {json.dumps(answer.content)}")])

    return run


async def _samples_now(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    prompt = str((params.arguments or {}).get("prompt", ""))
    answer = await context.session.create_message(
        [types.SamplingMessage(role="user", content=_text(prompt))],
        max_tokens=100,
        related_request_id=context.request_id,
    )
    return types.CallToolResult(content=[_text(f"The model says: {answer.content}")])


DEFAULTS = _form(
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)
_TITLED = [{"const": each, "title": each.title()} for each in ("first", "second", "third")]
ENUMS = _form(
    untitledSingle={"type": "string", "enum": ["option1", "option2", "option3"]},
    titledSingle={"type": "string", "oneOf": _TITLED},
    legacyEnum={"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
    untitledMulti={"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    titledMulti={"type": "array", "items": {"anyOf": _TITLED}},
)

# tools that ask by a result that is not complete: 2026-07-28


def _question(message: str, **properties: Any) -> types.ElicitRequest:
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=message, requested_schema=_form(**properties))
    )


def _sampling(prompt: str) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=_text(prompt))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=100))


NAME = _question("What is your name?", name={"type": "string"})
OK = _question("Please confirm", ok={"type": "boolean"})
CAPITAL = _sampling("What is the capital of France?")
Round = tuple[dict[str, Any], str | None]
"""The questions of one round, and the state that comes back with their answers."""


def _rounds(*rounds: Round, complete: Any = None) -> Handler:
    """Asks the questions of each round, then says ``complete``. An answer that is missing, or of another kind, is asked for again."""

    async def run(_context: Any, params: Any) -> Any:
        answers, state = params.input_responses or {}, params.request_state
        states = [each[1] for each in rounds]
        at = states.index(state) if state in states else 0
        questions, own = rounds[at]
        if own != state and own is not None:
            return types.InputRequiredResult(input_requests=questions, request_state=own)
        if any(not _answers(answers.get(key), question) for key, question in questions.items()):
            return types.InputRequiredResult(input_requests=questions, request_state=own)
        if at + 1 < len(rounds):
            return types.InputRequiredResult(input_requests=rounds[at + 1][0], request_state=rounds[at + 1][1])
        return complete or types.CallToolResult(content=[_text(f"state-ok: {', '.join(sorted(answers))}")])

    return run


def _answers(answer: Any, question: Any) -> bool:
    kinds = {
        "elicitation/create": types.ElicitResult,
        "sampling/createMessage": (types.CreateMessageResult, types.CreateMessageResultWithTools),
        "roots/list": types.ListRootsResult,
    }
    return isinstance(answer, kinds[question.method])


async def _only_what_is_declared(context: Any, params: types.CallToolRequestParams) -> Any:
    told = context.session.client_capabilities or types.ClientCapabilities()
    questions: dict[str, Any] = {}
    if told.elicitation is not None:
        questions["name"] = NAME
    if told.sampling is not None:
        questions["capital"] = CAPITAL
    if questions and not params.input_responses:
        return types.InputRequiredResult(input_requests=questions)
    return types.CallToolResult(content=[_text("Nothing can be asked.")])


ASK = "test_input_required_result_"
TOOLS: dict[str, Handler] = {
    "json_schema_2020_12_tool": _echo,
    "test_audio_content": _says(types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")),
    "test_custom_header": _echo,
    "test_elicitation": _asks_now(_form(username={"type": "string"}, email={"type": "string"})),
    "test_elicitation_sep1034_defaults": _asks_now(DEFAULTS),
    "test_elicitation_sep1330_enums": _asks_now(ENUMS),
    "test_embedded_resource": _says(_embedded("test://embedded-resource", "text/plain", "An embedded resource.")),
    "test_error_handling": _says(_text("This tool intentionally returns an error for testing"), is_error=True),
    "test_image_content": _says(_image()),
    ASK + "capabilities": _only_what_is_declared,
    ASK + "elicitation": _rounds(({"user_name": NAME}, None)),
    ASK + "list_roots": _rounds(({"client_roots": types.ListRootsRequest()}, None)),
    ASK + "multi_round": _rounds(
        ({"step1": _question("Step 1: What is your name?", name={"type": "string"})}, "one"),
        ({"step2": _question("Step 2: What is your favorite color?", color={"type": "string"})}, "two"),
    ),
    ASK + "multiple_inputs": _rounds(
        (
            {
                "user_name": NAME,
                "greeting": _sampling("Generate a greeting"),
                "client_roots": types.ListRootsRequest(),
            },
            "all",
        )
    ),
    ASK + "request_state": _rounds(({"confirm": OK}, "asked")),
    ASK + "sampling": _rounds(({"capital_question": CAPITAL}, None)),
    ASK + "tampered_state": _rounds(({"confirm": OK}, "asked")),
    "test_logging_tool": _logging,
    "test_missing_capability": _needs_sampling,
    "test_multiple_content_types": _says(
        _text("Multiple content types test:"),
        _image(),
        _embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
    "test_sampling": _samples_now,
    "test_simple_text": _says(_text("This is a simple text response for testing.")),
    "test_streaming_elicitation": _rounds(({"user_name": NAME}, None)),
    "test_tool_with_logging": _logging,
    "test_tool_with_progress": _progress,
}
_EMPTY: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}


def _one(name: str, **more: Any) -> dict[str, Any]:
    return {**_EMPTY, "properties": {name: {"type": "string", **more}}, "required": [name]}


SCHEMAS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(TOOLS, _EMPTY),
    "test_custom_header": _one("region", **{"x-mcp-header": "Region"}),
    "test_elicitation": _one("message"),
    "test_sampling": _one("prompt"),
    "json_schema_2020_12_tool": {
        "$schema": DIALECT,
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}


def _with_tools(own: Handler) -> Handler:
    fixtures = [types.Tool(name=name, description="A fixture.", input_schema=SCHEMAS[name]) for name in sorted(TOOLS)]

    async def run(context: Any, params: Any) -> types.ListToolsResult:
        listed = await own(context, params)
        return listed.model_copy(update={"tools": [*listed.tools, *fixtures]})

    return run


def _calling(own: Handler) -> Handler:
    async def run(context: Any, params: types.CallToolRequestParams) -> Any:
        return await TOOLS.get(params.name, own)(context, params)

    return run


# resources

STATIC, BINARY, WATCHED = "test://static-text", "test://static-binary", "test://watched-resource"
TEMPLATE = "test://template/{id}/data"


def _with_resources(own: Handler) -> Handler:
    fixtures = [
        types.Resource(name=uri.partition("//")[2], uri=uri, mime_type=kind)
        for uri, kind in ((BINARY, "image/png"), (STATIC, "text/plain"), (WATCHED, "text/plain"))
    ]

    async def run(context: Any, params: Any) -> types.ListResourcesResult:
        listed = await own(context, params)
        return listed.model_copy(update={"resources": [*listed.resources, *fixtures]})

    return run


def _with_templates(own: Handler) -> Handler:
    template = types.ResourceTemplate(name="template", uri_template=TEMPLATE, mime_type="application/json")

    async def run(context: Any, params: Any) -> types.ListResourceTemplatesResult:
        listed = await own(context, params)
        return listed.model_copy(update={"resource_templates": [*listed.resource_templates, template]})

    return run


def _reading(own: Handler) -> Handler:
    async def run(context: Any, params: types.ReadResourceRequestParams) -> Any:
        contents = _contents(params.uri)
        return types.ReadResourceResult(contents=[contents]) if contents is not None else await own(context, params)

    return run


def _contents(uri: str) -> Any:
    found = re.fullmatch(r"test://template/([^/]+)/data", uri)
    if found:
        data = {"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"}
        return types.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(data))
    if uri == BINARY:
        return types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    texts = {STATIC: "This is the content of the static text resource.", WATCHED: "Watched resource content"}
    return types.TextResourceContents(uri=uri, mime_type="text/plain", text=texts[uri]) if uri in texts else None


# prompts

PROMPTS: dict[str, tuple[str, ...]] = {
    "test_input_required_result_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_simple_prompt": (),
}


def _with_prompts(own: Handler) -> Handler:
    fixtures = [
        types.Prompt(
            name=name,
            description="A fixture.",
            arguments=[types.PromptArgument(name=each, required=True) for each in arguments],
        )
        for name, arguments in PROMPTS.items()
    ]

    async def run(context: Any, params: Any) -> types.ListPromptsResult:
        listed = await own(context, params)
        return listed.model_copy(update={"prompts": [*listed.prompts, *fixtures]})

    return run


def _getting(own: Handler) -> Handler:
    asking = _rounds(
        ({"user_context": _question("What context should the prompt use?", context={"type": "string"})}, None),
        complete=_messages(_text("A prompt in the context that was asked for.")),
    )

    async def run(context: Any, params: types.GetPromptRequestParams) -> Any:
        given = params.arguments or {}
        if params.name == "test_input_required_result_prompt":
            return await asking(context, params)
        if params.name == "test_prompt_with_arguments":
            text = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
            return _messages(_text(text))
        if params.name == "test_prompt_with_embedded_resource":
            resource = _embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing.")
            return _messages(resource, _text("Please process the embedded resource above."))
        if params.name == "test_prompt_with_image":
            return _messages(_image(), _text("Please analyze the image above."))
        if params.name == "test_simple_prompt":
            return _messages(_text("This is a simple prompt for testing."))
        return await own(context, params)

    return run


def _messages(*content: Any) -> types.GetPromptResult:
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=each) for each in content])


def _completing(own: Handler) -> Handler:
    async def run(context: Any, params: types.CompleteRequestParams) -> Any:
        if isinstance(params.ref, types.PromptReference) and params.ref.name in PROMPTS:
            return types.CompleteResult(completion=types.Completion(values=["paris", "park"], total=2, has_more=False))
        return await own(context, params)

    return run
