"""set_raster_style through the calls: limits from the cells (numpy), what QGIS draws, what is undone, what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Bench
from osgeo import gdal
from qgis.core import Qgis, QgsMapRendererSequentialJob, QgsMapSettings, QgsRasterLayer
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor
from test_raster_info import SHARED, add, needs_shared, no_pam, shared, write

from qgis_agent.bridge.envelope import size_bytes
from qgis_agent.gis.style import palettes, raster_looks
from qgis_agent.gis.style.history import revert
from qgis_agent.gis.style.raster_document import raster_part
from qgis_agent.gis.tools.inspect import rasters

__all__ = ["no_pam"]


def drawn(raster_layer: QgsRasterLayer) -> Any:
    """The colour of each cell as QGIS draws it, (rows, columns) of "#rrggbb"; the background is "#123456"."""
    settings = QgsMapSettings()
    settings.setLayers([raster_layer])
    settings.setDestinationCrs(raster_layer.crs())
    settings.setExtent(raster_layer.extent())
    settings.setOutputSize(QSize(raster_layer.width(), raster_layer.height()))
    settings.setBackgroundColor(QColor("#123456"))
    job = QgsMapRendererSequentialJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    return np.array(
        [[image.pixelColor(column, row).name() for column in range(image.width())] for row in range(image.height())]
    )


def slope(bench: Bench, name: str = "dem", nodata: float | None = -9999) -> tuple[QgsRasterLayer, Any]:
    """400 different heights, the first row is -9999."""
    cells = (np.arange(400, dtype=np.float32).reshape(20, 20) ** 1.5 / 10).astype(np.float32)
    cells[0] = -9999
    return add(bench, write(bench.folder / f"{name}.tif", cells, nodata), name), cells


def test_classes_by_quantiles(bench: Bench) -> None:
    """Limits by numpy; the colour of each cell is that of its class; nodata is not drawn."""
    raster_layer, cells = slope(bench)
    outcome = bench.outcome("set_raster_style", layer_id="dem", method="pseudocolor", classes=4, palette="Blues")
    data = outcome["envelope"]["data"]
    valid = cells[1:].astype(float).ravel()
    uppers = [*np.quantile(valid, [0.25, 0.5, 0.75]), valid.max()]
    assert [each["upper"] for each in data["classes"]] == pytest.approx(uppers, rel=1e-6)
    assert [each["count"] for each in data["classes"]] == [95, 95, 95, 95]
    colors = ["#eff3ff", "#bdd7e7", "#6baed6", "#2171b5"]  # ColorBrewer's Blues of four
    assert [each["color"] for each in data["classes"]] == colors
    expected = np.array(colors)[np.searchsorted(uppers[:3], cells.astype(float), side="left")]
    expected[0] = "#123456"
    assert (drawn(raster_layer) == expected).all()
    action = outcome["actions"][0]
    assert (action["op"], action["args"]["rule_id"], action["args"]["rule"]["colors"]) == (
        "render",
        data["rule_id"],
        colors,
    )
    assert [each["color"] for each in outcome["legend"]] == colors and outcome["evidence"][0]["ref"] == data["rule_id"]


@pytest.mark.parametrize("classification", ["equal_interval", "natural_breaks", "pretty", "standard_deviation"])
def test_no_cell_is_left_out_by_classes(bench: Bench, classification: str) -> None:
    """The highest and the lowest cells are drawn."""
    raster_layer, _ = slope(bench)
    data = bench.ok(
        "set_raster_style",
        layer_id="dem",
        method="pseudocolor",
        classes=5,
        options={"classification": classification},
    )
    found = drawn(raster_layer)
    assert "#123456" not in found[1:] and (found[0] == "#123456").all()
    assert sum(each["count"] for each in data["classes"]) == 380


def test_manual_breaks(bench: Bench) -> None:
    """n breaks make n + 1 classes; they have to ascend; they do not go with a method that computes its own."""
    raster_layer, cells = slope(bench)
    data = bench.ok("set_raster_style", layer_id="dem", method="pseudocolor", options={"breaks": [10, 200]})
    assert [each["count"] for each in data["classes"]] == [
        int((cells[1:] <= 10).sum()),
        int(((cells[1:] > 10) & (cells[1:] <= 200)).sum()),
        int((cells[1:] > 200).sum()),
    ]
    assert len(set(drawn(raster_layer)[1:].ravel())) == 3
    for options in (
        {"breaks": [200, 10]},
        {"classification": "manual"},
        {"classification": "quantile", "breaks": [1, 2]},
    ):
        assert bench.code("set_raster_style", layer_id="dem", method="pseudocolor", options=options) == "INVALID_PARAM"


def test_a_ramp_from_the_lowest_to_the_highest(bench: Bench) -> None:
    """Ends have the palette's end colours; reversed and by limits."""
    raster_layer, cells = slope(bench)
    data = bench.ok("set_raster_style", layer_id="dem", method="pseudocolor", palette="Viridis")
    assert (data["interpolation"], data["min"]) == ("linear", pytest.approx(float(cells[1:].min()), rel=1e-6))
    found = drawn(raster_layer)
    assert (found[1, 0], found[19, 19]) == ("#440154", "#fde725")
    bench.ok(
        "set_raster_style",
        layer_id="dem",
        method="pseudocolor",
        palette="Viridis",
        options={"reverse": True, "limits": [100, 200]},
    )
    found = drawn(raster_layer)
    assert (found[1, 0], found[19, 19]) == ("#fde725", "#440154")


