"""One path for every call: what is refused, with which code and hint, what crosses the bridge, and what comes back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import REGISTRY, Bench, FakeBridge, FakeClient, ListEvents, answer, calls, no_sleep

from qgis_agent.agent.context.catalogue import CatalogueStore, rank_layers
from qgis_agent.agent.execution.packs import infer_tool_packs_for_text
from qgis_agent.agent.execution.tool_runtime import ToolExecution, ToolRuntime
from qgis_agent.agent.governance.factory import build_single_call_runtime, filter_agent_tools
from qgis_agent.agent.governance.permissions import PLAN_ONLY_TOOLS, PermissionRuntime
from qgis_agent.agent.governance.profile import PROFILES
from qgis_agent.agent.llm.types import ToolCall
from qgis_agent.bridge.envelope import failure, size_bytes, success
from qgis_agent.bridge.peer import RpcError

GOOD = {"layer_id": "schools"}


@pytest.fixture()
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def runtime(bench: Bench, bridge: FakeBridge, caller: str = "cli") -> ToolRuntime:
    built = build_single_call_runtime(REGISTRY, bench.context(bridge, caller=caller), PROFILES["gis-build"])
    built._sleep = no_sleep
    return built


def execute(
    bench: Bench, name: str, arguments: Any, bridge: FakeBridge | None = None, caller: str = "cli"
) -> ToolExecution:
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return asyncio.run(runtime(bench, bridge or FakeBridge(), caller).execute(ToolCall("c1", name, raw), "c1"))


def refusal(bench: Bench, name: str, arguments: Any, caller: str = "cli") -> dict[str, Any]:
    bridge = FakeBridge()
    envelope = execute(bench, name, arguments, bridge, caller).envelope
    assert bridge.requests == []
    assert envelope["ok"] is False
    return envelope


def test_an_unknown_tool_names_the_nearest(bench: Bench) -> None:
    """NOT_FOUND with names that exist."""
    envelope = refusal(bench, "count_feature", GOOD)
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "unknown_tool")
    assert "count_features" in envelope["hint"]


@pytest.mark.parametrize(
    ("name", "arguments", "named", "hinted"),
    [
        ("count_features", {"layerid": "schools"}, "layerid", "layer_id"),
        ("count_features", {}, "layer_id", "layer_id"),
        ("count_features", {"layer_id": 5}, "layer_id", "string"),
        ("count_features", {"layer_id": None}, "layer_id", "string"),
        ("set_render_rule", {**GOOD, "method": "gradient"}, "method", "graduated"),
        ("set_render_rule", {**GOOD, "method": "graduated", "classes": 2.5}, "classes", "integer"),
        ("set_render_rule", {**GOOD, "method": "graduated", "options": {"revers": True}}, "options.revers", "reverse"),
        ("count_features", {**GOOD, "where": [{"field": "a", "op": "is"}]}, "where[0].op", "is_null"),
        ("zoom_to", {"bbox": [1, 2, 3]}, "bbox", ""),
        ("nearest_features", {**GOOD, "to_layer_id": "x", "max_distance_m": 0}, "max_distance_m", "over 0"),
        ("buffer_layer", {**GOOD, "distance_m": True}, "distance_m", "number"),
        ("toggle_layer", {**GOOD, "visible": "yes"}, "visible", "boolean"),
    ],
)
def test_wrong_arguments_name_the_parameter_and_what_is_valid(
    bench: Bench, name: str, arguments: Any, named: str, hinted: str
) -> None:
    """INVALID_PARAM, the path of the parameter in the message, the way out in the hint; nothing runs."""
    envelope = refusal(bench, name, arguments)
    assert (envelope["code"], envelope["reason"], envelope["retryable"]) == ("INVALID_PARAM", "tool_arguments", True)
    assert envelope["message"].startswith(named + ":")
    assert hinted in envelope["hint"]


@pytest.mark.parametrize(
    "raw",
    [
        '{"layer_id": "sch',
        '{"layer_id": "schools"',
        '{"layer_id": "schools"} {"layer_id": "x"}',
        '{"layer_id": NaN}',
        '{"layer_id": "schools", "limit": 1e999}',
        '{"layer_id": Infinity}',
        '["schools"]',
        '"schools"',
        "null",
        "5",
        "[" * 100_000,
        '{"layer_id": ' + "[" * 900 + "]" * 900 + "}",
        '{"layer_id": ' + '{"a":' * 25 + "1" + "}" * 26,
        "schools",
    ],
)
def test_what_is_no_json_object_is_refused(bench: Bench, raw: str) -> None:
    """Truncated and concatenated texts above all never become a call. What is forgiven: test_at01_arguments.py."""
    for name in ("query_features", "prepare_export_layer"):
        envelope = refusal(bench, name, raw)
        assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "tool_arguments")


def test_what_was_put_right_is_said_beside_the_result(bench: Bench) -> None:
    """The notes are there for the trace, also of a call that is refused for another reason; the model sees none."""
    execution = execute(bench, "buffer_layer", "{'layer': 'schools', 'distance_m': '50'}", FakeBridge())
    assert execution.envelope["ok"]
    assert execution.arguments == {"layer_id": "schools", "distance_m": 50}
    assert execution.repairs == ("single quotes", "layer: taken as layer_id", "distance_m: a number in a string")
    refused = execute(bench, "buffer_layer", "{'layer': 'schools', 'distance_m': '-5000000'}")
    assert (refused.envelope["code"], refused.repairs) == ("INVALID_PARAM", execution.repairs)
    assert execute(bench, "count_features", GOOD, FakeBridge()).repairs == ()


@pytest.mark.parametrize(
    ("name", "arguments", "named", "meant"),
    [
        ("search_layers", {"query": "", "kind": "Polygon"}, "kind", "polygon"),
        ("set_render_rule", {**GOOD, "method": "single", "palette": "orrd"}, "palette", "OrRd"),
        ("count_features", {**GOOD, "where": [{"field": "a", "op": "EQ", "value": 1}]}, "where[0].op", "eq"),
        (
            "count_features",
            {**GOOD, "where": [{"any_of": [{"field": "a", "op": "In"}]}]},
            "where[0].any_of[0].op",
            "in",
        ),
        ("prepare_export_layer", {**GOOD, "path": "a.gpkg", "format": "gpkg"}, "format", "GPKG"),
    ],
)
def test_a_value_in_the_wrong_case_is_refused_with_the_right_one(
    bench: Bench, name: str, arguments: Any, named: str, meant: str
) -> None:
    """Allowed values are exact, and the hint begins with the one that was meant."""
    envelope = refusal(bench, name, arguments)
    assert envelope["message"].startswith(named + ":")
    assert envelope["hint"].startswith(f"Did you mean {meant!r}?")
    assert "Allowed:" in envelope["hint"]


def test_nulls_of_optional_parameters_are_dropped(bench: Bench) -> None:
    """Also inside options and conditions."""
    bridge = FakeBridge()
    arguments = {
        "layer_id": "schools",
        "where": [{"field": "a", "op": "is_null", "value": None}],
        "order_by": None,
    }
    assert execute(bench, "query_features", arguments, bridge).envelope["ok"]
    assert bridge.requests[0]["arguments"] == {"layer_id": "schools", "where": [{"field": "a", "op": "is_null"}]}
    options = {"layer_id": "a", "method": "single", "palette": None, "options": {"color": None, "reverse": True}}
    execute(bench, "set_render_rule", options, bridge)
    assert bridge.requests[1]["arguments"] == {"layer_id": "a", "method": "single", "options": {"reverse": True}}


def test_what_crosses_the_bridge(bench: Bench) -> None:
    """The call id, run, capability and origin of ``tools/call``; the outcome comes back whole."""
    outcome = {
        "envelope": success({"count": 3}),
        "actions": [{"op": "x"}],
        "legend": [{"label": "a"}],
        "evidence": [{"ref": "r"}],
        "decision": {"effect": "read", "decision": "allow", "by": "level:safe_write"},
        "ms": 4,
    }
    bridge = FakeBridge(count_features=outcome)
    execution = execute(bench, "count_features", GOOD, bridge)
    assert bridge.requests == [
        {
            "call_id": "c1",
            "run_id": "run-0",
            "capability": "cap",
            "name": "count_features",
            "arguments": GOOD,
            "origin": "native",
            "ask_reason": "",
            "caller": "cli",
        }
    ]
    assert (execution.actions, execution.legend, execution.evidence) == (
        [{"op": "x"}],
        [{"label": "a"}],
        [{"ref": "r"}],
    )
    assert execution.decision["by"] == "level:safe_write"


def test_reads_are_retried_twice_by_the_host(bench: Bench) -> None:
    """TIMEOUT, UPSTREAM_ERROR and RATE_LIMITED of a read; each attempt has its own call id; changes are never repeated."""
    bridge = FakeBridge(count_features=failure("TIMEOUT", "slow"), buffer_layer=failure("TIMEOUT", "slow"))
    execution = execute(bench, "count_features", GOOD, bridge)
    assert (execution.envelope["code"], execution.attempts, len({each["call_id"] for each in bridge.requests})) == (
        "TIMEOUT",
        3,
        3,
    )
    execute(bench, "buffer_layer", {**GOOD, "distance_m": 1}, bridge)
    assert bridge.names().count("buffer_layer") == 1
    refused = FakeBridge(count_features=failure("NOT_FOUND", "no"))
    execute(bench, "count_features", GOOD, refused)
    assert len(refused.requests) == 1
    answers = [failure("UPSTREAM_ERROR", "x"), success({"count": 1})]
    mended = FakeBridge(count_features=lambda _params: answers.pop(0))
    assert execute(bench, "count_features", GOOD, mended).envelope["ok"]


def test_a_broken_answer_of_qgis_is_an_error_envelope(bench: Bench) -> None:
    """No envelope, a foreign code, an RPC error: UPSTREAM_ERROR, never a crash and never a success."""

    def broken(_params: dict[str, Any]) -> Any:
        raise RpcError(-32603, "internal")

    for given in ({"envelope": 5}, {"envelope": {"ok": "yes"}}, {"envelope": {"ok": False, "code": "WEIRD"}}, broken):
        execution = execute(bench, "zoom_to", {"layer_id": "a"}, FakeBridge(zoom_to=given))
        assert (execution.envelope["ok"], execution.envelope["code"], execution.envelope["reason"]) == (
            False,
            "UPSTREAM_ERROR",
            "bridge",
        )


def test_no_result_is_over_the_budget(bench: Bench) -> None:
    """Whatever QGIS sends, the model gets at most 4,096 bytes, with handle and total kept."""
    rows = [{"name": "街" * 200, "nested": [["x" * 50] * 50] * 20} for _ in range(300)]
    big = success({"rows": rows, "total": 300, "result_ref": "query_features:abcdef12"}, "m" * 9000)
    execution = execute(bench, "query_features", GOOD, FakeBridge(query_features=big))
    assert size_bytes(execution.envelope) <= 4096
    assert execution.truncated
    assert execution.envelope["data"]["result_ref"] == "query_features:abcdef12"
    assert execution.envelope["data"]["total"] == 300
    wrong = failure("AMBIGUOUS", "x" * 9000, options=[{"label": "y" * 400} for _ in range(100)])
    bounded = execute(bench, "query_features", GOOD, FakeBridge(query_features=wrong)).envelope
    assert size_bytes(bounded) <= 4096
    assert bounded["code"] == "AMBIGUOUS"


def test_callers_and_packs(bench: Bench) -> None:
    """commit_action is not for chat; write needs a person; a hidden pack is shown by being called, and is not run."""
    assert refusal(bench, "commit_action", {"confirm_token": "x" * 10}, caller="chat")["reason"] == "not_offered"
    export = ("prepare_export_layer", {"layer_id": "schools", "path": "a.gpkg"})
    bridge = FakeBridge()
    client = FakeClient(calls(export, ("request_tool_pack", {"pack": "write"})), answer("Not possible."))
    bench.run("export the schools", client, bridge)
    envelopes = [json.loads(each["content"]) for each in bench.session.messages if each["role"] == "tool"]
    assert [each["reason"] for each in envelopes] == ["pack_not_enabled", "pack_not_enabled"]
    assert "person" in envelopes[0]["hint"]
    assert bridge.requests == []
    names = {tool["function"]["name"] for tool in client.requests[0].tools}
    assert "prepare_export_layer" not in names
    enabled = FakeClient(calls(export), answer("Done."))
    bench.run("export the schools", enabled, bridge, enabled=("write",))
    assert bridge.names() == ["prepare_export_layer"]
    shown = {tool["function"]["name"] for tool in enabled.requests[0].tools}
    assert "prepare_export_layer" in shown
    assert "commit_action" not in shown
    hidden = FakeClient(calls(("buffer_layer", {"layer_id": "a", "distance_m": 1})), answer("Ok."))
    bench.run("hello", hidden, bridge)
    assert bridge.names() == ["prepare_export_layer"]
    assert "buffer_layer" in {tool["function"]["name"] for tool in hidden.requests[1].tools}


def test_the_exploring_profile_only_reads(bench: Bench) -> None:
    """Its tools that change something are neither shown nor run."""
    bridge = FakeBridge()
    client = FakeClient(
        calls(("toggle_layer", {"layer_id": "a", "visible": True}), ("count_features", GOOD)), answer("Ok.")
    )
    bench.run("buffer it", client, bridge, profile=PROFILES["gis-explore"])
    names = {tool["function"]["name"] for tool in client.requests[0].tools}
    assert {"count_features", "search_layers"} <= names
    assert not names & {"toggle_layer", "zoom_to", "set_render_rule", "buffer_layer"}
    assert bridge.names() == ["count_features"]


def test_the_policy_is_never_wider_than_the_table() -> None:
    """For every tool, profile and pack: what is allowed is in the profile's packs, enabled, and of an allowed effect."""
    for profile in PROFILES.values():
        for enabled in ((), ("write",)):
            permission = PermissionRuntime.from_profile(profile, enabled, "chat")
            for spec in REGISTRY.list_registered():
                expected = (
                    spec.pack in profile.packs
                    and "chat" in spec.callers
                    and (
                        (spec.pack != "write" and (spec.effect != "write" or spec.pack == "default"))
                        or "write" in enabled
                    )
                    and (profile.level != "read_only" or spec.effect == "read")
                    and (profile.tools is None or spec.name in profile.tools)
                    and (profile.mode == "plan" or spec.name != "update_plan")
                )
                assert permission.evaluate(spec).allow is expected, (profile.name, spec.name)


