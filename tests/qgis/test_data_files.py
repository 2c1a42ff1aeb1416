"""Adding and inspecting files. Expected values: written by hand here, pyproj, or the README of the shared data."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from conftest import REPO, Bench
from osgeo import gdal, ogr, osr
from qgis.core import QgsAction, QgsEditFormConfig, QgsProject, QgsSingleSymbolRenderer, QgsVectorLayer

SHARED = Path(os.environ.get("QGIS_AGENT_SHARED", REPO.parent / "shared"))
LAYERS = SHARED / "data" / "layers"
needs_shared = pytest.mark.skipif(not LAYERS.is_dir(), reason="the shared data folder is absent")


def copied(bench: Bench, name: str) -> Path:
    """A file of the shared layers, with what lies beside it, in the bench's folder."""
    source = LAYERS / name
    for each in source.parent.glob(source.stem + ".*"):
        shutil.copyfile(each, bench.folder / each.name)
    return bench.folder / source.name


def state_of(folder: Path) -> dict[str, str]:
    """Names and digests of all files below a folder."""
    return {
        str(each.relative_to(folder)): hashlib.sha256(each.read_bytes()).hexdigest()
        for each in folder.rglob("*")
        if each.is_file()
    }


def geojson(path: Path, points: list[tuple[float, float]], **more: Any) -> Path:
    """A GeoJSON of points with a name."""
    features = [
        {
            "type": "Feature",
            "properties": {"name": f"p{index}"},
            "geometry": {"type": "Point", "coordinates": list(point)},
        }
        for index, point in enumerate(points)
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", **more, "features": features}), encoding="utf-8")
    return path


def test_a_vector_file_is_added_with_a_plain_symbol_on_top(bench: Bench) -> None:
    """Alias, exact count, CRS, and a symbol of the fixed sequence; points above what is there."""
    geojson(bench.folder / "stops.geojson", [(114.3, 30.6), (114.4, 30.5)])
    outcome = bench.outcome("add_vector_layer", path=str(bench.folder / "stops.geojson"))
    data = outcome["envelope"]["data"]
    assert (data["layer_id"], data["feature_count"], data["kind"]) == ("stops", 2, "point")
    assert data["crs"].startswith("EPSG:4326")
    assert data["bbox"] == [114.3, 30.5, 114.4, 30.6]
    layer = bench.host.layers.by_alias("stops")
    assert isinstance(layer.renderer(), QgsSingleSymbolRenderer)
    assert layer.renderer().symbol().color().name() == outcome["legend"][0]["color"]
    assert [each["op"] for each in outcome["actions"]] == ["add_layer"]
    assert QgsProject.instance().layerTreeRoot().findGroup("Agent results") is None


def test_several_layers_are_asked_for(bench: Bench) -> None:
    """AMBIGUOUS with each layer; a wrong name is NOT_FOUND with the near one; the right one is added."""
    path = bench.folder / "two.gpkg"
    dataset = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    system = osr.SpatialReference()
    system.ImportFromEPSG(4326)
    for name in ("roads", "rails"):
        dataset.CreateLayer(name, system, ogr.wkbLineString)
    dataset = None
    envelope = bench.call("add_vector_layer", path=str(path))
    assert envelope["code"] == "AMBIGUOUS"
    assert [each["sublayer"] for each in envelope["data"]["options"]] == ["roads", "rails"]
    missing = bench.call("add_vector_layer", path=str(path), sublayer="rods")
    assert missing["code"] == "NOT_FOUND"
    assert "roads" in missing["hint"]
    assert bench.ok("add_vector_layer", path=str(path), sublayer="rails")["layer_id"] == "rails"
    assert len(QgsProject.instance().mapLayers()) == 1


@needs_shared
def test_mixed_geometry_counts_as_several_layers(bench: Bench) -> None:
    """README: points, lines, polygons, a collection, and two without geometry."""
    path = copied(bench, "nasty/mixed_and_null.geojson")
    envelope = bench.call("add_vector_layer", path=str(path))
    assert envelope["code"] == "AMBIGUOUS"
    names = [each["sublayer"] for each in envelope["data"]["options"]]
    assert len(names) == len(set(names)) >= 4
    line = next(each for each in names if "Line" in each)
    assert bench.ok("add_vector_layer", path=str(path), sublayer=line)["kind"] == "line"


def test_zipped_data(bench: Bench) -> None:
    """One data file in an archive is taken; of several one is named; what leaves the archive is no member."""
    inner = geojson(bench.folder / "a.geojson", [(1, 2)])
    with zipfile.ZipFile(bench.folder / "one.zip", "w") as archive:
        archive.write(inner, "data/a.geojson")
        archive.writestr("readme.md", "x")
        archive.writestr("../evil.geojson", inner.read_text())
    assert bench.ok("add_vector_layer", path=str(bench.folder / "one.zip"))["feature_count"] == 1
    with zipfile.ZipFile(bench.folder / "two.zip", "w") as archive:
        archive.write(inner, "a.geojson")
        archive.write(inner, "b.geojson")
    envelope = bench.call("add_vector_layer", path=str(bench.folder / "two.zip"))
    assert envelope["code"] == "AMBIGUOUS"
    chosen = envelope["data"]["options"][1]["path"]
    assert bench.ok("add_vector_layer", path=chosen)["name"] == "b"
    assert bench.code("add_vector_layer", path=str(bench.folder / "one.zip") + "/../evil.geojson") != "OK"
    assert bench.code("add_vector_layer", path=str(bench.folder / "one.zip") + "/nope.geojson") == "NOT_FOUND"


def test_a_stored_style_is_left_out_and_said(bench: Bench) -> None:
    """An action and form code in a .qml beside the file never reach the layer."""
    path = geojson(bench.folder / "s.geojson", [(1, 2)])
    styled = QgsVectorLayer(str(path), "s", "ogr")
    styled.actions().addAction(QgsAction(QgsAction.ActionType.GenericPython, "x", "print(1)"))
    form = styled.editFormConfig()
    form.setInitCodeSource(QgsEditFormConfig.PythonInitCodeSource.CodeSourceDialog)
    form.setInitCode("print(1)")
    styled.setEditFormConfig(form)
    _, saved = styled.saveNamedStyle(str(path.with_suffix(".qml")))
    assert saved
    assert QgsVectorLayer(str(path), "s", "ogr").actions().actions(), "the trap bites"
    envelope = bench.call("add_vector_layer", path=str(path))
    layer = bench.host.layers.by_alias(envelope["data"]["layer_id"])
    assert layer.actions().actions() == []
    assert layer.editFormConfig().initCode() == ""
    assert "style" in envelope["message"]
    assert bench.folder.joinpath("s.qml").exists()


@needs_shared
def test_sources_are_not_written(bench: Bench) -> None:
    """Inspecting and adding each kind of file leaves every byte as it was and puts nothing beside it."""
    for name in (
        "gbk_hubei/hubei_gbk.shp",
        "china/china_admin.gpkg",
        "raster/dem_olinda.tif",
        "raster/landsat7_olinda.tif",
        "quakes.geojson",
    ):
        copied(bench, name)
    (bench.folder / "p.gml").write_text(GML.format("urn:ogc:def:crs:EPSG::4326"), encoding="utf-8")
    (bench.folder / "t.csv").write_text("id,x,y\n1,2,3\n", encoding="utf-8")
    before = state_of(bench.folder)
    for each in sorted(bench.folder.iterdir()):
        if each.suffix in (".shp", ".gpkg", ".tif", ".geojson", ".gml", ".csv"):
            bench.ok("inspect_data_file", path=str(each))
    assert bench.ok("add_vector_layer", path=str(bench.folder / "hubei_gbk.shp"))["feature_count"] == 17
    assert bench.ok("add_vector_layer", path=str(bench.folder / "p.gml"))["feature_count"] == 1
    assert bench.ok("add_vector_layer", path=str(bench.folder / "quakes.geojson"))["feature_count"] == 1707
    districts = bench.ok("add_vector_layer", path=str(bench.folder / "china_admin.gpkg"), sublayer="wuhan_districts")
    assert districts["feature_count"] == 13
    assert bench.ok("add_raster_layer", path=str(bench.folder / "dem_olinda.tif"))["bands"] == 1
    assert bench.ok("add_raster_layer", path=str(bench.folder / "landsat7_olinda.tif"))["bands"] == 6
    bench.ok("add_table_layer", path=str(bench.folder / "t.csv"))
    QgsProject.instance().clear()
    assert state_of(bench.folder) == before


@needs_shared
def test_a_raster_goes_below_the_vectors(bench: Bench) -> None:
    """And a damaged one is told."""
    geojson(bench.folder / "stops.geojson", [(1, 2)])
    bench.ok("add_vector_layer", path=str(bench.folder / "stops.geojson"))
    data = bench.ok("add_raster_layer", path=str(copied(bench, "raster/landsat7_olinda.tif")))
    assert (data["columns"], data["rows"], data["crs"].split()[0]) == (349, 352, "EPSG:31985")
    assert bench.host.layers.aliases() == ["stops", "landsat7_olinda"]
    envelope = bench.call("add_raster_layer", path=str(copied(bench, "nasty/corrupt.tif")))
    assert envelope["ok"]
    assert "damaged" in envelope["message"]


@needs_shared
def test_inspecting_a_shapefile_of_unstated_encoding(bench: Bench) -> None:
    """The bytes say GBK, and how they read; the README: 17 cities, EPSG:4326."""
    data = bench.ok("inspect_data_file", path=str(copied(bench, "gbk_hubei/hubei_gbk.shp")))
    assert (data["feature_count"], data["count_kind"]) == (17, "exact")
    assert data["crs"].startswith("EPSG:4326")
    assert data["encoding"]["looks_like"] == "GBK"
    assert any("武汉市" in each for each in data["encoding"]["samples"]["GBK"])
    assert bench.host.layers.aliases() == []


@needs_shared
def test_inspecting_a_raster(bench: Bench) -> None:
    """README: elev.tif has 95 x 90 cells of Int16, nodata -32768, in degrees."""
    data = bench.ok("inspect_data_file", path=str(copied(bench, "zonal/elev.tif")))
    assert (data["columns"], data["rows"], data["driver"]) == (95, 90, "GTiff")
    assert data["bands"] == [{"band": 1, "type": "Int16", "nodata": -32768.0}]
    assert 5.7 < data["bbox"][0] < 6.6
    assert 49.4 < data["bbox"][1] < 50.2


def test_listing(bench: Bench) -> None:
    """Data files by kind, with the parts of a shapefile as one, hidden files and links that lead outside left out."""
    for name in ("a.shp", "a.dbf", "b.tif", "c.csv", "lone.dbf", "n.txt", ".h.csv", "x.py"):
        (bench.folder / name).write_text("x")
    (bench.folder / "sub").mkdir()
    (bench.folder / "sub" / "d.gpkg").write_text("x")
    outside = bench.folder.parent / "outside.csv"
    outside.write_text("x")
    (bench.folder / "link.csv").symlink_to(outside)
    data = bench.ok("list_data_files", folder=str(bench.folder))
    assert [each["path"] for each in data["files"]] == ["a.shp", "b.tif", "c.csv", "lone.dbf", "n.txt", "sub/d.gpkg"]
    assert data["total"] == 6
    assert bench.ok("list_data_files", folder=str(bench.folder), kind="raster")["files"][0]["path"] == "b.tif"
    assert bench.code("list_data_files", folder=str(bench.folder.parent)) == "FORBIDDEN"
    assert bench.code("list_data_files", folder=str(bench.folder / "nope")) == "NOT_FOUND"


GML = (
    '<?xml version="1.0"?><wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs" '
    'xmlns:gml="http://www.opengis.net/gml" xmlns:t="http://t"><gml:featureMember><t:p><t:n>x</t:n><t:geom>'
    '<gml:Point srsName="{}"><gml:pos>39.9 116.4</gml:pos></gml:Point></t:geom></t:p></gml:featureMember>'
    "</wfs:FeatureCollection>"
)

VRT = '<OGRVRTDataSource><OGRVRTLayer name="s"><SrcDataSource>{}</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("v.vrt", VRT),
        ("v.geojson", VRT),
        ("v.kml", "<kml><!-- " + VRT + " --></kml>"),
        ("r.tif", "<VRTDataset rasterXSize='1' rasterYSize='1'></VRTDataset>"),
        ("w.xml", "<GDAL_WMS><Service name='TMS'></Service></GDAL_WMS>"),
        (
            "linked.geojson",
            '{"type":"FeatureCollection","features":[],"crs":{"type":"link","properties":{"href":"http://localhost/x"}}}',
        ),
        ("t.tab", '!table\n"\\IsSeamless" = "TRUE"\n'),
    ],
)
def test_files_that_lead_elsewhere_are_refused(bench: Bench, name: str, content: str) -> None:
    """Whatever their name: VRT, service descriptions, a CRS by link."""
    secret = geojson(bench.folder.parent / "secret.geojson", [(1, 2)])
    path = bench.folder / name
    path.write_text(content.replace("{}", str(secret), 1), encoding="utf-8")
    for tool in ("add_vector_layer", "add_raster_layer", "inspect_data_file"):
        assert bench.code(tool, path=str(path)) in ("FORBIDDEN", "UNSUPPORTED"), tool
    assert bench.host.layers.aliases() == []


