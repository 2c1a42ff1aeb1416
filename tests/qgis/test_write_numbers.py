"""Exports change no number, text or place without a word: compared with Python's csv, json and OGR."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from osgeo import gdal
from qgis.PyQt.QtCore import QDate, QDateTime

NUMBERS = [1e-9, 0.1 + 0.2, 1 / 3, 12345678901234.566, -0.0]


@pytest.fixture
def chat(bench: Bench) -> Bench:
    """Numbers with more decimals than "double" of a layer in memory is declared with (5), and texts that look like numbers."""
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    definition = "PointZ?crs=EPSG:4326&field=t:string&field=n:integer&field=big:long&field=x:double&field=yes:boolean"
    texts = ["007", 'a "b", c\nd', "", None, "1e5"]
    rows = [
        (f"POINT Z ({8.123456789012 + k} {47.1 + k} {k + 0.5})", [text, k, 9_000_000_000 + k, x, k % 2 == 0])
        for k, (text, x) in enumerate(zip(texts, NUMBERS))
    ]
    bench.add(memory_layer(definition, rows, "numbers"))
    return bench


OPEN: list[Any] = []
"""GDAL's layers die with their source, so it is kept until the test has ended."""


@pytest.fixture(autouse=True)
def closed_in_the_end() -> Iterator[None]:
    yield
    OPEN.clear()


def layer_of(path: Path) -> Any:
    """The first layer of a file, as OGR reads it."""
    OPEN.append(gdal.OpenEx(str(path), gdal.OF_VECTOR))
    return OPEN[-1].GetLayer(0)


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def card(bench: Bench) -> dict[str, str]:
    return dict(bench.approver.cards[-1]["lines"])


@pytest.mark.parametrize("more", [{}, {"where": [{"field": "n", "op": "gte", "value": 0}]}])
def test_a_csv_has_bare_numbers_and_quoted_texts(chat: Bench, more: dict[str, Any]) -> None:
    """The bytes: 7 is a number, "007" a text, NULL nothing, "" an empty text; every number is read as the same one."""
    chat.ok("prepare_export_layer", layer_id="numbers", path="n.csv", format="CSV", **more)
    path = chat.folder / "n.csv"
    first = path.read_bytes().decode("utf-8").split("\r\n")[:2]
    assert first[0] == '"WKT","t","n","big","x","yes"'
    assert first[1].endswith('","007",0,9000000000,1e-09,true')
    found = rows_of(path)
    assert [float(each[4]) for each in found[1:]] == NUMBERS
    assert [each[1] for each in found[1:]] == ["007", 'a "b", c\nd', "", "", "1e5"]
    text = path.read_bytes().decode("utf-8")
    assert ',"",2,' in text and ",,3," in text, "an empty text is another thing than NULL"
    assert found[1][0] == "POINT Z (8.123456789012 47.1 0.5)"


def test_a_csv_with_columns_has_all_digits_and_the_height(chat: Bench) -> None:
    chat.ok("prepare_export_layer", layer_id="numbers", path="n.csv", format="CSV", options={"csv_geometry": "xy"})
    found = rows_of(chat.folder / "n.csv")
    assert found[0][:3] == ["X", "Y", "Z"]
    assert [float(each) for each in found[1][:3]] == [8.123456789012, 47.1, 0.5]


def test_dates_of_a_csv_are_iso(chat: Bench) -> None:
    when = QDateTime.fromString("2024-05-31T12:30:01", "yyyy-MM-ddTHH:mm:ss")
    rows = [(None, [QDate(2024, 1, 2), when]), (None, [None, None])]
    chat.add(memory_layer("None?field=d:date&field=w:datetime", rows, "dates"))
    chat.ok("prepare_export_layer", layer_id="dates", path="d.csv", format="CSV")
    assert rows_of(chat.folder / "d.csv")[1:] == [["2024-01-02", "2024-05-31T12:30:01"], ["", ""]]


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("GPKG", "gpkg"),
        ("GeoJSON", "geojson"),
        ("FlatGeobuf", "fgb"),
        ("GML", "gml"),
        ("MapInfo File", "tab"),
        ("XLSX", "xlsx"),
        ("ODS", "ods"),
    ],
)
def test_numbers_keep_the_digits_that_a_field_does_not_declare(chat: Bench, name: str, suffix: str) -> None:
    """QGIS's writer rounds 1/3 to 0.33333, since the field says 5 decimals; the layer holds 1/3."""
    chat.ok("prepare_export_layer", layer_id="numbers", path="n", format=name, options={"fields": ["x"]})
    layer = layer_of(chat.folder / f"n.{suffix}")
    found = sorted(each.GetField("x") for each in layer)
    assert all(math.isclose(one, other, rel_tol=1e-14) for one, other in zip(found, sorted(NUMBERS))), found


def test_a_shapefile_says_which_numbers_it_cuts(chat: Bench) -> None:
    """Three of the numbers have more than the five decimals: 1e-9, 1/3 and 0.1 + 0.2 (that only by 4e-17: no loss)."""
    chat.ok(
        "prepare_export_layer", layer_id="numbers", path="n", format="ESRI Shapefile", options={"fields": ["n", "x"]}
    )
    assert card(chat)["Numbers cut to the decimals of their field"] == "x: 2"


