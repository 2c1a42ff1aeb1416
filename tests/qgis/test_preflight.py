"""What is found in an analysis's input and said of it: geometry, coordinates, state of the layer. Cases A10, A12, A13, A20."""

from __future__ import annotations

from typing import Any

import pytest
import shapely
from conftest import Bench, memory_layer
from pyproj import Geod, Transformer
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFeedback,
    QgsGeometry,
    QgsPoint,
    QgsRasterLayer,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

from qgis_agent.gis.analysis.inputs.preflight import (
    Survey,
    Surveyor,
    remarks,
    unit_remarks,
)
from qgis_agent.gis.errors import ToolError

GEOD = Geod(ellps="WGS84")
BOW_TIE = "POLYGON((0 0, 10 10, 10 0, 0 10, 0 0))"
SQUARE = "POLYGON((20 0, 30 0, 30 10, 20 10, 20 0))"


def survey(layer: QgsVectorLayer, **more: Any) -> Survey:
    """Read here, on this thread."""
    return Surveyor(layer, (), **more).read(QgsFeedback())


def said(layer: QgsVectorLayer, **more: Any) -> str:
    """All remarks as one text."""
    return " ".join(remarks(layer, survey(layer), **more))


def test_invalid_polygons_are_named_with_reason(bench: Bench) -> None:
    """The bow tie: its id, GEOS's reason, counted; the square is valid. Areas by the geodesic."""
    layer = bench.add(memory_layer("Polygon?crs=EPSG:4326&field=n:int", [(BOW_TIE, [1]), (SQUARE, [2])], "areas"))
    found = survey(layer)
    assert (found.count, found.invalid, found.usable) == (2, 1, 2)
    assert [(each.feature_id, each.reason) for each in found.faults] == [(1, "Self-intersection")]
    reason = shapely.is_valid_reason(shapely.from_wkt(BOW_TIE))
    assert reason.startswith("Self-intersection")
    text = said(layer)
    assert "1 invalid geometries" in text and "feature 1: Self-intersection" in text and "feature 2" not in text
    area = abs(GEOD.geometry_area_perimeter(shapely.from_wkt(SQUARE))[0])
    assert found.area_m2 == pytest.approx(area, rel=0.02)  # and the bow tie's two halves, which cancel out


def test_null_and_empty_geometries_are_told_apart(bench: Bench) -> None:
    """None, POINT EMPTY and a point: two are left out, one of them is empty."""
    layer = memory_layer("Point?crs=EPSG:4326&field=n:int", [(None, [1]), ("POINT EMPTY", [2]), ("POINT(1 1)", [3])])
    found = survey(bench.add(layer))
    assert (found.count, found.without_geometry, found.empty, found.usable) == (3, 2, 1, 1)
    assert "2 features" in said(layer) and "no geometry" in said(layer)
    rows = [(None, [1]), ("POLYGON EMPTY", [2]), (SQUARE, [3])]
    found = survey(bench.add(memory_layer("Polygon?crs=EPSG:4326&field=n:int", rows)))
    assert (found.count, found.without_geometry, found.empty, found.usable) == (3, 2, 1, 1)


def test_parts_z_m_and_curves(bench: Bench) -> None:
    """Counted by type; that the result is flat is said only where it is."""
    rows = [("MULTIPOINTZ(1 1 5, 2 2 6)", [1]), ("MULTIPOINTZ(3 3 7)", [2])]
    layer = bench.add(memory_layer("MultiPointZ?crs=EPSG:4326&field=n:int", rows, "heights"))
    found = survey(layer)
    assert (found.multipart, found.with_z, found.with_m) == (1, 2, 0)
    assert found.types == (("MultiPointZ", 2),)
    assert "Z" not in said(layer) and "2 features of 'heights' have heights or measures" in said(layer, flat=True)
    curves = memory_layer("CompoundCurve?crs=EPSG:32650&field=n:int", [("CIRCULARSTRING(0 0, 1 1, 2 0)", [1])], "arcs")
    assert survey(bench.add(curves)).curved == 1 and "straight segments" in said(curves)


