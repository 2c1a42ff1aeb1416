"""describe_layer: what an analyst has to know, of every kind of layer. Expected values are made with the data."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsAnnotationLayer,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransformContext,
    QgsFeature,
    QgsField,
    QgsGeometry,
    QgsGroupLayer,
    QgsMeshLayer,
    QgsPointCloudLayer,
    QgsPointXY,
    QgsProject,
    QgsRasterLayer,
    QgsVectorFileWriter,
    QgsVectorLayer,
    QgsVectorLayerJoinInfo,
    QgsVectorTileLayer,
)
from qgis.PyQt.QtCore import QMetaType


def saved(layer: QgsVectorLayer, path: Path, driver: str, encoding: str = "UTF-8") -> QgsVectorLayer:
    """A layer written to a file."""
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName, options.fileEncoding = driver, encoding
    code, message, *_ = QgsVectorFileWriter.writeAsVectorFormatV3(
        layer, str(path), QgsCoordinateTransformContext(), options
    )
    assert code == QgsVectorFileWriter.WriterError.NoError, message
    return QgsVectorLayer(str(path), path.stem, "ogr")


def field(data: dict[str, Any], name: str) -> dict[str, Any]:
    """The entry of a field."""
    return next(each for each in data["fields"] if each["name"] == name)


def test_what_an_analyst_needs(bench: Bench, tmp_path: Path) -> None:
    """CRS, unit, kind, true extent under a filter, exact count, NULL shares, aliases, encoding, style, scale, filter."""
    rows = [(f"POINT({500000 + i * 1000} {3300000 + i * 1000})", [i, None if i % 4 else "x", 1.5]) for i in range(12)]
    made = memory_layer("Point?crs=EPSG:32650&field=n:int&field=t:string(5)&field=v:double", rows, "stations")
    layer = bench.add(saved(made, tmp_path / "stations.gpkg", "GPKG"))
    layer.setFieldAlias(layer.fields().indexOf("t"), "标识")
    assert layer.setSubsetString('"n" >= 8')
    layer.setScaleBasedVisibility(True)
    layer.setMinimumScale(50000)
    layer.setMaximumScale(1000)
    layer.setOpacity(0.4)
    data = bench.ok("describe_layer", layer_id="stations")
    assert (data["crs"], data["crs_unit"], data["crs_kind"]) == ("EPSG:32650", "meters", "projected")
    assert (data["feature_count"], data["count_kind"]) == (4, "exact")
    assert data["extent"] == [508000, 3308000, 511000, 3311000]
    assert data["bbox"] == pytest.approx([117.083, 29.90, 117.115, 29.93], abs=0.01)
    assert (data["kind"], data["type"], data["geometry"], data["provider"]) == ("point", "vector", "Point", "ogr")
    assert data["file"] == "stations.gpkg"
    assert field(data, "t") == {"name": "t", "type": "text", "alias": "标识", "null_share": 0.75}
    assert "null_share" not in field(data, "v")
    assert data["filter"] == '"n" >= 8'
    assert data["scale_range"] == [50000, 1000]
    assert data["style"] == "singleSymbol, opacity 40 %"
    assert data["spatial_index"] is True
    assert data["encoding"] == "UTF-8"
    assert any("filter is in force" in each for each in data["warnings"])


def test_a53_an_open_edit_is_said(bench: Bench) -> None:
    """Edit mode with unsaved changes: counted with them, said, neither committed nor rolled back."""
    rows = [(f"POINT({i} {i})", [i]) for i in range(3)]
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=a:int", rows, "points"))
    layer.startEditing()
    assert bench.ok("describe_layer", layer_id="points")["editing"] == "no changes"
    feature = QgsFeature(layer.fields())
    feature.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(5, 5)))
    layer.addFeature(feature)
    data = bench.ok("describe_layer", layer_id="points")
    assert (data["editing"], data["feature_count"]) == ("unsaved changes", 4)
    assert any("unsaved changes" in each for each in data["warnings"])
    assert layer.isEditable()
    assert layer.isModified()
    layer.rollBack()


def test_a56_virtual_and_joined_fields_are_marked(bench: Bench) -> None:
    """A virtual field and one that a join brings in are no fields of the data."""
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=a:int", [("POINT(0 0)", [2])], "points"))
    layer.addExpressionField('"a"*10', QgsField("virt", QMetaType.Type.Int))
    table = bench.add(memory_layer("NoGeometry?field=key:int&field=title:string(9)", [(None, [2, "two"])], "names"))
    join(layer, table, "a", "key")
    data = bench.ok("describe_layer", layer_id="points")
    assert field(data, "virt")["origin"] == "virtual"
    assert field(data, "names_title")["origin"] == "joined"
    assert "origin" not in field(data, "a")
    assert data["joins"] == [{"layer_id": "names", "field": "a", "join_field": "key"}]


def join(layer: QgsVectorLayer, table: QgsVectorLayer, target: str, key: str) -> None:
    """Join a table by a key."""
    info = QgsVectorLayerJoinInfo()
    info.setJoinLayer(table)
    info.setTargetFieldName(target)
    info.setJoinFieldName(key)
    info.setUsingMemoryCache(True)
    assert layer.addJoin(info)


def test_a63_keys_that_stand_twice_in_a_joined_table(bench: Bench) -> None:
    """Key 01001 stands twice: of each such key only one row is used, and that is said."""
    rows = [(f"POINT({i} {i})", [f"0100{i}"]) for i in range(1, 4)]
    layer = bench.add(memory_layer("Point?crs=EPSG:32650&field=code:string(5)", rows, "towns"))
    keys = [(None, [key, number]) for number, key in enumerate(["01001", "01001", "01002", "01003"])]
    table = bench.add(memory_layer("NoGeometry?field=code:string(5)&field=pop:int", keys, "census"))
    join(layer, table, "code", "code")
    data = bench.ok("describe_layer", layer_id="towns")
    assert data["feature_count"] == 3
    assert any("'census' has 1 keys in several rows" in each for each in data["warnings"])
    table.dataProvider().deleteFeatures([next(iter(table.getFeatures('"pop" = 1'))).id()])
    assert not any("several rows" in each for each in bench.ok("describe_layer", layer_id="towns")["warnings"])
    table.setDataSource("/nope/census.csv", "census", "ogr")
    assert any("does not work" in each for each in bench.ok("describe_layer", layer_id="towns")["warnings"])


def test_a58_a_missing_file_is_not_an_empty_layer(bench: Bench) -> None:
    """ "source not found" with the file's name, never a count; no tool takes it as empty."""
    broken = QgsVectorLayer("/nope/x.gpkg|layername=a", "broken", "ogr")
    bench.host.project.addMapLayer(broken)
    data = bench.ok("describe_layer", layer_id="broken")
    assert data["status"] == "broken"
    assert data["warnings"] == ["source not found: x.gpkg"]
    assert "feature_count" not in data
    assert "/nope" not in json.dumps(data)
    for tool, more in (("count_features", {}), ("query_features", {}), ("buffer_layer", {"distance_m": 5.0})):
        envelope = bench.call(tool, layer_id="broken", **more)
        assert (envelope["ok"], envelope["code"], envelope["reason"]) == (False, "UNSUPPORTED", "broken_source")
    assert "broken" in [each["layer_id"] for each in bench.host.layers.catalogue()]


