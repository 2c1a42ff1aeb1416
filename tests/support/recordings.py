"""Runs of many kinds for the replay of AT15: recorded here, played back in a child process without a network.

``python tests/support/recordings.py FILE`` replays the recordings of FILE and prints what each run asked for, as JSON.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import secrets
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

if __name__ == "__main__":
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root), str(root / "tests" / "support")]

from agent_fakes import LAYERS, Bench, FakeBridge, FakeClient, ListEvents, answer, calls

from qgis_agent.agent.llm.recording import Record, RecordingClient, ReplayClient
from qgis_agent.agent.llm.types import LLMResponse, ModelClient, ModelError, OnText, ProviderRequest, ToolCall, Usage
from qgis_agent.agent.offline.client import OfflineClient
from qgis_agent.bridge.envelope import failure, success

Recording = list[dict[str, Any]]
"""The runs of a scenario; of each the records of its model and of the offline commands that stood in."""
STOP_AFTER_S = 0.02


async def stall(_request: ProviderRequest) -> LLMResponse:
    """A model that never answers."""
    await asyncio.get_running_loop().create_future()
    raise AssertionError


@dataclass(frozen=True)
class Run:
    """One message of the person and what a model says to it."""

    text: str
    turns: tuple[Any, ...]
    kind: str = "model"
    stopped: bool = False
    stand_in: bool = False
    """Whether the offline commands answer when the model cannot."""


@dataclass(frozen=True)
class Scenario:
    """Runs of one session, with what QGIS answers by name of the tool."""

    runs: tuple[Run, ...]
    bridge: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def one(text: str, *turns: Any, bridge: dict[str, Any] | None = None, **options: Any) -> Scenario:
    """A scenario of one run."""
    return Scenario((Run(text, turns, **options),), bridge or {})


def zoom(layer: str = "streets") -> tuple[str, dict[str, Any]]:
    """A call that zooms."""
    return ("zoom_to", {"layer_id": layer})


def described(params: dict[str, Any]) -> Any:
    """A layer with fields in an order that is not the alphabet's."""
    fields = [{"name": name, "type": "text"} for name in ("名称", "level", "area", "code")]
    return success({"layer": params["arguments"]["layer_id"], "fields": fields, "feature_count": 25}, "described")


