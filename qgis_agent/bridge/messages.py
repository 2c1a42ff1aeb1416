"""What crosses the bridge: method names, the protocol version, limits, and the shape of every message.

The transport is JSON-RPC 2.0, one compact JSON object a line, UTF-8, over stdin and stdout of the agent process.
The QGIS side is the parent. Both sides import this file and nothing else of each other.

Requests, parent to agent
    ``initialize``       {protocol, plugin_version, locale, time_zone, records_dir, tools_schema}
                         -> {protocol, agent_version, pid, python}
    ``model/configure``  {kind: "offline"|"script"|"model", model?, api_base?, api_key?, turns?, label?,
                          vision?: the model sees pictures, roles?: {"router"|"vision": {model, api_base?, api_key?, …}}}
                         -> {label, kind}
    ``model/test``       {test_id, model, api_base?, api_key?, context_tokens?} -> {lines}: what works with these settings;
                         nothing is configured or kept. Lines as in model_test.py, each also by ``model/tested`` at once
    ``run/start``        RunStart -> RunReport, answered when the run has ended (also after a stop)
    ``picture/put``      {sha256, media_type: "image/png"|"image/jpeg", width, height, data (base64)} -> {sha256}: kept in memory
                         for runs of this process, which name it; nothing of it is written anywhere
    ``tool/run``         {run_id, session_id, capability, name, arguments} -> {envelope, actions, legend, evidence, ms}
                         one call through the whole ToolRuntime, without a model
    ``session/load``     {session_id, before?, own?} -> {session_id, messages: [{role, text}], first, total, reason}
                         a page of what was said, the last one unless ``before`` (a message's number) is given; ``own``: to go
                         on with it, which another QGIS then cannot; reason "" | "in_use" | "damaged" | "newer" | "running"
    ``session/runs``     {session_id, before?, own?} -> {session_id, runs: [PastRun], first, total, reason, usage?, project?}
                         the same by runs, with all that they showed; usage and project {key, name} without ``before``;
                         reason also "missing"
    ``session/compact``  {session_id} -> {done, reason, before, after, usage, kind?, message?}: make the conversation smaller now;
                         tokens of what is sent of it; kind "pruned" (old results are left out: enough) | "summarised";
                         reason "" | "running" | "offline" | "short" | "model" (message: why it could not summarise) | as in
                         session/load; usage as in the event, of the call
    ``sessions/list``    {project_key?, query?} -> {sessions: [{session_id, title, project, project_key, at, size, requests}],
                         total}; all projects without a key
    ``sessions/rename``  {session_id, title} -> {done, reason, message?}; reason also "missing" | "failed"
    ``sessions/delete``  {session_id} -> {done, reason, message?}
    ``trace/export``     {session_id, path, trace_ids?, append?, redact?: ["names"|"ids"|"values"], project_path?} -> {count}
                         traces (trace.py) of a session's runs, all unless some are named, as lines of the file ``path``
    ``eval/begin``       {eval_id, cases: [object]} -> {problems}: lines of an evaluation set, in as many requests as it takes
    ``eval/score``       {eval_id, id, part: "main"|"offline", observation} -> a row (agent/evals/scoring.py); observation:
                         {report, state_in, state, layers, files, intent, replay: {equal, note}, asked, ms,
                         stood_in}
    ``eval/report``      {eval_id, about, not_run, out, baseline?} -> {ok, holds, worse, better, summary, files, problem}:
                         writes the report into the folder ``out``; ``baseline`` is such a folder of an earlier time
    ``turns/replay``     {path} -> {equal, runs, requests, first_difference: {run, what} | null}: recorded model turns through the
                         whole harness again, QGIS's answers played back (agent/records/turns.py)
    ``mcp/open``         {client_id, transport: "stdio", store?} -> {}: the stream of an MCP host begins; store as in mcp/serve
    ``mcp/serve``        {port (0: any free), clients: [{client_id, label, token_sha256}], store: "sqlite" | "redis://…", replica: bool,
                         fixtures: bool} -> {port, url}: Streamable HTTP on 127.0.0.1 for these clients, from now on; asked again
                         with the same port the clients are replaced. INVALID_REQUEST with a plain message where it cannot listen
    ``mcp/stop``         {} -> {}: that endpoint and all its streams end
    ``shutdown``         {} -> {}

Notifications, parent to agent
    ``mcp/frame``          {client_id, text}: one JSON-RPC message (a line) of an MCP host
    ``mcp/end``            {client_id}: the host's stream ended
    ``mcp/revoked``        {client_id}: QGIS took the client's capability back; it is asked for again at the next call
    ``catalogue/changed``  {layers: [CatalogueLayer], project_id}
    ``run/state``          {session_id, run_id, map_state, aliases}: the map when a run had ended, for its trace
    ``$/cancel``           {id}: the request with this id is to end now. A run answers with a report whose termination is
                           "interrupted"; any other request answers with an envelope of code CANCELLED.

Requests, agent to parent
    ``tools/call``       {call_id, run_id, capability, name, arguments, origin, ask_reason, caller} -> ToolOutcome
                         ``origin`` is "native" or "text" (recovered from text: anything but read then asks);
                         ``ask_reason`` not empty: the agent's own policy wants the person asked (it can only be stricter)
                         ``caller`` "subagent": it is a sub-agent of the run that calls, which has less than the run
                         a changing call that is asked for again (same run, call_id, tool, arguments) is answered with its
                         first outcome; another call with a used id is INVALID_PARAM, reason "call_id_used"
    ``calls/outcome``    {capability, run_id, call_id} -> {known, outcome?}: how a changing call of this session ended, also
                         one of an earlier run (after a restart); not known: it was never begun, or too long ago
    ``results/read``     {capability, result_ref, cursor, page_size} -> envelope
    ``project/revision`` {capability, layer_ids} -> {revision}: a text that is the same only while the data that these layers
                         show are the same; null where that cannot be known (network, databases)
    ``mcp/client``       {client_id, name, version, transport: "stdio"|"http"} -> {capability, session_id, run_id, level, enabled_packs,
                         language, project: {key, name}} or {envelope}, which says why not. name and version are what the client
                         says of itself: untrusted. Before its first call, and once more where the capability has ended
    ``mcp/access``       {capability, origin: {project, layers} | {chart: the capability under which it was drawn}} ->
                         {allowed, envelope?}: may the client see now what a kept result came from, or a chart
    ``mcp/seal``         {capability, result_ref, cursor} -> {origin, rows, total, next} or {envelope}: the rows of a handle in large
                         pages, and what they came from, which is kept beside them; rows null where they stay in QGIS
    ``map/picture``      {capability, width, height} -> {media_type: "image/png", data (base64, at most 600 kB), width, height, bbox, crs}
                         or {envelope}

Notifications, agent to parent
    ``mcp/frame``        {client_id, text}: one line for an MCP host
    ``run/event``        {run_id, type, ...}, see EVENT_FIELDS
    ``model/tested``     {test_id, line}
    ``log``              {level, text}
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, TypedDict

PROTOCOL_VERSION = 1
MAX_LINE_BYTES = 1024 * 1024
"""A longer line is not read: larger content crosses in pages (``results/read``)."""
MAX_RESULT_BYTES = 4096
"""What a model sees of one result, in bytes of UTF-8 JSON."""
MAX_EVENTS_PER_SECOND = 20
TEXT_COALESCE_S = 0.04

INITIALIZE = "initialize"
MODEL_CONFIGURE = "model/configure"
MODEL_TEST = "model/test"
MODEL_TESTED = "model/tested"
RUN_START = "run/start"
PICTURE_PUT = "picture/put"
TOOL_RUN = "tool/run"
SESSION_LOAD = "session/load"
SESSION_RUNS = "session/runs"
SESSION_COMPACT = "session/compact"
SESSIONS_LIST = "sessions/list"
SESSIONS_RENAME = "sessions/rename"
SESSIONS_DELETE = "sessions/delete"
TRACE_EXPORT = "trace/export"
TURNS_REPLAY = "turns/replay"
EVAL_BEGIN = "eval/begin"
EVAL_SCORE = "eval/score"
EVAL_REPORT = "eval/report"
MCP_OPEN = "mcp/open"
MCP_FRAME = "mcp/frame"
MCP_END = "mcp/end"
MCP_SERVE = "mcp/serve"
MCP_STOP = "mcp/stop"
MCP_REVOKED = "mcp/revoked"
MCP_CLIENT = "mcp/client"
MCP_ACCESS = "mcp/access"
MCP_SEAL = "mcp/seal"
MAP_PICTURE = "map/picture"
SHUTDOWN = "shutdown"
CATALOGUE_CHANGED = "catalogue/changed"
RUN_STATE = "run/state"
CANCEL = "$/cancel"
TOOLS_CALL = "tools/call"
CALLS_OUTCOME = "calls/outcome"
RESULTS_READ = "results/read"
PROJECT_REVISION = "project/revision"
RUN_EVENT = "run/event"
LOG = "log"

EVENT_FIELDS: Dict[str, Tuple[str, ...]] = {
    "turn_started": ("turn",),
    "text_delta": ("text",),  # streamed answer, coalesced to 40 ms
    "text_reset": (),  # the text streamed so far belonged to a turn with tool calls; it is commentary, not the answer
    "tool_started": ("call_id", "tool", "label", "arguments"),
    "tool_progress": ("call_id", "tool", "text"),  # a long step says how far it is
    "tool_finished": ("call_id", "tool", "ok", "code", "message", "ms"),
    "plan": ("steps", "hash"),  # steps: [{title, tool, target, status, inputs?, path?, features?}]
    "options": ("text", "options"),  # options: [QuestionOption], buttons for the person
    "usage": (  # context_tokens of context_limit: what the next request can hold before older parts are summarised
        "turn",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
        "source",
        "context_tokens",
        "context_limit",
        "pressure",
        "cost",
    ),
    "compaction": ("kind", "before", "after", "reason", "floor"),  # tokens of a request; floor: prompt and tools
    "notice": ("level", "text"),  # level: "info" | "warning" | "error"
    "termination": ("kind", "reason"),  # one of TERMINATIONS: the last event of a run
}
"""The fields of each event beside ``run_id`` and ``type``. The dock and the session's record are both built from these."""
EVENT_TYPES = tuple(EVENT_FIELDS)

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


