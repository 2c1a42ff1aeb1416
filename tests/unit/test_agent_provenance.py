"""Which numbers an answer holds, and where each comes from. Values are written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, answer, calls

from qgis_agent.agent.records.numbers import numbers_in
from qgis_agent.agent.records.provenance import (
    Source,
    sources_of_arguments,
    sources_of_request,
    sources_of_result,
    trace_numbers,
)
from qgis_agent.bridge.envelope import failure, success

NAMES = ["golden_1", "街道A", "DEM 30m", "2020年人口", "roads_2023"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("共12所学校", [12]),
        ("每平方公里 6.49，7.84 和 2.38", [6.49, 7.84, 2.38]),
        ("4.4~7.8 所", [4.4, 7.8]),
        ("4.4–7.8", [4.4, 7.8]),
        ("4-8", [4, 8]),
        ("12%", [12]),
        ("12 %", [12]),
        ("1,234 features", [1234]),
        ("1,234,567.5 m", [1234567.5]),
        ("12,8 and 5", [12, 8, 5]),
        ("-5 °C", [-5]),
        ("温度-5度", [-5]),
        ("(−3.5)", [-3.5]),
        ("2024-05-01", [2024, 5, 1]),
        ("in 2023.", [2023]),
        ("1.85km² or 1.85 km2 or 500m", [1.85, 1.85, 500]),
        ("1.5e6 m²", [1.5e6]),
        ("1２．5", [12.5]),
        ("第3类", [3]),
        ("街道A", []),
        ("街道A 6.49", [6.49]),
        ("golden_1", []),
        ("layer roads_2023 and B2 and v1.2.3 and 1.2.3", []),
        ("#a1b2c3 and #123456", []),
        ("EPSG:4326", []),
        ("DEM 30m has 30 rows", [30]),
        ("2020年人口 有 2020 行", [2020]),
        ("a 3D view, 3d_model, 2b4f", []),
        ("1. first\n2. second 7", [7]),
        ("1) first 7\n", [7]),
        ("three", []),
        ("三个", []),
    ],
)
def test_numbers_of_a_text(text: str, expected: list[float]) -> None:
    """Ranges, per cent, thousands, signs, units, dates; identifiers, names and list marks are none."""
    assert [each.value for each in numbers_in(text, NAMES)] == expected


def source_of(answer: str, *sources: Source) -> list[str | None]:
    return [each["source"] and each["source"]["path"] for each in trace_numbers(answer, sources, NAMES)]


def result(data: Any, step: int = 1, tool: str = "stat_by_polygon") -> list[Source]:
    return sources_of_result(step, tool, success(data))


@pytest.mark.parametrize(
    ("answer", "value", "found"),
    [
        ("6.49", 6.486486, True),
        ("6.5", 6.486486, True),
        ("6", 6.486486, True),
        ("7", 6.486486, False),
        ("6.48", 6.486486, False),
        ("6.4865", 6.486486, True),
        ("6.4866", 6.486486, False),
        ("12%", 0.12, True),
        ("12.3%", 0.1234, True),
        ("1.2 km", 1234, True),
        ("1.25 km²", 1_250_000, True),
        ("1.3 万", 13_000, True),
        ("1.25亿", 125_000_000, True),
        ("1250 m", 1.25, True),
        ("12500", 1.25, True),
        ("125", 12.5, False),
        ("5", 5000, True),
        ("5", 5400, False),
        ("-5", 5, False),
        ("-5.2", -5.23, True),
        ("0", 0.4, True),
        ("0", 100, False),
        ("1,234", 1234, True),
        ("1,200", 1234, False),
    ],
)
def test_equal_at_the_digits_shown_up_to_a_unit(answer: str, value: float, found: bool) -> None:
    """Rounding half up at the digits that are shown; factors 100, 1e3, 1e4, 1e6, 1e8 and inverses, and no others."""
    assert source_of(answer, *result({"v": value})) == ["data.v" if found else None]


ROWS = result(
    {
        "layer_id": "schools_per_streets",
        "rows": [
            {"name": "街道A", "count": 12, "area_km2": 1.85, "density_per_km2": 6.486},
            {"name": "街道B", "count": 8, "area_km2": 1.02, "density_per_km2": 7.843},
            {"name": "街道C", "count": 5, "area_km2": 2.1, "density_per_km2": 2.381},
        ],
        "total": 25,
    },
    step=2,
)


def test_the_golden_answer_is_sourced_number_by_number() -> None:
    """Each number has step, tool and path."""
    text = "三个街道共有学校 25 所。每平方公里的学校数：街道A 6.49，街道B 7.84，街道C 2.38。"
    traced = trace_numbers(text, ROWS, NAMES)
    assert [(each["text"], each["source"]["path"]) for each in traced] == [
        ("25", "data.total"),
        ("6.49", "data.rows[0].density_per_km2"),
        ("7.84", "data.rows[1].density_per_km2"),
        ("2.38", "data.rows[2].density_per_km2"),
    ]
    assert {(each["source"]["step"], each["source"]["tool"]) for each in traced} == {(2, "stat_by_polygon")}


@pytest.mark.parametrize("text", ["4.4~7.8 所/平方公里", "4.4–7.8", "4.4-7.8", "4.4 至 7.8", "4.4 to 7.8", "4.4%~7.8%"])
def test_a_range_is_one_statement(text: str) -> None:
    """7.8 alone would round from 7.843; with an invented lower end the range has no source at all."""
    assert [each["source"] for each in trace_numbers(text, ROWS)] == [None, None]
    assert None not in source_of("2.38~7.84", *ROWS)
    assert source_of("7.8", *ROWS) != [None]


def test_the_request_and_arguments_of_successful_calls_are_sources() -> None:
    """A result comes before the request, the request before an argument."""
    request = sources_of_request("把学校做 500 米缓冲")
    arguments = sources_of_arguments(
        1, "buffer_layer", {"distance_m": 500.0, "where": [{"field": "a", "op": "eq", "value": 7}]}
    )
    assert trace_numbers("0.5 km", request)[0]["source"] == {"step": 0, "tool": "request", "path": "text"}
    assert trace_numbers("500 m", [*arguments, *request])[0]["source"]["tool"] == "request"
    assert source_of("7", *arguments) == ["arguments.where[0].value"]


def test_a_failed_call_lends_no_numbers() -> None:
    """A hint repeats what a model made up; only candidates that a tool offered count."""
    failed = failure("INVALID_PARAM", "44.4 is too much", hint="at most 20")
    assert sources_of_result(1, "x", failed) == []
    offered = failure("AMBIGUOUS", "two", options=[{"label": "金星 (330101)"}])
    assert source_of("330101", *sources_of_result(1, "resolve_place", offered)) == ["data.options[0].label"]


def test_what_a_failure_says_of_the_data_is_a_source_and_what_it_repeats_is_not() -> None:
    """The host counted the places; the number in the question is the model's, in other units as well."""
    ambiguous = failure("AMBIGUOUS", "'Springfield 44' can mean 3 places.", hint="Choose one of 12 layers, not 5000 m.")
    given = {"text": "Springfield 44", "distance_km": 5}
    found = sources_of_result(1, "resolve_place", ambiguous, given)
    assert [(each.value, each.path) for each in found] == [(3, "message"), (12, "hint")]
    assert sources_of_result(1, "x", failure("INVALID_PARAM", "7 is too much", hint="at most 20"), {}) == []