ECHO = LLMResponse(
    "",
    (ToolCall("toolu_9", "describe_layer", '{"layer_id": "streets"}'),),
    "tool_calls",
    Usage(1200, 40, 1000, "provider", 12),
    "The person wants to know the fields.",
    {"reasoning_content": "The person wants to know the fields."},
)
ROWS = success(
    {"rows": [{"名称": f"街道{at}", "area": at * 1.5} for at in range(5)], "total": 25, "result_ref": "query:12345678"}
)
SCENARIOS: dict[str, Scenario] = {
    "a greeting": one("hello", answer("Hello.")),
    "a greeting in Chinese": one("你好", answer("你好，我可以帮你看地图。", usage=Usage(900, 12, 0, "provider"))),
    "one tool": one("zoom to streets", calls(zoom(), text="I zoom."), answer("Done.")),
    "one tool in Chinese": one("缩放到街道", calls(zoom()), answer("已缩放到街道。")),
    "reads side by side": one(
        "describe all layers",
        calls(*[("describe_layer", {"layer_id": each["layer_id"]}) for each in LAYERS]),
        answer("There are three."),
        bridge={"describe_layer": described},
    ),
    "search and count": one(
        "how many schools are there?",
        calls(("search_layers", {"query": "schools"})),
        calls(("count_features", {"layer_id": "schools", "group_by": "level"})),
        answer("25 schools."),
        bridge={"count_features": success({"count": 25, "count_kind": "exact", "groups": {"小学": 20, "中学": 5}})},
    ),
    "rows and a page": one(
        "列出街道",
        calls(("query_features", {"layer_id": "streets", "limit": 5})),
        calls(("fetch_result", {"result_ref": "query:12345678", "cursor": 5})),
        answer("街道0 到 街道4。"),
        bridge={"query_features": ROWS, "fetch_result": ROWS},
    ),
    "a pack is asked for": one(
        "make a map",
        calls(("request_tool_pack", {"pack": "vector"})),
        calls(("buffer_layer", {"layer_id": "schools", "distance_m": 500})),
        answer("500 m around the schools."),
        bridge={"buffer_layer": success({"layer_id": "schools-buffer", "count": 25})},
    ),
    "buffer and statistics": one(
        "缓冲学校500米并按街道统计",
        calls(
            ("buffer_layer", {"layer_id": "schools", "distance_m": 500}),
            ("stat_by_polygon", {"polygon_layer_id": "streets", "layer_id": "schools"}),
        ),
        answer("已完成。"),
    ),
    "arguments that are no JSON": one(
        "zoom", calls(("zoom_to", '{"layer_id": streets')), calls(zoom()), answer("Now it worked.")
    ),
    "arguments with a key too many": one("zoom", calls(("zoom_to", {"layer": "streets"})), answer("I could not.")),
    "a tool that is not there": one("fly", calls(("fly_to", {"layer_id": "streets"})), answer("I cannot fly.")),
    "the same failure again and again": one(
        "describe x",
        *[calls(("describe_layer", {"layer_id": "x"})) for _ in range(6)],
        answer("There is no such layer."),
        bridge={"describe_layer": failure("NOT_FOUND", "No layer 'x'.", hint="streets, schools")},
    ),
    "a tool that fails, then another": one(
        "show hospitals",
        calls(("toggle_layer", {"layer_id": "hospital", "visible": True})),
        calls(("toggle_layer", {"layer_id": "hospitals", "visible": True})),
        answer("Shown."),
        bridge={
            "toggle_layer": lambda params: (
                success({}, "shown")
                if params["arguments"]["layer_id"] == "hospitals"
                else failure("NOT_FOUND", "No layer 'hospital'.", hint="Did you mean 'hospitals'?")
            )
        },
    ),
    "a question": one(
        "show the population", calls(("ask_user", {"question": "Which year?", "options": ["2022", "2023"]}))
    ),
    "an ambiguous name, and the choice": Scenario(
        (
            Run("zoom to 金星", (calls(("resolve_place", {"text": "金星"}), zoom()),)),
            Run("zoom to 金星 (330101)", (calls(zoom("金星")), answer("Done."))),
        ),
        {
            "resolve_place": {
                **failure("AMBIGUOUS", "Which 金星?"),
                "data": {"options": [{"label": "金星 (330101)"}, {"label": "金星 (330102)"}]},
            }
        },
    ),
    "an answer in three parts": one(
        "tell more",
        answer("one ", "length"),
        answer("two ", "length"),
        answer("three", usage=Usage(1, 2, 0, "provider")),
    ),
    "calls that were cut off": one("zoom", calls(zoom(), finish_reason="length"), answer("Done otherwise.")),
    "an empty answer": one("hello", answer(""), answer("Hello.")),
    "two empty answers": one("hello", answer(" "), answer("")),
    "a filtered answer": one("hello", answer("", "content_filter")),
    "a key that is refused": one("hello", ModelError("auth", "The key was refused.", hint="Check the key.")),
    "a limit, then an answer": one(
        "hello", ModelError("rate_limit", "Wait.", retryable=True, retry_after_s=1.5), answer("Hello.")
    ),
    "offline commands": one("zoom to Schools 2023", kind="offline"),
    "offline commands in Chinese": one("显示医院", kind="offline"),
    "offline commands stand in": one("hide Schools 2023", ModelError("quota", "No money left."), stand_in=True),
    "text and calls recovered from it": one(
        "zoom",
        LLMResponse("Zooming.", (ToolCall("call_1", "zoom_to", '{"layer_id": "streets"}', "text"),), "tool_calls"),
        LLMResponse("Hm.", unreadable_markup=True),
        answer("Done."),
    ),
    "a model that thinks": one("which fields?", ECHO, answer("Four."), bridge={"describe_layer": described}),
    "to and fro": one(
        "which style?",
        *[calls(("get_style", {"layer_id": "schools" if at % 2 else "streets"})) for at in range(6)],
        answer("Enough."),
    ),
    "too many turns": one(
        "style it",
        *[calls(("get_style", {"layer_id": "streets", "cursor": at})) for at in range(30)],
        bridge={"get_style": lambda params: success({"page": params["arguments"].get("cursor")})},
    ),
    "stopped, and asked again": Scenario(
        (
            Run("zoom to streets and say what you see", (calls(zoom()), stall), stopped=True),
            Run("and now?", (answer("I was stopped after zooming."),)),
        )
    ),
    "a long talk": Scenario(
        tuple(
            Run(
                f"第{at}个问题 / question {at}",
                (calls(("count_features", {"layer_id": "schools"})), answer(f"答案 {at}")),
            )
            for at in range(4)
        ),
        {"count_features": success({"count": 25, "count_kind": "exact"})},
    ),
}


