"""sample_raster through the calls, and rasters that QGIS shows other than their files are. Expected: numpy on GDAL, pyproj."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Bench, memory_layer
from osgeo import gdal, osr
from pyproj import CRS, Transformer
from qgis.core import QgsRasterRange, QgsVectorLayer
from test_raster_info import SHARED, add, needs_shared, no_pam, shared, write

from qgis_agent.gis import raster_cells, raster_points

__all__ = ["no_pam"]


@needs_shared
@pytest.mark.parametrize(
    "name", ["raster/dem_laea.tif", "raster/dem_olinda.tif", "raster/landsat7_olinda.tif", "zonal/elev.tif"]
)
def test_values_at_points(bench: Bench, name: str) -> None:
    """At the middles of 40 cells, brought to degrees by pyproj: the cells that numpy has; null on nodata and outside."""
    _, cells = shared(bench, name)
    source = gdal.Open(str(bench.folder / Path(name).name))
    left, width, _, top, _, height = source.GetGeoTransform()
    nodata = source.GetRasterBand(1).GetNoDataValue()
    back = Transformer.from_crs(CRS.from_wkt(source.GetProjection()), "EPSG:4326", always_xy=True)
    generator = np.random.default_rng(3)
    places = [(int(generator.integers(cells.shape[1])), int(generator.integers(cells.shape[2]))) for _ in range(40)]
    points = [list(back.transform(left + (c + 0.5) * width, top + (r + 0.5) * height)) for r, c in places]
    outside = list(back.transform(left - 5 * width, top))
    band = min(3, cells.shape[0])
    data = bench.ok("sample_raster", layer_id="dem", points=[*points, outside], band=band, limit=60)
    expected = [None if cells[band - 1, r, c] == nodata else float(cells[band - 1, r, c]) for r, c in places]
    for row, value in zip(data["rows"], [*expected, None], strict=True):
        assert row["value"] == (None if value is None else pytest.approx(value, rel=1e-6))
    hits = [each for each in expected if each is not None]
    assert (data["total"], data["count"], data["outside"]) == (41, len(hits), 1)
    assert data["nodata"] == 40 - len(hits) and data["mean"] == pytest.approx(np.mean(hits), rel=1e-6)
    assert {each.get("missing") for each in data["rows"] if each["value"] is None} <= {"outside", "nodata"}
    assert data["rows"][-1]["missing"] == "outside"


@pytest.mark.parametrize("lost", [-9999.0, -3.4028234663852886e38])
def test_undeclared_nodata_is_no_value_at_a_point(bench: Bench, lost: float) -> None:
    """Said, shown in its row, and out of min, max and mean: 4952 alone, not the mean of it and the sentinel."""
    cells = np.arange(8000, dtype=np.float32).reshape(80, 100)
    cells[:10] = lost
    add(bench, write(bench.folder / "undeclared.tif", cells))
    forth = Transformer.from_crs("EPSG:32650", "EPSG:4326", always_xy=True)
    points = [list(forth.transform(500000 + (c + 0.5) * 10, 4000800 - (r + 0.5) * 10)) for r, c in ((3, 7), (49, 52))]
    envelope = bench.call("sample_raster", layer_id="dem", points=points)
    data = envelope["data"]
    assert (data["count"], data["min"], data["max"], data["mean"]) == (1, 4952, 4952, 4952)
    assert data["suspected_nodata"] == {"value": pytest.approx(lost, rel=1e-7), "points": 1} and data["nodata"] == 0
    assert data["rows"][0]["suspected_nodata"] is True and data["rows"][0]["value"] == pytest.approx(lost, rel=1e-7)
    assert "suspected_nodata" not in data["rows"][1] and "1 of 2 points" in envelope["message"]
    data = bench.ok("sample_raster", layer_id="dem", points=points[:1])
    assert (data["count"], data["mean"]) == (0, None)
    assert "suspected_nodata" not in bench.ok("sample_raster", layer_id="dem", points=points[1:])


def test_a_sentinel_that_only_the_points_have_met(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large raster is judged by a sample of its cells, which the single lost one is not in."""
    monkeypatch.setattr(raster_points, "_DOUBT_CELLS", 1000)
    monkeypatch.setattr(raster_cells, "SAMPLE_CELLS", 400)
    cells = np.arange(10000, dtype=np.float32).reshape(100, 100)
    cells[51, 51] = -9999
    add(bench, write(bench.folder / "large.tif", cells))
    forth = Transformer.from_crs("EPSG:32650", "EPSG:4326", always_xy=True)
    points = [list(forth.transform(500000 + (c + 0.5) * 10, 4001000 - (r + 0.5) * 10)) for r, c in ((51, 51), (60, 60))]
    assert bench.ok("sample_raster", layer_id="dem", points=points)["mean"] == 6060