def test_text_and_places_are_sources_as_they_stand_only() -> None:
    """A code in a text is one; by a factor it is none, nor is a coordinate; colours and handles are none at all."""
    data = {
        "code": "330110001",
        "bbox": [120.15, 30.2, 120.3, 30.4],
        "color": "#440154",
        "result_ref": "query:5f3a-4444-8a",
        "groups": {"2019": 3},
    }
    found = result(data)
    assert source_of("330110001", *found) == ["data.code"]
    assert source_of("330110.001", *found) == [None]
    assert source_of("120.15", *found) == ["data.bbox[0]"]
    assert source_of("12015", *found) == [None]
    assert source_of("4444", *found) == [None]
    assert source_of("2019", *found) == ["data.groups"]


def test_true_is_no_number() -> None:
    """JSON's true equals 1 in Python."""
    assert source_of("1", *result({"ok": True, "visible": True})) == [None]


def test_what_was_learnt_earlier_in_the_session_is_a_source(tmp_path: Any) -> None:
    """A follow-up may repeat a number of the run before; step 0 says that it is from there."""
    from agent_fakes import Bench, FakeBridge, FakeClient, answer, calls

    bench = Bench(tmp_path, snapshot={"layers": 7})
    bench.run(
        "count",
        FakeClient(calls(("count_features", {"layer_id": "schools"})), answer("25.")),
        FakeBridge(count_features=success({"count": 25})),
    )
    report = bench.run("and in words?", FakeClient(answer("25 of 7 layers, 31 not known.")))
    assert [each["source"] for each in report["numbers"]] == [
        {"step": 0, "tool": "count_features", "path": "data.count"},
        {"step": 0, "tool": "map_snapshot", "path": "data.layers"},
        None,
    ]


