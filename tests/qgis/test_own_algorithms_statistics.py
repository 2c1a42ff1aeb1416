"""Hot spots, Moran's I and ellipses against esda, libpysal, scipy and pointpats (see the file of expected values)."""

from __future__ import annotations

import itertools
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Bench, memory_layer
from pyproj import Geod, Transformer
from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsGeometry,
    QgsPointXY,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QTimer

from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.host import run_until
from qgis_agent.processing.autocorrelation import local_moran, moran
from qgis_agent.processing.neighbours import nearest
from qgis_agent.processing.provider import QgisAgentProvider

EXPECTED = json.loads((Path(__file__).parents[1] / "support" / "own_algorithms_expected.json").read_text("utf-8"))
BAND = {"FIELD": "v", "NEIGHBOURS": 0, "DISTANCE": 8000}
NEAREST = {"FIELD": "v", "NEIGHBOURS": 1, "NUMBER": 5}
BOTH = pytest.mark.parametrize(("key", "how"), [("band", BAND), ("knn", NEAREST)])


@pytest.fixture(autouse=True)
def providers(bench: Bench) -> None:
    """QGIS's plugin Processing and our provider."""
    load_providers()
    registry = QgsApplication.processingRegistry()
    if registry.providerById("qgisagent") is None:
        registry.addProvider(QgisAgentProvider())


def sample(
    bench: Bench, crs: str = "EPSG:4326", more: list[tuple[str | None, list[Any]]] | None = None
) -> QgsVectorLayer:
    """The 40 points of the expected values, the last of them far away, in any CRS; and more rows."""
    east, north = Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform(EXPECTED["lon"], EXPECTED["lat"])
    rows: list[tuple[str | None, list[Any]]] = [
        (f"POINT({x:.12f} {y:.12f})", [value]) for x, y, value in zip(east, north, EXPECTED["v"])
    ]
    return bench.add(memory_layer(f"Point?crs={crs}&field=v:double", rows + (more or []), "places"))


