"""Geometry that a model wrote, before it crosses the bridge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import REGISTRY, Bench, FakeBridge

from qgis_agent.agent.execution.geometry import geometry_problem
from qgis_agent.agent.governance.factory import build_single_call_runtime
from qgis_agent.agent.governance.profile import PROFILES
from qgis_agent.agent.llm.types import ToolCall


@pytest.mark.parametrize(
    "wkt",
    [
        "POINT(116.4 39.9)",
        "LINESTRING(0 0, 1 1)",
        "POLYGON((0 0, 1 0, 1 1, 0 0))",
        "MULTIPOINT((-180 -90), (180 90))",
        "POINT Z (1 2 3)",
    ],
)
def test_good_geometry_passes(wkt: str) -> None:
    """Also at the edges of the earth."""
    assert geometry_problem({"name": "x", "features": [{"wkt": wkt}]}) is None


@pytest.mark.parametrize(
    ("wkt", "said", "hint"),
    [
        ("POINT(116.4, 39.9)", "no WKT", "POINT"),
        ("POLYGON((0 0, 1 1", "no WKT", "POINT"),
        ("hello", "no WKT", "POINT"),
        ("POINT EMPTY", "empty", "leave"),
        ("POINT(nan 1)", "finite", "numbers"),
        ("LINESTRING(0 0, inf 1)", "finite", "numbers"),
        ("POINT(39.9 116.4)", "swapped", "longitude first"),
        ("POINT(448709 4416830)", "not on the earth", "metres"),
        ("POINT(181 0)", "beyond 180", "182 is -178"),
        ("POLYGON((179 0, 181 0, 181 1, 179 0))", "beyond 180", "split"),
        ("CIRCULARSTRING(0 0, 1 1, 2 0)", "curves", "points along it"),
        ("CURVEPOLYGON(CIRCULARSTRING(0 0, 1 1, 2 0, 1 -1, 0 0))", "curves", "points along it"),
        ("COMPOUNDCURVE((0 0, 1 1))", "curves", "points along it"),
        ("MULTISURFACE(((0 0, 1 1, 1 0, 0 0)))", "curves", "points along it"),
        ("TRIANGLE((0 0, 1 1, 1 0, 0 0))", "no WKT", "POINT"),
        ("SRID=4326;POINT(1 2)", "no WKT", "POINT"),
        ("POLYGON((0 0, 1 1))", "no WKT", "POINT"),
        ("POLYGON((0 0, 1 1, 1 0, 0 1, 0 0))", "Self-intersection", "crossing"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(wkt: str, said: str, hint: str) -> None:
    """The second of two features."""
    envelope = geometry_problem({"features": [{"wkt": "POINT(1 1)"}, {"wkt": wkt}]})
    assert envelope is not None
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "geometry")
    assert envelope["message"].startswith("features[1].wkt") and said in envelope["message"]
    assert hint in envelope["hint"]


@pytest.mark.parametrize("inner", ["CIRCULARSTRING(0 0, 1 1, 2 0)", "CURVEPOLYGON((0 0, 1 1, 1 0, 0 0))"])
def test_curves_in_a_collection_do_not_break_the_check(inner: str) -> None:
    """Whatever shapely makes of them, it is an answer and no exception."""
    envelope = geometry_problem({"features": [{"wkt": f"GEOMETRYCOLLECTION({inner})"}]})
    assert envelope is None or envelope["code"] == "INVALID_PARAM"


def test_a_bad_geometry_does_not_cross_the_bridge(tmp_path: Path) -> None:
    """Through ToolRuntime."""
    bridge = FakeBridge()
    runtime = build_single_call_runtime(REGISTRY, Bench(tmp_path).context(bridge, caller="cli"), PROFILES["gis-build"])
    arguments: dict[str, Any] = {"name": "spot", "features": [{"wkt": "POINT(39.9 116.4)"}]}
    prepared = runtime.prepare(ToolCall("c1", "add_temp_layer", json.dumps(arguments)))
    assert prepared.refused is not None and prepared.refused["reason"] == "geometry"
    arguments["features"][0]["wkt"] = "POINT(116.4 39.9)"
    assert runtime.prepare(ToolCall("c1", "add_temp_layer", json.dumps(arguments))).refused is None
