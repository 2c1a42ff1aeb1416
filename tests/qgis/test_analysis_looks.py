"""The look at an output: of many features in memory only some are read again, and nothing that was told gets lost."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsFeature, QgsFeedback, QgsGeometry, QgsPoint, QgsVectorLayer

from qgis_agent.gis.analysis.generic import looks

COUNT = 1_000


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Few are many here; how often a feature was read."""
    monkeypatch.setattr(looks, "MANY", COUNT // 2)
    monkeypatch.setattr(looks, "SAMPLE", 100)
    reads = [0]
    original = looks.read_features

    def counted(*arguments: Any) -> Any:
        for each in original(*arguments):
            reads[0] += 1
            yield each

    monkeypatch.setattr(looks, "read_features", counted)
    return reads


def made(count: int = COUNT) -> QgsVectorLayer:
    """Points on a line from (0, 5) to (count - 1, 6 or 5), with a number."""
    rows: list[tuple[str | None, list[Any]]] = [(f"POINT({n} {5 + n % 2})", [n]) for n in range(count)]
    return memory_layer("Point?crs=EPSG:32650&field=n:integer", rows)


def look(layer: QgsVectorLayer) -> looks.Look:
    return looks.looker(layer, set()).read(QgsFeedback())


def edges(found: looks.Look) -> tuple[float, ...]:
    box = found.box
    return box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()


def test_many_are_not_all_read_again(many: list[int]) -> None:
    """Count and box are of all; a hundred places are looked at, and one value."""
    found = look(made())
    assert (found.count, found.nulls, edges(found)) == (COUNT, [], (0, 5, COUNT - 1, 6))
    assert many[0] == 101
    many[0] = 0
    assert look(made(COUNT // 2)).count == COUNT // 2
    assert many[0] == COUNT // 2 + 1


def test_one_without_bounds_among_many_is_found(many: list[int]) -> None:
    """Also one that is not in the sample."""
    layer = made()
    lost = QgsFeature(layer.fields())
    lost.setGeometry(QgsGeometry(QgsPoint(float("inf"), 5.0)))
    assert layer.dataProvider().addFeatures([lost])[0]
    found = look(layer)
    assert (found.count, found.not_finite, edges(found)) == (COUNT + 1, 1, (0, 5, COUNT - 1, 6))
    assert looks.absurd(layer, found)


def test_many_without_a_geometry_or_a_value_are_told() -> None:
    """None of either, in a layer that could have them."""
    layer = memory_layer("Point?crs=EPSG:32650&field=n:integer", [(None, [None])] * COUNT, "empty")
    found = look(layer)
    assert (found.count, found.shapes, found.nulls) == (COUNT, 0, ["n"])
    assert len(looks.said("empty", layer, found)) == 2


def test_a_layer_of_the_project_is_read_in_whole(bench: Bench, many: list[int]) -> None:
    """Its provider is not asked by a worker while a person may edit it."""
    assert look(bench.add(made())).count == COUNT
    assert many[0] == COUNT + 1