def test_every_tool_rejects_a_bogus_key_and_has_a_callable(bench: Bench) -> None:
    """Strict schemas everywhere; no tool of the contracts is left out by the platform filter."""
    specs = REGISTRY.list_registered()
    assert filter_agent_tools(specs) == list(specs)
    for spec in specs:
        if spec.name in PLAN_ONLY_TOOLS:  # not offered here: refused before its arguments are read
            continue
        envelope = refusal(bench, spec.name, {"bogus_key": 1}, caller=spec.callers[-1])
        assert (envelope["code"], "bogus_key" in envelope["message"]) == ("INVALID_PARAM", True), spec.name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("查一下这三个街道的学校分布,按每平方公里密度分色,再叠加医院", ["vector"]),
        ("buffer the schools by 500 m", ["vector"]),
        ("Buffers around it", ["vector"]),
        ("schools per km² and export them", ["vector", "write"]),
        ("导出学校图层", ["write"]),
        ("show the hospitals", []),
        ("rebuffering", []),
        ("把学校关掉", []),
    ],
)
def test_packs_inferred_from_words(text: str, expected: list[str]) -> None:
    """Whole Latin words, Chinese words anywhere; only packs that are offered."""
    assert sorted(infer_tool_packs_for_text(text, ["default", "vector", "write"])) == expected
    assert "write" not in infer_tool_packs_for_text(text, ["default", "vector"])


