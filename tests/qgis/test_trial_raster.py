"""What a trial user found in the raster and processing tools. Expected numbers: numpy, pyproj, closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Bench, memory_layer
from pyproj import Geod
from qgis.core import QgsVectorLayer
from shapely import wkb
from test_raster_info import SHARED, add, needs_shared, no_pam, write
from test_raster_tools_calculate import algorithms, cells

__all__ = ["algorithms", "no_pam"]
GEOD = Geod(ellps="WGS84")
NOWHERE = "POLYGON((0 0, 1 1, 1 0, 0 1, 0 0))"


def shore() -> Any:
    """A plain at height 0 from which a slope of 0.5 rises to the east."""
    return np.tile(np.maximum(0, np.arange(14) - 6) * 5.0, (12, 1)).astype(np.float32)


def degrees(bench: Bench) -> None:
    """Two squares in degrees near Wuhan, 0.01° and 0.1° wide: about 1.06 and 106 km²."""
    rows: list[tuple[str | None, list[Any]]] = [
        ("POLYGON((114 30, 114.01 30, 114.01 30.01, 114 30.01, 114 30))", [1]),
        ("POLYGON((115 30, 115.1 30, 115.1 30.1, 115 30.1, 115 30))", [2]),
    ]
    bench.add(memory_layer("Polygon?crs=EPSG:4326&field=n:int", rows, "squares"))


@pytest.mark.parametrize("nodata", [None, float("nan")])
def test_heights_of_zero_are_heights(bench: Bench, nodata: float | None) -> None:
    """QGIS takes 0 for nodata where the file declares none: the sea would vanish, and the shore beside it be wrong."""
    add(bench, write(bench.folder / "shore.tif", shore(), nodata))
    data = bench.ok("raster_terrain", layer_id="dem", method="slope")
    found, _ = cells(bench, data["layer_id"])
    assert data["valid_cells"] == 12 * 14 and not np.isnan(found).any()
    expected = np.degrees(np.arctan([0.0, 0.25, 0.5]))
    np.testing.assert_allclose(found[5, [3, 6, 9]], expected, atol=1e-4)
    tri = bench.ok("raster_terrain", layer_id="dem", method="tri")
    found, _ = cells(bench, tri["layer_id"])
    np.testing.assert_allclose(found[5, [3, 7]], [0.0, np.sqrt(6 * 25)], atol=1e-3)
    aspect = bench.call("raster_terrain", layer_id="dem", method="aspect")
    assert aspect["data"]["flat_cells"] == 6 * 12


def test_a_declared_nodata_value_needs_no_copy(bench: Bench) -> None:
    """One step as before."""
    add(bench, write(bench.folder / "shore.tif", shore(), -9999.0))
    assert bench.ok("raster_terrain", layer_id="dem", method="slope")["algorithm"] == ["native:slope"]


def test_run_algorithm_warns_of_lost_heights(bench: Bench) -> None:
    """The algorithm itself drops them; that is said."""
    add(bench, write(bench.folder / "shore.tif", shore()))
    envelope = bench.call("run_algorithm", algorithm="native:slope", parameters={"INPUT": "dem"})
    assert "heights of 0" in envelope["message"]
    add(bench, write(bench.folder / "other.tif", shore(), -9999.0), "other")
    envelope = bench.call("run_algorithm", algorithm="native:slope", parameters={"INPUT": "other"})
    assert "heights of 0" not in envelope["message"]


def test_classes_that_32_bits_do_not_hold_exactly(bench: Bench) -> None:
    """0.1 is 0.10000000149 in the file: its cells were told as none, and as nodata."""
    values = np.arange(100, dtype=np.int16).reshape(10, 10)
    add(bench, write(bench.folder / "v.tif", values))
    table = [{"max": 30, "value": 0.1}, {"min": 30, "value": 0.7}]
    envelope = bench.call("reclassify_raster", layer_id="dem", table=table)
    assert [(row["value"], row["cells"]) for row in envelope["data"]["rows"]] == [(0.1, 30), (0.7, 70)]
    assert envelope["data"]["cells_in_no_range"] == 0 and envelope["message"] == ""


@needs_shared
def test_short_contours_are_measured_on_the_ground(bench: Bench) -> None:
    """In degrees no line is 5,000 long; by pyproj 60 of the 217 have 5 km."""
    add(bench, SHARED / "zonal" / "elev.tif")
    every = bench.ok("contour_raster", layer_id="dem", interval=50, base=25)
    layer = bench.host.layers.by_alias(every["layer_id"])
    lengths = [GEOD.geometry_length(wkb.loads(bytes(each.geometry().asWkb()))) for each in layer.getFeatures()]
    expected = [each for each in lengths if each >= 5000]
    assert 0 < len(expected) < len(lengths)
    data = bench.ok("contour_raster", layer_id="dem", interval=50, base=25, min_length_m=5000)
    assert data["feature_count"] == len(expected)
    assert data["total_length_km"] == pytest.approx(sum(expected) / 1000, rel=1e-4)


@pytest.mark.parametrize("ellipsoid", ["NONE", "EPSG:7030"])
@pytest.mark.parametrize("as_is", [False, True])
def test_a_condition_on_area_is_in_square_metres(bench: Bench, ellipsoid: str, as_is: bool) -> None:
    """Of 1.07 and 106 km² one is over 5 km²; in square degrees none is. With as_is it is as the project has it."""
    degrees(bench)
    bench.host.project.setEllipsoid(ellipsoid)
    if as_is and ellipsoid == "NONE":
        return
    data = bench.ok(
        "run_algorithm",
        algorithm="native:extractbyexpression",
        parameters={"INPUT": "squares", "EXPRESSION": "$area > 5000000"},
        as_is=as_is,
    )
    assert data["feature_count"] == 1


def test_an_overlay_drops_only_what_is_small(bench: Bench) -> None:
    """min_area_m2 in degrees: the piece of 106 km² stays."""
    degrees(bench)
    whole: list[tuple[str | None, list[Any]]] = [("POLYGON((113 29, 116 29, 116 31, 113 31, 113 29))", [])]
    bench.add(memory_layer("Polygon?crs=EPSG:4326", whole, "whole"))
    data = bench.ok(
        "overlay_layers",
        layer_id="squares",
        overlay_layer_id="whole",
        operation="intersection",
        options={"min_area_m2": 5_000_000},
    )
    assert data["feature_count"] == 1


def test_skipping_invalid_features_is_done_when_asked(bench: Bench) -> None:
    """30 bow-ties and a square: one result, and 30 said; without the wish it stops."""
    rows: list[tuple[str | None, list[Any]]] = [(NOWHERE, [n]) for n in range(30)]
    rows.append(("POLYGON((5 5, 6 5, 6 6, 5 6, 5 5))", [99]))
    bench.add(memory_layer("Polygon?crs=EPSG:32650&field=n:int", rows, "ties"))
    call = {"algorithm": "native:centroids", "parameters": {"INPUT": "ties"}}
    envelope = bench.call("run_algorithm", **call, invalid_geometry="skip")
    assert envelope["ok"], envelope
    assert envelope["data"]["feature_count"] == 1 and ": 30." in envelope["message"]
    assert bench.code("run_algorithm", **call) == "INVALID_PARAM"


def test_a_join_without_a_match_is_said(bench: Bench) -> None:
    """Nothing joined is no plain success."""
    degrees(bench)
    bench.add(memory_layer("None?field=k:int&field=t:string", [(None, [7, "x"])], "table"))
    envelope = bench.call(
        "run_algorithm",
        algorithm="native:joinattributestable",
        parameters={"INPUT": "squares", "FIELD": "n", "INPUT_2": "table", "FIELD_2": "k"},
    )
    assert "nothing was joined" in envelope["message"]


def test_points_on_the_lower_and_right_side_get_their_cell(bench: Bench) -> None:
    """Corners of a square of 1,000 m in cells of 100 m: four cells; one point has no value and is not counted."""
    rows: list[tuple[str | None, list[Any]]] = [
        (f"POINT({500000 + x} {3000000 + y})", [1 + x + y]) for x in (0, 1000) for y in (0, 1000)
    ]
    rows.append(("POINT(500450 3000450)", [None]))
    bench.add(memory_layer("Point?crs=EPSG:32650&field=v:double", rows, "corners"))
    data = bench.ok("convert_raster_vector", layer_id="corners", method="raster", cell_size_m=100, field="v")
    found, _ = cells(bench, data["layer_id"])
    assert sorted(found[~np.isnan(found)]) == [1, 1001, 1001, 2001]
    assert data["size"] == [11, 11] and data["input_count"] == 4


def world(bench: Bench) -> None:
    """Cells of 1° around the earth, with their column's number."""
    values = np.tile(np.arange(360), (180, 1)).astype(np.float32)
    add(bench, write(bench.folder / "world.tif", values, crs=4326, place=(-180, 1, 0, 90, 0, -1)), "world")


