"""Exports by format: what was meant is what OGR finds in the file; what a format cannot hold is told on the card."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Bench, memory_layer
from osgeo import gdal, ogr, osr
from qgis.core import QgsProject, QgsRasterLayer, QgsVectorLayer

AREAS = [
    ("POLYGON((0 0,0 10,10 10,10 0,0 0))", ["甲", 7, 1.5]),
    ("POLYGON((20 0,20 10,30 10,30 0,20 0))", ["007", 8, 2.25]),
    (None, [None, None, None]),
]


@pytest.fixture
def chat(bench: Bench) -> Bench:
    """A person who agrees to everything, three areas (one without a shape) and five points."""
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    definition = "Polygon?crs=EPSG:32650&field=name:string(20)&field=n:integer&field=x:double"
    bench.add(memory_layer(definition, AREAS, "areas"))
    rows = [(f"POINT({500000 + x} {4000000 + x})", [f"学校{x}", x, x * 1.25]) for x in range(5)]
    bench.add(memory_layer(definition.replace("Polygon", "Point"), rows, "points"))
    return bench


OPEN: list[Any] = []
"""GDAL's layers die with their source."""


@pytest.fixture(autouse=True)
def closed_in_the_end() -> Any:
    """Files are closed after each test."""
    yield
    OPEN.clear()


def opened(path: Path, **more: Any) -> Any:
    """The file as OGR reads it."""
    source = gdal.OpenEx(str(path), gdal.OF_VECTOR, **more)
    assert source is not None, path
    OPEN.append(source)
    return source


def lines(bench: Bench) -> dict[str, str]:
    """The card that was shown last."""
    return dict(bench.approver.cards[-1]["lines"])


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("GPKG", "gpkg"),
        ("GeoJSON", "geojson"),
        ("CSV", "csv"),
        ("ESRI Shapefile", "shp"),
        ("FlatGeobuf", "fgb"),
        ("GML", "gml"),
        ("KML", "kml"),
        ("GPX", "gpx"),
        ("DXF", "dxf"),
        ("MapInfo File", "tab"),
        ("XLSX", "xlsx"),
        ("ODS", "ods"),
    ],
)
def test_every_format_is_read_back_by_its_driver(chat: Bench, name: str, suffix: str) -> None:
    """Five rows, the sum 0+1+2+3+4 and the texts; only files of that name in the folder; nothing hidden is left."""
    data = chat.ok("prepare_export_layer", layer_id="points", path=f"出 (1).{suffix}", format=name)
    assert data["feature_count"] == 5
    path = chat.folder / f"出 (1).{suffix}"
    source = opened(path)
    layers = [source.GetLayer(each) for each in range(source.GetLayerCount())]
    layer = next(each for each in layers if each.GetFeatureCount())
    assert layer.GetFeatureCount() == 5
    if name not in ("DXF", "GPX", "KML"):
        features = list(layer)
        assert sum(float(each.GetField("n")) for each in features) == 10
        assert {each.GetField("name") for each in features} == {f"学校{x}" for x in range(5)}
    assert {each.name.split(".")[0] for each in chat.folder.iterdir()} == {"出 (1)"}


def test_a_polygon_stays_a_polygon(chat: Bench) -> None:
    """The layer's own type, not a multi type; the feature without a shape is kept as such."""
    data = chat.ok("prepare_export_layer", layer_id="areas", path="a.gpkg")
    layer = opened(chat.folder / "a.gpkg").GetLayer(0)
    assert layer.GetGeomType() == ogr.wkbPolygon
    assert data["geometry_type"] == "Polygon"
    assert [each.GetGeometryRef().IsEmpty() for each in layer] == [False, False, True]
    assert layer.GetSpatialRef().GetAuthorityCode(None) == "32650"
    assert lines(chat)["Features without geometry"] == "1"