def test_lines_without_length_stay_and_are_said(bench: Bench) -> None:
    """A line with one place is told; it counts as usable, and not as invalid."""
    rows = [("LINESTRING(1 1, 1 1)", [1]), ("LINESTRING(1 1, 2 2)", [2])]
    layer = bench.add(memory_layer("LineString?crs=EPSG:4326&field=n:int", rows, "roads"))
    found = survey(layer)
    assert (found.pointlike, found.invalid, found.usable) == (1, 0, 2)
    assert "1 lines of 'roads'" in said(layer)


def test_mixed_kinds(bench: Bench) -> None:
    """A layer of unknown type with points and lines."""
    rows = [("POINT(1 1)", [1]), ("LINESTRING(1 1, 2 2)", [2]), ("POINT(3 3)", [3])]
    layer = memory_layer("Point?crs=EPSG:4326&field=n:int", rows[:1], "mixed")
    found = survey(bench.add(layer))
    assert found.kinds == ["Point"]
    mixed = found._replace(types=(("Point", 2), ("LineString", 1)))
    survey(bench.add(memory_layer("LineString?crs=EPSG:4326&field=n:int", rows[1:2], "line")))
    assert mixed.kinds == ["Line", "Point"]
    assert "'mixed' mixes kinds of geometry: 2 Point, 1 LineString" in " ".join(remarks(layer, mixed))


def test_coordinates_that_are_no_numbers(bench: Bench) -> None:
    """NaN does not spoil the box."""
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=n:int", [("POINT(1 2)", [1]), ("POINT(3 4)", [2])]))
    feature = QgsFeature(layer.fields())
    feature.setGeometry(QgsGeometry(QgsPoint(float("inf"), 5)))
    assert layer.dataProvider().addFeatures([feature])[0]
    found = survey(layer)
    assert found.not_finite == 1
    assert (found.box.xMinimum(), found.box.xMaximum(), found.box.yMaximum()) == (1, 3, 4)
    assert "no numbers" in said(layer)


def test_a_table_has_nothing_missing(bench: Bench) -> None:
    """Rows without geometry are usable where a layer has none at all."""
    table = bench.add(memory_layer("None?field=n:int", [(None, [1]), (None, [2])], "table"))
    found = survey(table)
    assert (found.count, found.usable, found.without_geometry) == (2, 2, 0)
    assert remarks(table, found) == []


def test_state_of_the_layer_is_said(bench: Bench) -> None:
    """Filter, open edits, and a selection that is not used."""
    rows = [(f"POINT({n} {n})", [n]) for n in range(5)]
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", rows, "spots"))
    assert said(layer) == ""
    layer.setSubsetString('"n" < 4')
    layer.selectByIds([1])
    assert "filter" in said(layer) and "1 features of 'spots' are selected" in said(layer)
    assert "selected" not in said(layer, selection_used=True)
    layer.setSubsetString("")
    layer.removeSelection()
    layer.startEditing()
    assert said(layer) == ""
    layer.changeAttributeValue(2, 0, 99)
    assert "edits that are not saved" in said(layer)
    layer.rollBack()


def test_repeated_fids_are_said(bench: Bench) -> None:
    """As after a merge: a GeoPackage takes each value of its key once."""
    rows = [("POINT(1 1)", [7]), ("POINT(2 2)", [7]), ("POINT(3 3)", [8]), ("POINT(4 4)", [None])]
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=fid:integer", rows, "merged"))
    assert survey(layer).repeated_fids == 1 and "repeat a value of the field fid" in said(layer)


def test_field_names_that_a_format_refuses(bench: Bench) -> None:
    """Name and name: QGIS's own export to a GeoPackage fails ("duplicate column name")."""
    rows = [("POINT(1 1)", ["a", "b"])]
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=Name:string&field=name:string", rows, "shops"))
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = "GPKG"
    path, context = str(bench.folder / "shops.gpkg"), bench.host.project.transformContext()
    assert QgsVectorFileWriter.writeAsVectorFormatV3(layer, path, context, options)[0] != 0
    assert "'Name' and 'name'" in said(layer)


def test_a10_swapped_axes_end_the_call(bench: Bench) -> None:
    """(39.9, 116.4) under EPSG:4326: latitude 116 is none. It is said, nothing is made, and the way out is named."""
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=n:int", [("POINT(39.9 116.4)", [1])], "gml"))
    envelope = bench.call("buffer_layer", layer_id="gml", distance_m=100)
    assert envelope["code"] == "UNSUPPORTED" and envelope["reason"] == "swapped_axes"
    assert "swapped" in envelope["message"] and "native:swapxy" in envelope["hint"]
    assert len(bench.host.project.mapLayers()) == 1
    assert survey(layer, placed=False).count == 1


