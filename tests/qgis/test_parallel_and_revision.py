"""Reads that run side by side, and the revision that says whether a result may be old."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsFeature, QgsProject, QgsVectorFileWriter, QgsVectorLayer, edit

from qgis_agent.gis.host import run_until


def points(count: int = 3, name: str = "points") -> QgsVectorLayer:
    rows = [(f"POINT({at % 100} {at // 100})", [at]) for at in range(count)]
    return memory_layer("Point?crs=EPSG:4326&field=n:integer", rows, name)


def test_four_reads_at_once_over_and_over(bench: Bench) -> None:
    """Every call is answered, with its own number, 60 times four: QGIS's task manager loses none."""
    for at in range(4):
        bench.add(points(500 + at, f"p{at}"))
    for _ in range(60):
        assert counts_side_by_side(bench, 4) == [500, 501, 502, 503]


def counts_side_by_side(bench: Bench, layers: int) -> list[int]:
    outcomes: list[list[dict[str, Any]]] = [[] for _ in range(layers)]
    for at in range(layers):
        bench.begin("count_features", {"layer_id": f"p{at}"}, outcomes[at])
    assert run_until(lambda: all(outcomes), 20)
    return [each[0]["envelope"]["data"]["count"] for each in outcomes]


def test_reads_of_one_layer_at_once(bench: Bench) -> None:
    bench.add(points(2000))
    outcomes: list[dict[str, Any]] = []
    for at in range(4):
        bench.begin(
            "query_features", {"layer_id": "points", "where": [{"field": "n", "op": "lt", "value": at}]}, outcomes
        )
    assert run_until(lambda: len(outcomes) == 4, 20)
    assert sorted(each["envelope"]["data"]["total"] for each in outcomes) == [0, 1, 2, 3]


def test_cancelling_one_leaves_the_others(bench: Bench) -> None:
    bench.add(points(2000))
    outcomes: list[dict[str, Any]] = []
    running = [bench.begin("count_features", {"layer_id": "points"}, outcomes) for _ in range(3)]
    assert running[1] is not None
    running[1].cancel()
    assert run_until(lambda: len(outcomes) == 3, 20)
    assert sorted(each["envelope"].get("code", "") for each in outcomes) in (["", "", ""], ["", "", "CANCELLED"])


def change_edit(layer: QgsVectorLayer) -> None:
    with edit(layer):
        layer.changeAttributeValue(next(layer.getFeatures()).id(), 0, 99)


def change_buffer(layer: QgsVectorLayer) -> None:
    layer.startEditing()
    layer.addFeature(QgsFeature(layer.fields()))


def change_provider(layer: QgsVectorLayer) -> None:
    layer.dataProvider().truncate()
    layer.dataProvider().dataChanged.emit()


CHANGES = {
    "an edit": change_edit,
    "an uncommitted edit": change_buffer,
    "a filter": lambda layer: layer.setSubsetString('"n" > 1'),
    "the selection": lambda layer: layer.selectAll(),
    "the name": lambda layer: layer.setName("other"),
    "data behind the layer": change_provider,
    "another layer": lambda _layer: QgsProject.instance().addMapLayer(points(1, "more")),
}


@pytest.mark.parametrize("what", sorted(CHANGES))
def test_a_change_changes_the_revision(bench: Bench, what: str) -> None:
    layer = bench.add(points())
    before = bench.host.revision.of(["points"])
    assert before is not None
    assert bench.host.revision.of(["points"]) == before  # reading changes nothing
    bench.ok("count_features", layer_id="points")
    assert bench.host.revision.of(["points"]) == before
    CHANGES[what](layer)
    assert bench.host.revision.of([bench.host.layers.alias(layer)]) != before
    if layer.isEditable():
        layer.rollBack()


def test_a_file_that_somebody_else_writes_changes_the_revision(bench: Bench, tmp_path: Path) -> None:
    """Its time and size are looked at, also of the table beside a shapefile."""
    source = tmp_path / "a.shp"
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = "ESRI Shapefile"
    QgsVectorFileWriter.writeAsVectorFormatV3(points(), str(source), QgsProject.instance().transformContext(), options)
    bench.add(QgsVectorLayer(str(source), "shape", "ogr"))
    before = bench.host.revision.of(["shape"])
    assert before is not None
    table = tmp_path / "a.dbf"
    os.utime(table, ns=(1, 1))
    assert bench.host.revision.of(["shape"]) != before
    shutil.move(str(source), str(tmp_path / "gone.shp"))
    assert bench.host.revision.of(["shape"]) is None


def test_what_cannot_be_known_has_no_revision(bench: Bench) -> None:
    """A join, a virtual layer, a layer that is not there; without names the whole project counts."""
    layer = bench.add(points())
    assert bench.host.revision.of(["nowhere"]) is None
    assert bench.host.revision.of([]) is not None
    bench.add(QgsVectorLayer("?query=select 1 as a", "virtual", "virtual"))
    assert bench.host.revision.of(["virtual"]) is None
    assert bench.host.revision.of([]) is None
    assert bench.host.revision.of([bench.host.layers.alias(layer)]) is not None
