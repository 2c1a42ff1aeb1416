"""Reads that run side by side, and the revision that says whether a result may be old."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from osgeo import gdal
from qgis.core import (
    QgsFeature,
    QgsFeedback,
    QgsProject,
    QgsRasterLayer,
    QgsVectorFileWriter,
    QgsVectorLayer,
    edit,
)

from qgis_agent.gis import work
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


def saved(folder: Path, driver: str, name: str) -> QgsVectorLayer:
    """The points as a file; the layer on it."""
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = driver
    QgsVectorFileWriter.writeAsVectorFormatV3(
        points(), str(folder / name), QgsProject.instance().transformContext(), options
    )
    return QgsVectorLayer(str(folder / name), "file", "ogr")


@pytest.mark.parametrize(
    ("driver", "name"),
    [("GeoJSON", "a.geojson"), ("GPKG", "a.gpkg"), ("FlatGeobuf", "a.fgb"), ("KML", "a.kml")],
)
def test_a_format_of_one_file_has_a_revision(bench: Bench, tmp_path: Path, driver: str, name: str) -> None:
    bench.add(saved(tmp_path, driver, name))
    before = bench.host.revision.of(["file"])
    assert before is not None
    os.utime(tmp_path / name, ns=(1, 1))
    assert bench.host.revision.of(["file"]) != before


@pytest.mark.parametrize(
    ("driver", "name"),
    [("MapInfo File", "a.tab"), ("MapInfo MIF", "a.mif"), ("GML", "a.gml"), ("SQLite", "a.sqlite")],
)
def test_a_format_whose_files_are_not_all_known_has_none(bench: Bench, tmp_path: Path, driver: str, name: str) -> None:
    """The table of a MapInfo file is a file of its own: its change would not be seen."""
    bench.add(saved(tmp_path, driver, name))
    assert bench.host.revision.of(["file"]) is None


@pytest.mark.parametrize("beside", ["a.csvt", "a.prj", "a.PRJ"])
def test_a_file_beside_a_table_changes_the_revision(bench: Bench, tmp_path: Path, beside: str) -> None:
    """As one that was not there before; in both ways of reading a table."""
    table = tmp_path / "a.csv"
    table.write_text("n,x\n1,2\n", encoding="utf-8")
    bench.add(QgsVectorLayer(str(table), "ogr", "ogr"))
    bench.add(QgsVectorLayer(f"{table.as_uri()}?delimiter=,&geomType=none", "text", "delimitedtext"))
    before = [bench.host.revision.of([each]) for each in ("ogr", "text")]
    assert None not in before
    (tmp_path / beside).write_text('"Integer"', encoding="utf-8")
    after = [bench.host.revision.of([each]) for each in ("ogr", "text")]
    assert before[0] != after[0] and before[1] != after[1]


@pytest.mark.parametrize("suffix", [".ovr", ".aux.xml", ".msk"])
def test_a_file_beside_an_image_changes_the_revision(bench: Bench, tmp_path: Path, suffix: str) -> None:
    """Overviews, statistics and masks; an image in any other format has no revision."""
    for driver, name in (("GTiff", "a.tif"), ("BMP", "a.bmp")):
        source = gdal.GetDriverByName("MEM").Create("", 4, 4, 1, gdal.GDT_Byte)
        source.SetGeoTransform((0, 1, 0, 4, 0, -1))
        gdal.GetDriverByName(driver).CreateCopy(str(tmp_path / name), source)
    bench.add(QgsRasterLayer(str(tmp_path / "a.tif"), "image", "gdal"))
    bench.add(QgsRasterLayer(str(tmp_path / "a.bmp"), "bitmap", "gdal"))
    before = bench.host.revision.of(["image"])
    assert before is not None
    assert bench.host.revision.of(["bitmap"]) is None
    with (tmp_path / ("a.tif" + suffix)).open("ab") as beside:
        beside.write(b" ")
    assert bench.host.revision.of(["image"]) != before


def test_a_shapefile_in_capitals_has_its_table_in_capitals(bench: Bench, tmp_path: Path) -> None:
    saved(tmp_path, "ESRI Shapefile", "a.shp")
    for each in list(tmp_path.iterdir()):
        each.rename(tmp_path / each.name.upper())
    bench.add(QgsVectorLayer(str(tmp_path / "A.SHP"), "file", "ogr"))
    before = bench.host.revision.of(["file"])
    assert before is not None
    os.utime(tmp_path / "A.DBF", ns=(1, 1))
    assert bench.host.revision.of(["file"]) != before


def test_a_file_in_an_archive_has_no_revision(bench: Bench, tmp_path: Path) -> None:
    saved(tmp_path, "GeoJSON", "a.geojson")
    with gzip.open(tmp_path / "a.geojson.gz", "wb") as packed:
        packed.write((tmp_path / "a.geojson").read_bytes())
    bench.add(QgsVectorLayer(f"/vsigzip/{tmp_path}/a.geojson.gz", "file", "ogr"))
    assert bench.host.revision.of(["file"]) is None


def test_what_cannot_be_known_has_no_revision(bench: Bench) -> None:
    """A join, a virtual layer, a layer that is not there; without names the whole project counts."""
    layer = bench.add(points())
    assert bench.host.revision.of(["nowhere"]) is None
    assert bench.host.revision.of([]) is not None
    bench.add(QgsVectorLayer("?query=select 1 as a", "virtual", "virtual"))
    assert bench.host.revision.of(["virtual"]) is None
    assert bench.host.revision.of([]) is None
    assert bench.host.revision.of([bench.host.layers.alias(layer)]) is not None


def test_a_task_that_qgis_forgets_is_added_again_and_runs_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """QGIS 3.40.6 sometimes leaves a task queued: here the first one is never handed over, and later it comes all the same."""
    forgotten: list[work._WorkTask] = []
    really_add = work._Job.add

    def add(job: work._Job) -> None:
        if forgotten:
            really_add(job)
            return
        job.task = work._WorkTask("forgotten", job)
        work.hold(job.task)
        forgotten.append(job.task)

    monkeypatch.setattr(work._Job, "add", add)
    monkeypatch.setattr(work, "WATCH_MS", 20)
    ran: list[int] = []
    told: list[Any] = []
    work.Work("counting", lambda _feedback: ran.append(1)).start(QgsFeedback(), lambda *outcome: told.append(outcome))
    assert run_until(lambda: bool(told), 10)
    late = forgotten[0]  # QGIS starts it after all: as its manager would, a worker's part and then the main thread's
    assert late.run()
    late.finished(True)
    assert run_until(lambda: work.running_tasks() == 0, 10)
    assert (ran, told) == ([1], [(None, None)])
