"""What a trial with real and nasty layers found: places where a result was wrong, or said too little, without a word."""

from __future__ import annotations

import math

import pytest
from conftest import Bench, memory_layer
from pyproj import Geod
from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransformContext, QgsVectorLayer

from qgis_agent.gis.analysis.inputs.pair import (
    base_of,
    datum_of,
)
from qgis_agent.gis.results import fit

GEOD = Geod(ellps="WGS84")
FIJI = "POLYGON((179.4 -18.4,-179.2 -18.4,-179.2 -16.2,179.4 -16.2,179.4 -18.4))"
PACIFIC = "LINESTRING(139.77 35.62,165 33,-170 27,-157.86 21.31)"
WORLD = "POLYGON((-180 -90,180 -90,180 90,-180 90,-180 -90))"
BOW_TIE = "POLYGON((114 30,114.1 30.1,114.1 30,114 30.1,114 30))"
NO_AREA = "POLYGON((114.5 30.5,114.6 30.5,114.6 30.5,114.5 30.5))"
SQUARE = "POLYGON((114.2 30.2,114.3 30.2,114.3 30.3,114.2 30.3,114.2 30.2))"
JUMP = "jump across 180°"


def layer(kind: str, shapes: list[str | None], name: str, crs: str = "EPSG:4326") -> QgsVectorLayer:
    """A layer with an integer field v, from 1."""
    return memory_layer(f"{kind}?crs={crs}&field=v:integer", [(s, [n]) for n, s in enumerate(shapes, 1)], name)


def test_shapes_that_jump_across_180_are_told(bench: Bench) -> None:
    """Fiji's box and the way from Tokyo to Honolulu are drawn round the earth: nothing of them goes without a word."""
    bench.add(layer("Polygon", [FIJI], "fiji"))
    bench.add(layer("LineString", [PACIFIC], "pacific"))
    bench.add(layer("Point", ["POINT(114 30)"], "wuhan"))
    for name in ("fiji", "pacific"):
        assert JUMP in bench.call("buffer_layer", layer_id=name, distance_m=20_000)["message"]
    assert JUMP in bench.call("nearest_features", layer_id="wuhan", to_layer_id="pacific")["message"]
    told = bench.call("overlay_layers", layer_id="wuhan", overlay_layer_id="fiji", operation="difference")
    assert JUMP in told["message"]
    assert (
        bench.code("derive_geometry", layer_id="pacific", kind="densify", options={"distance_m": 50_000})
        == "UNSUPPORTED"
    )


def test_the_whole_world_and_a_split_shape_jump_nowhere(bench: Bench) -> None:
    """An edge all the way from -180° to 180°, and parts on both sides, are meant as they are drawn."""
    split = "MULTIPOLYGON(((176 66,180 66,180 69,176 69,176 66)),((-180 66,-172 66,-172 69,-180 69,-180 66)))"
    bench.add(layer("MultiPolygon", [split, WORLD.replace("POLYGON(", "MULTIPOLYGON((") + ")"], "fine"))
    assert JUMP not in bench.call("dissolve_layer", layer_id="fine", fields=["v"])["message"]


def test_a_shape_over_a_pole_in_degrees_breaks_no_answer(bench: Bench) -> None:
    """A circle in degrees around Chukotka and Greenland reaches beyond 90°: it has no area, and that is said."""
    bench.add(layer("LineString", ["LINESTRING(-179 60,179 80,0 85)"], "arctic"))
    envelope = bench.call("derive_geometry", layer_id="arctic", kind="minimum_circle")
    assert envelope["ok"], envelope
    assert "over a pole" in envelope["message"] and envelope["data"]["area_m2"] == 0.0


