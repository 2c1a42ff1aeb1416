"""What a printed sheet must not keep to itself: rows left out, texts cut, scales that are not true, pages without a name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from pyproj import Geod
from qgis.core import Qgis, QgsCoordinateReferenceSystem, QgsLayoutItemLabel, QgsLayoutItemMap
from qgis.PyQt.QtGui import QImage
from test_layout_tools import areas, by_id, layout

from qgis_agent.bridge.text import wide
from qgis_agent.gis.layouts.items import box_of, items_of, page_box
from qgis_agent.gis.layouts.words import fit_text, text_width_mm

LONG = "余杭区各街道小学与中学分布及其服务半径覆盖情况分析示意图（含民办学校与在建学校）"


@pytest.mark.parametrize("key", ["width", "height"])
def test_no_item_has_no_size(bench: Bench, key: str) -> None:
    """0 mm is refused for new and old items, and the layout is as before."""
    areas(bench)
    bench.ok("create_layout", name="sheet", title="T")
    before = bench.ok("describe_layout", layout="sheet")
    assert bench.code("set_layout_item", layout="sheet", item_id="map", options={key: 0}) == "INVALID_PARAM"
    assert bench.code("add_layout_item", layout="sheet", kind="legend", options={key: 0}) == "INVALID_PARAM"
    assert bench.ok("describe_layout", layout="sheet") == before


def test_a_table_has_all_rows_or_says_how_many(bench: Bench) -> None:
    """Eight rows of three are all there; of 20 the first 12, and that is said."""
    areas(bench, "eight", 8)
    envelope = bench.call("create_layout", name="sheet", options={"table_layer_id": "eight"})
    assert "rows" not in envelope["message"]
    table = by_id(layout("sheet"), "table").multiFrame()
    assert table.maximumNumberOfFeatures() >= 8
    assert table.totalSize().height() <= by_id(layout("sheet"), "table").rect().height() + 0.5
    areas(bench, "many", 20)
    many = bench.call("create_layout", name="more", options={"table_layer_id": "many"})
    assert "first 12 of 20 rows" in many["message"]
    assert many["data"]["warnings"][0] in many["message"]
    added = bench.call(
        "add_layout_item", layout="sheet", kind="table", layer_id="many", options={"width": 80, "height": 24}
    )
    shown = int(re.search(r"first (\d+) of 20 rows", added["message"]).group(1))  # type: ignore[union-attr]
    assert shown == layout("sheet").multiFrames()[-1].maximumNumberOfFeatures()


@pytest.mark.parametrize("template", ["a4_portrait", "a3_portrait", "a4_landscape"])
def test_a_long_title_is_whole(bench: Bench, template: str) -> None:
    """41 Chinese characters: smaller, or in two lines, but nothing of it is cut."""
    areas(bench)
    data = bench.ok("create_layout", name="sheet", template=template, title=LONG, options={"subtitle": LONG})
    assert not [each for each in data["warnings"] if "cut" in each]
    title = by_id(layout("sheet"), "title")
    assert isinstance(title, QgsLayoutItemLabel)
    assert title.text().replace("\n", "") == LONG
    size = title.textFormat().size()
    for line in title.text().split("\n"):
        assert text_width_mm(line, size, bold=True) <= title.rect().width() + 0.1
    assert title.sizeForText().height() <= title.rect().height() + 0.6


def test_a_text_that_does_not_fit_is_said(bench: Bench) -> None:
    """36 characters in 20 by 5 mm."""
    areas(bench)
    bench.ok("create_layout", name="sheet")
    envelope = bench.call(
        "add_layout_item", layout="sheet", kind="text", text=LONG, options={"x": 20, "y": 150, "width": 20, "height": 5}
    )
    assert envelope["ok"] and "is cut" in envelope["message"]
    small = bench.call(
        "add_layout_item", layout="sheet", kind="text", text="A", options={"x": 20, "y": 160, "width": 20, "height": 5}
    )
    assert "cut" not in small["message"]


def test_measured_widths_are_those_of_letters() -> None:
    """Twice the text is twice as wide, a Chinese character about one em (10 points are 3.53 mm)."""
    assert text_width_mm("学校" * 10, 10) == pytest.approx(2 * text_width_mm("学校" * 5, 10), rel=0.02)
    assert text_width_mm("学", 10) == pytest.approx(10 * 25.4 / 72, rel=0.15)
    fitted = fit_text(LONG, 50, 4, 18, 9)
    assert not fitted.fits and fitted.size_pt == 9 and wide(fitted.text.replace("\n", "")) == wide(LONG)


def atlas(bench: Bench) -> dict[str, Any]:
    rows = [
        (f"POLYGON(({120 + n} 30, {120 + n + 0.1 * (n + 1)} 30, {120 + n + 0.1 * (n + 1)} {30 + 0.1 * (n + 1)}, {120 + n} 30))",
         [f"街道{n}"]) for n in range(3)
    ]  # fmt: skip
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:32651"), True)
    bench.add(memory_layer("Polygon?crs=EPSG:4326&field=name:string", rows, "districts"))
    bench.ok("zoom_to", layer_id="districts")
    options = {"atlas_layer_id": "districts", "atlas_name_field": "name"}
    data: dict[str, Any] = bench.ok(
        "create_layout", name="atlas", template="a4_portrait", title="分区", options=options
    )
    return data


def test_each_page_of_an_atlas_has_its_name_and_a_bar_that_fits(bench: Bench) -> None:
    """Page by page, as QGIS lays it out."""
    data = atlas(bench)
    assert data["atlas"] == {"coverage_layer": "districts", "name_field": "name", "pages": 3}
    sheet = layout("atlas")
    run = sheet.atlas()
    assert run.beginRender()
    names, scales = [], set()
    while run.next():
        bar = by_id(sheet, "scale_bar")
        bar.refresh()
        names.append(by_id(sheet, "page_name").currentText())
        scales.add(round(by_id(sheet, "map").scale()))
        assert bar.segmentSizeMode() == Qgis.ScaleBarSegmentSizeMode.FitWidth
        assert box_of(bar).inside(page_box(sheet, 0))
    run.endRender()
    assert names == ["街道0", "街道1", "街道2"] and len(scales) == 3


def test_an_atlas_export_leaves_the_map_where_it_was(bench: Bench) -> None:
    """The view of the layout, and its scale."""
    atlas(bench)
    item = by_id(layout("atlas"), "map")
    assert isinstance(item, QgsLayoutItemMap)
    before = item.extent(), item.scale()
    bench.approver = bench.calls.approver = Answering("once")
    made = bench.ok("prepare_export_layout", layout="atlas", path=str(bench.folder / "a.pdf"), dpi=60, atlas=True)
    assert made["pages"] == 3 and Path(made["path"]).is_file()
    assert (item.extent().toString(3), item.scale()) == (before[0].toString(3), pytest.approx(before[1]))


@pytest.mark.parametrize(("crs", "told"), [("EPSG:32651", False), ("EPSG:3857", True), ("EPSG:4326", True)])
def test_a_scale_that_is_not_that_of_the_ground_is_said(bench: Bench, crs: str, told: bool) -> None:
    """The true one by pyproj's geodesic along the middle of the map, to 1 %."""
    areas(bench)
    bench.host.project.setCrs(QgsCoordinateReferenceSystem(crs), True)
    bench.ok("zoom_to", layer_id="streets")
    data = bench.ok("create_layout", name="sheet", options={"scale": 200000})
    said = [each for each in data["warnings"] if "on the ground" in each]
    assert bool(said) == told
    if told:
        item = by_id(layout("sheet"), "map")
        west, south, east, north = next(each["bbox"] for each in data["items"] if each["item_id"] == "map")
        _, _, ground = Geod(ellps="WGS84").inv(west, (south + north) / 2, east, (south + north) / 2)
        true = int(re.search(r"about 1:([\d,]+)", said[0]).group(1).replace(",", ""))  # type: ignore[union-attr]
        assert true == pytest.approx(ground * 1000 / item.rect().width(), rel=0.01)