@pytest.mark.parametrize("stretch", ["minmax", "cumulative_cut", "stddev"])
def test_gray_stretches(bench: Bench, stretch: str) -> None:
    """Limits by numpy; the cell half way between them is half gray; reversed it is drawn from white to black."""
    raster_layer, cells = slope(bench)
    valid = cells[1:].astype(float)
    expected = {
        "minmax": (valid.min(), valid.max()),
        "cumulative_cut": tuple(np.percentile(valid, (2, 98))),
        "stddev": (max(valid.min(), valid.mean() - 2 * valid.std()), min(valid.max(), valid.mean() + 2 * valid.std())),
    }[stretch]
    data = bench.ok("set_raster_style", layer_id="dem", method="gray", options={"stretch": stretch})
    assert (data["stretch"]["min"], data["stretch"]["max"]) == pytest.approx(expected, rel=1e-6)
    found = drawn(raster_layer)
    levels = np.array([[int(each[1:3], 16) for each in row] for row in found[1:]])
    wanted = np.clip((valid - expected[0]) / (expected[1] - expected[0]) * 255, 0, 255)
    assert np.abs(levels - wanted).max() <= 1.01 and (found[0] == "#123456").all()
    bench.ok("set_raster_style", layer_id="dem", method="gray", options={"reverse": True})
    assert drawn(raster_layer)[1, 0] == "#ffffff"


def test_fewer_classes_after_more(bench: Bench) -> None:
    """A look takes the place of the one before, also of the same kind: no class of it stays."""
    raster_layer, _ = slope(bench)
    for classes in (9, 3):
        bench.ok("set_raster_style", layer_id="dem", method="pseudocolor", classes=classes)
        assert len(set(drawn(raster_layer)[1:].ravel())) == classes


@needs_shared
def test_three_bands(bench: Bench) -> None:
    """False colour from bands 4, 3, 2 of a Landsat picture, each cut by its own percentiles."""
    raster_layer, cells = shared(bench, "raster/landsat7_olinda.tif")
    data = bench.ok("set_raster_style", layer_id="dem", method="multiband", options={"bands": [4, 3, 2]})
    assert data["bands"] == [4, 3, 2]
    for color, band in (("red", 4), ("green", 3), ("blue", 2)):
        low, high = np.percentile(cells[band - 1], (2, 98))
        assert (data["stretch"][color]["min"], data["stretch"][color]["max"]) == (low, high)
    found = drawn(raster_layer)
    for place, band in ((1, 4), (3, 3), (5, 2)):
        low, high = np.percentile(cells[band - 1], (2, 98))
        wanted = np.clip((cells[band - 1].astype(float) - low) / (high - low) * 255, 0, 255)
        levels = np.array([[int(each[place : place + 2], 16) for each in row] for row in found])
        near = np.minimum(np.abs(levels - wanted)[:-1], np.abs(levels[:-1] - wanted[1:]))  # drawn half a cell off
        assert (near <= 1.01).mean() > 0.95, band