def test_clipping_across_180_degrees_is_not_half_done(bench: Bench) -> None:
    """West half of Fiji's box only, without a word, before; each side by itself is fine."""
    world(bench)
    assert bench.code("clip_raster", layer_id="world", bbox=[170, -20, -170, -10]) == "INVALID_PARAM"
    assert bench.ok("clip_raster", layer_id="world", bbox=[170, -20, 180, -10])["valid_cells"] == 100
    assert bench.ok("clip_raster", layer_id="world", bbox=[-180, -20, -170, -10])["valid_cells"] == 100
    assert bench.ok("clip_raster", layer_id="world", bbox=[-180, -90, 180, 90])["valid_cells"] == 360 * 180


def test_polygons_past_180_degrees_are_told(bench: Bench) -> None:
    """Half of the cells of a box from 170 to 190 are counted: that is said by both tools."""
    world(bench)
    rows: list[tuple[str | None, list[Any]]] = [("POLYGON((170 -20, 190 -20, 190 -10, 170 -10, 170 -20))", [])]
    bench.add(memory_layer("Polygon?crs=EPSG:4326", rows, "fiji"))
    rows = [("POLYGON((-180 -20, 180 -20, 180 -10, -180 -10, -180 -20))", [])]
    bench.add(memory_layer("Polygon?crs=EPSG:4326", rows, "belt"))
    assert "other side" in bench.call("zonal_statistics", polygon_layer_id="fiji", layer_id="world")["message"]
    assert "other side" in bench.call("clip_raster", mask_layer_id="fiji", layer_id="world")["message"]
    assert "other side" not in bench.call("zonal_statistics", polygon_layer_id="belt", layer_id="world")["message"]


