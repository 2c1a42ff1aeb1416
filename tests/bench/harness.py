"""``make bench-harness``: what a turn of the harness costs in time and tokens. Needs no QGIS; ``make bench`` has it, too.

Times are CPU time of the process (all its threads), the median of RUNS runs of TURNS turns after a warm-up; a run is
measured whole, from the assembly of its runtime to its report, and each request is encoded as a client would. Tokens are
counted by o200k on the compact JSON of what is sent, which is a little more than a provider counts (escapes, keys).
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPO), str(REPO / "tests" / "support")]

from rows import Row, keep, row
from stage import Stage, encoded, twenty_tools
from tokenizer import o200k

from qgis_agent.agent.execution.registry import ToolRegistry
from qgis_agent.agent.execution.tool_materializer import canonical
from qgis_agent.agent.governance.factory import LoopRuntimeBundle
from qgis_agent.agent.llm.types import LLMResponse, ProviderRequest, ToolCall

TURNS = 10
WARM_UPS = 3
RUNS = 20
EARLIER = 200
LAYERS = 300
REQUEST = "how many schools are there in each district"
ROWS = [{"name": f"District {at}", "code": f"33011{at:04}", "count": 12 + at, "share": 0.125 * at} for at in range(5)]
ENVELOPE = {"ok": True, "data": {"layer_id": "schools", "rows": ROWS, "total": 431, "returned": 5}, "message": ""}
BARE = "bare stdlib loop that encodes each request"


def turns() -> list[LLMResponse]:
    """Nine turns with a call each, no two the same, and an answer."""
    made = []
    for at in range(TURNS - 1):
        arguments = {"layer_id": "schools", "limit": at + 1, "method": "count", "fields": ["name", "code"]}
        call = ToolCall(f"c{at}", f"read_thing_{at:02}", json.dumps(arguments))
        made.append(LLMResponse("", (call,), "tool_calls"))
    return [*made, LLMResponse("There are 431 schools in 5 districts.")]


def earlier() -> list[dict[str, Any]]:
    """EARLIER messages of the same session: questions, calls, results, answers."""
    messages: list[dict[str, Any]] = []
    for at in range(EARLIER // 4):
        arguments = json.dumps({"layer_id": "schools", "limit": at + 1})
        function = {"name": "read_thing_00", "arguments": arguments}
        messages += [
            {"role": "user", "content": f"And how many are there in district {at}?"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": f"old{at}", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": f"old{at}", "content": canonical(ENVELOPE)},
            {"role": "assistant", "content": f"In district {at} there are {12 + at} schools."},
        ]
    return messages


def big_project() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The snapshot and the catalogue of a project of LAYERS layers, all of them visible."""
    names = [f"layer-number-{at:03}" for at in range(LAYERS)]
    snapshot = {
        "project": "City",
        "crs": "EPSG:3857",
        "layers": LAYERS,
        "visible": names,
        "view_bbox": [119.535649, 30.301582, 119.709675, 30.417512],
        "selection": dict.fromkeys(names[:4], 3),
        "last_action": "zoom_to",
    }
    fields = [{"name": f"field_{at}", "alias": "", "type": "number"} for at in range(10)]
    layers = [
        {
            "layer_id": name,
            "name": name,
            "kind": "polygon",
            "group": "G",
            "abstract": "",
            "visible": True,
            "fields": fields,
        }
        for name in names
    ]
    return snapshot, layers


# time


def cpu_ms_a_turn(play: Callable[[], None]) -> float:
    """Median CPU time of a run by its turns, in ms."""
    times = []
    for _ in range(WARM_UPS + RUNS):
        started = time.process_time()
        play()
        times.append(time.process_time() - started)
    return 1000 * statistics.median(times[WARM_UPS:]) / TURNS