class _CatalogueFile(TypedDict, total=False):
    file: str  # base name of the file that the layer reads; "" for services, databases and memory


class CatalogueLayer(_CatalogueFile):
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
    pictures: List[Dict[str, Any]]  # {sha256, media_type, width, height} each; their bytes came by picture/put
    profile: str
    enabled_packs: List[str]  # packs that only a person can enable, e.g. ["write"]
    attended: bool  # false: a chat of the command line, with nobody to click; absent: true
    snapshot: Dict[str, Any]  # map state (D1): project, view, visible layers, selection, last action, date, time zone
    map: Dict[str, Any]  # {state_in, start, aliases, versions}: for the record, see trace.py
    project: Dict[str, Any]  # {key, name}: which project it is, for the list of sessions; key "" while it is not saved
    project_folder: str  # the folder of the open project, "" when it has none
    preferences: str  # the person's own standing wishes, from the QGIS profile
    project_notes: str  # notes that lie beside the project: data of unknown origin
    trusted_files: List[str]  # SHA-256 of project files that the person said yes to
    language: str  # "en" | "zh": the language of answers that the person chose; absent or "": that of the request
    limits: Dict[str, float]  # of one request, from the person: model_calls, tool_calls, tokens, model_s, tool_s, cost
    approved_plan: Dict[str, Any]  # {steps, hash}: a plan that the person applied; leaving plan mode is this act


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
    charts: List[Dict[str, Any]]  # {title, kind, x, y, source, file (PNG in records_dir), width, height, rows}
    numbers: List[Dict[str, Any]]  # {text, value, source: {step, tool, path} | null}
    steps: List[Dict[str, Any]]  # {step, tool, args, ok, code, ms}
    usage: Dict[str, Any]
    trace_id: str
    question: Optional[
        Dict[str, Any]
    ]  # {text, options: [QuestionOption]}: a question, or choices where it could not go on
    plan: Dict[str, Any]  # {steps, hash} when a plan was made; applying it is run/start with approved_plan
    error: Optional[Dict[str, Any]]  # an envelope when ok is false
    answered_by: str  # label of the model, or of the offline commands that stood in for it