def test_areas_before_an_overlay_are_those_after_the_repair(bench: Bench) -> None:
    """The loops of a bow-tie cancel out before it is repaired: the result was larger than the input."""
    bench.add(layer("Polygon", [BOW_TIE], "bow"))
    bench.add(layer("Polygon", ["POLYGON((110 25,120 25,120 35,110 35,110 25))"], "mask"))
    middle = (114.05, 30.05)
    loops = [[(114, 30), middle, (114, 30.1)], [(114.1, 30), middle, (114.1, 30.1)]]
    expected = sum(abs(GEOD.polygon_area_perimeter(*zip(*each))[0]) for each in loops) / 1e6
    data = bench.ok("overlay_layers", layer_id="bow", overlay_layer_id="mask", operation="intersection")
    assert data["area_km2"] == pytest.approx(expected, rel=1e-5)
    assert data["input_area_km2"] == pytest.approx(expected, rel=1e-5)
    assert bench.ok("dissolve_layer", layer_id="bow")["input_area_km2"] == pytest.approx(expected, rel=1e-5)


def test_a_polygon_without_area_does_not_stop_the_counts(bench: Bench) -> None:
    """Of a polygon with three places a repair leaves nothing: the others are counted, and it is said."""
    bench.add(layer("Polygon", [NO_AREA, SQUARE], "zones"))
    bench.add(layer("Point", ["POINT(114.25 30.25)", "POINT(114.55 30.5)"], "places"))
    envelope = bench.call("stat_by_polygon", polygon_layer_id="zones", layer_id="places")
    assert envelope["ok"], envelope
    assert [row["count"] for row in envelope["data"]["rows"]] == [0, 1]
    assert "1 polygons have no area" in envelope["message"]


def test_sums_say_nothing_of_the_columns_on_the_way(bench: Bench) -> None:
    """A sum's column is written over by the plan itself: no field of the person's is replaced."""
    bench.add(layer("Polygon", [SQUARE], "zones"))
    wanted = [{"field": "v", "function": "sum"}]
    for tool in ("dissolve_layer", "aggregate_layer"):
        envelope = bench.call(tool, layer_id="zones", aggregates=wanted)
        assert envelope["ok"] and envelope["data"]["rows"][0]["v_sum"] == 1
        assert envelope["data"]["warnings"] == [], envelope


def test_one_circle_does_not_overlap_itself(bench: Bench) -> None:
    """Straight segments have less area than the curve: that is no overlap."""
    ring = "CIRCULARSTRING(500000 4000000,501000 4001000,502000 4000000,501000 3999000,500000 4000000)"
    bench.add(layer("CurvePolygon", [f"CURVEPOLYGON({ring})"], "disc", "EPSG:32650"))
    for name, more in (("dissolve_layer", {}), ("overlay_layers", {"overlay_layer_id": "disc", "operation": "union"})):
        envelope = bench.call(name, layer_id="disc", **more)
        assert envelope["ok"] and "overlap" not in envelope["message"], envelope
        assert envelope["data"]["area_km2"] == pytest.approx(math.pi, rel=2e-3)
        assert envelope["message"].count("curved") == 1


def test_lost_heights_are_said(bench: Bench) -> None:
    """A buffer has no Z: the point's 5 m are gone. A centroid keeps them."""
    bench.add(layer("PointZ", ["POINT Z(114 30 5)"], "high"))
    assert "heights" in bench.call("buffer_layer", layer_id="high", distance_m=100)["message"]