def bare_loop(history: Sequence[dict[str, Any]], tools: list[dict[str, Any]]) -> Callable[[], None]:
    """The same work without a harness: encode the request, take the turn, parse and call, append."""
    script = turns()
    answer = canonical(ENVELOPE)

    def play() -> None:
        messages = [{"role": "system", "content": "You carry out requests on a map."}, *history]
        messages.append({"role": "user", "content": REQUEST})
        for turn in script:
            encoded(messages, tools)
            asked = [
                {"id": each.id, "type": "function", "function": {"name": each.name, "arguments": each.arguments}}
                for each in turn.tool_calls
            ]
            messages.append({"role": "assistant", "content": turn.content, **({"tool_calls": asked} if asked else {})})
            for call in turn.tool_calls:
                json.loads(call.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": answer})

    return play


def encoding_ms(stage: Stage) -> float:
    """CPU time of encoding one request as JSON, in ms: what a client adds to each turn."""
    requests: list[ProviderRequest] = []
    again = replace(stage)
    again.play(lambda request, _bundle: requests.append(request))
    again.close()
    started = time.process_time()
    for request in requests:
        encoded(request.messages, request.tools)
    return 1000 * (time.process_time() - started) / len(requests)


def turn_times() -> list[Row]:
    """An empty session, a long one in a big project, and both with durable records."""
    registry = twenty_tools()
    wire = [
        {
            "type": "function",
            "function": {"name": each.name, "description": each.description, "parameters": each.shown()},
        }
        for each in registry.list_registered()
    ]
    snapshot, layers = big_project()
    cases: tuple[tuple[str, dict[str, Any]], ...] = (
        ("empty session", {"history": []}),
        (
            f"{EARLIER} earlier messages, {LAYERS} layers",
            {"history": earlier(), "snapshot": snapshot, "layers": layers},
        ),
    )
    rows = []
    for label, parts in cases:
        bare = cpu_ms_a_turn(bare_loop(parts["history"], wire))
        for durable in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                where = Path(folder) if durable else None
                stage = Stage(registry, turns(), [ENVELOPE], REQUEST, folder=where, **parts)
                value = cpu_ms_a_turn(stage.play)
                records = 1000 * stage.records_s / (WARM_UPS + RUNS) / TURNS
                stage.close()
            name = f"harness, CPU a turn, {label}" + (", durable records" if durable else "")
            goal, holds = ("reported", True) if durable else ("< 3 ms", value < 3)
            rows.append(row(name, value, "ms", BARE, bare, goal, holds))
            if not durable:
                wire_cost = encoding_ms(stage)
                rows.append(
                    row(f"encoding a request, {label}", wire_cost, "ms", "the whole turn", value, "reported", True)
                )
                of_it = f"of it, sources of numbers and report, {label}"
                rows.append(row(of_it, records, "ms", "the whole turn", value, "reported", True))
    return rows


# tokens


def golden_stage() -> Stage:
    """Golden request 1: the script's turns, with the results that QGIS gave on the sample project."""
    script = json.loads((REPO / "tests" / "support" / "golden_1.json").read_text(encoding="utf-8"))
    recorded = json.loads((REPO / "tests" / "bench" / "golden_1_results.json").read_text(encoding="utf-8"))
    made = []
    for at, turn in enumerate(script):
        calls = tuple(
            ToolCall(f"c{at}_{number}", each["name"], json.dumps(each["arguments"], ensure_ascii=False))
            for number, each in enumerate(turn.get("tool_calls", []))
        )
        made.append(LLMResponse(turn.get("text", ""), calls, "tool_calls" if calls else "stop"))
    envelopes = [each["envelope"] for each in recorded["results"]]
    return Stage(ToolRegistry.load(), made, envelopes, recorded["request"], snapshot=recorded["snapshot"])


def golden_tokens() -> list[Row]:
    """What golden request 1 sends: the tools, the first request, all requests, and what of each the next one repeats."""
    stage = golden_stage()
    requests, shares, naive = _recorded(stage)
    stage.close()
    default = [each for each in ToolRegistry.load().list_registered() if each.pack == "default"]
    names = {each.name for each in default}
    tools = [each for each in requests[0].tools if each["function"]["name"] in names]
    full = [
        {
            "type": "function",
            "function": {"name": each.name, "description": each.description, "parameters": each.parameters},
        }
        for each in default
    ]
    bodies = [canonical({"messages": each.messages, "tools": each.tools}) for each in requests]
    parts = [canonical(requests[0].messages[0]), canonical(requests[0].messages[-1])]
    counts = o200k([canonical(tools), canonical(full), *parts, *bodies])
    shown, whole, system, tail, *each = counts
    again = "the full schemas of the same tools"
    small = len(canonical(tools).encode()) / len(tools)
    total = sum(each)
    first = len(bodies[0].encode())
    return [
        row(f"tools of the default profile ({len(tools)})", shown, "tokens", again, whole, "< 3500", shown < 3500),
        row(
            "tools of the default profile, a tool", small, "bytes", "OpenGIS gis-build profile", 720.7, "reported", True
        ),
        row("first request of golden 1", first, "bytes", "its tools", len(canonical(tools).encode()), "reported", True),
        row("first request of golden 1", each[0], "tokens", "its system prompt", system, "reported", True),
        row("tail of a request of golden 1", tail, "tokens", "the request", each[0], "reported", True),
        row("golden 1, input over all calls", total, "tokens", "its last request", each[-1], "< 25000", total < 25_000),
        row(
            f"golden 1, prefix kept from request to request, least of {len(shares)}",
            min(shares),
            "share",
            "the same with the state of the map in front",
            min(naive),
            "1.0 but at logged events",
            min(shares) == 1.0,
        ),
    ]


def long_prefix() -> Row:
    """The prefix over a run in the long session of the big project."""
    snapshot, layers = big_project()
    stage = Stage(twenty_tools(), turns(), [ENVELOPE], REQUEST, snapshot, layers, earlier())
    _, shares, naive = _recorded(stage)
    stage.close()
    return row(
        f"{EARLIER} earlier messages, prefix kept from request to request, least of {len(shares)}",
        min(shares),
        "share",
        "the same with the state of the map in front",
        min(naive),
        "1.0 but at logged events",
        min(shares) == 1.0,
    )


def _recorded(stage: Stage) -> tuple[list[ProviderRequest], list[float], list[float]]:
    """The requests of a run; the share of each one without its tail that begins the next, where no change was logged
    between the two; and the same with the tail moved to the front."""
    requests: list[ProviderRequest] = []
    logged: list[int] = []

    def seen(request: ProviderRequest, bundle: LoopRuntimeBundle) -> None:
        requests.append(request)
        logged.append(len(bundle.context.prefix_events) + len(bundle.materializer.growths))

    stage.play(seen)
    pairs = [(requests[at], requests[at + 1]) for at in range(len(requests) - 1) if logged[at] == logged[at + 1]]
    shares = [_kept(_texts(first), _texts(second)) for first, second in pairs]
    moved = [_kept(_texts(first, tail_first=True), _texts(second, tail_first=True)) for first, second in pairs]
    return requests, shares, moved


def _texts(request: ProviderRequest, *, tail_first: bool = False) -> str:
    """Tools and messages without the tail, in one canonical text; or with the tail behind the system prompt."""
    system, *history, tail = request.messages
    messages = [system, tail, *history] if tail_first else [system, *history]
    return canonical(request.tools) + "".join(canonical(each) for each in messages)


def _kept(first: str, second: str) -> float:
    differs = (at for at, (a, b) in enumerate(zip(first, second)) if a != b)
    return next(differs, min(len(first), len(second))) / len(first)


def measure() -> list[Row]:
    """All rows of the harness."""
    return [*turn_times(), *golden_tokens(), long_prefix()]


if __name__ == "__main__":
    keep(measure(), "bench-harness.json")