def test_a10_one_swapped_feature_is_told_and_the_others_count(bench: Bench) -> None:
    """Only some are wrong: the layer's CRS is right, so a survey goes on and says which."""
    rows = [("POINT(39.9 116.4)", [1]), ("POINT(116.4 39.9)", [2])]
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=n:int", rows, "most"))
    found = survey(layer)
    assert found.misplaced is not None and (found.misplaced.count, found.misplaced.fitting) == (1, 1)
    assert "1 of 2 features" in said(layer)


def test_metres_under_a_geographic_crs(bench: Bench) -> None:
    """Case A15: UTM coordinates read as degrees."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:int", [("POINT(448709.38 4416830.56)", [1])], "stripped"))
    envelope = bench.call("buffer_layer", layer_id="stripped", distance_m=100)
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "out_of_range")


def test_a12_a_zone_without_its_number(bench: Bench) -> None:
    """(500000, 4429529) labelled EPSG:4527 (zone 39) lies nowhere; EPSG:4548 is suggested. Rightly labelled it works."""
    rows = [("POINT(500000 4429529.03)", [1])]
    bench.add(memory_layer("Point?crs=EPSG:4527&field=n:int", rows, "wrong"))
    envelope = bench.call("buffer_layer", layer_id="wrong", distance_m=100)
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "zone_prefix")
    assert "EPSG:4548" in envelope["hint"]
    bench.add(memory_layer("Point?crs=EPSG:4548&field=n:int", rows, "right"))
    assert bench.ok("buffer_layer", layer_id="right", distance_m=100)["feature_count"] == 1


def test_outside_the_area_of_the_crs_is_said(bench: Bench) -> None:
    """A place in Brazil under British National Grid coordinates: planar work goes on, with a warning."""
    layer = memory_layer("Point?crs=EPSG:27700&field=n:int", [("POINT(3500000 2500000)", [1])], "odd")
    assert "far outside" in said(bench.add(layer)) or "no place on earth" in said(layer)


def test_a13_a_chinese_basemap_is_told(bench: Bench) -> None:
    """With a map in GCJ-02 in the project, data in China may be off by about 556 m there; elsewhere nothing is said."""
    url = "type=xyz&url=https://webrd01.is.autonavi.com/appmaptile?x%3D{x}%26y%3D{y}%26z%3D{z}&zmax=18"
    beijing = bench.add(memory_layer("Point?crs=EPSG:4326&field=n:int", [("POINT(116.4 39.9)", [1])], "schools"))
    berlin = bench.add(memory_layer("Point?crs=EPSG:4326&field=n:int", [("POINT(13.4 52.5)", [1])], "berlin"))
    assert said(beijing) == ""
    bench.host.project.addMapLayer(QgsRasterLayer(url, "Amap", "wms"))
    assert "GCJ-02" in said(beijing) and " 556 m" in said(beijing)
    assert said(berlin) == ""


def test_planar_work_is_told_its_unit(bench: Bench) -> None:
    """Degrees, feet, and Web Mercator at 60 degrees north: lengths twice, areas 3.99 times (the ellipsoid)."""
    degrees = bench.add(memory_layer("Point?crs=EPSG:4326&field=n:int", [("POINT(10 60)", [1])], "a"))
    feet = bench.add(memory_layer("Point?crs=EPSG:2263&field=n:int", [("POINT(1000000 200000)", [1])], "b"))
    web = bench.add(memory_layer("Point?crs=EPSG:3857&field=n:int", [("POINT(1113194.9 8399737.9)", [1])], "c"))
    utm = bench.add(memory_layer("Point?crs=EPSG:32650&field=n:int", [("POINT(500000 4400000)", [1])], "d"))
    assert "degrees" in unit_remarks(degrees, survey(degrees))[0]
    assert "US survey" in unit_remarks(feet, survey(feet))[0] and "0.3048006" in unit_remarks(feet, survey(feet))[0]
    assert "lengths are 2 times and areas 3.99 times" in unit_remarks(web, survey(web))[0]
    assert unit_remarks(utm, survey(utm)) == []


def test_without_a_crs_nothing_is_guessed(bench: Bench) -> None:
    """The survey reads it; the sentence says that a person must tell the CRS."""
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=n:int", [("POINT(116.4 39.9)", [1])], "lost"))
    layer.setCrs(QgsCoordinateReferenceSystem())
    assert "no CRS" in said(layer) and "degrees" in said(layer)


def test_a20_empty_and_null_only_inputs(bench: Bench) -> None:
    """No sentinel numbers: an empty layer's box is null, and a buffer of it is an error; of three rows one has a place."""
    fields = "&field=v:integer&field=d:double&field=s:string"
    empty = bench.add(memory_layer("Polygon?crs=EPSG:32650" + fields, [], "empty"))
    found = survey(empty)
    assert found.count == 0 and found.box.isNull() and found.area_m2 == 0 and remarks(empty, found) == []
    assert bench.call("buffer_layer", layer_id="empty", distance_m=10)["code"] == "NOT_FOUND"
    bench.add(memory_layer("Polygon?crs=EPSG:32650" + fields, [(None, [None, None, None])], "nothing"))
    assert bench.call("buffer_layer", layer_id="nothing", distance_m=10)["code"] == "NOT_FOUND"
    for layer_id in ("empty", "nothing"):
        for field in ("v", "d"):
            text = str(bench.call("summarize_field", layer_id=layer_id, field=field))
            assert "2147483647" not in text and "e+308" not in text, text
    rows = [(None, [1, 1.0, "a"]), ("POINT EMPTY", [2, 2.0, "b"]), ("POINT(1 1)", [3, 3.0, "c"])]
    bench.add(memory_layer("Point?crs=EPSG:32650" + fields, rows, "three"))
    envelope = bench.call("buffer_layer", layer_id="three", distance_m=10)
    assert envelope["ok"], envelope
    assert envelope["data"]["feature_count"] == 1 and "2 features" in envelope["message"]