def run(bench: Bench, algorithm: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The data of run_algorithm."""
    return bench.ok("run_algorithm", algorithm=f"qgisagent:{algorithm}", parameters={"INPUT": "places", **parameters})


def refused(bench: Bench, algorithm: str, parameters: dict[str, Any]) -> str:
    """The message of a call that fails."""
    envelope = bench.call(
        "run_algorithm", algorithm=f"qgisagent:{algorithm}", parameters={"INPUT": "places", **parameters}
    )
    assert not envelope["ok"] and envelope["hint"], envelope
    return str(envelope["message"])


def column(bench: Bench, data: dict[str, Any], name: str) -> list[Any]:
    """A field of the result, None for NULL."""
    layer = bench.host.layers.by_alias(data["layer_id"])
    return [
        None if value is None or str(value) == "NULL" else value
        for value in (each[name] for each in layer.getFeatures())
    ]


def close(found: list[Any], wanted: list[Any], tolerance: float = 1e-8) -> bool:
    """Equal numbers, None where None."""
    return all((a is None) == (b is None) and (a is None or abs(a - b) <= tolerance) for a, b in zip(found, wanted))


# hot spots


@BOTH
def test_gi_star_is_that_of_esda(bench: Bench, key: str, how: dict[str, Any]) -> None:
    """z and p of each feature; the one without a neighbour within 8 km has none, and is told."""
    sample(bench)
    data = run(bench, "hotspots", how)
    wanted = [z if count else None for z, count in zip(EXPECTED[key]["gi_z"], EXPECTED[key]["neighbours"])]
    assert column(bench, data, "gi_nbrs") == EXPECTED[key]["neighbours"]
    assert close(column(bench, data, "gi_z"), wanted)
    if key == "knn":
        assert close(column(bench, data, "gi_p"), EXPECTED["gi_p"])
        steps = [sum(p <= level for level in (0.1, 0.05, 0.01)) for p in EXPECTED["gi_p"]]
        signed = [int(math.copysign(step, z)) for step, z in zip(steps, EXPECTED["knn"]["gi_z"])]
        assert column(bench, data, "gi_class") == signed
        assert data["values"]["HOT"] == sum(each >= 2 for each in signed) > 0
    else:
        assert data["values"]["ALONE"] == 1
        assert any("1 features have no neighbour" in each for each in data["warnings"])


def test_classes_corrected_for_many_tests(bench: Bench) -> None:
    """By Benjamini and Hochberg: fewer, and as scipy's adjusted p says."""
    sample(bench)
    data = run(bench, "hotspots", {**NEAREST, "CORRECT": True})
    steps = [sum(p <= level for level in (0.1, 0.05, 0.01)) for p in EXPECTED["gi_fdr"]]
    plain = [sum(p <= level for level in (0.1, 0.05, 0.01)) for p in EXPECTED["gi_p"]]
    assert steps != plain
    assert [abs(each) for each in column(bench, data, "gi_class")] == steps


@pytest.mark.parametrize("crs", ["EPSG:3857", "EPSG:32632"])
def test_the_same_on_the_ground_in_another_crs(bench: Bench, crs: str) -> None:
    """In Web Mercator 8 km are 5.4 km on the ground: other neighbours, if its own metres were taken."""
    sample(bench, crs)
    data = run(bench, "hotspots", BAND)
    assert column(bench, data, "gi_nbrs") == EXPECTED["band"]["neighbours"]


def test_the_smallest_distance_that_leaves_nobody_alone(bench: Bench) -> None:
    """By pyproj, to 1 cm at 78 km."""
    sample(bench)
    values = run(bench, "hotspots", {"FIELD": "v"})["values"]
    assert values["DISTANCE_M"] == pytest.approx(EXPECTED["smallest_distance_m"], abs=0.01)
    assert values["ALONE"] == 0


def test_neighbours_across_180_degrees(bench: Bench) -> None:
    """Two places 2.2 km apart on both sides are neighbours."""
    rows: list[tuple[str | None, list[Any]]] = [
        (f"POINT({x} 0)", [value]) for x, value in ((179.99, 5.0), (-179.99, 6.0), (179.0, 1.0), (178.99, 1.5))
    ]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=v:double", rows, "places"))
    data = run(bench, "hotspots", {"FIELD": "v", "NEIGHBOURS": 0, "DISTANCE": 3000})
    assert column(bench, data, "gi_nbrs") == [1, 1, 1, 1]


def test_features_without_value_or_geometry_are_left_out_and_told(bench: Bench) -> None:
    """They stay in the result with NULL, and the others have the numbers that they had without them."""
    sample(bench, more=[("POINT(8.7 47.3)", [None]), (None, [3.0])])
    data = run(bench, "hotspots", NEAREST)
    assert close(column(bench, data, "gi_z"), [*EXPECTED["knn"]["gi_z"], None, None])
    assert data["values"]["LEFT_OUT"] == 2 and data["values"]["USED"] == 40
    assert sum("left out" in each for each in data["warnings"]) == 2


def test_polygons_count_by_their_centroids(bench: Bench) -> None:
    """Squares around the same points."""
    rows: list[tuple[str | None, list[Any]]] = []
    for x, y, value in zip(EXPECTED["lon"], EXPECTED["lat"], EXPECTED["v"]):
        rows.append((QgsGeometry.fromPointXY(QgsPointXY(x, y)).buffer(0.001, 8).asWkt(12), [value]))
    bench.add(memory_layer("Polygon?crs=EPSG:4326&field=v:double", rows, "places"))
    assert close(column(bench, run(bench, "hotspots", NEAREST), "gi_z"), EXPECTED["knn"]["gi_z"], 1e-6)


@pytest.mark.parametrize("algorithm", ["hotspots", "globalmoran", "localmoran"])
def test_what_cannot_be_computed_is_refused(bench: Bench, algorithm: str) -> None:
    """Equal values, fewer than three features, nobody near, and no CRS."""
    rows: list[tuple[str | None, list[Any]]] = [(f"POINT({n} 1)", [7.0, float(n)]) for n in range(5)]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=v:double&field=w:double", rows, "places"))
    assert "equal (7)" in refused(bench, algorithm, {"FIELD": "v"})
    assert "No feature has a neighbour" in refused(bench, algorithm, {"FIELD": "w", "DISTANCE": 1000})
    few = {"INPUT": {"layer_id": "places", "where": [{"field": "w", "op": "lt", "value": 2}]}, "FIELD": "w"}
    assert "Only 2 features" in refused(bench, algorithm, few)
    nowhere = memory_layer("Point?field=v:double", [(f"POINT({n} 1)", [float(n)]) for n in range(5)], "nowhere")
    nowhere.setCrs(QgsCoordinateReferenceSystem())
    bench.add(nowhere)
    assert "CRS" in refused(bench, algorithm, {"INPUT": "nowhere", "FIELD": "v"})


# Moran's I


@BOTH
def test_global_moran_is_that_of_esda(bench: Bench, key: str, how: dict[str, Any]) -> None:
    """I, its moments, z, p; the permutations' p within their own error; and a table of one row."""
    sample(bench)
    data = run(bench, "globalmoran", how)
    wanted = EXPECTED[key]
    for name, theirs in (("I", "I"), ("EXPECTED", "EI"), ("VARIANCE", "VI"), ("Z", "z"), ("P", "p")):
        assert data["values"][name] == pytest.approx(wanted[theirs], rel=1e-6), name
    assert data["values"]["P_PERMUTED"] == pytest.approx(0.001, abs=0.002)
    assert data["feature_count"] == 1
    assert column(bench, data, "moran_i") == [pytest.approx(wanted["I"], rel=1e-9)]


@BOTH
def test_local_moran_is_that_of_esda(bench: Bench, key: str, how: dict[str, Any]) -> None:
    """I and quadrant exactly; p and z of 9,999 permutations within four standard errors of two such runs."""
    sample(bench)
    data = run(bench, "localmoran", {**how, "PERMUTATIONS": 9999})
    wanted = EXPECTED[key]
    some = [count > 0 for count in wanted["neighbours"]]
    assert close(column(bench, data, "lm_i"), [i if there else None for i, there in zip(wanted["local"], some)])
    assert column(bench, data, "lm_quad") == [q if there else None for q, there in zip(wanted["quadrant"], some)]
    for mine, theirs, there in zip(column(bench, data, "lm_p"), wanted["local_p"], some):
        if there:
            error = math.sqrt(2 * theirs * (1 - theirs) / 9999)
            assert abs(mine - theirs) <= 4 * error + 2e-4, (mine, theirs)
    for mine, theirs, there in zip(column(bench, data, "lm_z"), wanted["local_z"], some):
        if there:
            assert abs(mine - theirs) <= 0.06
    types = column(bench, data, "lm_type")
    assert {each for each in types if each} <= {"HH", "HL", "LH", "LL", "ns"}
    assert data["values"]["HH"] == types.count("HH") > 0


def test_the_same_draws_each_time(bench: Bench) -> None:
    """The seed is fixed; another seed gives other p."""
    sample(bench)
    first, again = (column(bench, run(bench, "localmoran", NEAREST), "lm_p") for _ in range(2))
    other = column(bench, run(bench, "localmoran", {**NEAREST, "SEED": 5}), "lm_p")
    assert first == again != other


def test_local_p_and_z_are_those_of_all_arrangements() -> None:
    """Seven places, two neighbours each: all 30 ordered pairs of the others, one by one."""
    values = np.array([3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0])
    lonlat = np.array([[n * 0.01 + n * n * 0.001, 0.0] for n in range(7)])
    neighbours = nearest(lonlat, 2, lambda: None)
    found = local_moran(values, neighbours, 50_000, 1, lambda: None)
    centred = values - values.mean()
    for i in range(7):
        others = [each for n, each in enumerate(centred) if n != i]
        sums = np.array([sum(each) / 2 for each in itertools.permutations(others, 2)])
        mine = centred[neighbours.other[neighbours.starts[i] : neighbours.starts[i + 1]]].mean()
        all_i, own_i = centred[i] * sums, centred[i] * mine
        share = float((all_i >= own_i - 1e-12).mean())
        assert found.p[i] == pytest.approx(min(share, 1 - share), abs=0.01)
        assert found.z[i] == pytest.approx((own_i - all_i.mean()) / all_i.std(), abs=1e-9)


def test_moran_finds_a_pattern_seldom_where_there_is_none() -> None:
    """200 layers of chance: z says 5 % of them, the one-sided permutations 10 % on both sides together."""
    random = np.random.default_rng(11)
    by_z = by_permutations = 0
    for _ in range(200):
        lonlat = random.random((30, 2))
        result = moran(random.normal(size=30), nearest(lonlat, 4, lambda: None), 99, 3, lambda: None)
        by_z += result.p < 0.05
        by_permutations += result.p_permuted <= 0.05
    assert 2 <= by_z <= 20  # binomial: 10 ± 3.1
    assert 9 <= by_permutations <= 34  # 20 ± 4.2


def test_100_000_points_leave_the_window_alive(bench: Bench) -> None:
    """A timer of 10 ms on the main thread meanwhile; and it can be stopped."""
    random = np.random.default_rng(5)
    layer = QgsVectorLayer("Point?crs=EPSG:4326&field=v:double", "places", "memory")
    features = []
    for x, y, value in zip(*random.random((2, 100_000)) * 2, random.normal(size=100_000)):
        feature = QgsFeature(layer.fields())
        feature.setAttributes([float(value)])
        feature.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(float(x), float(y))))
        features.append(feature)
    layer.dataProvider().addFeatures(features)
    bench.add(layer)
    gaps: list[float] = []
    last = [time.perf_counter()]

    def tick() -> None:
        now = time.perf_counter()
        gaps.append(now - last[0])
        last[0] = now

    timer = QTimer()
    timer.timeout.connect(tick)
    outcomes: list[dict[str, Any]] = []
    arguments = {"algorithm": "qgisagent:localmoran", "parameters": {"INPUT": "places", **NEAREST}}
    last[0] = time.perf_counter()
    timer.start(10)
    bench.begin("run_algorithm", arguments, outcomes)
    assert run_until(lambda: bool(outcomes), 120)
    timer.stop()
    print(f"{len(gaps)} ticks, longest gap {max(gaps) * 1000:.0f} ms, {sum(gaps):.1f} s")
    assert outcomes[0]["envelope"]["ok"], outcomes[0]
    assert max(gaps) < 0.45  # three times the goal; 65 ms were seen on two busy cores
    again: list[dict[str, Any]] = []
    running = bench.begin("run_algorithm", arguments, again)
    assert running is not None
    run_until(lambda: False, 0.8)
    asked = time.perf_counter()
    running.cancel()
    assert run_until(lambda: bool(again), 20)
    assert again[0]["envelope"]["code"] == "CANCELLED" and time.perf_counter() - asked < 3