@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [
        ("native:rastersurfacevolume", {"LEVEL": 3, "METHOD": 0}),
        ("gdal:proximity", {"UNITS": 0}),
    ],
)
def test_volumes_and_distances_in_degrees_need_a_yes(bench: Bench, algorithm: str, parameters: dict[str, Any]) -> None:
    """A volume of 19 square degrees times metres looks like a number of cubic metres."""
    world(bench)
    envelope = bench.call("run_algorithm", algorithm=algorithm, parameters={"INPUT": "world", **parameters})
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "units")
    add(bench, write(bench.folder / "m.tif", shore(), -9999.0), "metres")
    assert bench.call("run_algorithm", algorithm=algorithm, parameters={"INPUT": "metres", **parameters})["ok"]


@needs_shared
def test_mixed_geometries_get_a_fitting_hint(bench: Bench) -> None:
    """Not "use another field type"."""
    bench.add(QgsVectorLayer(str(SHARED / "nasty" / "mixed_and_null.geojson"), "mixed", "ogr"))
    envelope = bench.call("run_algorithm", algorithm="native:fixgeometries", parameters={"INPUT": "mixed"})
    assert envelope["reason"] == "rows_lost" and "filterbygeometry" in envelope["hint"]


def test_types_of_new_fields_may_be_words(bench: Bench) -> None:
    """Of "double" QGIS makes a text field; areas are then text. Measured by pyproj."""
    degrees(bench)
    area = abs(GEOD.polygon_area_perimeter([114, 114.01, 114.01, 114], [30, 30, 30.01, 30.01])[0])
    mapping = [{"name": "a", "type": "double", "expression": "$area"}]
    made = bench.ok(
        "run_algorithm", algorithm="native:refactorfields", parameters={"INPUT": "squares", "FIELDS_MAPPING": mapping}
    )
    layer = bench.host.layers.by_alias(made["layer_id"])
    assert layer.fields().field("a").isNumeric()
    assert min(each["a"] for each in layer.getFeatures()) == pytest.approx(area, rel=1e-6)
    mapping[0]["type"] = "colour"
    refused = bench.call(
        "run_algorithm", algorithm="native:refactorfields", parameters={"INPUT": "squares", "FIELDS_MAPPING": mapping}
    )
    assert refused["code"] == "INVALID_PARAM" and "integer" in refused["hint"]


def test_area_in_a_geometry_formula_is_in_square_metres(bench: Bench) -> None:
    """The algorithm leaves the layer's scope out: 0.0001 square degrees, before."""
    degrees(bench)
    area = abs(GEOD.polygon_area_perimeter([114, 114.01, 114.01, 114], [30, 30, 30.01, 30.01])[0])
    made = bench.ok(
        "run_algorithm",
        algorithm="native:geometrybyexpression",
        parameters={"INPUT": "squares", "EXPRESSION": "make_point($area, 0)", "OUTPUT_GEOMETRY": 2},
    )
    layer = bench.host.layers.by_alias(made["layer_id"])
    assert min(each.geometry().asPoint().x() for each in layer.getFeatures()) == pytest.approx(area, rel=1e-6)


def test_rounding_to_seven_digits_is_said(bench: Bench) -> None:
    """141 × 1e8 + 1 is 14100000001; a 32-bit raster holds 14099999744."""
    add(bench, write(bench.folder / "v.tif", np.full((4, 4), 141, dtype=np.int16)))
    envelope = bench.call("raster_calculate", layer_ids=["dem"], formula="A * 100000000 + 1")
    assert "float64" in envelope["message"]
    options = {"data_type": "float64"}
    exact = bench.call("raster_calculate", layer_ids=["dem"], formula="A * 100000000 + 1", options=options)
    assert exact["data"]["min"] == 14100000001 and exact["message"] == ""