def test_a01_a_kilometre_is_a_kilometre(bench: Bench) -> None:
    """1,000 m at (116.4, 39.9): the box in degrees and the area as published with the case; the naive call gives 2,000 degrees."""
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(116.4 39.9)", [])], "here"))
    data = bench.ok("buffer_layer", layer_id="here", distance_m=1000)
    result = bench.host.layers.by_alias(data["layer_id"])
    (feature,) = result.getFeatures()
    shape = shapely.from_wkt(feature.geometry().asWkt(12))
    west, south, east, north = shape.bounds
    assert east - west == pytest.approx(0.023395, abs=2e-5)
    assert north - south == pytest.approx(0.018019, abs=2e-5)
    parts = getattr(shape, "geoms", [shape])
    assert sum(abs(GEOD.geometry_area_perimeter(each)[0]) for each in parts) == pytest.approx(3_138_855.82, rel=0.003)
    assert "geodesic" in data["crs_used"] and data["crs"] == "EPSG:4326"


@pytest.mark.parametrize("crs", ["EPSG:2263", "EPSG:6539", "EPSG:2229"])
def test_metres_are_metres_in_feet(bench: Bench, crs: str) -> None:
    """A buffer of 500 m in CRSs with US survey feet: the boundary lies 500 m off by pyproj, not 500 ft; the area is m²."""
    place = (-118.2, 34.1) if crs == "EPSG:2229" else (-73.95, 40.7)
    forth = Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    bench.add(memory_layer(f"Point?crs={crs}", [("POINT({!r} {!r})".format(*forth.transform(*place)), [])], "feet"))
    data = bench.ok("buffer_layer", layer_id="feet", distance_m=500)
    (feature,) = bench.host.layers.by_alias(data["layer_id"]).getFeatures()
    shape = shapely.from_wkt(feature.geometry().asWkt(9))
    (polygon,) = getattr(shape, "geoms", [shape])
    for vertex in polygon.exterior.coords:
        longitude, latitude = forth.transform(*vertex, direction="INVERSE")
        assert GEOD.inv(*place, longitude, latitude)[2] == pytest.approx(500, rel=0.005)


def test_a_swapped_layer_is_an_error_with_its_name(bench: Bench) -> None:
    """The error carries the layer's name, so that of two inputs it is clear which."""
    layer = bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(39.9 116.4)", [])], "which one"))
    with pytest.raises(ToolError) as caught:
        survey(layer)
    assert "which one" in str(caught.value.envelope["message"])