@pytest.mark.parametrize("kind", ["plain", "turned"])
def test_the_edges_belong_to_the_last_cells(bench: Bench, kind: str) -> None:
    """East, south and their corner have a value; a little further out is outside. Nothing is called nodata."""
    cells = np.arange(8000, dtype=np.float32).reshape(80, 100)
    turn = 0.0 if kind == "plain" else 0.003
    place = (100.0, 0.01, turn, 40.0, turn, -0.01)
    add(bench, write(bench.folder / "deg.tif", cells, crs=4326, place=place))

    def at(column: float, row: float) -> list[float]:
        return [100 + column * 0.01 + row * turn, 40 + column * turn - row * 0.01]

    inside = {(100, 50.5): 5099, (100, 80): 7999, (50.5, 80): 7950, (0, 0): 0, (100, 0): 99, (0, 80): 7900}
    beyond = [(100.01, 40), (50, 80.01), (-0.01, 3), (3, -0.01)]
    data = bench.ok("sample_raster", layer_id="dem", points=[at(*each) for each in [*inside, *beyond]])
    assert [each["value"] for each in data["rows"]] == [*inside.values(), *([None] * 4)]
    assert (data["count"], data["outside"], data["nodata"]) == (6, 4, 0)


def turned(path: Path, cells: Any, by_points: bool) -> Path:
    """A file whose rows do not run east: by its grid, or by ground control points at its corners."""
    fit = (500000.0, 30.0, 5.0, 5000000.0, 5.0, -30.0)
    write(path, cells, crs=32633, place=fit)
    if by_points:
        down, across = cells.shape
        corners = [(0, 0), (across, 0), (0, down), (across, down)]
        points = [
            gdal.GCP(fit[0] + c * fit[1] + r * fit[2], fit[3] + c * fit[4] + r * fit[5], 0, c, r) for c, r in corners
        ]
        reference = osr.SpatialReference()
        reference.ImportFromEPSG(32633)
        made = gdal.GetDriverByName("GTiff").Create(str(path), across, down, 1, 6)
        made.SetGCPs(points, reference.ExportToWkt())
        made.GetRasterBand(1).WriteArray(cells)
        made.FlushCache()
    return path