def test_categories(bench: Bench) -> None:
    """A colour and a count for each value; the file's own colours and names where it has them and no palette is asked for."""
    cells = np.array([[1, 1, 2], [2, 7, 7], [7, 7, 0]], dtype=np.uint8)
    path = write(bench.folder / "cover.tif", cells, 0)
    raster_layer = add(bench, path, "cover")
    data = bench.ok("set_raster_style", layer_id="cover", method="paletted")
    assert [(each["value"], each["count"]) for each in data["classes"]] == [(1, 2), (2, 2), (7, 4)]
    colors = {each["value"]: each["color"] for each in data["classes"]}
    expected = np.vectorize(lambda value: colors.get(int(value), "#123456"))(cells)
    assert (drawn(raster_layer) == expected).all() and len(set(colors.values())) == 3

    source = gdal.GetDriverByName("GTiff").Create(str(bench.folder / "named.tif"), 3, 3, 1, gdal.GDT_Byte)
    source.SetGeoTransform((0, 10, 0, 30, 0, -10))
    table = gdal.ColorTable()
    for value, color in ((1, (10, 20, 30, 255)), (2, (40, 50, 60, 255)), (7, (70, 80, 90, 255))):
        table.SetColorEntry(value, color)
    source.GetRasterBand(1).SetColorTable(table)
    source.GetRasterBand(1).WriteArray(cells)
    source.FlushCache()
    del source
    add(bench, bench.folder / "named.tif", "named")
    envelope = bench.call("set_raster_style", layer_id="named", method="paletted")
    assert envelope["ok"], envelope
    assert {each["value"]: each["color"] for each in envelope["data"]["classes"]}[2] == "#28323c"
    assert "colour table" in envelope["message"]
    data = bench.ok("set_raster_style", layer_id="named", method="paletted", palette="Set2")
    assert data["classes"][0]["color"] == palettes.colors("Set2", 4)[0]


def test_many_categories_are_refused(bench: Bench) -> None:
    """More than 64 values: nothing changes, and the hint says what to use. 64 are drawn, within the budget."""
    cells = np.arange(65, dtype=np.uint8).reshape(5, 13)
    raster_layer = add(bench, write(bench.folder / "many.tif", cells), "many")
    before = raster_layer.renderer().type()
    envelope = bench.call("set_raster_style", layer_id="many", method="paletted")
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "too_many_categories")
    assert "pseudocolor" in envelope["hint"] and raster_layer.renderer().type() == before
    add(bench, write(bench.folder / "less.tif", np.minimum(cells, 63)), "less")
    envelope = bench.call("set_raster_style", layer_id="less", method="paletted")
    assert envelope["ok"] and size_bytes(envelope) <= 4096


def test_a_relief_in_degrees_scales_the_heights(bench: Bench) -> None:
    """Without it slopes would be 111,320 times too steep; in metres the factor stays 1."""
    rows, columns = np.mgrid[0:40, 0:40]
    hill = (300 * np.exp(-((rows - 20) ** 2 + (columns - 20) ** 2) / 90)).astype(np.float32)
    metres = add(bench, write(bench.folder / "m.tif", hill, cell=30), "metres")
    place = (6.0, 30 / 111_320, 0, 0.01, 0, -30 / 111_320)
    degrees = add(bench, write(bench.folder / "d.tif", hill, crs=4326, place=place), "degrees")
    data = bench.ok("set_raster_style", layer_id="metres", method="hillshade")
    assert data["z_factor"] == 1.0
    envelope = bench.call("set_raster_style", layer_id="degrees", method="hillshade")
    assert envelope["data"]["z_factor"] == pytest.approx(1 / 111_320, rel=1e-3) and "z factor" in envelope["message"]
    levels = [np.array([[int(each[1:3], 16) for each in row] for row in drawn(each)]) for each in (metres, degrees)]
    assert np.abs(levels[0] - levels[1]).max() <= 2 and levels[0].std() > 10