def test_geojson_has_nine_decimals_and_says_so(chat: Bench) -> None:
    """RFC 7946 of GDAL has seven, which are 1 cm."""
    chat.ok("prepare_export_layer", layer_id="numbers", path="n.geojson", format="GeoJSON")
    content = json.loads((chat.folder / "n.geojson").read_text(encoding="utf-8"))
    assert content["features"][0]["geometry"]["coordinates"][:2] == [8.123456789, 47.1]
    assert card(chat)["Coordinates"].startswith("9 decimals")


def test_small_numbers_that_are_lost_are_found_out(chat: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column of 1e-8: zeros instead differ, although their sum does by 2e-8 only."""
    from qgis_agent.gis.writing import facts

    chat.add(memory_layer("None?field=x:double(0,0)", [(None, [1e-8]), (None, [1e-8])], "tiny"))
    real = facts._value
    monkeypatch.setattr(facts, "_value", lambda *args: 0.0 if real(*args) == 1e-8 else real(*args))
    assert chat.code("prepare_export_layer", layer_id="tiny", path="t.gpkg") == "UPSTREAM_ERROR"
    assert list(chat.folder.iterdir()) == []


def test_names_that_a_format_does_not_take(chat: Bench) -> None:
    """Fields called as a GeoPackage's own columns, as CSV's shape, with blanks, and two that differ by case only."""
    definition = (
        "Point?crs=EPSG:4326&field=fid:string&field=geom:string&field=WKT:string&field=a b:int&field=A:int&field=a:int"
    )
    chat.add(memory_layer(definition, [("POINT(1 2)", ["x", "y", "w", 2, 3, 4])], "names"))
    values = {"x", "y", "w", "2", "3", "4"}
    for name, suffix, more in (
        ("GPKG", "gpkg", "a → a_1"),
        ("GML", "gml", "a b → a_b; a → a_1"),
        ("CSV", "csv", "WKT → WKT_1"),
    ):
        chat.ok("prepare_export_layer", layer_id="names", path="names", format=name)
        assert card(chat).get("Renamed fields") == more
        feature = layer_of(chat.folder / f"names.{suffix}").GetNextFeature()
        assert values <= {feature.GetFieldAsString(each) for each in range(feature.GetFieldCount())}


def test_curves_reach_a_file(chat: Bench) -> None:
    """A circle of radius 5 as a shapefile: its area is pi * 25 but for what its many points cut off."""
    circle = "CURVEPOLYGON(CIRCULARSTRING(0 0,5 5,10 0,5 -5,0 0))"
    chat.add(memory_layer("CurvePolygon?crs=EPSG:3857&field=n:int", [(circle, [1])], "circle"))
    for name, suffix in (("ESRI Shapefile", "shp"), ("DXF", "dxf"), ("CSV", "csv")):
        chat.ok("prepare_export_layer", layer_id="circle", path="circle", format=name)
        feature = layer_of(chat.folder / f"circle.{suffix}").GetNextFeature()
        if name != "DXF":
            assert feature.GetGeometryRef().GetArea() == pytest.approx(math.pi * 25, rel=1e-3)


def test_mapinfo_says_that_it_has_no_null_and_how_it_rounds(chat: Bench) -> None:
    """NULL numbers are 0 in a TAB; coordinates in degrees are kept to 1e-6, which is no reason to refuse them."""
    rows = [("POINT(114.123456789 30.987654321)", [None]), ("POINT(1 2)", [7])]
    chat.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", rows, "nulls"))
    chat.ok("prepare_export_layer", layer_id="nulls", path="t", format="MapInfo File")
    assert card(chat)["NULL becomes 0 (MapInfo has no NULL numbers)"] == "n: 1"
    assert card(chat)["Coordinates"].startswith("rounded")


def test_multipart_shapes_of_a_dxf_and_tables_without_shapes(chat: Bench) -> None:
    """A DXF has no multipart shapes: it has more entities than features. Formats of shapes refuse a table at once."""
    wkt = "MULTIPOLYGON(((0 0,0 1,1 1,0 0)),((5 5,5 6,6 6,5 5)))"
    chat.add(memory_layer("MultiPolygon?crs=EPSG:3857&field=n:int", [(wkt, [1])], "multi"))
    chat.ok("prepare_export_layer", layer_id="multi", path="m.dxf", format="DXF")
    assert layer_of(chat.folder / "m.dxf").GetFeatureCount() == 2
    chat.add(memory_layer("None?field=n:int", [(None, [1])], "table"))
    for name in ("ESRI Shapefile", "FlatGeobuf", "KML", "GPX", "DXF"):
        envelope = chat.call("prepare_export_layer", layer_id="table", path="t", format=name)
        assert (envelope["code"], "has none" in envelope["message"]) == ("INVALID_PARAM", True)


def test_geometry_collections_are_written_as_such(chat: Bench) -> None:
    """QGIS says of such a layer that it is not spatial: its shapes were left out of a CSV without a word."""
    wkt = "GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1))"
    chat.add(memory_layer("GeometryCollection?crs=EPSG:4326&field=n:int", [(wkt, [1])], "collection"))
    chat.ok("prepare_export_layer", layer_id="collection", path="c", format="CSV")
    assert rows_of(chat.folder / "c.csv")[1] == [wkt, "1"]
    chat.ok("prepare_export_layer", layer_id="collection", path="c.gpkg")
    assert layer_of(chat.folder / "c.gpkg").GetNextFeature().GetGeometryRef().GetGeometryCount() == 2
    envelope = chat.call("prepare_export_layer", layer_id="collection", path="c", format="GeoJSON")
    assert envelope["reason"] == "crs", "QGIS keeps no CRS for it, so that nothing can be converted"
