"""Checks of results: each lets what is right pass (oracle: shapely, numpy, pyproj), and finds what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import memory_layer
from pyproj import Geod, Transformer
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransformContext,
    QgsFeedback,
    QgsVectorLayer,
)

from qgis_agent.gis.analysis.checks import (
    verify,
    verify_places,
)
from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.features import feature_source

GEOD = Geod(ellps="WGS84")
UTM = "EPSG:32650"


def fails(check: Callable[[], Any], code: str = "UPSTREAM_ERROR", reason: str = "not_verified") -> str:
    """The message of a check that must find something."""
    with pytest.raises(ToolError) as caught:
        check()
    envelope = caught.value.envelope
    assert (envelope["code"], envelope["reason"]) == (code, reason) and envelope["hint"]
    return str(envelope["message"])


def polygons(*shapes: Any, crs: str = UTM) -> QgsVectorLayer:
    """A layer of shapely polygons."""
    return memory_layer(f"Polygon?crs={crs}&field=n:integer", [(each.wkt, [n]) for n, each in enumerate(shapes)])


def points(places: list[tuple[float, float] | None], crs: str) -> QgsVectorLayer:
    """A layer of points; None for one without geometry."""
    rows = [(None if each is None else "POINT({!r} {!r})".format(*each), [n]) for n, each in enumerate(places)]
    return memory_layer(f"Point?crs={crs}&field=n:integer", rows)


def test_counts(qgis_app: Any) -> None:
    """As many as there must be."""
    verify.require_count("native:x", 3, 3)
    assert "3" in fails(lambda: verify.require_count("native:x", 3, 2))


def test_a_statistic_over_nothing_is_no_success(qgis_app: Any) -> None:
    """NOT_FOUND, with how many rows there were."""
    verify.require_values("height", 1, 5)
    assert "5 rows" in fails(lambda: verify.require_values("height", 0, 5), "NOT_FOUND", "no_values")


def reprojected(before: QgsVectorLayer, after: QgsVectorLayer) -> int:
    """The check, on this thread."""
    return verify_places.check_reprojected(
        feature_source(before),
        feature_source(after),
        (before.crs(), after.crs()),
        QgsCoordinateTransformContext(),
        QgsFeedback(),
    )


@pytest.mark.parametrize("target", ["EPSG:32650", "EPSG:3857", "EPSG:4490", "EPSG:4548"])
def test_reprojected_by_pyproj_comes_back(qgis_app: Any, target: str) -> None:
    """Places that pyproj brought to another CRS; one that moved by a metre, lost its geometry or is missing."""
    places = [(116.0 + n / 100, 39.0 + n / 70) for n in range(60)]
    forth = Transformer.from_crs("EPSG:4326", target, always_xy=True)
    moved = [forth.transform(*each) for each in places]
    before, after = points(places, "EPSG:4326"), points(moved, target)
    assert reprojected(before, after) == 60
    metre = 1e-5 if QgsCoordinateReferenceSystem(target).isGeographic() else 1.0
    wrong = [*moved[:30], (moved[30][0] + metre, moved[30][1]), *moved[31:]]
    fails(lambda: reprojected(before, points(wrong, target)))
    fails(lambda: reprojected(before, points([*moved[:-1], None], target)))
    fails(lambda: reprojected(before, points(moved[:-1], target)))


def test_reprojection_is_sampled_and_says_how_many(qgis_app: Any) -> None:
    """Of 1,000 features 500 are compared (200 + 400 / 2 + 400 / 4); across 180 degrees -180 and 180 are one place."""
    places = [(10 + n / 1000, 50.0) for n in range(1000)]
    forth = Transformer.from_crs("EPSG:4326", "EPSG:32632", always_xy=True)
    found = reprojected(points(places, "EPSG:4326"), points([forth.transform(*each) for each in places], "EPSG:32632"))
    assert found == 500
    edge = [(180.0, 10.0)]
    there = [Transformer.from_crs("EPSG:4326", "EPSG:32660", always_xy=True).transform(*edge[0])]
    assert reprojected(points(edge, "EPSG:4326"), points(there, "EPSG:32660")) == 1
    assert reprojected(points([(-180.0, 10.0)], "EPSG:4326"), points(there, "EPSG:32660")) == 1
