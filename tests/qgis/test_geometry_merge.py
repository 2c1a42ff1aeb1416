"""merge_layers: counts, types and places against the inputs and pyproj."""

from __future__ import annotations

from typing import Any

import pyproj
import pytest
from conftest import Bench, memory_layer


def rows_of(bench: Bench, data: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a result as {field: value}, NULL as None, with x and y."""
    found = []
    for each in bench.host.layers.by_alias(data["layer_id"]).getFeatures():
        row = {name: None if str(value) == "NULL" else value for name, value in each.attributeMap().items()}
        if each.hasGeometry():
            row["xy"] = (each.geometry().centroid().asPoint().x(), each.geometry().centroid().asPoint().y())
        found.append(row)
    return found


def test_layers_in_two_crs_with_clashing_types(bench: Bench) -> None:
    """Whole and decimal numbers become numbers (QGIS makes text of them), number and text become text; places convert."""
    bench.add(
        memory_layer(
            "Point?crs=EPSG:4326&field=n:integer&field=v:integer&field=code:integer&field=only:date",
            [("POINT(10 50)", [1, 5, 42, None]), (None, [2, 6, None, None])], "west",
        )
    )  # fmt: skip
    x, y = pyproj.Transformer.from_crs(4326, 3857, always_xy=True).transform(11, 51)
    bench.add(
        memory_layer(
            "MultiPoint?crs=EPSG:3857&field=N:integer&field=v:double&field=code:string(9)",
            [(f"MULTIPOINT(({x!r} {y!r}))", [3, 2.5, "007"])], "east",
        )
    )  # fmt: skip
    data = bench.ok("merge_layers", layer_ids=["west", "east"])
    rows = rows_of(bench, data)
    assert (data["feature_count"], data["crs"]) == (3, "EPSG:4326")
    assert [each["n"] for each in rows] == [1, 2, 3]
    assert [each["v"] for each in rows] == [5.0, 6.0, 2.5]
    assert [each["code"] for each in rows] == ["42", None, "007"]
    assert [each["layer"] for each in rows] == ["west", "west", "east"]
    assert rows[2]["xy"] == pytest.approx((11, 51), abs=1e-8)
    assert "xy" not in rows[1]
    assert set(rows[0]) == {"n", "v", "code", "only", "layer", "xy"}
    assert data["clashes"] == {"v": ["integer", "number"], "code": ["integer", "text"]}
    assert bench.ok("merge_layers", layer_ids=["west", "east"], crs="EPSG:3857")["crs"] == "EPSG:3857"


def test_layers_that_cannot_be_merged(bench: Bench) -> None:
    """Other kinds, the same layer twice, a name that is taken, empty layers; nothing is added."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=layer:integer", [("POINT(1 1)", [1])], "a"))
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(1 1)", [])], "b"))
    bench.add(memory_layer("LineString?crs=EPSG:4326", [("LINESTRING(1 1,2 2)", [])], "line"))
    for name in ("e", "f"):
        bench.add(memory_layer("Point?crs=EPSG:4326", [], name))
    assert bench.code("merge_layers", layer_ids=["a", "line"]) == "UNSUPPORTED"
    assert bench.code("merge_layers", layer_ids=["a", "a"]) == "INVALID_PARAM"
    assert bench.code("merge_layers", layer_ids=["a", "b"]) == "INVALID_PARAM"
    assert bench.code("merge_layers", layer_ids=["e", "f"]) == "NOT_FOUND"
    assert bench.host.created_layers == []
    data = bench.ok("merge_layers", layer_ids=["a", "b", "e"], source_field="from")
    assert [each["feature_count"] for each in data["parts"]] == [1, 1, 0]


def test_tables_merge_too(bench: Bench) -> None:
    """Two tables without geometry."""
    for number in (1, 2):
        bench.add(memory_layer("None?field=k:integer", [(None, [number]), (None, [None])], f"t{number}"))
    data = bench.ok("merge_layers", layer_ids=["t1", "t2"])
    assert [(each["k"], each["layer"]) for each in rows_of(bench, data)] == [
        (1, "t1"),
        (None, "t1"),
        (2, "t2"),
        (None, "t2"),
    ]