@pytest.mark.parametrize(
    ("text", "pack"),
    [
        ("Rotate the map by 30 degrees", "arrange"),
        ("把学校的样式复制给医院", "arrange"),
        ("回到上一个视图", "arrange"),
        ("the names of roads are garbled", "arrange"),
        ("清理临时图层", "arrange"),
        ("load data/roads.gpkg", "data"),
        ("看看 data/销售.xlsx 里有什么", "data"),
        ("加载天地图的在线地图服务", "data"),
        ("draw a histogram of beds", "inspect"),
        ("画医院床位数的直方图", "inspect"),
        ("这个影像的波段和拉伸方式", "inspect"),
        ("make an A4 map with title Schools", "layout"),
        ("把地图导出为规划.png", "layout"),
    ],
)
def test_the_packs_of_everyday_requests(text: str, pack: str) -> None:
    """The pack is shown from the first turn on."""
    offered = ["arrange", "data", "inspect", "layout", "vector", "write"]
    assert pack in infer_tool_packs_for_text(text, offered)


def search(bench: Bench, query: str, **more: Any) -> dict[str, Any]:
    return execute(bench, "search_layers", {"query": query, **more}).envelope


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("schools", "schools"),
        ("SCHOOLS", "schools"),
        ("scools", "schools"),
        ("学校", "schools"),
        ("school 2023", "schools"),
        ("hospital", "hospitals"),
        ("医院", "hospitals"),
        ("医院图层", "hospitals"),
        ("hospitls", "hospitals"),
        ("street", "streets"),
        ("街道", "streets"),
        ("subdistricts", "streets"),
        ("level", "schools"),
        ("名称", "streets"),
        ("行政", "streets"),
    ],
)
def test_layers_are_found_by_words_in_two_languages(bench: Bench, query: str, first: str) -> None:
    """Names, aliases, groups, abstracts, fields; case, slips of the pen, words of the same meaning."""
    envelope = search(bench, query)
    assert envelope["data"]["layers"][0]["layer_id"] == first