# ellipses


def around(bench: Bench, places: list[list[float]], longitude: float, latitude: float, weights: list[float]) -> None:
    """A layer of places in metres around a centre, in degrees."""
    plane = f"+proj=aeqd +lat_0={latitude} +lon_0={longitude} +datum=WGS84 +units=m"
    back = Transformer.from_crs(plane, "EPSG:4326", always_xy=True)
    rows: list[tuple[str | None, list[Any]]] = []
    for (x, y), weight in zip(places, weights):
        lon, lat = back.transform(x, y)
        rows.append((f"POINT({lon:.12f} {lat:.12f})", [weight, "a" if x < 0 else "b"]))
    bench.add(memory_layer("Point?crs=EPSG:4326&field=w:double&field=g:string(5)", rows, "places"))


@pytest.mark.parametrize("longitude", [9.0, 180.0])
def test_ellipses_of_all_sizes(bench: Bench, longitude: float) -> None:
    """Half axes and direction by numpy and pointpats, centres by numpy and scipy; also across 180°."""
    wanted = EXPECTED["ellipse"]
    around(bench, wanted["places"], longitude, 47.0, wanted["weights"])
    minor, major = wanted["sigma"]
    sizes = ((0, major, minor), (1, major * math.sqrt(2), minor * math.sqrt(2)), (2, *wanted["crimestat"][:2]))
    for scaling, long, short in sizes:
        data = run(bench, "deviationalellipse", {"SCALING": scaling, "CENTRES": True})
        outputs = {each["output"]: each for each in data["outputs"]}
        area = outputs["OUTPUT"]
        assert column(bench, area, "major_m")[0] == pytest.approx(long, rel=1e-5)
        assert column(bench, area, "minor_m")[0] == pytest.approx(short, rel=1e-5)
        assert column(bench, area, "azimuth")[0] == pytest.approx(wanted["azimuth"], abs=0.01)
        layer = bench.host.layers.by_alias(area["layer_id"])
        shape = next(layer.getFeatures()).geometry()
        parts = [Geod(ellps="WGS84").polygon_area_perimeter(*_ring(part))[0] for part in shape.asMultiPolygon()]
        assert sum(abs(each) for each in parts) == pytest.approx(math.pi * long * short, rel=1e-3)
        assert len(parts) == (2 if longitude == 180.0 else 1)
        centres = zip(
            column(bench, outputs["CENTRES"], "kind"),
            _points(bench.host.layers.by_alias(outputs["CENTRES"]["layer_id"])),
        )
        for kind, place in centres:
            away = Geod(ellps="WGS84").inv(longitude, 47.0, *place)
            x, y = away[2] * math.sin(math.radians(away[0])), away[2] * math.cos(math.radians(away[0]))
            assert (x, y) == (pytest.approx(wanted[kind][0], abs=0.02), pytest.approx(wanted[kind][1], abs=0.02)), kind


