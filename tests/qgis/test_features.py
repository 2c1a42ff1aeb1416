"""Conditions, counting and rows, on several providers; expected values by plain Python."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from osgeo import ogr, osr
from qgis.core import QgsField, QgsVectorFileWriter, QgsVectorLayer
from qgis.PyQt.QtCore import QMetaType

ROWS = [
    ("Alpha", "007", 1, 1.5, "2024-01-31"),
    ("alpha", "7", 2, None, "2024-02-01"),
    ("Beta 50%", "010", None, -3.25, None),
    (None, "10", 4, 1e9, "2025-12-31"),
    ("it's_a\\test", None, 5, 0.1, "2023-06-15"),
]
FIELDS = ("name", "code", "n", "x", "day")


def table(name: str = "t") -> QgsVectorLayer:
    """The rows as a memory layer."""
    definition = (
        "Point?crs=EPSG:4326&field=name:string(50)&field=code:string(10)&field=n:integer&field=x:double&field=day:date"
    )
    return memory_layer(definition, [(f"POINT({i} {i})", list(row)) for i, row in enumerate(ROWS)], name)


def written(layer: QgsVectorLayer, folder: Path, driver: str, suffix: str) -> QgsVectorLayer:
    """The layer as a file, opened again."""
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = driver
    path = folder / f"t{suffix}"
    result = QgsVectorFileWriter.writeAsVectorFormatV3(layer, str(path), layer.transformContext(), options)
    assert result[0] == QgsVectorFileWriter.WriterError.NoError, result
    return QgsVectorLayer(str(path), "t", "ogr")


PROVIDERS = {
    "memory": lambda folder: table(),
    "gpkg": lambda folder: written(table(), folder, "GPKG", ".gpkg"),
    "shp": lambda folder: written(table(), folder, "ESRI Shapefile", ".shp"),
    "geojson": lambda folder: written(table(), folder, "GeoJSON", ".geojson"),
}

CASES: list[tuple[list[dict[str, Any]], Any]] = [
    ([{"field": "name", "op": "eq", "value": "alpha"}], lambda r: r[0] == "alpha"),
    ([{"field": "name", "op": "ne", "value": "alpha"}], lambda r: r[0] != "alpha"),
    ([{"field": "name", "op": "in", "value": ["alpha", "Alpha"]}], lambda r: r[0] in ("alpha", "Alpha")),
    ([{"field": "name", "op": "not_in", "value": ["alpha", "Alpha"]}], lambda r: r[0] not in ("alpha", "Alpha")),
    ([{"field": "code", "op": "eq", "value": "7"}], lambda r: r[1] == "7"),
    ([{"field": "code", "op": "in", "value": ["007", "10"]}], lambda r: r[1] in ("007", "10")),
    ([{"field": "name", "op": "contains", "value": "50%"}], lambda r: "50%" in (r[0] or "").lower()),
    ([{"field": "name", "op": "contains", "value": "LPH"}], lambda r: "lph" in (r[0] or "").lower()),
    ([{"field": "name", "op": "contains", "value": "'s_a\\"}], lambda r: "'s_a\\" in (r[0] or "").lower()),
    ([{"field": "name", "op": "starts_with", "value": "AL"}], lambda r: (r[0] or "").lower().startswith("al")),
    ([{"field": "n", "op": "gt", "value": 1}], lambda r: r[2] is not None and r[2] > 1),
    ([{"field": "n", "op": "lte", "value": 2}], lambda r: r[2] is not None and r[2] <= 2),
    ([{"field": "n", "op": "ne", "value": 2}], lambda r: r[2] != 2),
    ([{"field": "n", "op": "is_null"}], lambda r: r[2] is None),
    ([{"field": "x", "op": "between", "value": [-4, 1.5]}], lambda r: r[3] is not None and -4 <= r[3] <= 1.5),
    ([{"field": "x", "op": "not_null"}], lambda r: r[3] is not None),
    ([{"field": "day", "op": "gte", "value": "2024-02-01"}], lambda r: r[4] is not None and r[4] >= "2024-02-01"),
    ([{"field": "day", "op": "eq", "value": "2024-01-31"}], lambda r: r[4] == "2024-01-31"),
    (
        [{"any_of": [{"field": "n", "op": "eq", "value": 1}, {"field": "code", "op": "eq", "value": "10"}]}],
        lambda r: r[2] == 1 or r[1] == "10",
    ),
    (
        [
            {"field": "n", "op": "gt", "value": 1},
            {"any_of": [{"field": "x", "op": "is_null"}, {"field": "x", "op": "gt", "value": 1}]},
        ],
        lambda r: r[2] is not None and r[2] > 1 and (r[3] is None or r[3] > 1),
    ),
]


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
def test_conditions_mean_the_same_everywhere(bench: Bench, tmp_path: Path, provider: str) -> None:
    """Every operator, on four providers, against plain Python: case, leading zeros, NULL, quotes, % and dates."""
    bench.add(PROVIDERS[provider](tmp_path))
    for where, expected in CASES:
        wanted = [row for row in ROWS if expected(row)]
        assert bench.ok("count_features", layer_id="t", where=where)["count"] == len(wanted), where
        rows = bench.ok("query_features", layer_id="t", where=where, fields=["name", "code"])["rows"]
        assert sorted((r["name"] or "", r["code"] or "") for r in rows) == sorted(
            (r[0] or "", r[1] or "") for r in wanted
        ), where


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ({"field": "nam", "op": "eq", "value": "a"}, "NOT_FOUND"),
        ({"field": "NAME", "op": "eq", "value": "a"}, "NOT_FOUND"),
        ({"field": "name", "op": "gt", "value": "a"}, "INVALID_PARAM"),
        ({"field": "name", "op": "eq", "value": 7}, "INVALID_PARAM"),
        ({"field": "name", "op": "eq"}, "INVALID_PARAM"),
        ({"field": "n", "op": "eq", "value": "7"}, "INVALID_PARAM"),
        ({"field": "n", "op": "eq", "value": True}, "INVALID_PARAM"),
        ({"field": "n", "op": "contains", "value": "7"}, "INVALID_PARAM"),
        ({"field": "n", "op": "in", "value": []}, "INVALID_PARAM"),
        ({"field": "n", "op": "in", "value": 7}, "INVALID_PARAM"),
        ({"field": "n", "op": "between", "value": [1]}, "INVALID_PARAM"),
        ({"field": "n", "op": "is_null", "value": 1}, "INVALID_PARAM"),
        ({"field": "day", "op": "eq", "value": "31.01.2024"}, "INVALID_PARAM"),
        ({"any_of": []}, "INVALID_PARAM"),
        ({"field": "name", "op": "like", "value": "a"}, "INVALID_PARAM"),
    ],
)
def test_what_does_not_fit_is_said(bench: Bench, where: dict[str, Any], code: str) -> None:
    """Wrong fields, operators and values, each with its code and a hint."""
    bench.add(table())
    assert bench.code("count_features", layer_id="t", where=[where]) == code
    assert bench.code("query_features", layer_id="t", where=[where]) == code


def test_virtual_and_joined_fields(bench: Bench) -> None:
    """What the attribute table shows can be asked for."""
    layer = bench.add(table())
    layer.addExpressionField('"n" * 10', QgsField("ten", QMetaType.Type.Int))
    where = [{"field": "ten", "op": "gte", "value": 20}]
    assert bench.ok("count_features", layer_id="t", where=where)["count"] == 3
    assert [
        r["ten"] for r in bench.ok("query_features", layer_id="t", where=where, fields=["ten"], order_by="ten")["rows"]
    ] == [
        20,
        40,
        50,
    ]


def test_order_limit_and_total(bench: Bench) -> None:
    """Sorted rows, the true total, and NULL as null."""
    bench.add(table())
    data = bench.ok("query_features", layer_id="t", fields=["n"], order_by="n", descending=True, limit=2)
    assert [row["n"] for row in data["rows"]] == [5, 4]
    assert (data["total"], data["returned"]) == (5, 2)
    groups = bench.ok("count_features", layer_id="t", group_by="n")
    assert {"value": None, "count": 1} in groups["groups"]
    assert bench.code("count_features", layer_id="t", group_by="m") == "NOT_FOUND"
    assert bench.code("query_features", layer_id="t", order_by="m") == "NOT_FOUND"
    assert bench.code("query_features", layer_id="t", fields=["m"]) == "NOT_FOUND"


def test_nothing_found_is_a_success_that_says_so(bench: Bench) -> None:
    """An empty result is not an error (design section 4)."""
    bench.add(table())
    envelope = bench.call("count_features", layer_id="t", where=[{"field": "n", "op": "gt", "value": 99}])
    assert envelope["ok"]
    assert envelope["data"]["count"] == 0
    assert envelope["message"]


def big_geopackage(path: Path, rows: int) -> None:
    """A GeoPackage with ``rows`` points, written by OGR; every 1000th has kind "b"."""
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(4326)
    layer = source.CreateLayer("big", reference, ogr.wkbPoint)
    layer.CreateField(ogr.FieldDefn("kind", ogr.OFTString))
    layer.StartTransaction()
    for number in range(rows):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetField("kind", "b" if number % 1000 == 0 else "a")
        layer.CreateFeature(feature)
    layer.CommitTransaction()


def test_a_filtered_geopackage_of_100001_rows_is_counted_right(bench: Bench, tmp_path: Path) -> None:
    """featureCount() of QGIS gives the unfiltered number here; the tools must not."""
    path = tmp_path / "big.gpkg"
    big_geopackage(path, 100_001)
    with sqlite3.connect(path) as database:
        expected = database.execute("select count(*) from big where kind = 'b'").fetchone()[0]
    layer = bench.add(QgsVectorLayer(f"{path}|layername=big", "big", "ogr"))
    assert layer.setSubsetString("kind = 'b'")
    assert expected == 101
    assert bench.ok("count_features", layer_id="big")["count"] == expected
    assert bench.ok("describe_layer", layer_id="big")["feature_count"] == expected
    assert bench.ok("query_features", layer_id="big", limit=1)["total"] == expected
