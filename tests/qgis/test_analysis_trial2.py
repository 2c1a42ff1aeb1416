"""A second trial of the analysis tools: results from nothing, beyond the earth, or in the wrong plane are said or refused."""

from __future__ import annotations

import pytest
from conftest import Bench, memory_layer
from pyproj import Geod
from qgis.core import QgsVectorLayer

from qgis_agent.gis.analysis.generic import job as generic
from qgis_agent.gis.scratch import Scratch, scratch_of

GEOD = Geod(ellps="WGS84")
FIJI = "POLYGON((179.4 -18.4,-179.2 -18.4,-179.2 -16.2,179.4 -16.2,179.4 -18.4))"
EARTH_KM2 = 510_065_622
"""Surface of the WGS 84 ellipsoid, NIMA TR8350.2."""
JUMP = "jump across 180°"


def layer(kind: str, shapes: list[str | None], name: str, crs: str = "EPSG:4326") -> QgsVectorLayer:
    """A layer with an integer field v, from 1."""
    return memory_layer(f"{kind}?crs={crs}&field=v:integer", [(s, [n]) for n, s in enumerate(shapes, 1)], name)


def test_a_buffer_of_any_size_beyond_all_places_is_refused(bench: Bench) -> None:
    """1e300 m is no distance on earth: nothing is added but with as_is, which says it; a metre is a plain success."""
    bench.add(layer("Point", ["POINT(500000 3400000)"], "one", "EPSG:32650"))
    wanted = {"algorithm": "native:buffer", "parameters": {"INPUT": "one", "DISTANCE": 1e300}}
    envelope = bench.call("run_algorithm", **wanted)
    assert not envelope["ok"] and envelope["reason"] == "not_verified" and envelope["hint"], envelope
    assert len(bench.host.project.mapLayers()) == 1
    taken = bench.call("run_algorithm", **wanted, as_is=True)
    assert taken["ok"] and "no place has" in taken["message"], taken
    envelope = bench.call("run_algorithm", algorithm="native:buffer", parameters={"INPUT": "one", "DISTANCE": 1})
    assert envelope["ok"] and envelope["message"] == "", envelope


def test_a_result_beyond_all_degrees_is_said(bench: Bench) -> None:
    """Degrees end at 90 and 180; what was there before is not the algorithm's doing."""
    bench.add(layer("Point", ["POINT(114 30)"], "wuhan"))
    bench.add(layer("Point", ["POINT(500000 3400000)"], "metres"))
    moved = {"DELTA_X": 1000, "DELTA_Y": 0}
    envelope = bench.call(
        "run_algorithm", algorithm="native:translategeometry", parameters={"INPUT": "wuhan", **moved}, as_is=True
    )
    assert envelope["ok"] and "beyond ±360/±90" in envelope["message"], envelope
    again = bench.call(
        "run_algorithm", algorithm="native:translategeometry", parameters={"INPUT": "metres", **moved}, as_is=True
    )
    assert again["ok"] and "beyond ±360/±90" not in again["message"], again


def test_a_calculated_field_without_a_value_is_said(bench: Bench) -> None:
    """A formula that gives NULL everywhere is no success; a field that was NULL before is no news."""
    rows = [("POINT(114 30)", [1, None]), ("POINT(115 30)", [2, None])]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=v:integer&field=old:integer", rows, "two"))
    base = {"INPUT": "two", "FIELD_NAME": "n", "FIELD_TYPE": 0}
    for formula, said in (('"old" * 2', True), ('"v" * 2', False)):
        envelope = bench.call(
            "run_algorithm", algorithm="native:fieldcalculator", parameters={**base, "FORMULA": formula}
        )
        assert envelope["ok"] and ("NULL in all 2" in envelope["message"]) is said, envelope
        assert "old" not in envelope["message"]
    written = {**base, "FIELD_NAME": "v", "FORMULA": '"old"'}
    over = bench.call("run_algorithm", algorithm="native:fieldcalculator", parameters=written)
    assert over["ok"] and "NULL in all 2" in over["message"], over


def test_an_output_without_any_geometry_is_said(bench: Bench) -> None:
    """Centroids of features that have no geometry are features without geometry."""
    bench.add(layer("Polygon", [None, None], "empty"))
    bench.add(memory_layer("None?field=v:integer", [(None, [1])], "table"))
    envelope = bench.call("run_algorithm", algorithm="native:centroids", parameters={"INPUT": "empty"})
    assert envelope["ok"] and "None of the 2 features" in envelope["message"], envelope
    table = bench.call("run_algorithm", algorithm="native:centroids", parameters={"INPUT": "table"}, as_is=True)
    assert not table["ok"] or "None of the 1 features" in table["message"], table


