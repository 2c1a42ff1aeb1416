"""zonal_statistics through the calls. Expected numbers: numpy on the cells whose centres are inside (shapely), closed forms."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from conftest import Bench, memory_layer
from osgeo import ogr
from pyproj import Transformer
from qgis.core import QgsCoordinateReferenceSystem, QgsVectorFileWriter, QgsVectorLayer
from test_raster_info import add, needs_shared, no_pam, shared, write
from test_raster_tools_calculate import algorithms

__all__ = ["algorithms", "no_pam"]

ALL = ["count", "sum", "mean", "median", "std", "min", "max", "range", "minority", "majority", "variety", "variance"]
BOX = "POLYGON((500000 4000000, 500040 4000000, 500040 4000040, 500000 4000040, 500000 4000000))"


def sixteen(bench: Bench, nodata: float | None = -9999, bands: int = 1) -> Any:
    """1..16, the first cell -9999, as the cases have it."""
    values = np.arange(1, 17, dtype=np.float32).reshape(4, 4)
    values[0, 0] = -9999
    stack = np.stack([values * (number + 1) if number else values for number in range(bands)])
    stack[:, 0, 0] = -9999
    add(bench, write(bench.folder / "sixteen.tif", stack, nodata), "sixteen")
    return stack


def zones(rows: list[tuple[str | None, list[Any]]], crs: str = "EPSG:32650") -> QgsVectorLayer:
    """Zones with a name."""
    return memory_layer(f"Polygon?crs={crs}&field=name:string(20)", rows, "zones")


def test_every_statistic(bench: Bench) -> None:
    """Of 2..16 (the first cell is nodata), by numpy and closed forms."""
    sixteen(bench)
    bench.add(zones([(BOX, ["all"])]))
    data = bench.ok("zonal_statistics", polygon_layer_id="zones", layer_id="sixteen", statistics=ALL)
    row, values = data["rows"][0], np.arange(2.0, 17.0)
    assert (row["count"], row["sum"], row["mean"], row["median"]) == (15, values.sum(), 9.0, 9.0)
    assert row["std"] == pytest.approx(values.std()) and row["variance"] == pytest.approx(values.var())
    assert (row["min"], row["max"], row["range"], row["variety"]) == (2, 16, 14, 15)
    assert row["minority"] in values and row["majority"] in values
    assert data["algorithm"] == ["native:zonalstatisticsfb"] and "centre" in data["rule"]
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert [each.name() for each in layer.fields()][:3] == ["name", "b1_count", "b1_sum"]


def test_a35_undeclared_nodata_is_said(bench: Bench) -> None:
    """Counted as it is (mean -616.5), and said that -9999 looks like nodata."""
    sixteen(bench, None)
    bench.add(zones([(BOX, ["all"])]))
    envelope = bench.call("zonal_statistics", polygon_layer_id="zones", layer_id="sixteen", statistics=["sum", "mean"])
    row = envelope["data"]["rows"][0]
    assert (row["count"], row["sum"], row["mean"]) == (16, -9864, -616.5)
    assert "-9999" in envelope["message"] and "undeclared nodata" in envelope["message"]


def test_a36_the_zones_file_is_not_written_to(bench: Bench) -> None:
    """Byte for byte the same, no new fields; never the algorithm that works in place."""
    sixteen(bench)
    path = bench.folder / "zin.gpkg"
    options = QgsVectorFileWriter.SaveVectorOptions()
    QgsVectorFileWriter.writeAsVectorFormatV3(
        zones([(BOX, ["all"])]), str(path), bench.host.project.transformContext(), options
    )
    bench.add(QgsVectorLayer(str(path), "zin", "ogr"))
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    data = bench.ok("zonal_statistics", polygon_layer_id="zin", layer_id="sixteen", statistics=["sum", "mean"])
    assert data["rows"][0]["mean"] == 9.0 and "native:zonalstatistics" not in data["algorithm"]
    bench.host.project.clear()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    source = ogr.Open(str(path))
    definition = source.GetLayer(0).GetLayerDefn()
    assert [definition.GetFieldDefn(each).GetName() for each in range(definition.GetFieldCount())] == ["name"]
    assert not list(bench.folder.glob("*.aux.xml"))


@pytest.mark.parametrize("band", [0, 2, 5])
def test_a36_a_band_that_there_is_not(bench: Bench, band: int) -> None:
    """Refused before anything runs, naming the bands that there are."""
    sixteen(bench)
    bench.add(zones([(BOX, ["all"])]))
    envelope = bench.call("zonal_statistics", polygon_layer_id="zones", layer_id="sixteen", bands=[band])
    assert envelope["code"] == "INVALID_PARAM" and (
        band == 0 or (envelope["reason"] == "band" and "1" in envelope["hint"])
    )
    assert not bench.host.created_layers


def test_several_bands_and_taken_names(bench: Bench) -> None:
    """Fields by band; a zone's own field of that name stays."""
    stack = sixteen(bench, bands=3)
    bench.add(
        memory_layer(
            "Polygon?crs=EPSG:32650&field=name:string(20)&field=b1_mean:double", [(BOX, ["all", -5.0])], "zones"
        )
    )
    data = bench.ok("zonal_statistics", polygon_layer_id="zones", layer_id="sixteen", bands=[1, 3], statistics=["mean"])
    row = data["rows"][0]
    assert row["b1_mean"] == 9.0 and row["b3_mean"] == pytest.approx(stack[2].ravel()[1:].mean())
    layer = bench.host.layers.by_alias(data["layer_id"])
    feature = next(layer.getFeatures())
    assert feature["b1_mean"] == -5.0 and feature[data["fields"]["b1_mean"]] == 9.0


