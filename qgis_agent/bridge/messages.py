"""What crosses the bridge: method names, the protocol version, limits, and the shape of every message.

The transport is JSON-RPC 2.0, one compact JSON object a line, UTF-8, over stdin and stdout of the agent process.
The QGIS side is the parent. Both sides import this file and nothing else of each other.

Requests, parent to agent
    ``initialize``       {protocol, plugin_version, locale, time_zone, records_dir, tools_schema}
                         -> {protocol, agent_version, pid, python}
    ``model/configure``  {kind: "offline"|"script"|"model", model?, api_base?, api_key?, turns?, label?}
                         -> {label, kind}
    ``run/start``        RunStart -> RunReport, answered when the run has ended (also after a stop)
    ``tool/run``         {run_id, session_id, capability, name, arguments} -> {envelope, actions, legend, evidence, ms}
                         one call through the whole ToolRuntime, without a model
    ``session/load``     {session_id} -> {session_id, messages: [{role, text}]}
    ``shutdown``         {} -> {}

Notifications, parent to agent
    ``catalogue/changed``  {layers: [CatalogueLayer], project_id}
    ``$/cancel``           {id}: the request with this id is to end now. A run answers with a report whose termination is
                           "interrupted"; any other request answers with an envelope of code CANCELLED.

Requests, agent to parent
    ``tools/call``       {call_id, run_id, capability, name, arguments, origin} -> ToolOutcome
                         ``origin`` is "native" or "text" (recovered from text: anything but read then asks)
    ``results/read``     {capability, result_ref, cursor, page_size} -> envelope

Notifications, agent to parent
    ``run/event``        {run_id, type, ...}, see EVENT_TYPES
    ``log``              {level, text}
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict

PROTOCOL_VERSION = 1
MAX_LINE_BYTES = 1024 * 1024
"""A longer line is not read: larger content crosses in pages (``results/read``)."""
MAX_RESULT_BYTES = 4096
"""What a model sees of one result, in bytes of UTF-8 JSON."""
MAX_EVENTS_PER_SECOND = 20
TEXT_COALESCE_S = 0.04

INITIALIZE = "initialize"
MODEL_CONFIGURE = "model/configure"
RUN_START = "run/start"
TOOL_RUN = "tool/run"
SESSION_LOAD = "session/load"
SHUTDOWN = "shutdown"
CATALOGUE_CHANGED = "catalogue/changed"
CANCEL = "$/cancel"
TOOLS_CALL = "tools/call"
RESULTS_READ = "results/read"
RUN_EVENT = "run/event"
LOG = "log"

EVENT_TYPES = (
    "turn_started",  # {turn}
    "text_delta",  # {text}: streamed answer, coalesced to 40 ms
    "text_reset",  # {}: the text streamed so far belonged to a turn with tool calls; it is commentary, not the answer
    "tool_started",  # {call_id, tool, label, arguments}
    "tool_finished",  # {call_id, tool, ok, code, message, ms}
    "notice",  # {level: "info"|"warning"|"error", text}
)

TERMINATIONS = (
    "completed",
    "interrupted",
    "forced_final",
    "failed",
    "budget_exceeded",
    "halted",
    "awaiting_user",
)

# JSON-RPC error codes (JSON-RPC 2.0, section 5.1) and two of our own in the free range.
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
VERSION_MISMATCH = -32001
PEER_CLOSED = -32002


class CatalogueField(TypedDict):
    """A field as the agent may know it."""

    name: str
    alias: str
    type: str  # "text" | "integer" | "number" | "date" | "boolean" | "other"


class CatalogueLayer(TypedDict):
    """A layer as the agent may know it: no source, no geometry, no QGIS id."""

    layer_id: str  # the alias
    name: str
    kind: str  # "point" | "line" | "polygon" | "raster" | "table" | "other"
    group: str  # "outer / inner" or ""
    abstract: str
    visible: bool
    crs: str
    fields: List[CatalogueField]


class RunStart(TypedDict, total=False):
    """Parameters of ``run/start``."""

    run_id: str
    session_id: str
    capability: str
    text: str  # the person's words, unchanged
    profile: str
    enabled_packs: List[str]  # packs that only a person can enable, e.g. ["write"]
    snapshot: Dict[str, Any]  # map state (D1): project, view, visible layers, selection, last action, date, time zone


class QuestionOption(TypedDict):
    """A button under a question. ``send`` is the message that a click sends."""

    label: str
    send: str


class RunReport(TypedDict, total=False):
    """Result of ``run/start``."""

    ok: bool
    termination: str
    answer: str
    map_actions: List[Dict[str, Any]]
    legend: List[Dict[str, Any]]  # {label, color, layer_id}
    evidence: List[Dict[str, Any]]  # {ref, tool, text}
    numbers: List[Dict[str, Any]]  # {text, value, source: {step, tool, path} | null}
    steps: List[Dict[str, Any]]  # {step, tool, args, ok, code, ms}
    usage: Dict[str, Any]
    trace_id: str
    question: Optional[Dict[str, Any]]  # {text, options: [QuestionOption]} when termination is awaiting_user
    error: Optional[Dict[str, Any]]  # an envelope when ok is false


class ToolOutcome(TypedDict, total=False):
    """Result of ``tools/call``: the model sees only ``envelope``."""

    envelope: Dict[str, Any]
    actions: List[Dict[str, Any]]  # typed map operations {op, args, ok, error}
    legend: List[Dict[str, Any]]
    evidence: List[Dict[str, Any]]
    decision: Dict[str, Any]  # {effect, decision: "allow"|"ask"|"deny", by}
    ms: int