def test_many_outputs_are_opened_one_a_turn(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty files: between two of them QGIS gets its turn."""
    steps: list[object] = []
    real = generic.opened

    def counted(*arguments: object) -> object:
        for each in real(*arguments):
            steps.append(each)
            yield each

    made: list[Scratch] = []
    monkeypatch.setattr(generic, "opened", counted)
    monkeypatch.setattr(generic, "scratch_of", lambda context: made.append(scratch_of(context)) or made[-1])
    bench.add(layer("Point", [f"POINT({100 + n} 30)" for n in range(20)], "many"))
    envelope = bench.call(
        "run_algorithm", algorithm="native:splitvectorlayer", parameters={"INPUT": "many", "FIELD": "v"}
    )
    assert envelope["ok"] and len(bench.host.project.mapLayers()) == 21, envelope
    assert len(steps) >= 20
    bench.host.project.clear()
    made[-1].remove()  # the folder of files would stay to the end of the session


def voronoi_km2(bench: Bench, name: str) -> float:
    """The area of Voronoi polygons, and that they stay within ±180/±90."""
    envelope = bench.call("derive_geometry", layer_id=name, kind="voronoi")
    assert envelope["ok"], envelope
    result = bench.host.layers.by_alias(envelope["data"]["layer_id"])
    box = result.extent()
    assert box.xMinimum() >= -180 and box.xMaximum() <= 180 and box.yMinimum() >= -90 and box.yMaximum() <= 90
    assert "degrees" in envelope["message"]
    return float(envelope["data"]["area_m2"]) / 1e6


def test_voronoi_of_the_world_is_not_larger_than_the_earth(bench: Bench) -> None:
    """Cells in degrees end where the map does, and it is said that they are in degrees."""
    corners = ["POINT(-170 -80)", "POINT(170 -80)", "POINT(170 80)", "POINT(-170 80)", "POINT(5 3)"]
    bench.add(layer("Point", corners, "world"))
    assert voronoi_km2(bench, "world") == pytest.approx(EARTH_KM2, rel=1e-3)


def test_voronoi_of_a_country_is_made_in_a_plane(bench: Bench) -> None:
    """Points 2,000 km apart at 60° north: the border between two neighbours is where both are equally far (geodesic)."""
    bench.add(layer("Point", ["POINT(0 60)", "POINT(20 60)", "POINT(10 70)", "POINT(10 52)", "POINT(14 66)"], "north"))
    envelope = bench.call("derive_geometry", layer_id="north", kind="voronoi")
    assert envelope["ok"] and "equal-area" in envelope["data"]["computed"], envelope
    result = bench.host.layers.by_alias(envelope["data"]["layer_id"])
    places = {1: (0, 60), 3: (10, 70)}
    cells = {each["v"]: each.geometry() for each in result.getFeatures()}
    border = cells[1].intersection(cells[3])
    assert not border.isEmpty()
    for vertex in border.vertices():
        one, three = (GEOD.inv(vertex.x(), vertex.y(), *places[each])[2] for each in (1, 3))
        assert one == pytest.approx(three, rel=0.02)


def test_a_swapped_point_among_good_ones_is_no_fault_of_qgis(bench: Bench) -> None:
    """Latitude and longitude swapped in one row: which one, and how to leave it out."""
    bench.add(layer("Point", ["POINT(114 30)", "POINT(30 114)", "POINT(115 31)"], "mixed"))
    envelope = bench.call("buffer_layer", layer_id="mixed", distance_m=1000)
    assert envelope["code"] == "UNSUPPORTED", envelope
    assert "id 2, at (30, 114)" in envelope["message"] and "swapped" in envelope["message"]
    assert "where" in envelope["hint"]
    good = bench.call("buffer_layer", layer_id="mixed", distance_m=1000, where=[{"field": "v", "op": "ne", "value": 2}])
    assert good["ok"] and good["data"]["feature_count"] == 2, good


def test_a_circle_around_a_layer_of_two_points(bench: Bench) -> None:
    """Two points span no area, but there is a least circle: through both, as wide as they are apart."""
    bench.add(layer("Point", ["POINT(500000 3400000)", "POINT(501000 3400000)"], "two", "EPSG:32650"))
    envelope = bench.call("derive_geometry", layer_id="two", kind="minimum_circle", options={"per": "layer"})
    assert envelope["ok"], envelope
    assert envelope["data"]["area_m2"] == pytest.approx(3.14159265 * 500**2, rel=0.005)
    assert bench.code("derive_geometry", layer_id="two", kind="minimum_circle") == "NOT_FOUND"


def test_notes_of_counts_are_warnings_too(bench: Bench) -> None:
    """A caller that reads the data only must see them."""
    bench.add(layer("Polygon", ["POLYGON((114 30,115 30,115 31,114 31,114 30))"], "zone"))
    bench.add(layer("Point", ["POINT(10 10)"], "far"))
    envelope = bench.call("stat_by_polygon", polygon_layer_id="zone", layer_id="far")
    assert envelope["ok"] and envelope["data"]["warnings"], envelope
    assert " ".join(envelope["data"]["warnings"]) == envelope["message"]


def test_a_selection_by_a_shape_across_180_is_told(bench: Bench) -> None:
    """Fiji's box goes round the earth: it holds Africa."""
    bench.add(layer("Polygon", [FIJI], "fiji"))
    bench.add(layer("Point", ["POINT(20 -17)"], "africa"))
    envelope = bench.call("select_by_location", layer_id="africa", by_layer_id="fiji")
    assert envelope["ok"] and JUMP in envelope["message"], envelope