def failed_report(error: Dict[str, Any], termination: str = "failed") -> RunReport:
    """The report of a run that did not get far enough to have one, on either side; ``error`` is its envelope."""
    return {
        "ok": False,
        "termination": termination,
        "answer": "",
        "map_actions": [],
        "legend": [],
        "evidence": [],
        "numbers": [],
        "steps": [],
        "usage": {},
        "trace_id": "",
        "question": None,
        "error": error,
    }


class PastRun(TypedDict):
    """A run of an earlier conversation, as the panel shows it again."""

    run_id: str
    at: float  # seconds since 1970
    ms: int
    text: str  # the person's words
    ended: bool  # False: QGIS or the agent process ended before the run did
    events: List[Dict[str, Any]]  # tool_started, step_outcome, tool_finished, notice, and remark {text} before calls
    report: Dict[str, Any]  # RunReport; steps without arguments, which the events have


class ToolOutcome(TypedDict, total=False):
    """Result of ``tools/call``: the model sees only ``envelope``."""

    envelope: Dict[str, Any]
    actions: List[Dict[str, Any]]  # typed map operations {op, args, ok, error}
    legend: List[Dict[str, Any]]
    evidence: List[Dict[str, Any]]
    decision: Dict[str, Any]  # {effect, decision: "allow"|"ask"|"deny", by}
    recipes: List[str]  # the analysis as Python, for a person; no model sees it
    ms: int
