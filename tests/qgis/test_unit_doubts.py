"""Distances of algorithms in the layer's unit: degrees, feet, stretched metres; and the call that is offered instead."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench, memory_layer
from pyproj import Geod, Transformer
from qgis.core import (
    QgsApplication,
    QgsProcessingContext,
    QgsProcessingFeatureSourceDefinition,
    QgsProperty,
    QgsVectorLayer,
)

from qgis_agent.gis.analysis.generic.unit_doubts import (
    UnitDoubt,
    unit_doubts,
)

GEOD = Geod(ellps="WGS84")


def point(bench: Bench, crs: str, longitude: float, latitude: float, name: str = "pts") -> QgsVectorLayer:
    """A layer with one point at a place in degrees."""
    x, y = Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform(longitude, latitude)
    return bench.add(memory_layer(f"Point?crs={crs}&field=n:integer", [(f"POINT({x!r} {y!r})", [1])], name))


def doubts(bench: Bench, algorithm: str, **parameters: Any) -> list[UnitDoubt]:
    """Of a call."""
    context = QgsProcessingContext()
    context.setProject(bench.host.project)
    made = QgsApplication.processingRegistry().createAlgorithmById(algorithm)
    return unit_doubts(made, parameters, context, bench.host.layers.alias)


def test_a01_metres_on_degrees_are_refused(bench: Bench) -> None:
    """1,000 on a lon/lat layer: refused, with the call that does it."""
    layer = point(bench, "EPSG:4326", 116.4, 39.9)
    (doubt,) = doubts(bench, "native:buffer", INPUT=layer, DISTANCE=1000)
    assert doubt.refused and doubt.parameter == "DISTANCE" and doubt.unit == "degrees"
    assert "buffer_layer(layer_id='pts', distance_m=1000)" in doubt.hint
    error = doubt.error()
    assert error.envelope["code"] == "INVALID_PARAM" and error.envelope["reason"] == "units"


def test_a_small_number_of_degrees_is_told_on_the_ground(bench: Bench) -> None:
    """0.01 degrees at 40 degrees north, in km by pyproj."""
    layer = point(bench, "EPSG:4326", 116.4, 39.9)
    (doubt,) = doubts(bench, "native:simplifygeometries", INPUT=layer, TOLERANCE=0.01)
    north = GEOD.inv(116.4, 39.9, 116.4, 39.91)[2] / 1000
    east = GEOD.inv(116.4, 39.9, 116.41, 39.9)[2] / 1000
    assert not doubt.refused
    assert f"{north:.3g} km to the north" in doubt.text and f"{east:.3g} km to the east" in doubt.text


def test_a_default_counts_too(bench: Bench) -> None:
    """native:buffer without DISTANCE takes 10: ten degrees."""
    layer = point(bench, "EPSG:4326", 116.4, 39.9)
    (doubt,) = doubts(bench, "native:buffer", INPUT=layer)
    assert doubt.refused and doubt.value == 10


@pytest.mark.parametrize("latitude, stretched", [(0.0, False), (5.0, False), (40.0, True), (60.0, True)])
def test_web_mercator_far_from_the_equator(bench: Bench, latitude: float, stretched: bool) -> None:
    """Lengths are 1 / cos(latitude) times too long; within 2 % it is let pass."""
    layer = point(bench, "EPSG:3857", 10.0, latitude)
    found = doubts(bench, "native:pointsalonglines", INPUT=layer, DISTANCE=1000)
    assert bool(found) == stretched
    if stretched:
        assert found[0].refused and "reproject_layer(layer_id='pts', crs='EPSG:32632')" in found[0].hint


def test_feet_are_told_with_the_number_in_feet(bench: Bench) -> None:
    """500 in US survey feet are 152.4 m; 500 m are 1,640.4 ft."""
    layer = point(bench, "EPSG:2263", -73.95, 40.7)
    (doubt,) = doubts(bench, "native:splitlinesbylength", INPUT=layer, LENGTH=500)
    assert doubt.refused and "152.4" in doubt.text and "LENGTH=1640.4" in doubt.hint


def test_metres_pass(bench: Bench) -> None:
    """UTM: nothing to say; no distance at all: nothing to say."""
    layer = point(bench, "EPSG:32650", 116.4, 39.9)
    assert doubts(bench, "native:buffer", INPUT=layer, DISTANCE=1000) == []
    assert doubts(bench, "native:buffer", INPUT=layer, DISTANCE=0) == []
    assert doubts(bench, "native:centroids", INPUT=layer) == []


def test_ids_definitions_and_plain_numbers(bench: Bench) -> None:
    """A layer comes by id or as a source definition; wedge radii are plain numbers in the layer's unit; a grid has a CRS."""
    layer = point(bench, "EPSG:4326", 116.4, 39.9)
    definition = QgsProcessingFeatureSourceDefinition(layer.id())
    assert [each.parameter for each in doubts(bench, "native:wedgebuffers", INPUT=definition, OUTER_RADIUS=100)] == [
        "OUTER_RADIUS"
    ]
    assert doubts(bench, "native:buffer", INPUT=layer.id(), DISTANCE="250")[0].value == 250
    grid = doubts(bench, "native:creategrid", CRS="EPSG:4326", HSPACING=500, VSPACING=0.02)
    assert [(each.parameter, each.refused) for each in grid] == [("HSPACING", True), ("VSPACING", False)]
    data_defined = QgsProperty.fromExpression('"n" * 2')
    assert doubts(bench, "native:buffer", INPUT=layer, DISTANCE=data_defined) == []