def test_zones_without_a_cell_beside_and_on_nodata(bench: Bench) -> None:
    """Counted and said; no mean of 0."""
    sixteen(bench)
    beside = "POLYGON((600000 4000000, 600040 4000000, 600040 4000040, 600000 4000000))"
    hole = "POLYGON((500001 4000031, 500009 4000031, 500009 4000039, 500001 4000039, 500001 4000031))"
    bench.add(zones([(BOX, ["all"]), (beside, ["beside"]), (hole, ["hole"]), (None, ["nowhere"])]))
    envelope = bench.call("zonal_statistics", polygon_layer_id="zones", layer_id="sixteen", statistics=["sum", "mean"])
    rows = {row["name"]: row for row in envelope["data"]["rows"]}
    assert rows["all"]["count"] == 15
    for name in ("beside", "hole", "nowhere"):
        assert (rows[name]["count"], rows[name]["sum"], rows[name]["mean"]) == (0, None, None), name
    assert envelope["data"]["zones_without_cell"] == 3 and "3 of 4 zones" in envelope["message"]
    bench.host.layers.by_alias("zones").setSubsetString("")


def test_only_zones_that_miss_are_no_success(bench: Bench) -> None:
    """Beside the raster, and on its hole: errors, nothing is added."""
    sixteen(bench)
    beside = "POLYGON((600000 4000000, 600040 4000000, 600040 4000040, 600000 4000000))"
    hole = "POLYGON((500001 4000031, 500009 4000031, 500009 4000039, 500001 4000039, 500001 4000031))"
    bench.add(zones([(beside, ["beside"])]))
    envelope = bench.call("zonal_statistics", polygon_layer_id="zones", layer_id="sixteen")
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "no_overlap")
    other = zones([(hole, ["hole"])])
    other.setName("hole")
    bench.add(other)
    envelope = bench.call("zonal_statistics", polygon_layer_id="hole", layer_id="sixteen")
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "no_values")
    assert not bench.host.created_layers