def test_a_box_that_the_scale_does_not_show_is_said(bench: Bench) -> None:
    """bbox and scale together."""
    areas(bench)
    options = {"bbox": [120.0, 30.0, 120.3, 30.1], "scale": 20000}
    assert "not show all of the box" in bench.call("create_layout", name="sheet", options=options)["message"]
    options["scale"] = 200000
    assert "not show all" not in bench.call("create_layout", name="more", options=options)["message"]


def test_an_overview_shows_more_than_the_map(bench: Bench) -> None:
    """At least three times as wide, also when the map shows all; its labels are off."""
    areas(bench)
    bench.ok("set_layer_label", layer_id="streets", field="name", visible=True)
    bench.ok("create_layout", name="sheet", options={"overview": True})
    main, small = by_id(layout("sheet"), "map"), by_id(layout("sheet"), "overview")
    assert small.extent().width() >= 2 * main.extent().width()
    assert small.extent().contains(main.extent())
    styles = small.layerStyleOverrides()
    assert styles and all('labelsEnabled="0"' in each for each in styles.values())
    assert not main.layerStyleOverrides()


def test_numbers_of_features_are_in_the_legend_where_they_are_in_the_tree(bench: Bench) -> None:
    """set_legend show_counts."""
    areas(bench)
    bench.ok("set_render_rule", layer_id="streets", method="categorized", field="name")
    bench.ok("set_legend", layer_id="streets", show_counts=True)
    bench.ok("create_layout", name="sheet")
    (node,) = by_id(layout("sheet"), "legend").model().rootGroup().findLayers()
    assert int(node.customProperty("showFeatureCount")) == 1