def test_a58_a_server_that_is_away(bench: Bench) -> None:
    """The host is named, the credentials are not."""
    uri = 'dbname=\'x\' host=localhost port=1 user=joe password=secret table="a"."b" (geom)'
    bench.host.project.addMapLayer(QgsVectorLayer(uri, "pg", "postgres"))
    text = json.dumps(bench.ok("describe_layer", layer_id="pg"))
    assert "localhost" in text
    assert "secret" not in text
    assert "joe" not in text


def test_a13_a_service_in_gcj02_is_an_offset(bench: Bench) -> None:
    """ "Why is it shifted?": 556 m at 116.4, 39.9 (published offset), no CRS, no EPSG code."""
    source = "type=xyz&url=https://webrd01.is.autonavi.com/appmaptile?x%3D{x}%26y%3D{y}%26z%3D{z}&zmax=18&zmin=0"
    bench.host.project.addMapLayer(QgsRasterLayer(source, "高德", "wms"))
    bench.ok("zoom_to", bbox=[116.3, 39.8, 116.5, 40.0])
    warnings = bench.ok("describe_layer", layer_id="高德")["warnings"]
    assert any("GCJ-02" in each and "556 m" in each and "no EPSG code" in each for each in warnings)


def test_other_kinds_are_described(bench: Bench) -> None:
    """Mesh, point cloud, vector tiles, annotations, groups of layers: named by type, broken ones too."""
    options = QgsProject.instance().transformContext()
    layers = {
        "annotation": QgsAnnotationLayer("notes", QgsAnnotationLayer.LayerOptions(options)),
        "group": QgsGroupLayer("blend", QgsGroupLayer.LayerOptions(options)),
        "mesh": QgsMeshLayer("/nope/m.nc", "water", "mdal"),
        "point_cloud": QgsPointCloudLayer("/nope/p.copc.laz", "lidar", "copc"),
        "vector_tiles": QgsVectorTileLayer("type=mbtiles&url=/nope/t.mbtiles", "tiles"),
    }
    for kind, layer in layers.items():
        bench.host.project.addMapLayer(layer)
        data = bench.ok("describe_layer", layer_id=bench.host.layers.alias(layer))
        assert (data["type"], data["kind"]) == (kind, "other"), data
        assert ("status" in data) == (not layer.isValid())
    assert bench.ok("describe_layer", layer_id="water")["warnings"] == ["source not found: m.nc"]
    assert bench.ok("toggle_layer", layer_id="water", visible=False)["visible"] is False