def test_a15_geojson_is_wgs84_with_the_right_hand_rule(chat: Bench) -> None:
    """RFC 7946: (448709.38, 4416830.56) of EPSG:32650 is about 116.4° E, 39.9° N; outer rings run counter-clockwise."""
    ring = "448709.38 4416830.56,448709.38 4416930.56,448809.38 4416930.56,448809.38 4416830.56,448709.38 4416830.56"
    chat.add(memory_layer("Polygon?crs=EPSG:32650&field=a:int", [(f"POLYGON(({ring}))", [1])], "beijing"))
    chat.ok("prepare_export_layer", layer_id="beijing", path="b.geojson", format="GeoJSON")
    content = json.loads((chat.folder / "b.geojson").read_text(encoding="utf-8"))
    corners = content["features"][0]["geometry"]["coordinates"][0]
    transform = osr.CoordinateTransformation(_srs(32650), _srs(4326))
    lon, lat, _ = transform.TransformPoint(448709.38, 4416830.56)
    assert min(abs(each[0] - lon) + abs(each[1] - lat) for each in corners) < 3e-7
    assert (round(lon, 1), round(lat, 1)) == (116.4, 39.9)
    area = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(corners, corners[1:])) / 2
    assert area > 0  # counter-clockwise
    assert "crs" not in content


def _srs(code: int) -> Any:
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(code)
    srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return srs


def test_a47_an_existing_geopackage_is_never_touched(chat: Bench) -> None:
    """Two layers of three features each: the export is refused, and the file is the same to the byte."""
    path = chat.folder / "b5.gpkg"
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    for name in ("one", "two"):
        layer = source.CreateLayer(name, _srs(4326), ogr.wkbPoint)
        for x in range(3):
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT({x} {x})"))
            layer.CreateFeature(feature)
    del layer, feature, source
    before = path.read_bytes()
    envelope = chat.call("prepare_export_layer", layer_id="points", path="b5.gpkg")
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "file_exists")
    assert path.read_bytes() == before
    source = opened(path)
    assert [source.GetLayer(each).GetName() for each in range(source.GetLayerCount())] == ["one", "two"]


def test_a64_a_path_of_chinese_letters_blanks_and_brackets(chat: Bench) -> None:
    """From and into "数据 (一)"."""
    folder = chat.folder / "数据 (一)"
    folder.mkdir()
    chat.ok("prepare_export_layer", layer_id="points", path="数据 (一)/输入.shp", format="ESRI Shapefile")
    chat.add(QgsVectorLayer(str(folder / "输入.shp"), "输入", "ogr"))
    data = chat.ok("prepare_export_layer", layer_id="输入", path="数据 (一)/输出 [2].gpkg")
    layer = opened(folder / "输出 [2].gpkg").GetLayer(0)
    assert (layer.GetFeatureCount(), data["feature_count"]) == (5, 5)
    assert [each.GetField("name") for each in layer] == [f"学校{x}" for x in range(5)]


def test_conditions_selection_and_fields(chat: Bench) -> None:
    """n ≥ 2 among the selected 1, 2, 3 is 2 and 3; two fields in the order that was asked for; the name inside."""
    layer = chat.host.layers.by_alias("points")
    assert layer is not None
    layer.selectByExpression("n in (1, 2, 3)")
    where = [{"field": "n", "op": "gte", "value": 2}]
    options = {"selected_only": True, "fields": ["x", "name"], "layer_name": "chosen"}
    data = chat.ok("prepare_export_layer", layer_id="points", path="c.gpkg", where=where, options=options)
    found = opened(chat.folder / "c.gpkg").GetLayer(0)
    assert found.GetName() == "chosen"
    assert data["fields"] == ["x", "name"]
    assert sorted((each.GetField(0), each.GetField(1)) for each in found) == [(2.5, "学校2"), (3.75, "学校3")]
    chat.ok("prepare_export_layer", layer_id="points", path="d.gpkg", options={"selected_only": True})
    assert opened(chat.folder / "d.gpkg").GetLayer(0).GetFeatureCount() == 3
    layer.removeSelection()
    assert (
        chat.code("prepare_export_layer", layer_id="points", path="e", options={"selected_only": True}) == "AMBIGUOUS"
    )
    assert chat.code("prepare_export_layer", layer_id="points", path="e", options={"fields": ["nam"]}) == "NOT_FOUND"


