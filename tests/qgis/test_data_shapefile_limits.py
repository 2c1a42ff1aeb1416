"""What an export to a shapefile loses is shown first; names are cut between characters."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench, memory_layer
from osgeo import ogr
from qgis.PyQt.QtCore import QDateTime, Qt

from qgis_agent.gis.sources.shapefile_limits import short_names


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["人口密度统计值"], ["人口密"]),
        (["population_2020", "population_2021"], ["population", "populati_1"]),
        (["id", "ID", "fine"], ["id", "ID_1", "fine"]),
        (["人口密度a", "人口密度b"], ["人口密", "人口_1"]),
    ],
)
def test_a22_names_of_ten_bytes(names: list[str], short: list[str]) -> None:
    """By hand: three characters of three bytes fit, the fourth would be cut."""
    assert short_names(names) == short
    assert all(len(each.encode()) <= 10 for each in short)


def test_a22_the_renamed_fields_are_shown_first_and_written_whole(bench: Bench) -> None:
    """The card names old and new; the file has the new name and no broken byte."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=人口密度统计值:int", [("POINT(1 2)", [5])], "p"))
    bench.approver.answer = "once"
    path = bench.folder / "p.shp"
    assert bench.ok("prepare_export_layer", layer_id="p", path=str(path), format="ESRI Shapefile")["written"]
    lines = dict(bench.approver.cards[0]["lines"])
    assert lines["Renamed fields"] == "人口密度统计值 → 人口密"
    assert lines["Keeps all of it"] == "GPKG"
    assert "人口密".encode() in path.with_suffix(".dbf").read_bytes()
    dataset = ogr.Open(str(path))
    assert [each.name for each in dataset.GetLayer(0).schema] == ["人口密"]
    assert dataset.GetLayer(0).GetNextFeature()[0] == 5


def test_a24_type_changes_are_listed_before_writing(bench: Bench) -> None:
    """64-bit integers, text of 300 characters, date and time, yes/no: listed with counts, then what the case says."""
    when = QDateTime.fromString("2024-02-29T13:30:00", Qt.DateFormat.ISODate)
    definition = (
        "Point?crs=EPSG:4326&field=big:int8&field=s:string(400)&field=dt:datetime&field=b:bool&field=ok:string(20)"
    )
    row: list[Any] = [1234567890123456789, "x" * 300, when, True, "fine"]
    bench.add(memory_layer(definition, [("POINT(1 2)", row), ("POINT(1 2)", [5, "y", None, None, None])], "p"))
    bench.approver.answer = "once"
    path = bench.folder / "p.shp"
    assert bench.ok("prepare_export_layer", layer_id="p", path=str(path), format="ESRI Shapefile")["written"]
    lines = dict(bench.approver.cards[0]["lines"])
    assert "Renamed fields" not in lines
    for part in ("big: 64-bit", "s: text → text of at most 254", "dt: date and time → text", "b: yes/no → 1/0"):
        assert part in lines["Changed types"], part
    assert "ok:" not in lines["Changed types"]
    assert lines["Values cut or rounded"] == "big: 1; s: 1"
    dataset = ogr.Open(str(path))  # held: its features end with it
    written = dataset.GetLayer(0).GetNextFeature()
    assert written["big"] == 1.2345678901234568e18
    assert len(written["s"]) == 254
    assert isinstance(written["dt"], str)
    assert written["b"] == 1


def test_a24_what_a_shapefile_holds_is_not_complained_of(bench: Bench) -> None:
    """No lines for short names and plain types, and none for a GeoPackage."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a:int&field=t:string(20)", [("POINT(1 2)", [5, "x"])], "p"))
    bench.ok("prepare_export_layer", layer_id="p", path=str(bench.folder / "p.shp"), format="ESRI Shapefile")
    bench.ok("prepare_export_layer", layer_id="p", path=str(bench.folder / "p.gpkg"), format="GPKG")
    for card in bench.approver.cards:
        assert not {"Renamed fields", "Changed types", "Keeps all of it"} & set(dict(card["lines"]))