def test_a_raster(bench: Bench, tmp_path: Path) -> None:
    """Size, bands, pixel size; nothing is written beside the file."""
    from osgeo import gdal, osr

    path = tmp_path / "dem.tif"
    made = gdal.GetDriverByName("GTiff").Create(str(path), 30, 20, 2, gdal.GDT_Float32)
    made.SetGeoTransform((500000, 25, 0, 3300000, 0, -25))
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(32650)
    made.SetProjection(reference.ExportToWkt())
    made = None
    bench.host.project.addMapLayer(QgsRasterLayer(str(path), "dem"))
    data = bench.ok("describe_layer", layer_id="dem")
    assert (data["bands"], data["size"], data["pixel_size"]) == (2, [30, 20], [25, 25])
    assert [each.name for each in tmp_path.iterdir()] == ["dem.tif"]


def test_a_raster_that_was_cut_off(bench: Bench, tmp_path: Path) -> None:
    """It opens, and its last cells are missing: said when it is described, as when it is added."""
    from osgeo import gdal

    path = tmp_path / "cut.tif"
    made = gdal.GetDriverByName("GTiff").Create(str(path), 300, 300, 1, gdal.GDT_Float32)
    made.GetRasterBand(1).Fill(7)
    made = None
    whole = path.read_bytes()
    bench.host.project.addMapLayer(QgsRasterLayer(str(path), "whole"))
    assert not any("cannot be read" in each for each in bench.ok("describe_layer", layer_id="whole")["warnings"])
    other = tmp_path / "short.tif"
    other.write_bytes(whole[: len(whole) // 2])
    bench.host.project.addMapLayer(QgsRasterLayer(str(other), "short"))
    assert any(
        "'short.tif' cannot be read" in each for each in bench.ok("describe_layer", layer_id="short")["warnings"]
    )
    assert sorted(each.name for each in tmp_path.iterdir()) == ["cut.tif", "short.tif"]


def test_geometry_that_is_missing_or_invalid_is_counted(bench: Bench) -> None:
    """One bow tie, one NULL, one empty polygon among five."""
    square = "POLYGON((0 0,1 0,1 1,0 1,0 0))"
    rows = [(square, []), (square, []), ("POLYGON((0 0,1 1,1 0,0 1,0 0))", []), (None, []), ("POLYGON EMPTY", [])]
    bench.add(memory_layer("Polygon?crs=EPSG:4326", rows, "areas"))
    data = bench.ok("describe_layer", layer_id="areas")
    assert (data["feature_count"], data["without_geometry"], data["invalid_geometries"]) == (5, 2, 1)


def test_rows_with_unreadable_geometry_are_counted(bench: Bench, tmp_path: Path) -> None:
    """To QGIS a row whose WKT is none is no feature (``featureCount`` says so): one number everywhere, and a warning."""
    file = tmp_path / "places.csv"
    file.write_text("id,geom\n1,POINT(1 1)\n2,\n3,BAD\n4,POINT(2 2)\n", encoding="utf-8")
    source = f"file://{file}?delimiter=,&wktField=geom&crs=EPSG:4326&detectTypes=yes&subsetIndex=no&spatialIndex=no"
    layer = bench.add(QgsVectorLayer(source, "places", "delimitedtext"))
    data = bench.ok("describe_layer", layer_id="places")
    assert layer.featureCount() == 3
    assert data["feature_count"] == bench.ok("count_features", layer_id="places")["count"] == 3
    assert [row["id"] for row in bench.ok("query_features", layer_id="places")["rows"]] == [1, 2, 4]
    assert bench.ok("list_values", layer_id="places", field="id")["count"] == 3
    assert bench.ok("select_features", layer_id="places")["selected"] == 3
    assert data["without_geometry"] == 1
    assert any("1 rows have a place that cannot be read" in each for each in data["warnings"])
    assert data["bbox"] == [1, 1, 2, 2]


def test_swapped_coordinates_are_suspected(bench: Bench) -> None:
    """A latitude of 116° is no latitude."""
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(39.9 116.4)", [])], "swapped"))
    assert any("swapped" in each for each in bench.ok("describe_layer", layer_id="swapped")["warnings"])


def test_no_crs_is_said(bench: Bench) -> None:
    """And no degrees are made up."""
    layer = bench.add(memory_layer("Point", [("POINT(1 2)", [])], "nowhere"))
    layer.setCrs(QgsCoordinateReferenceSystem())
    data = bench.ok("describe_layer", layer_id="nowhere")
    assert data["bbox"] is None
    assert "crs_kind" not in data
    assert any("no CRS" in each for each in data["warnings"])


def test_sixty_fields_fit(bench: Bench) -> None:
    """At most 4,096 bytes; every name is there, and the whole list by its handle."""
    names = [f"field_with_a_long_name_{i:02d}" for i in range(60)]
    definition = "Point?crs=EPSG:4326&" + "&".join(f"field={name}:string(9)" for name in names)
    bench.add(memory_layer(definition, [("POINT(0 0)", [None] * 60)], "wide"))
    envelope = bench.call("describe_layer", layer_id="wide")
    assert len(json.dumps(envelope, ensure_ascii=False, separators=(",", ":")).encode()) <= 4096
    assert envelope["data"]["field_names"] == names
    page = bench.ok("fetch_result", result_ref=envelope["data"]["result_ref"], page_size=200)
    assert page["total"] == 60
    assert all(each["null_share"] == 1.0 for each in page["rows"])


def test_null_shares_of_many_rows_are_of_a_sample(bench: Bench) -> None:
    """30,000 rows, 30 % NULL by a fixed seed: the share is near it and says that it is of a sample; the count is exact."""
    chance = random.Random(4)
    layer = QgsVectorLayer("Point?crs=EPSG:4326&field=a:int", "many", "memory")
    features = []
    for number in range(30_000):
        feature = QgsFeature(layer.fields())
        feature.setAttributes([None if chance.random() < 0.3 else number])
        feature.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(number % 100, number % 50)))
        features.append(feature)
    layer.dataProvider().addFeatures(features)
    bench.add(layer)
    data = bench.ok("describe_layer", layer_id="many")
    assert data["feature_count"] == 30_000
    assert data["null_share_of"] == "sample of 5000 rows"
    assert field(data, "a")["null_share"] == pytest.approx(0.3, abs=0.03)
    assert data["bbox"] == [0, 0, 99, 49]


def test_gbk_is_named(bench: Bench, tmp_path: Path) -> None:
    """The encoding that the file is read in."""
    made = memory_layer("Point?crs=EPSG:4326&field=n:string(20)", [("POINT(0 0)", ["湖北"])], "x")
    layer = bench.add(saved(made, tmp_path / "hubei.shp", "ESRI Shapefile", "GBK"))
    assert bench.ok("describe_layer", layer_id="hubei")["encoding"] == layer.dataProvider().encoding()
    assert "GB" in bench.ok("describe_layer", layer_id="hubei")["encoding"]