def test_conditions_are_written_in_the_wanted_crs(chat: Bench) -> None:
    """The one-by-one writer converts as pyproj does."""
    pyproj = pytest.importorskip("pyproj")
    where = [{"field": "n", "op": "eq", "value": 4}]
    chat.ok("prepare_export_layer", layer_id="points", path="f.gpkg", where=where, crs="EPSG:4326")
    feature = opened(chat.folder / "f.gpkg").GetLayer(0).GetNextFeature()
    shape = feature.GetGeometryRef()
    lon, lat = pyproj.Transformer.from_crs(32650, 4326, always_xy=True).transform(500004, 4000004)
    assert (shape.GetX(), shape.GetY()) == pytest.approx((lon, lat), abs=1e-9)


def test_csv_with_points_as_columns_or_without(chat: Bench) -> None:
    """xy gives X and Y, none neither; areas have no single point."""
    for how, columns in (("xy", ["X", "Y", "name", "n", "x"]), ("none", ["name", "n", "x"])):
        path = f"{how}.csv"
        chat.ok("prepare_export_layer", layer_id="points", path=path, format="CSV", options={"csv_geometry": how})
        with open(chat.folder / path, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == columns
        assert (rows[5][-3:-1], float(rows[5][-1])) == (["学校4", "4"], 5)
    options = {"csv_geometry": "xy"}
    assert (
        chat.code("prepare_export_layer", layer_id="areas", path="a", format="CSV", options=options) == "INVALID_PARAM"
    )


def test_leading_zeros_stay_in_a_sheet(chat: Bench) -> None:
    """007 is a text; the first row is a header which GDAL does not guess where all is text."""
    chat.ok("prepare_export_layer", layer_id="areas", path="a.xlsx", format="XLSX", options={"fields": ["name"]})
    layer = opened(chat.folder / "a.xlsx").GetLayer(0)
    assert [each.GetField(0) for each in layer] == ["name", "甲", "007", None]
    assert "left out" in lines(chat)["Geometry"]


def test_a_shapefile_in_gbk(chat: Bench) -> None:
    """The bytes of the .dbf are GBK; what GBK lacks is counted on the card."""
    chat.add(
        memory_layer(
            "Point?crs=EPSG:4326&field=t:string(20)", [("POINT(1 2)", ["武汉"]), ("POINT(1 2)", ["😀"])], "texts"
        )
    )
    options = {"encoding": "GBK"}
    chat.call("prepare_export_layer", layer_id="texts", path="g.shp", format="ESRI Shapefile", options=options)
    assert lines(chat)["Values with letters that the encoding lacks"] == "t: 1"
    chat.ok("prepare_export_layer", layer_id="points", path="p.shp", format="ESRI Shapefile", options=options)
    assert "学校4".encode("gbk") in (chat.folder / "p.dbf").read_bytes()
    assert chat.code("prepare_export_layer", layer_id="points", path="q", options=options) == "INVALID_PARAM"


def test_what_a_format_cannot_hold_is_told(chat: Bench) -> None:
    """M, times, fields of a DXF, digits of a sheet: each in a line of the card, before anything is written."""
    definition = "PointZM?crs=EPSG:4326&field=big:int8&field=when:datetime&field=name:string"
    chat.add(memory_layer(definition, [("POINT ZM(1 2 3 4)", [2**60 + 1, None, "a"])], "zm"))
    chat.ok("prepare_export_layer", layer_id="zm", path="z.geojson", format="GeoJSON")
    assert lines(chat)["Dropped from the geometry"] == "M"
    assert lines(chat)["Changed types"] == "when → text (ISO 8601)"
    chat.ok("prepare_export_layer", layer_id="zm", path="z.dxf", format="DXF")
    assert lines(chat)["Fields left out"] == "big, when, name"
    chat.ok("prepare_export_layer", layer_id="zm", path="z.xlsx", format="XLSX")
    assert lines(chat)["Numbers of which digits are lost"] == "big: 1"
    chat.ok("prepare_export_layer", layer_id="zm", path="z.gpkg")
    assert opened(chat.folder / "z.gpkg").GetLayer(0).GetNextFeature().GetField("big") == 2**60 + 1


def test_unsaved_edits_and_virtual_fields_are_written(chat: Bench) -> None:
    """A point that is not committed yet and "n"*10 as a virtual field (case A56) reach the file; the edits stay open."""
    from qgis.core import QgsFeature, QgsField, QgsGeometry
    from qgis.PyQt.QtCore import QMetaType

    layer = chat.host.layers.by_alias("points")
    assert layer is not None
    layer.addExpressionField('"n"*10', QgsField("ten", QMetaType.Type.Int))
    layer.startEditing()
    feature = QgsFeature(layer.fields())
    feature.setAttributes(["new", 9, 0.0, None])
    feature.setGeometry(QgsGeometry.fromWkt("POINT(500009 4000009)"))
    layer.addFeature(feature)
    chat.ok("prepare_export_layer", layer_id="points", path="u.gpkg")
    found = list(opened(chat.folder / "u.gpkg").GetLayer(0))
    assert sorted(each.GetField("ten") for each in found) == [0, 10, 20, 30, 40, 90]
    assert lines(chat)["Unsaved edits"] == "are written too"
    assert layer.isModified()
    layer.rollBack()


def test_a_file_that_differs_is_not_kept(chat: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that changes a value is found out, and nothing is left in the folder."""
    from qgis_agent.gis.writing import facts

    real = facts._value
    monkeypatch.setattr(facts, "_value", lambda *args: 99.0 if real(*args) == 4.0 else real(*args))
    envelope = chat.call("prepare_export_layer", layer_id="points", path="bad.gpkg")
    assert envelope["code"] == "UPSTREAM_ERROR"
    assert "values of 'n' differ" in envelope["message"]
    assert list(chat.folder.iterdir()) == []


def test_a_failed_write_leaves_nothing(chat: Bench) -> None:
    """A collection does not fit a shapefile: the writer's own words, no file."""
    rows = [("GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1))", [1])]
    chat.add(memory_layer("GeometryCollection?crs=EPSG:4326&field=a:int", rows, "mixed"))
    assert chat.code("prepare_export_layer", layer_id="mixed", path="m", format="ESRI Shapefile") == "UPSTREAM_ERROR"
    assert list(chat.folder.iterdir()) == []


def raster(folder: Path) -> np.ndarray:
    """A 3 x 4 raster with a NoData cell."""
    values = np.arange(12, dtype="float32").reshape(3, 4)
    made = gdal.GetDriverByName("GTiff").Create(str(folder / "src.tif"), 4, 3, 1, gdal.GDT_Float32)
    made.SetGeoTransform((500000, 10, 0, 4000000, 0, -10))
    made.SetProjection(_srs(32650).ExportToWkt())
    made.GetRasterBand(1).SetNoDataValue(5)
    made.GetRasterBand(1).WriteArray(values)
    made.FlushCache()
    del made
    return values


def test_a_raster_is_copied_cell_by_cell(chat: Bench, tmp_path_factory: Any) -> None:
    """The same cells, place, NoData; nothing beside the source or the copy. Resampled only into another CRS."""
    folder = tmp_path_factory.mktemp("source")
    values = raster(folder)
    QgsProject.instance().addMapLayer(QgsRasterLayer(str(folder / "src.tif"), "dem"))
    data = chat.ok("prepare_export_layer", layer_id="dem", path="copy.tif")
    found = gdal.Open(str(chat.folder / "copy.tif"))
    assert np.array_equal(found.ReadAsArray(), values)
    assert found.GetGeoTransform() == (500000, 10, 0, 4000000, 0, -10)
    assert (data["nodata"], data["width"], data["height"]) == (5, 4, 3)
    chat.ok("prepare_export_layer", layer_id="dem", path="wgs", crs="EPSG:4326")
    assert gdal.Open(str(chat.folder / "wgs.tif")).GetSpatialRef().GetAuthorityCode(None) == "4326"
    assert sorted(each.name for each in chat.folder.iterdir()) == ["copy.tif", "wgs.tif"]
    assert [each.name for each in folder.iterdir()] == ["src.tif"]
    assert chat.code("prepare_export_layer", layer_id="dem", path="x", format="CSV") == "INVALID_PARAM"