def test_search_says_kinds_counts_and_emptiness(bench: Bench) -> None:
    """The row's shape, the filter by kind, nothing found as a success, all for an empty query, a clamp that is said."""
    row = search(bench, "schools")["data"]["layers"][0]
    assert row == {
        "layer_id": "schools",
        "name": "Schools 2023",
        "kind": "point",
        "group": "POI",
        "visible": False,
        "fields": ["level"],
    }
    assert search(bench, "schools", kind="polygon")["data"] == {"layers": [], "total": 0, "returned": 0}
    nothing = search(bench, "volcano")
    assert (nothing["ok"], nothing["data"]["total"]) == (True, 0)
    assert "No layer matches" in nothing["message"]
    everything = search(bench, "", limit=100_000)
    assert everything["data"]["total"] == 3
    assert "clamped to 200" in everything["message"]


def test_search_in_a_big_project_stays_in_the_budget(bench: Bench) -> None:
    """400 layers of 60 fields: under 4,096 bytes, the true total, the right layer first, twelve field names at most."""
    layers = [
        {
            "layer_id": f"layer_{at}",
            "name": f"图层 {at}",
            "fields": [{"name": f"field_{n}_{at}"} for n in range(60)],
            "kind": "point",
        }
        for at in range(400)
    ]
    layers[317]["name"] = "Primary school sites"
    bench.catalogue.replace(layers, "p")
    envelope = search(bench, "学校")
    assert envelope["data"]["layers"][0]["layer_id"] == "layer_317"
    assert len(envelope["data"]["layers"][0]["fields"]) == 12
    whole = search(bench, "", limit=200)
    assert whole["data"]["total"] == 400
    assert whole["data"]["returned"] < 200
    assert size_bytes(whole) <= 4096


def test_a_malformed_catalogue_is_survived() -> None:
    """Entries that are no layers are left out, odd values are read as something harmless."""
    store = CatalogueStore()
    assert store.replace([5, {"name": "x"}, {"layer_id": "a", "kind": 7, "fields": "none"}], "p") == 2
    assert store.layers()[0]["kind"] == "other"
    assert store.replace("nothing", "p") == 1
    assert rank_layers(store.layers(), "a") == []


def test_labels_say_what_runs(bench: Bench) -> None:
    """The progress text with the arguments; braces of a model do not break it."""
    events = ListEvents()
    client = FakeClient(calls(("count_features", {"layer_id": "{0} {layer_id}"}), ("nonsense", {})), answer("Ok."))
    bench.run("count", client, events=events)
    labels = [fields["label"] for kind, fields in events.seen if kind == "tool_started"]
    assert labels == ["Counting {0} {layer_id}", "nonsense"]