def test_a_count_of_an_ambiguous_answer_is_verified_in_its_run_and_in_the_next(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bridge = FakeBridge(resolve_place=failure("AMBIGUOUS", "'Springfield 44' can mean 37 places.", hint="Say more."))
    client = FakeClient(calls(("resolve_place", {"text": "Springfield 44"})), answer("37 places, and 44."))
    report = bench.run("Where is it?", client, bridge)
    assert {each["text"]: each["source"] is not None for each in report["numbers"]} == {"37": True, "44": False}
    again = bench.run("And?", FakeClient(answer("As I said: 37 places, and 44.")), FakeBridge())
    assert {each["text"]: each["source"] is not None for each in again["numbers"]} == {"37": True, "44": False}


@pytest.mark.parametrize(
    "text", ["in WGS 84", "WGS84 / UTM", "NAD 83", "CGCS 2000 高斯", "坐标系为 WGS 84，", "EPSG:4326 - WGS 84"]
)
def test_numbers_of_a_datum_are_part_of_its_name(text: str) -> None:
    assert numbers_in(text) == [] and [each.value for each in numbers_in(f"{text} 7 ")] == [7.0]


def test_what_the_run_found_goes_before_the_map_and_values_before_labels() -> None:
    """8 schools come from the count and not from the 8 layers of the map; 2.38 from the value 2.381 and not from a label."""
    sources = [
        *result({"layers": 8}, step=0, tool="map_snapshot"),
        *result({"classes": [{"label": "2.38 – 6.49"}]}, step=1, tool="set_render_rule"),
        *result({"count": 8, "density": 2.381}, step=2),
    ]
    assert source_of("8 schools, 2.38 per km²", *sources) == ["data.count", "data.density"]
    assert source_of("2 of 8", *result({"a": 2.4}), *result({"text": "2"}), *sources[:1])[0] == "data.text"


def test_the_help_of_the_offline_commands_states_no_numbers(tmp_path: Path) -> None:
    """Its examples (top 3, 500 m) are from no earlier run; a model's answer without calls is checked as ever."""
    bench = Bench(tmp_path)
    first = FakeClient(calls(("count_features", {"layer_id": "schools"})), answer("500."))
    bench.run("count", first, FakeBridge(count_features=success({"count": 500})))
    offline = FakeClient(answer("buffer schools 500 m"))
    offline.kind = "offline"
    assert bench.run("help", offline)["numbers"] == []
    assert bench.run("help", FakeClient(answer("buffer schools 500 m")))["numbers"] != []