@pytest.mark.parametrize("overview", [False, True])
def test_a_legend_of_17_entries_is_not_torn(bench: Bench, overview: bool) -> None:
    """One column beside an A4 map, no number broken from its range."""
    areas(bench, "streets", 10)
    bench.ok("set_render_rule", layer_id="streets", method="graduated", field="n", classes=8)
    areas(bench, "bus_stops")
    bench.ok("set_render_rule", layer_id="bus_stops", method="categorized", field="name")
    data = bench.ok("create_layout", name="sheet", options={"overview": overview})
    assert data["warnings"] == []
    legend = by_id(layout("sheet"), "legend")
    assert legend.columnCount() == 1
    for node in legend.model().rootGroup().findLayers():
        texts = [str(node.customProperty(key)) for key in node.customProperties() if key.startswith("legend/label-")]
        assert not [each for each in texts if re.search(r"–\n|\n–", each)]
    assert all(each.isVisible() for each in items_of(layout("sheet")))


def test_one_page_after_an_atlas_has_no_page_name(bench: Bench) -> None:
    """The line is hidden while a single sheet is exported, and there again after it; its text cannot be replaced."""
    atlas(bench)
    bench.approver = bench.calls.approver = Answering("once")
    bench.ok("prepare_export_layout", layout="atlas", path=str(bench.folder / "a.pdf"), dpi=60, atlas=True)
    label = by_id(layout("atlas"), "page_name")
    bench.ok("prepare_export_layout", layout="atlas", path=str(bench.folder / "named.png"), format="png", dpi=60)
    label.setVisibility(False)
    bench.ok("prepare_export_layout", layout="atlas", path=str(bench.folder / "without.png"), format="png", dpi=60)
    label.setVisibility(True)
    first, second = (QImage(str(bench.folder / each)) for each in ("named.png", "without.png"))
    assert first == second
    assert bench.code("set_layout_item", layout="atlas", item_id="page_name", text="x") == "INVALID_PARAM"
    assert "@atlas_pagename" in label.text()


@pytest.mark.parametrize("scale", [None, 400000])
def test_an_atlas_keeps_to_the_scale_that_was_asked_for(bench: Bench, scale: int | None) -> None:
    """Fixed, or said to be another on each page."""
    atlas(bench)
    options = {"atlas_layer_id": "districts", **({"scale": scale} if scale else {})}
    envelope = bench.call("create_layout", name="second", options=options)
    run = layout("second").atlas()
    assert run.beginRender()
    scales = []
    while run.next():
        scales.append(round(by_id(layout("second"), "map").scale()))
    run.endRender()
    assert (scales == [scale] * 3) if scale else len(set(scales)) == 3
    assert ("scale of its own" in envelope["message"]) == (scale is None)


def test_the_legend_goes_down_beside_a_table(bench: Bench) -> None:
    """Landscape: legend, arrow and bar have the whole height; nothing overlaps."""
    areas(bench, "streets", 10)
    bench.ok("set_render_rule", layer_id="streets", method="categorized", field="name")
    data = bench.ok("create_layout", name="sheet", options={"table_layer_id": "streets", "overview": True})
    assert not [each for each in data["warnings"] if "overlap" in each or "longer" in each]
    boxes = {each.id(): box_of(each) for each in items_of(layout("sheet"))}
    assert boxes["scale_bar"].y + boxes["scale_bar"].height > boxes["table"].y
    assert boxes["table"].x + boxes["table"].width < boxes["legend"].x


def test_a_table_without_geometry_is_in_no_legend(bench: Bench) -> None:
    """Its name would be a heading over other layers."""
    areas(bench)
    bench.add(memory_layer("NoGeometry?field=n:integer", [(None, [1])], "numbers"))
    bench.ok("create_layout", name="sheet")
    names = [each.name() for each in by_id(layout("sheet"), "legend").model().rootGroup().findLayers()]
    assert names == ["streets"]


def test_a_layer_without_crs_does_not_move_the_overview(bench: Bench) -> None:
    """It is left out of the extent, and named."""
    areas(bench)
    lost = memory_layer("Point?field=n:integer", [("POINT(1 1)", [1])], "nowhere")
    lost.setCrs(QgsCoordinateReferenceSystem())
    bench.add(lost)
    envelope = bench.call("create_layout", name="sheet", options={"overview": True})
    bbox = next(each["bbox"] for each in envelope["data"]["items"] if each["item_id"] == "overview")
    assert bbox[0] > 118 and bbox[2] < 123
    assert "nowhere" in envelope["message"]


def test_a_sheet_is_written_only_where_files_may_be(bench: Bench) -> None:
    """The box "Allow file export" is for layouts too; making one needs it not."""
    areas(bench)
    bench.issue(caller="chat", write=False)
    bench.ok("create_layout", name="sheet")
    envelope = bench.call("prepare_export_layout", layout="sheet", path=str(bench.folder / "m.pdf"))
    assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "pack_not_enabled")
    assert not bench.approver.cards and not list(bench.folder.iterdir())