def test_a_zone_smaller_than_a_cell_is_weighted(bench: Bench) -> None:
    """A square over the corner of four cells, no centre inside: by the shares, closed form; and said."""
    sixteen(bench)
    small = shapely.box(500016, 4000018, 500024, 4000021)  # over the cells 10 11 / 6 7 (rows from the north)
    bench.add(zones([(small.wkt, ["small"])]))
    envelope = bench.call(
        "zonal_statistics", polygon_layer_id="zones", layer_id="sixteen", statistics=["sum", "mean", "min", "max"]
    )
    row = envelope["data"]["rows"][0]
    weights = {6: 4 * 1 / 100, 7: 4 * 1 / 100, 10: 4 * 2 / 100, 11: 4 * 2 / 100}
    total = sum(value * weight for value, weight in weights.items())
    assert row["count"] == pytest.approx(sum(weights.values())) and row["sum"] == pytest.approx(total)
    assert row["mean"] == pytest.approx(total / sum(weights.values())) and (row["min"], row["max"]) == (6, 11)
    assert envelope["data"]["zones_weighted"] == 1 and "share inside" in envelope["message"]


@needs_shared
@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:2169", "EPSG:3857"])
def test_real_zones_in_any_crs(bench: Bench, crs: str) -> None:
    """Triangles and stars over a real elevation model: the cells whose centres shapely finds inside, by numpy."""
    raster_layer, cells = shared(bench, "zonal/elev.tif")
    box = raster_layer.extent()
    width, height = box.width() / raster_layer.width(), box.height() / raster_layer.height()
    x = box.xMinimum() + (np.arange(raster_layer.width()) + 0.5) * width
    y = box.yMaximum() - (np.arange(raster_layer.height()) + 0.5) * height
    generator = np.random.default_rng(4)
    forth = Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    rows, expected = [], []
    for number in range(12):
        centre = generator.uniform((5.9, 49.55), (6.3, 50.05))
        ring = [
            centre + generator.uniform(0.03, 0.12) * np.array([np.cos(a), np.sin(a)]) for a in np.linspace(0, 6.0, 7)
        ]
        polygon = shapely.segmentize(shapely.Polygon(ring), 0.002)
        moved = shapely.transform(polygon, lambda points: np.column_stack(forth.transform(points[:, 0], points[:, 1])))
        rows.append((moved.wkt, [f"z{number}"]))
        inside = shapely.contains_xy(polygon, *np.meshgrid(x, y)) & (cells[0] != -32768)
        expected.append(cells[0][inside].astype(float))
    bench.add(zones(rows, crs))
    data = bench.ok(
        "zonal_statistics", polygon_layer_id="zones", layer_id="dem", statistics=["sum", "mean", "min", "max", "std"]
    )
    for row in bench.host.layers.by_alias(data["layer_id"]).getFeatures():
        row = {each: row[name] for each, name in data["fields"].items()} | {"name": row["name"]}
        values = expected[int(row["name"][1:])]
        assert row["count"] == len(values) and row["sum"] == pytest.approx(values.sum())
        assert (row["mean"], row["std"]) == (pytest.approx(values.mean()), pytest.approx(values.std()))
        assert (row["min"], row["max"]) == (values.min(), values.max())
    assert data["feature_count"] == 12 and data["crs"] == crs


def test_a_chosen_zone_and_an_invalid_one(bench: Bench) -> None:
    """where chooses; a bow tie is repaired on a copy and that is said."""
    sixteen(bench)
    bow = "POLYGON((500000 4000000, 500040 4000040, 500040 4000000, 500000 4000040, 500000 4000000))"
    bench.add(zones([(BOX, ["all"]), (bow, ["bow"])]))
    where = [{"field": "name", "op": "eq", "value": "bow"}]
    envelope = bench.call("zonal_statistics", polygon_layer_id="zones", layer_id="sixteen", where=where)
    assert [row["name"] for row in envelope["data"]["rows"]] == ["bow"] and "repaired" in envelope["message"]


def test_no_crs_is_no_guess(bench: Bench, tmp_path: Path) -> None:
    """Zones or rasters without a CRS are refused."""
    sixteen(bench)
    layer = bench.add(zones([(BOX, ["all"])]))
    layer.setCrs(QgsCoordinateReferenceSystem())
    assert bench.call("zonal_statistics", polygon_layer_id="zones", layer_id="sixteen")["reason"] == "no_crs"