def _ring(part: Any) -> tuple[list[float], list[float]]:
    return [each.x() for each in part[0]], [each.y() for each in part[0]]


def _points(layer: QgsVectorLayer) -> list[tuple[float, float]]:
    return [(each.geometry().asPoint().x(), each.geometry().asPoint().y()) for each in layer.getFeatures()]


def test_weights_and_groups(bench: Bench) -> None:
    """Frequency weights by numpy; groups have their own ellipses, a group of two has none."""
    wanted = EXPECTED["ellipse"]
    around(bench, wanted["places"], 9.0, 47.0, wanted["weights"])
    data = run(bench, "deviationalellipse", {"SCALING": 0, "WEIGHT": "w"})
    assert column(bench, data, "major_m")[0] == pytest.approx(wanted["weighted_sigma"][1], rel=1e-5)
    assert column(bench, data, "azimuth")[0] == pytest.approx(wanted["weighted_azimuth"], abs=0.01)
    assert column(bench, data, "weight") == [sum(wanted["weights"])]
    data = run(bench, "deviationalellipse", {"GROUP": "g"})
    west = sum(x < 0 for x, _ in wanted["places"])
    assert sorted(zip(column(bench, data, "g"), column(bench, data, "n"))) == [("a", west), ("b", 30 - west)]


def test_no_ellipse_of_a_line(bench: Bench) -> None:
    """Places in one line, too few places, and weights below 0 are refused."""
    around(bench, [[n * 10.0, n * 10.0] for n in range(5)], 9.0, 47.0, [1, 1, 1, 1, -1])
    assert "one line" in refused(bench, "deviationalellipse", {})
    assert "negative" in refused(bench, "deviationalellipse", {"WEIGHT": "w"})
