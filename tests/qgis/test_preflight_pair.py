"""Two layers together: which CRS is used, how good the way between their datums is, and whether they meet at all."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench, memory_layer
from pyproj import Geod
from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransformContext, QgsFeedback, QgsVectorLayer

from qgis_agent.gis.analysis.inputs.pair import (
    datum_of,
    gap_degrees,
    gap_km,
    matched,
    pair_remarks,
)
from qgis_agent.gis.analysis.inputs.preflight import Surveyor
from qgis_agent.gis.errors import ToolError

GEOD = Geod(ellps="WGS84")


def spot(bench: Bench, crs: str, x: float, y: float, name: str) -> QgsVectorLayer:
    """A layer with two points 0.1 apart."""
    rows = [(f"POINT({x} {y})", [1]), (f"POINT({x + 0.1} {y + 0.1})", [2])]
    return bench.add(memory_layer(f"Point?crs={crs}&field=n:int", rows, name))


def said(first: QgsVectorLayer, second: QgsVectorLayer) -> list[str]:
    """Remarks on two layers, in full."""
    boxes = [Surveyor(each, (), placed=False).read(QgsFeedback()).box for each in (first, second)]
    return pair_remarks(first, boxes[0], second, boxes[1])


def test_one_crs_needs_nothing(bench: Bench) -> None:
    """Same CRS, same place: nothing to say, nothing to reproject."""
    one, other = spot(bench, "EPSG:4326", 10, 50, "one"), spot(bench, "EPSG:4326", 10.05, 50.05, "other")
    assert matched(one, other) is None and said(one, other) == []


def test_the_second_goes_to_the_firsts_crs(bench: Bench) -> None:
    """Named, with the CRS; the place fits, so nothing else is said."""
    utm = spot(bench, "EPSG:32632", 571_666.4, 5_539_109.8, "utm")
    degrees = spot(bench, "EPSG:4326", 9.95, 49.95, "degrees")
    target = matched(utm, degrees)
    assert target is not None and target.authid() == "EPSG:32632"
    (sentence,) = said(utm, degrees)
    assert "'degrees' (EPSG:4326) was reprojected" in sentence and "EPSG:32632" in sentence


def test_two_planets_have_no_way(bench: Bench) -> None:
    """UNSUPPORTED between the Moon and the Earth; without a CRS too."""
    earth = spot(bench, "EPSG:4326", 10, 50, "earth")
    moon = spot(bench, "EPSG:4326", 10, 50, "moon")
    moon.setCrs(QgsCoordinateReferenceSystem("IAU_2015:30100"))
    for crs, reason in ((moon.crs(), "no_transform"), (QgsCoordinateReferenceSystem(), "no_crs")):
        moon.setCrs(crs)
        with pytest.raises(ToolError) as caught:
            matched(earth, moon)
        assert (caught.value.envelope["code"], caught.value.envelope["reason"]) == ("UNSUPPORTED", reason)
        assert caught.value.envelope["hint"]


@pytest.mark.parametrize(
    "source, target, ballpark",
    [("EPSG:4610", "EPSG:4490", True), ("EPSG:4326", "EPSG:4490", False), ("EPSG:2154", "EPSG:4326", False)],
)
def test_a_guessed_datum_is_said(bench: Bench, source: str, target: str, ballpark: bool) -> None:
    """Xian 1980 to CGCS2000 is only guessed by PROJ; WGS 84 and CGCS2000 agree within a metre; RGF93 is exact to 1 m."""
    crs = QgsCoordinateReferenceSystem
    datum = datum_of(crs(source), crs(target), QgsCoordinateTransformContext())
    assert datum is not None and datum.ballpark == ballpark
    assert (datum.accuracy_m is None) == ("ballpark" in datum.operation.lower())


def test_a_missing_grid_is_named(bench: Bench) -> None:
    """NAD27 to NAD83 without the grids: taken for equal; the best grid and its accuracy are told."""
    crs = QgsCoordinateReferenceSystem
    datum = datum_of(crs("EPSG:4267"), crs("EPSG:4269"), QgsCoordinateTransformContext())
    assert datum is not None
    if not datum.ballpark:
        pytest.skip("this PROJ has the grids of NAD27 installed")
    assert datum.missing and datum.better_m == pytest.approx(0.15)
    old, new = spot(bench, "EPSG:4267", -100, 40, "old"), spot(bench, "EPSG:4269", -100, 40, "new")
    text = " ".join(said(old, new))
    assert "100 m or more" in text and datum.missing[0] in text


def test_no_datum_between_projections_of_one(bench: Bench) -> None:
    """UTM and Web Mercator on WGS 84: no way is needed."""
    crs = QgsCoordinateReferenceSystem
    assert datum_of(crs("EPSG:32632"), crs("EPSG:3857"), QgsCoordinateTransformContext()) is None


def test_layers_that_do_not_meet(bench: Bench) -> None:
    """The distance is pyproj's, and swapped axes are suspected."""
    berlin, paris = spot(bench, "EPSG:4326", 13.4, 52.5, "berlin"), spot(bench, "EPSG:4326", 2.3, 48.8, "paris")
    (sentence,) = said(berlin, paris)
    true = GEOD.inv(13.4, 52.5, 2.4, 48.9)[2] / 1000
    assert f"about {true:.0f} km apart" in sentence and "Check the CRS" in sentence
    swapped = spot(bench, "EPSG:4326", 52.5, 13.4, "swapped")
    assert "With x and y of one of them swapped" in said(berlin, swapped)[0]
    assert "With x and y of one of them swapped" in said(swapped, berlin)[0]


@pytest.mark.parametrize(
    "one, other, ends",
    [
        ([179.0, -18.0, 179.5, -17.0], [-179.5, -18.0, -179.0, -17.0], ((179.5, -17.5), (-179.5, -17.5))),
        ([177.0, -20.0, 181.0, -15.0], [-179.5, -18.0, -178.0, -17.0], None),
        ([0.0, 0.0, 1.0, 1.0], [0.5, 2.0, 3.0, 3.0], ((0.75, 1.0), (0.75, 2.0))),
        ([0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0], ((1.0, 1.0), (2.0, 2.0))),
    ],
)
def test_gaps_go_round_the_earth(bench: Bench, one: list[float], other: list[float], ends: Any) -> None:
    """Over 180 degrees boxes are near each other; an east over 180 overlaps what lies there."""
    if ends is None:
        assert gap_degrees(one, other) == (0.0, 0.0)
        return
    true = GEOD.inv(*ends[0], *ends[1])[2] / 1000
    assert gap_km(one, other, bench.host.project) == pytest.approx(true, rel=1e-3)
    assert gap_km(other, one, bench.host.project) == pytest.approx(true, rel=1e-3)
    assert gap_degrees(one, other) != (0.0, 0.0)