@contextmanager
def fixed_marks() -> Iterator[None]:
    """Random names that are the same in every process."""
    numbers = itertools.count(1)
    with mock.patch.object(secrets, "token_hex", lambda size=4: f"{next(numbers):0{2 * size}x}"):
        yield


class Watch:
    """Keeps the whole request of each call, ids and all."""

    def __init__(self, inner: ModelClient, seen: list[str]) -> None:
        self._inner = inner
        self._seen = seen
        self.kind = inner.kind
        self.label = inner.label

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """See ModelClient."""
        whole = json.dumps(vars(request), default=asdict).encode()
        self._seen.append(hashlib.sha256(whole).hexdigest())
        return await self._inner.complete(request, on_text)


Clients = Callable[[int, str, Callable[[], ModelClient]], ModelClient]
"""The client of a run: its number, what it is for (model or offline), and how the original is made."""


def play(scenario: Scenario, clients: Clients) -> list[dict[str, Any]]:
    """Carry out the runs of a scenario; of each the requests, what was said, and how it ended."""
    with tempfile.TemporaryDirectory() as folder, fixed_marks():
        bench = Bench(Path(folder))
        return [_play(bench, scenario, at, clients) for at in range(len(scenario.runs))]


def _play(bench: Bench, scenario: Scenario, at: int, clients: Clients) -> dict[str, Any]:
    run, seen, events = scenario.runs[at], [], ListEvents()

    def original() -> ModelClient:
        return _offline(bench) if run.kind == "offline" else FakeClient(*run.turns, kind=run.kind)

    def stand_in() -> ModelClient:
        return Watch(clients(at, "offline", lambda: _offline(bench)), seen)

    client = Watch(clients(at, "model", original), seen)
    offline = stand_in if run.stand_in else None
    bundle = bench.bundle(run.text, client, FakeBridge(**scenario.bridge), events=events, offline=offline)

    async def whole() -> None:
        task = asyncio.ensure_future(bundle.loop.run(bundle.state))
        if run.stopped:
            asyncio.get_running_loop().call_later(STOP_AFTER_S, task.cancel)
        await task

    bundle.recorder.start("gis-build", "model", bench.snapshot)
    asyncio.run(whole())
    report = bundle.recorder.report(bundle.state)
    bundle.recorder.finish(report, bundle.state, [])
    return {
        "requests": seen,
        "termination": bundle.state.termination,
        "answer": report.get("answer"),
        "tools": [[step["tool"], step["args"], step["code"]] for step in report.get("steps", [])],
        "text": "".join(said for kind, said in events.seen if kind == "text"),
    }


def _offline(bench: Bench) -> OfflineClient:
    return OfflineClient(bench.catalogue.layers)


def record(name: str) -> tuple[Recording, list[dict[str, Any]]]:
    """Record a scenario: what replays it, and what it came to."""
    scenario = SCENARIOS[name]
    recording: Recording = [{"model": [], "offline": []} for _ in scenario.runs]

    def clients(at: int, role: str, make: Callable[[], ModelClient]) -> ModelClient:
        records: list[Record] = recording[at][role]
        return RecordingClient(make(), records.append)

    return recording, play(scenario, clients)


def replay(name: str, recording: Recording) -> list[dict[str, Any]]:
    """Play a recording back. Raises ReplayMiss where the runs ask for anything else. ``canonical`` is what was asked."""
    made: list[tuple[int, ReplayClient]] = []

    def clients(at: int, role: str, _make: Callable[[], ModelClient]) -> ModelClient:
        client = ReplayClient(recording[at][role])
        made.append((at, client))
        return client

    outcome = play(SCENARIOS[name], clients)
    for at, client in made:
        client.assert_complete()
        outcome[at].setdefault("canonical", []).extend(each.decode() for each in client.seen)
    return outcome


def block_network() -> None:
    """From now on no socket of this process reaches anybody."""

    def refuse(event: str, _arguments: object) -> None:
        if event in ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
            raise PermissionError(f"no network here: {event}")

    sys.addaudithook(refuse)


def network_is_blocked() -> bool:
    """Whether a connection to this very machine fails for the reason above."""
    try:
        socket.create_connection(("127.0.0.1", 9), timeout=0.2).close()
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def main(file: str) -> None:
    """Replay a file of recordings."""
    block_network()
    recordings = json.loads(Path(file).read_text(encoding="utf-8"))
    outcome = {name: replay(name, recording) for name, recording in recordings.items()}
    print(json.dumps({"blocked": network_is_blocked(), "hash": hash("街道"), "outcome": outcome}))


if __name__ == "__main__":
    main(sys.argv[1])