@pytest.mark.parametrize("by_points", [False, True], ids=["grid", "points"])
def test_a_turned_raster_is_told_by_its_own_cells(bench: Bench, by_points: bool) -> None:
    """Size, cell, bands, numbers and values of the file, not of the upright copy that QGIS draws, which has an alpha band."""
    cells = np.arange(8000, dtype=np.float32).reshape(80, 100) + 1
    raster_layer = add(bench, turned(bench.folder / "turned.tif", cells, by_points))
    assert (raster_layer.width(), raster_layer.height(), raster_layer.bandCount()) != (100, 80, 1)
    envelope = bench.call("get_raster_info", layer_id="dem")
    data, band = envelope["data"], envelope["data"]["bands"][0]
    assert (data["size"], data["band_count"], len(data["bands"])) == ([100, 80], 1, 1)
    assert data["cell_size"] == pytest.approx([(30**2 + 5**2) ** 0.5] * 2, rel=1e-6)
    assert (band["min"], band["max"], band["mean"]) == (1, 8000, 4000.5)
    assert (band["valid_cells"], band["nodata_cells"]) == (8000, 0) and "suspected_nodata" not in band
    assert (
        "turned" in envelope["message"] and f"{raster_layer.width()} x {raster_layer.height()}" in envelope["message"]
    )
    inspected = bench.ok("inspect_data_file", path=str(bench.folder / "turned.tif"))
    assert by_points or str((30**2 + 5**2) ** 0.5)[:7] in str(inspected), inspected  # 30.4138
    assert bench.code("get_raster_info", layer_id="dem", band=2) == "INVALID_PARAM"
    assert bench.code("set_raster_style", layer_id="dem", method="gray", band=2) == "INVALID_PARAM"
    forth = Transformer.from_crs("EPSG:32633", "EPSG:4326", always_xy=True)
    middles = [(c + 0.5, r + 0.5) for c in range(2, 100, 24) for r in range(3, 80, 19)]
    points = [list(forth.transform(500000 + c * 30 + r * 5, 5000000 + c * 5 - r * 30)) for c, r in middles]
    data = bench.ok("sample_raster", layer_id="dem", points=points, limit=50)
    assert [each["value"] for each in data["rows"]] == [float(cells[int(r), int(c)]) for c, r in middles]
    look = bench.ok("set_raster_style", layer_id="dem", method="gray")
    assert (look["stretch"]["min"], look["stretch"]["max"]) == (1, 8000)


def test_cells_under_a_mask_are_no_values(bench: Bench) -> None:
    """A mask of the file is no band of it; what it takes out is counted as nodata, and so a point on it."""
    cells = np.arange(400, dtype=np.float32).reshape(20, 20) + 50
    path = write(bench.folder / "masked.tif", cells)
    gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", "YES")
    source = gdal.Open(str(path), gdal.GA_Update)
    source.CreateMaskBand(gdal.GMF_PER_DATASET)
    mask = np.full(cells.shape, 255, dtype=np.uint8)
    mask[:5] = 0
    source.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    del source
    gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", None)
    raster_layer = add(bench, path)
    assert raster_layer.bandCount() == 2
    envelope = bench.call("get_raster_info", layer_id="dem")
    data, kept = envelope["data"], cells[5:].astype(float)
    assert (data["band_count"], [each["band"] for each in data["bands"]]) == (1, [1]) and "mask" in envelope["message"]
    band = data["bands"][0]
    assert (band["min"], band["mean"], band["valid_cells"], band["nodata_cells"]) == (kept.min(), kept.mean(), 300, 100)
    forth = Transformer.from_crs("EPSG:32650", "EPSG:4326", always_xy=True)
    points = [list(forth.transform(500055, 4000200 - (r + 0.5) * 10)) for r in (2, 7)]
    rows = bench.ok("sample_raster", layer_id="dem", points=points)["rows"]
    assert rows[0]["missing"] == "nodata" and rows[1]["value"] == cells[7, 5]


@needs_shared
def test_a_damaged_cell_is_no_nodata(bench: Bench) -> None:
    """At a point in the part that was cut off the call fails, and says so; in the part that is there it has a value."""
    path = Path(shutil.copy(SHARED / "nasty/corrupt.tif", bench.folder))
    box = add(bench, path).extent()
    back = Transformer.from_crs("EPSG:3857", "EPSG:4326", always_xy=True)
    lost = list(back.transform(box.xMaximum() - 5, box.yMinimum() + 5))
    there = list(back.transform(box.xMinimum() + 5, box.yMaximum() - 5))
    source = gdal.Open(str(path))
    band = source.GetRasterBand(1)
    cell = box.width() / 1024
    column, row = 1023 - int(5 / cell), 1023 - int(5 / cell)
    with pytest.raises(RuntimeError):  # else the cell can be read
        band.ReadRaster(column, row, 1, 1)
    envelope = bench.call("sample_raster", layer_id="dem", points=[lost])
    assert (envelope["code"], envelope["reason"]) == ("UPSTREAM_ERROR", "unreadable")
    value = band.ReadAsArray(int(5 / cell), int(5 / cell), 1, 1)[0, 0]
    masked = band.GetMaskBand().ReadAsArray(int(5 / cell), int(5 / cell), 1, 1)[0, 0] == 0
    row_found = bench.ok("sample_raster", layer_id="dem", points=[there])["rows"][0]
    assert row_found["value"] == (None if masked else value)