def test_planar_formulas_in_feet_are_said(bench: Bench) -> None:
    """area($geometry) of 1000 ft by 1000 ft is a million, and no m²."""
    square = "POLYGON((1000000 200000,1001000 200000,1001000 201000,1000000 201000,1000000 200000))"
    bench.add(layer("Polygon", [square], "lots", "EPSG:2263"))
    envelope = bench.call("calculate_field", layer_id="lots", field="a", formula="area(@geometry)")
    assert envelope["data"]["sum"] == pytest.approx(1e6, rel=1e-9)
    assert "0.3048006" in envelope["message"] and "units of the CRS" in envelope["message"]
    plain = bench.call("calculate_field", layer_id="lots", field="b", formula="$area")
    assert plain["data"]["sum"] == pytest.approx(1e6 * (1200 / 3937) ** 2, rel=1e-3) and plain["message"] == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [("EPSG:4509", "EPSG:4326"), ("EPSG:2154", "EPSG:2263"), ("EPSG:25832", "EPSG:4509"), ("EPSG:4490", "EPSG:4326")],
)
def test_satellite_datums_are_not_100_m_apart(one: str, other: str) -> None:
    """CGCS2000, RGF93, ETRS89 and NAD83 are within about 2 m of WGS 84 (EPSG's own accuracies of the shifts: 1 to 4 m)."""
    found = datum_of(*map(QgsCoordinateReferenceSystem, (one, other)), QgsCoordinateTransformContext())
    assert found is None or not found.ballpark


def test_datums_on_one_ellipsoid_are_told_apart() -> None:
    """Beijing 1954 and Pulkovo 1942 are both on Krassowsky's ellipsoid, and 100 m and more apart."""
    beijing, pulkovo = QgsCoordinateReferenceSystem("EPSG:21480"), QgsCoordinateReferenceSystem("EPSG:28410")
    assert base_of(beijing) != base_of(pulkovo)
    assert datum_of(beijing, pulkovo, QgsCoordinateTransformContext()) is not None


def test_a_reprojection_from_cgcs2000_is_not_called_rough(bench: Bench) -> None:
    """WGS 84 to CGCS2000 is no matter of 100 m."""
    bench.add(layer("Point", ["POINT(114 30)"], "wuhan"))
    assert "100 m" not in bench.call("reproject_layer", layer_id="wuhan", crs="EPSG:4490")["message"]


def test_nearest_across_the_world_is_said(bench: Bench) -> None:
    """Two layers far from each other: most often a wrong CRS."""
    bench.add(layer("Point", ["POINT(114 30)"], "wuhan"))
    bench.add(layer("Point", ["POINT(2 48)"], "paris"))
    envelope = bench.call("nearest_features", layer_id="wuhan", to_layer_id="paris")
    expected = GEOD.inv(114, 30, 2, 48)[2]
    assert envelope["data"]["nearest_min_m"] == pytest.approx(expected, rel=1e-9)
    assert "no place in common" in envelope["message"] and "reprojected" not in envelope["message"]


def test_sums_of_huge_whole_numbers_are_said_to_be_rounded(bench: Bench) -> None:
    """Twice 2⁵³ + 1 is 18014398509481986, which no floating-point number is; 2⁵⁰ is exact and needs no word."""
    rows = [("POINT(114 30)", [2**53 + 1, 2**50]), ("POINT(114 30)", [2**53 + 1, 2**50])]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=v:int8&field=w:int8", rows, "big"))
    for field, said in (("v", True), ("w", False)):
        told = bench.call("aggregate_layer", layer_id="big", aggregates=[{"field": field, "function": "sum"}])
        assert told["ok"] and ("not exact" in told["message"]) is said, told


def test_lines_that_close_no_area_are_no_fault_of_the_algorithm(bench: Bench) -> None:
    """The model can put it right: other lines."""
    bench.add(layer("LineString", ["LINESTRING(0 0,1 1)"], "open"))
    envelope = bench.call("derive_geometry", layer_id="open", kind="polygonize")
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "nothing_made")
    assert "close areas" in envelope["hint"]


def test_an_answer_holds_no_number_that_is_none() -> None:
    """JSON has neither NaN nor infinity; many rows are cut before they are looked at."""
    data = {"mean": math.nan, "rows": [{"v": math.inf, "w": 1.5}] * 5000}
    found = fit(data, "", "rows", lambda: "handle")
    assert found["data"]["mean"] is None and found["data"]["rows"] == [{"v": None, "w": 1.5}] * 5
    assert found["data"]["result_ref"] == "handle" and len(data["rows"]) == 5000
    assert fit({"mean": math.nan}, "", "", lambda: None)["data"] == {"mean": None}
