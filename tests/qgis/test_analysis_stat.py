"""stat_by_polygon: counts by shapely, areas by pyproj, sums that agree, names, index, and what is refused."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
import shapely
from conftest import REPO, Bench, memory_layer
from pyproj import Geod, Transformer
from qgis.core import (
    NULL,
    QgsCoordinateReferenceSystem,
    QgsProject,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

from qgis_agent.gis.host import run_until
from qgis_agent.gis.scratch import session_folder
from qgis_agent.gis.work import running_tasks

GEOD = Geod(ellps="WGS84")
SQUARES = {
    "west": [(10.0, 50.0), (10.02, 50.0), (10.02, 50.01), (10.0, 50.01)],
    "east": [(10.02, 50.0), (10.04, 50.0), (10.04, 50.01), (10.02, 50.01)],
    "far": [(10.1, 50.0), (10.13, 50.0), (10.1, 50.02)],
}


def squares(crs: str = "EPSG:4326", extra: str = "", names: Any = SQUARES) -> QgsVectorLayer:
    """Polygons given in degrees, stored in ``crs``; every edge is divided, so that it runs alike in all CRSs."""
    forth = Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    rows = []
    for name in names:
        ring = shapely.segmentize(shapely.Polygon(SQUARES[name]), 0.0005).exterior.coords
        text = ", ".join("{!r} {!r}".format(*forth.transform(*each)) for each in ring)
        rows.append((f"POLYGON(({text}))", [name] + ([7] if extra else [])))
    return memory_layer(f"Polygon?crs={crs}&field=name:string(20){extra}", rows, "areas")


def scattered(count: int = 400, seed: int = 5) -> list[tuple[float, float]]:
    """Places in and around the squares, none of them on a border."""
    generator = random.Random(seed)
    return [(generator.uniform(9.99, 10.14), generator.uniform(49.995, 50.025)) for _ in range(count)]


def places_layer(
    crs: str, places: list[tuple[float, float]], values: Any = None, kind: str = "Point"
) -> QgsVectorLayer:
    """Points given in degrees, stored in ``crs``, with a number and a text."""
    forth = Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    rows = []
    for number, place in enumerate(places):
        value = number if values is None else values[number]
        rows.append(("POINT({!r} {!r})".format(*forth.transform(*place)), [value, f"p{number}"]))
    return memory_layer(f"{kind}?crs={crs}&field=pupils:integer&field=label:string(20)", rows, "schools")


def expected(places: list[tuple[float, float]]) -> dict[str, list[int]]:
    """Indices of the places inside each square, by shapely."""
    found = {}
    for name, ring in SQUARES.items():
        polygon = shapely.Polygon(ring)
        found[name] = [number for number, place in enumerate(places) if polygon.contains(shapely.Point(place))]
    return found


def area_km2(name: str) -> float:
    """Geodesic area, by pyproj."""
    ring = list(shapely.segmentize(shapely.Polygon(SQUARES[name]), 0.0005).exterior.coords)
    return abs(GEOD.polygon_area_perimeter(*zip(*ring))[0]) / 1e6


@pytest.mark.parametrize(
    ("polygon_crs", "point_crs"),
    [("EPSG:4326", "EPSG:4326"), ("EPSG:32632", "EPSG:4326"), ("EPSG:3857", "EPSG:32632"), ("EPSG:4326", "EPSG:3857")],
)
def test_counts_areas_densities(bench: Bench, polygon_crs: str, point_crs: str) -> None:
    """Numbers of an independent source, whatever the CRSs are; the totals agree with the rows."""
    places = scattered()
    bench.add(squares(polygon_crs))
    bench.add(places_layer(point_crs, places))
    data = bench.ok("stat_by_polygon", polygon_layer_id="areas", layer_id="schools")
    inside = expected(places)
    assert [row["name"] for row in data["rows"]] == list(SQUARES)
    for row in data["rows"]:
        area = area_km2(row["name"])
        assert row["count"] == len(inside[row["name"]])
        assert row["area_km2"] == pytest.approx(area, rel=1e-5, abs=5e-5)
        assert row["density_per_km2"] == pytest.approx(row["count"] / area, rel=1e-4)
    assert data["total_count"] == sum(map(len, inside.values()))
    assert data["outside"] == len(places) - data["total_count"]
    assert data["on_border"] == 0 and data["points"] == 400 and data["polygons"] == 3
    assert data["total_area_km2"] == pytest.approx(sum(map(area_km2, SQUARES)), rel=1e-5)
    assert data["area_method"].startswith("ellipsoidal") and "qgisagent:pointsinpolygons" in data["algorithm"]
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert data["name"] == layer.name() == "schools per areas" and layer.crs().authid() == polygon_crs
    assert [each.name() for each in layer.fields()] == ["name", "count", "area_km2", "density_per_km2"]
    assert bench.host.layers.group_of(layer) == "Agent results"


def test_aggregates_ignore_null(bench: Bench) -> None:
    """Sum, mean, min and max of what is there; a polygon without values has null; names say field and function."""
    places = [*scattered(60), (10.115, 50.003), (10.01, 50.005)]
    values = [None if number % 3 == 0 else number * 2 for number in range(len(places))]
    bench.add(squares())
    bench.add(places_layer("EPSG:3857", places, values))
    asked = [{"field": "pupils", "function": each} for each in ("mean", "sum", "max", "min")]
    data = bench.ok("stat_by_polygon", polygon_layer_id="areas", layer_id="schools", aggregates=asked)
    inside = expected(places)
    for row in data["rows"]:
        present = [values[number] for number in inside[row["name"]] if values[number] is not None]
        assert len(present) > 0
        assert row["count"] == len(inside[row["name"]])
        assert (
            row["pupils_sum"] == sum(present)
            and row["pupils_min"] == min(present)
            and row["pupils_max"] == max(present)
        )
        assert row["pupils_mean"] == pytest.approx(sum(present) / len(present))
    names = [each.name() for each in bench.host.layers.by_alias(data["layer_id"]).fields()]
    assert names == [
        "name",
        "count",
        "pupils_min",
        "pupils_max",
        "pupils_sum",
        "pupils_mean",
        "area_km2",
        "density_per_km2",
    ]


def test_conditions_on_both_sides(bench: Bench) -> None:
    """Only the polygons and points asked for."""
    places = scattered(200)
    bench.add(squares())
    bench.add(places_layer("EPSG:4326", places))
    data = bench.ok(
        "stat_by_polygon",
        polygon_layer_id="areas",
        layer_id="schools",
        polygon_where=[{"field": "name", "op": "in", "value": ["east", "far"]}],
        where=[{"field": "pupils", "op": "lt", "value": 100}],
    )
    inside = expected(places[:100])
    assert {row["name"]: row["count"] for row in data["rows"]} == {name: len(inside[name]) for name in ("east", "far")}
    assert data["points"] == 100 and data["outside"] == 100 - data["total_count"]


def test_points_on_borders_are_said(bench: Bench) -> None:
    """A point on the shared border counts nowhere, a point beside it once; the message and the sums say so."""
    bench.add(squares("EPSG:4326"))
    bench.add(places_layer("EPSG:4326", [(10.02, 50.005), (10.0201, 50.005), (10.0, 50.0), (10.3, 50.0)]))
    envelope = bench.call("stat_by_polygon", polygon_layer_id="areas", layer_id="schools")
    data = envelope["data"]
    assert [row["count"] for row in data["rows"]] == [0, 1, 0]
    assert (data["total_count"], data["on_border"], data["outside"], data["points"]) == (1, 2, 1, 4)
    assert "border" in envelope["message"]


def test_overlapping_polygons_are_said(bench: Bench) -> None:
    """A point in two polygons counts in both, and the total says that it is one too many."""
    rows = [("POLYGON((0 0,2 0,2 2,0 2,0 0))", ["a"]), ("POLYGON((1 0,3 0,3 2,1 2,1 0))", ["b"])]
    bench.add(memory_layer("Polygon?crs=EPSG:4326&field=name:string(5)", rows, "areas"))
    bench.add(places_layer("EPSG:4326", [(0.5, 1.0), (1.5, 1.0), (2.5, 1.0)]))
    envelope = bench.call("stat_by_polygon", polygon_layer_id="areas", layer_id="schools")
    assert [row["count"] for row in envelope["data"]["rows"]] == [2, 2]
    assert "overlap" in envelope["message"] and "1 points too many" in envelope["message"]


def test_names_that_are_taken(bench: Bench) -> None:
    """Polygons that have a field "Count" keep it; the new one gets a number and the answer names it."""
    bench.add(squares(extra="&field=Count:integer"))
    bench.add(places_layer("EPSG:4326", [(10.01, 50.005)]))
    data = bench.ok("stat_by_polygon", polygon_layer_id="areas", layer_id="schools")
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert data["fields"]["count"] == "count_2"
    assert [(each["Count"], each["count_2"]) for each in layer.getFeatures()] == [(7, 1.0), (7, 0.0), (7, 0.0)]


def test_no_points_is_a_success(bench: Bench) -> None:
    """Nothing matches: every count is 0, aggregates are null, and the message says it."""
    bench.add(squares())
    bench.add(places_layer("EPSG:4326", []))
    asked = [{"field": "pupils", "function": "sum"}]
    envelope = bench.call("stat_by_polygon", polygon_layer_id="areas", layer_id="schools", aggregates=asked)
    assert envelope["ok"], envelope
    assert [(row["count"], row["pupils_sum"], row["density_per_km2"]) for row in envelope["data"]["rows"]] == [
        (0, None, 0.0)
    ] * 3
    assert "no points" in envelope["message"] and "index" not in envelope["message"]


def test_multipoints_are_taken_apart(bench: Bench) -> None:
    """Each point of a multipoint counts."""
    bench.add(squares())
    rows = [
        ("MULTIPOINT((10.01 50.005), (10.03 50.005), (11 50))", [1, "x"]),
        ("MULTIPOINT((10.011 50.005))", [2, "y"]),
    ]
    bench.add(memory_layer("MultiPoint?crs=EPSG:4326&field=pupils:integer&field=label:string(9)", rows, "schools"))
    envelope = bench.call("stat_by_polygon", polygon_layer_id="areas", layer_id="schools")
    assert [row["count"] for row in envelope["data"]["rows"]] == [2, 1, 0]
    assert envelope["data"]["points"] == 4 and "multipoint" in envelope["message"]


@pytest.mark.parametrize("driver", ["GPKG", "ESRI Shapefile"])
def test_files_with_and_without_an_index(bench: Bench, driver: str, tmp_path: Path) -> None:
    """A GeoPackage and a shapefile without an index are used as they are; nothing appears beside them."""
    places = scattered(150)
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = driver
    options.layerOptions = ["SPATIAL_INDEX=YES"] if driver == "GPKG" else []
    path = str(tmp_path / ("schools.gpkg" if driver == "GPKG" else "schools.shp"))
    source = places_layer("EPSG:4326", places)
    QgsVectorFileWriter.writeAsVectorFormatV3(source, path, source.transformContext(), options)
    bench.add(QgsVectorLayer(path, "schools", "ogr"))
    bench.add(squares())
    before = sorted(each.name for each in tmp_path.iterdir())
    data = bench.ok("stat_by_polygon", polygon_layer_id="areas", layer_id="schools")
    assert [row["count"] for row in data["rows"]] == [len(each) for each in expected(places).values()]
    assert sorted(each.name for each in tmp_path.iterdir()) == before


def test_more_polygons_than_points(bench: Bench) -> None:
    """QGIS goes through the points then; the sums agree all the same."""
    rows = [
        (f"POLYGON(({x} {y},{x + 1} {y},{x + 1} {y + 1},{x} {y + 1},{x} {y}))", [f"{x}/{y}"])
        for x in range(20)
        for y in range(20)
    ]
    bench.add(memory_layer("Polygon?crs=EPSG:3857&field=name:string(9)", rows, "areas"))
    places = [(x + 0.5, y + 0.5) for x in range(-2, 18) for y in range(6)]
    text = [(f"POINT({x} {y})", [1, "p"]) for x, y in places]
    bench.add(memory_layer("Point?crs=EPSG:3857&field=pupils:integer&field=label:string(9)", text, "schools"))
    data = bench.ok("stat_by_polygon", polygon_layer_id="areas", layer_id="schools")
    assert (data["total_count"], data["outside"], data["polygons"]) == (18 * 6, 12, 400)


def test_what_is_refused(bench: Bench) -> None:
    """Wrong kinds, no CRS, a text field, a missing field, no polygons: the right code and a hint, and no new layer."""
    bench.add(squares())
    bench.add(places_layer("EPSG:4326", [(10.01, 50.005)]))
    lost = bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(1 1)", [])], "lost"))
    lost.setCrs(QgsCoordinateReferenceSystem())
    count = len(bench.host.project.mapLayers())

    def code(**more: Any) -> str:
        return bench.code("stat_by_polygon", **{"polygon_layer_id": "areas", "layer_id": "schools", **more})

    assert code(polygon_layer_id="schools") == "UNSUPPORTED"
    assert code(layer_id="areas") == "UNSUPPORTED"
    assert code(layer_id="lost") == "UNSUPPORTED"
    assert code(layer_id="scools") == "NOT_FOUND"
    assert code(aggregates=[{"field": "label", "function": "sum"}]) == "INVALID_PARAM"
    assert code(aggregates=[{"field": "pupil", "function": "sum"}]) == "NOT_FOUND"
    assert code(polygon_where=[{"field": "name", "op": "eq", "value": "nowhere"}]) == "NOT_FOUND"
    assert len(bench.host.project.mapLayers()) == count


@pytest.mark.parametrize("end", ["stop", "remove"])
def test_ended_in_the_middle(bench: Bench, end: str) -> None:
    """Stop answers at once; a layer that is removed under way ends the call too. No layer and no file is left."""
    bench.add(squares("EPSG:32632"))
    points = bench.add(places_layer("EPSG:4326", scattered(20_000)))
    folder = Path(session_folder())
    outcomes: list[dict[str, Any]] = []
    running = bench.begin("stat_by_polygon", {"polygon_layer_id": "areas", "layer_id": "schools"}, outcomes)
    assert running is not None
    if end == "stop":
        assert run_until(lambda: running_tasks() > 0, 20)
        before = time.monotonic()
        running.cancel()
        assert time.monotonic() - before < 1.5
        assert outcomes[0]["envelope"]["code"] == "CANCELLED"
    else:
        bench.host.project.removeMapLayer(points.id())
        assert run_until(lambda: bool(outcomes), 20)
        assert outcomes[0]["envelope"]["code"] in ("NOT_FOUND", "CANCELLED"), outcomes
    assert run_until(lambda: running_tasks() == 0, 20)
    # the plan is ended from the event loop, a moment after its last task
    assert run_until(lambda: not list(folder.rglob("*.fgb")), 5)
    assert len(bench.host.project.mapLayers()) == (2 if end == "stop" else 1)


def test_asked_twice_leaves_one_layer(bench: Bench) -> None:
    """The same question again names the layer that is there."""
    bench.add(squares())
    bench.add(places_layer("EPSG:4326", scattered(50)))
    first = bench.ok("stat_by_polygon", polygon_layer_id="areas", layer_id="schools")
    count = len(bench.host.project.mapLayers())
    second = bench.ok("stat_by_polygon", polygon_layer_id="areas", layer_id="schools")
    assert second["layer_id"] == first["layer_id"] and second["reused"] and "reused" not in first
    assert len(bench.host.project.mapLayers()) == count
    assert second["mean_count"] == pytest.approx(second["total_count"] / 3, abs=5e-5)
    assert (second["min_count"], second["max_count"]) == (
        min(row["count"] for row in second["rows"]),
        max(row["count"] for row in second["rows"]),
    )


def test_sample_project(bench: Bench, tmp_path: Path) -> None:
    """Densities of schools in the streets of the sample: 6.49, 7.84 and 2.38 per km²."""
    sample = REPO / "resources" / "sample"
    for each in sample.iterdir():
        shutil.copy(each, tmp_path / each.name)
    assert QgsProject.instance().read(str(tmp_path / "city.qgz"))
    bench.issue()
    outcome = bench.outcome("stat_by_polygon", polygon_layer_id="streets", layer_id="schools")
    assert outcome["envelope"]["ok"], outcome
    data = outcome["envelope"]["data"]
    rows = sorted(data["rows"], key=lambda row: row["name"])
    assert [row["count"] for row in rows] == [12, 8, 5]
    assert [round(row["area_km2"], 2) for row in rows] == [1.85, 1.02, 2.1]
    assert [round(row["density_per_km2"], 2) for row in rows] == [6.49, 7.84, 2.38]
    styled = bench.ok(
        "set_render_rule", layer_id=data["layer_id"], method="graduated", field="density_per_km2", classes=3
    )
    assert sorted(each["count"] for each in styled["classes"]) == [1, 1, 1]


def test_a_sum_of_nothing_is_null(bench: Bench) -> None:
    """As in SQL: no value, no sum; what is left out is said; the columns keep their order and the fields their aliases."""
    places = [(10.005, 50.005), (10.006, 50.006), (10.03, 50.005)]
    layer = squares()
    layer.setFieldAlias(0, "区名")
    bench.add(layer)
    rows = [
        ("POINT({!r} {!r})".format(*place), [*each]) for place, each in zip(places, [(5, 1.5), (None, 2.5), (None, 4)])
    ]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=pupils:integer&field=rooms:double", rows, "schools"))
    asked = [
        {"field": field, "function": function}
        for field, function in (("rooms", "sum"), ("pupils", "sum"), ("pupils", "mean"), ("rooms", "max"))
    ]
    envelope = bench.call("stat_by_polygon", polygon_layer_id="areas", layer_id="schools", aggregates=asked)
    data = envelope["data"]
    found = [
        (row["name"], row["count"], row["pupils_sum"], row["pupils_mean"], row["rooms_sum"], row["rooms_max"])
        for row in data["rows"]
    ]
    assert found == [("west", 2, 5, 5, 4.0, 2.5), ("east", 1, None, None, 4.0, 4.0), ("far", 0, None, None, None, None)]
    assert "2 of 3 points have no value in 'pupils'" in envelope["message"] and "rooms" not in envelope["message"]
    result = bench.host.layers.by_alias(data["layer_id"])
    names = [each.name() for each in result.fields()]
    assert names[:6] == ["name", "count", "rooms_max", "rooms_sum", "pupils_sum", "pupils_mean"]
    assert result.fields()[0].alias() == "区名"
    assert [value["pupils_sum"] for value in result.getFeatures() if value["name"] == "east"] == [NULL]
    assert bench.ok("summarize_field", layer_id=data["layer_id"], field="pupils_sum")["count"] == 1


def test_golden_request_2_school_by_school(bench: Bench, tmp_path: Path) -> None:
    """500 m around each school of the sample, bus stops inside: the geodesic distances of pyproj give the same counts."""
    for each in (REPO / "resources" / "sample").iterdir():
        shutil.copy(each, tmp_path / each.name)
    assert QgsProject.instance().read(str(tmp_path / "city.qgz"))
    bench.issue()
    zones = bench.ok("buffer_layer", layer_id="schools", distance_m=500)
    data = bench.ok("stat_by_polygon", polygon_layer_id=zones["layer_id"], layer_id="bus_stops")
    places = {
        name: [each.geometry().asPoint() for each in bench.host.layers.by_alias(name).getFeatures()]
        for name in ("schools", "bus_stops")
    }
    counts = [
        sum(GEOD.inv(school.x(), school.y(), stop.x(), stop.y())[2] < 500 for stop in places["bus_stops"])
        for school in places["schools"]
    ]
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert [each["count"] for each in layer.getFeatures()] == counts
    assert data["total_count"] == sum(counts) == 71 and data["mean_count"] == pytest.approx(71 / 31, abs=5e-5)
    styled = bench.ok("set_render_rule", layer_id=data["layer_id"], method="graduated", field="count", classes=4)
    assert sum(each["count"] for each in styled["classes"]) == 31