@pytest.mark.parametrize(
    "path",
    [
        "/etc/hostname",
        "/vsicurl/http://localhost/x.geojson",
        "http://localhost/x.geojson",
        "PG:dbname=x",
        "GPKG:/tmp/x.gpkg:t",
        "/vsizip//etc/x.zip/y",
        "<OGRVRTDataSource/>",
        '{"type":"FeatureCollection","features":[]}',
    ],
)
@pytest.mark.parametrize("tool", ["add_vector_layer", "add_raster_layer", "add_table_layer", "inspect_data_file"])
def test_paths_that_are_refused(bench: Bench, tool: str, path: str) -> None:
    """Outside the roots, URLs, virtual file systems, driver prefixes, inline data."""
    assert bench.code(tool, path=path) in ("FORBIDDEN", "INVALID_PARAM")


def test_a_part_that_is_a_link_to_outside_is_refused(bench: Bench) -> None:
    """The .dbf of a shapefile is checked as the .shp is."""
    driver = ogr.GetDriverByName("ESRI Shapefile")
    dataset = driver.CreateDataSource(str(bench.folder / "s.shp"))
    layer = dataset.CreateLayer("s", None, ogr.wkbPoint)
    layer.CreateField(ogr.FieldDefn("a", ogr.OFTString))
    dataset = None
    outside = bench.folder.parent / "s_outside.dbf"
    shutil.move(str(bench.folder / "s.dbf"), str(outside))
    (bench.folder / "s.dbf").symlink_to(outside)
    assert bench.code("add_vector_layer", path=str(bench.folder / "s.shp")) == "FORBIDDEN"
    assert bench.code("inspect_data_file", path=str(bench.folder / "s.shp")) == "FORBIDDEN"


def test_gdal_settings_are_put_back(bench: Bench) -> None:
    """The thread's own settings end with the work."""
    geojson(bench.folder / "a.geojson", [(1, 2)])
    before = gdal.GetThreadLocalConfigOption("GDAL_PAM_ENABLED")
    bench.ok("add_vector_layer", path=str(bench.folder / "a.geojson"))
    assert gdal.GetThreadLocalConfigOption("GDAL_PAM_ENABLED") == before