def test_a_relief_is_read_smoothly_and_categories_are_not(bench: Bench) -> None:
    """An enlarged relief has no stairs; categories after it are not mixed."""
    rows, columns = np.mgrid[0:20, 0:20]
    raster_layer = add(bench, write(bench.folder / "plane.tif", (rows // 5 * 4 + columns // 5).astype(np.uint8)))
    bench.ok("set_raster_style", layer_id="dem", method="hillshade")
    assert raster_part(raster_layer)["resampling"]["zoomed_in"] == "bilinear"
    data = bench.ok("set_raster_style", layer_id="dem", method="paletted")
    assert raster_part(raster_layer)["resampling"]["zoomed_in"] == "nearest"
    assert set(drawn(raster_layer).ravel()) == {each["color"] for each in data["classes"]}


def test_undeclared_nodata_that_spoils_the_stretch_is_said(bench: Bench) -> None:
    """-9999 is not declared: the style is as asked for, and min and max without it are named."""
    _, cells = slope(bench, nodata=None)
    envelope = bench.call("set_raster_style", layer_id="dem", method="gray")
    assert envelope["ok"] and envelope["data"]["stretch"]["min"] == -9999
    assert "-9999" in envelope["message"] and "min and max" in envelope["message"]
    assert f"{float(cells[1:].max()):.3f}"[:6] in envelope["message"]
    envelope = bench.call("set_raster_style", layer_id="dem", method="gray", options={"limits": [0, 800]})
    assert "min and max" not in envelope["message"] and envelope["data"]["stretch"] == {
        "algorithm": "stretch",
        "min": 0,
        "max": 800,
    }


def test_degenerate_rasters(bench: Bench) -> None:
    """All cells equal: one colour, said. No valid cell: refused, nothing changed. Fewer values than classes."""
    flat = add(bench, write(bench.folder / "flat.tif", np.full((5, 5), 7, dtype=np.float32)), "flat")
    for method, arguments in (("gray", {}), ("pseudocolor", {}), ("pseudocolor", {"classes": 5})):
        envelope = bench.call("set_raster_style", layer_id="flat", method=method, **arguments)
        assert envelope["ok"] and envelope["message"], method
        assert len(set(drawn(flat).ravel())) == 1 and drawn(flat)[0, 0] not in ("#123456", "#000000")
    none = add(bench, write(bench.folder / "none.tif", np.full((4, 4), -9999, dtype=np.float32), -9999), "none")
    before = none.renderer().type()
    for method in ("gray", "pseudocolor", "paletted"):
        envelope = bench.call("set_raster_style", layer_id="none", method=method)
        assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "no_values")
    assert none.renderer().type() == before
    add(bench, write(bench.folder / "two.tif", np.array([[1, 1], [2, 2]], dtype=np.float32)), "two")
    envelope = bench.call("set_raster_style", layer_id="two", method="pseudocolor", classes=5)
    assert len(envelope["data"]["classes"]) == 2 and "2" in envelope["message"]


def test_what_does_not_go_together_is_refused(bench: Bench) -> None:
    """With the options that do; bands that are not there; a vector layer; limits the wrong way round."""
    raster_layer, _ = slope(bench)
    before = raster_layer.renderer().type()
    for arguments in (
        {"method": "gray", "palette": "Blues"},
        {"method": "gray", "classes": 4},
        {"method": "hillshade", "options": {"breaks": [1, 2]}},
        {"method": "paletted", "options": {"limits": [0, 1]}},
        {"method": "gray", "band": 2},
        {"method": "multiband"},
        {"method": "gray", "options": {"limits": [5, 5]}},
        {"method": "gray", "options": {"opacity": 0.5}},
    ):
        assert bench.code("set_raster_style", layer_id="dem", **arguments) == "INVALID_PARAM", arguments
    envelope = bench.call(
        "set_raster_style", layer_id="dem", method="pseudocolor", classes=3, options={"limits": [5000, 6000]}
    )
    assert envelope["reason"] == "no_values" and raster_layer.renderer().type() == before


def test_the_rule_id_takes_it_back(bench: Bench) -> None:
    """All is as before."""
    raster_layer, _ = slope(bench)
    bench.ok("set_raster_style", layer_id="dem", method="pseudocolor", classes=4)
    before = drawn(raster_layer)
    rule_id = bench.ok("set_raster_style", layer_id="dem", method="hillshade")["rule_id"]
    assert (drawn(raster_layer) != before).any()
    revert(bench.host, rule_id)
    assert (drawn(raster_layer) == before).all()


def test_what_is_not_taken_over_is_undone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """When QGIS shows something else than was set, the call fails and the look is as before."""
    raster_layer, _ = slope(bench)
    before, real = drawn(raster_layer), rasters.put_raster

    def half(layer: QgsRasterLayer, patch: dict[str, Any]) -> None:
        real(layer, {**patch, "stretch": {"min": 1, "max": 2}})

    monkeypatch.setattr(rasters, "put_raster", half)
    outcome = bench.outcome("set_raster_style", layer_id="dem", method="gray")
    assert outcome["envelope"]["code"] == "UPSTREAM_ERROR" and outcome["actions"] == []
    assert (drawn(raster_layer) == before).all()


def test_large_rasters_are_sampled_for_classes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits from a sample, said; shares in place of counts."""
    monkeypatch.setattr(raster_looks, "MOST_VALUES", 10_000)
    cells = np.random.default_rng(1).normal(100, 15, (400, 400)).astype(np.float32)
    add(bench, write(bench.folder / "large.tif", cells))
    envelope = bench.call("set_raster_style", layer_id="dem", method="pseudocolor", classes=4)
    uppers = [each["upper"] for each in envelope["data"]["classes"]]
    assert uppers[:3] == pytest.approx(list(np.quantile(cells, [0.25, 0.5, 0.75])), rel=0.02)
    assert "sample of 10000 cells" in envelope["message"]
    assert [each["percent"] for each in envelope["data"]["classes"]] == pytest.approx([25] * 4, abs=0.1)


def test_a_service_layer_has_no_cells(bench: Bench, tmp_path: Path) -> None:
    """A tile layer shows pictures: refused for every method; its facts are given without numbers."""
    tiles = f"type=xyz&url=file://{tmp_path}/{{z}}/{{x}}/{{y}}.png&zmax=2&zmin=0"
    raster_layer = QgsRasterLayer(tiles, "tiles", "wms")
    assert raster_layer.isValid() and raster_layer.rasterType() == Qgis.RasterLayerType.SingleBandColorData
    bench.host.project.addMapLayer(raster_layer)
    for method in ("gray", "pseudocolor", "paletted", "hillshade"):
        assert bench.call("set_raster_style", layer_id="tiles", method=method)["reason"] == "no_cells"
    assert bench.call("sample_raster", layer_id="tiles", points=[[0, 0]])["reason"] == "no_cells"
    envelope = bench.call("get_raster_info", layer_id="tiles")
    assert envelope["ok"] and envelope["data"]["stats_kind"] == "none" and "service" in envelope["message"]


# limits that do not fit the cells


@pytest.mark.parametrize("method", ["gray", "pseudocolor"])
def test_limits_that_no_value_lies_within_are_said(bench: Bench, method: str) -> None:
    """Set as asked, in one colour, and told; limits that most values lie outside of, and too wide ones, as well."""
    raster_layer, cells = slope(bench)  # 8.9 to 797
    valid = cells[1:].astype(float)

    def said(*limits: float) -> str:
        envelope = bench.call("set_raster_style", layer_id="dem", method=method, options={"limits": list(limits)})
        assert envelope["ok"]
        return str(envelope["message"])

    message = said(1000, 2000)
    assert "No cell of band 1 lies within the limits 1000 to 2000" in message
    assert f"{valid.min():.6g} to {valid.max():.6g}" in message and len(set(drawn(raster_layer)[1:].ravel())) == 1
    share = ((valid < 600) | (valid > 700)).mean()
    assert f"{100 * share:.0f} % of the cells of band 1 lie outside of the limits 600 to 700" in said(600, 700)
    assert "little contrast" in said(0, 100_000)
    assert said(float(valid.min()), float(valid.max())) == "" and said(0, 800) == "" and said(50, 700) == ""


def test_a_palette_without_an_order_is_said(bench: Bench) -> None:
    """Set1 tells kinds apart, not low from high."""
    slope(bench)
    for arguments in ({}, {"classes": 4}):
        envelope = bench.call("set_raster_style", layer_id="dem", method="pseudocolor", palette="Set1", **arguments)
        assert envelope["ok"] and "Set1" in envelope["message"] and "order" in envelope["message"]
        envelope = bench.call("set_raster_style", layer_id="dem", method="pseudocolor", palette="Blues", **arguments)
        assert envelope["message"] == ""


def test_a_patch_of_the_limits_is_compared_with_the_cells(bench: Bench) -> None:
    """As set_raster_style does; a patch of something else reads nothing."""
    slope(bench)
    bench.ok("set_raster_style", layer_id="dem", method="gray")
    stretch = {"renderer": {"stretch": {"min": 5000, "max": 6000}}}
    assert "No cell of band 1 lies within" in bench.call("patch_style", layer_id="dem", patch=stretch)["message"]
    stretch = {"renderer": {"stretch": {"min": 0, "max": 800}}}
    assert bench.call("patch_style", layer_id="dem", patch=stretch)["message"] == ""
    assert bench.call("patch_style", layer_id="dem", patch={"opacity": 0.5})["message"] == ""
    for classes in (5, {"c1": 3}):
        patch = {"renderer": {"type": "pseudocolor", "classes": classes}}
        assert bench.code("patch_style", layer_id="dem", patch=patch) == "INVALID_PARAM"


def high(bench: Bench) -> tuple[QgsRasterLayer, Any]:
    """Values from 2000 to 2399, none of which ``slope`` has."""
    cells = np.arange(400, dtype=np.float32).reshape(20, 20) + 2000
    return add(bench, write(bench.folder / "high.tif", cells), "high"), cells


def test_a_copied_look_is_compared_with_the_cells(bench: Bench) -> None:
    """Gray, a ramp, classes, categories: each copied, and said where it shows nothing of the other raster."""
    _, cells = slope(bench)
    raster_layer, _ = high(bench)

    def copied() -> str:
        envelope = bench.call("copy_style", layer_id="dem", to_layer_ids=["high"])
        assert envelope["ok"], envelope
        return str(envelope["message"])

    for method in ("gray", "pseudocolor"):
        bench.ok("set_raster_style", layer_id="dem", method=method)
        message = copied()
        assert "high: No cell of band 1 lies within" in message and "values go from 2000 to 2399" in message
        assert "set_raster_style" in message and len(set(drawn(raster_layer).ravel())) == 1
    bench.ok("set_raster_style", layer_id="dem", method="pseudocolor", classes=4)
    assert "All cells of band 1 (2000 to 2399) fall into one of the 4 classes" in copied()
    bench.ok("set_raster_style", layer_id="dem", method="pseudocolor", options={"limits": [1900, 2500]})
    assert copied() == "" and len(set(drawn(raster_layer).ravel())) > 50
    few = add(bench, write(bench.folder / "few.tif", np.array([[2000, 2001, 7, 8]] * 4, dtype=np.int16)), "few")
    bench.ok("set_raster_style", layer_id="few", method="paletted")
    message = bench.call("copy_style", layer_id="few", to_layer_ids=["high"])["message"]
    assert f"high: {100 * 398 / 400:.1f} % of the cells of band 1 are drawn by no class" in message
    assert few.bandCount() == 1 and cells is not None


def test_a_copied_look_that_leaves_bands_out_is_said(bench: Bench) -> None:
    """A picture of three bands becomes one of a single band."""
    slope(bench)
    picture = np.stack([np.arange(400, dtype=np.float32).reshape(20, 20)] * 3)
    add(bench, write(bench.folder / "picture.tif", picture), "picture")
    bench.ok("set_raster_style", layer_id="picture", method="multiband")
    bench.ok("set_raster_style", layer_id="dem", method="gray", options={"limits": [0, 400]})
    message = bench.call("copy_style", layer_id="dem", to_layer_ids=["picture"])["message"]
    assert "picture: It was drawn by the bands 1, 2, 3, and is by band 1 now." in message


@needs_shared
def test_a_look_is_copied_to_a_damaged_raster_and_that_is_said(bench: Bench) -> None:
    """The cells cannot be read, so whether it fits is not known; the copy itself needs none of them."""
    slope(bench)
    add(bench, Path(shutil.copy(SHARED / "nasty/corrupt.tif", bench.folder)), "corrupt")
    bench.ok("set_raster_style", layer_id="dem", method="gray")
    envelope = bench.call("copy_style", layer_id="dem", to_layer_ids=["corrupt"])
    assert envelope["ok"] and "cannot be read" in envelope["message"]


def test_limits_of_a_ramp_survive_copies(bench: Bench) -> None:
    """QGIS's own copy of a pseudocolour renderer has no limits: not after copying the look, naming a class, going back."""
    raster_layer, cells = slope(bench)
    other, _ = high(bench)
    limits = (pytest.approx(float(cells[1:].min()), rel=1e-6), pytest.approx(float(cells.max()), rel=1e-6))

    def found(layer: QgsRasterLayer) -> tuple[float, float]:
        return layer.renderer().classificationMin(), layer.renderer().classificationMax()

    bench.ok("set_raster_style", layer_id="dem", method="pseudocolor")
    assert np.isnan(raster_layer.renderer().clone().classificationMin()), "QGIS copies them now: renderer_copy can go"
    bench.ok("copy_style", layer_id="dem", to_layer_ids=["high"])
    assert found(other) == limits
    bench.ok("set_legend", layer_id="dem", labels=[{"id": "c1", "text": "low"}])
    assert found(raster_layer) == limits
    bench.ok("set_raster_style", layer_id="dem", method="hillshade")
    bench.ok("revert_style", layer_id="dem")
    assert found(raster_layer) == limits
    function = raster_layer.renderer().shader().rasterShaderFunction()
    assert (function.minimumValue(), function.maximumValue()) == limits