def stations(bench: Bench) -> QgsVectorLayer:
    """Points of a layer in web mercator over a raster of 10 x 10 cells, one of them off it, one without a geometry."""
    add(bench, write(bench.folder / "ten.tif", np.arange(100, dtype=np.float32).reshape(10, 10)))
    forth = Transformer.from_crs("EPSG:32650", "EPSG:3857", always_xy=True)
    places = [(500005, 4000095), (500095, 4000005), (500045, 4000055), (499000, 4000000)]
    rows: list[tuple[str | None, list[Any]]] = [
        ("POINT({} {})".format(*forth.transform(x, y)), [f"s{n}", n]) for n, (x, y) in enumerate(places)
    ]
    layer = memory_layer(
        "Point?crs=EPSG:3857&field=name:string&field=n:integer", [*rows, (None, ["lost", 9])], "stations"
    )
    layer.setDisplayExpression('"name"')
    return bench.add(layer)


def test_values_at_the_points_of_a_layer(bench: Bench) -> None:
    """By name; where chooses; the limit cuts rows, not the counts."""
    stations(bench)
    envelope = bench.call("sample_raster", layer_id="dem", from_layer_id="stations")
    data = envelope["data"]
    assert [(each["label"], each["value"]) for each in data["rows"]] == [
        ("s0", 0),
        ("s1", 99),
        ("s2", 44),
        ("s3", None),
    ]
    assert (data["total"], data["count"], data["outside"], data["min"], data["max"]) == (4, 3, 1, 0, 99)
    assert "1 of 4 points lie outside" in envelope["message"]
    some = bench.ok(
        "sample_raster",
        layer_id="dem",
        from_layer_id="stations",
        where=[{"field": "n", "op": "lt", "value": 2}],
        limit=1,
    )
    assert (len(some["rows"]), some["total"], some["mean"]) == (1, 2, 49.5)
    none = bench.call(
        "sample_raster", layer_id="dem", from_layer_id="stations", where=[{"field": "n", "op": "gt", "value": 50}]
    )
    assert none["ok"] and none["data"]["count"] == 0 and "No feature" in none["message"]


def test_the_filter_of_the_point_layer_is_said(bench: Bench) -> None:
    """Two of the four points are left: s0 on cell 0, s1 on cell 99; without a filter nothing is said of one."""
    layer = stations(bench)
    assert "filter" not in bench.call("sample_raster", layer_id="dem", from_layer_id="stations")["message"]
    assert layer.setSubsetString('"n" < 2')
    envelope = bench.call("sample_raster", layer_id="dem", from_layer_id="stations")
    assert (envelope["data"]["total"], envelope["data"]["mean"]) == (2, 49.5)
    assert "The filter of 'stations' is in force." in envelope["message"]


def test_points_are_checked(bench: Bench) -> None:
    """One source of points; degrees; a point layer; the person's nodata counts."""
    stations(bench)
    bench.add(memory_layer("Polygon?crs=EPSG:4326", [("POLYGON((0 0,1 0,1 1,0 0))", [])], "areas"))
    for arguments in (
        {},
        {"points": [[117, 36.1]], "from_layer_id": "stations"},
        {"points": [[117, 36.1]], "where": [{"field": "n", "op": "eq", "value": 1}]},
        {"points": [[36.1, 117]]},
        {"points": [[500005, 4000095]]},
        {"points": [[1, 2, 3]]},
        {"from_layer_id": "areas"},
        {"points": [[117, 36.1]], "band": 2},
    ):
        assert bench.code("sample_raster", layer_id="dem", **arguments) == "INVALID_PARAM", arguments
    raster_layer = bench.host.layers.by_alias("dem")
    raster_layer.dataProvider().setUserNoDataValue(1, [QgsRasterRange(40, 50)])
    data = bench.ok("sample_raster", layer_id="dem", from_layer_id="stations")
    assert data["rows"][2]["missing"] == "nodata" and (data["nodata"], data["count"]) == (1, 2)
