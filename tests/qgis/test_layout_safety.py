"""Layouts that meet hostile text, other pages, odd extents, and people who go on working meanwhile."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsLayoutItemLabel,
    QgsLayoutItemPage,
    QgsLayoutPoint,
    QgsLayoutSize,
    QgsRectangle,
)
from test_layout_tools import areas, by_id, layout

from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.layouts.items import box_of
from qgis_agent.gis.layouts.legend import layer_nodes
from qgis_agent.gis.layouts.words import literal


def agree(bench: Bench) -> None:
    """A person who says yes."""
    bench.approver = bench.calls.approver = Answering("once")


def labels(sheet: Any) -> list[str]:
    """What the legend says beside its symbols, without line breaks."""
    legend = by_id(sheet, "legend")
    model = legend.model()
    found = []
    for node in layer_nodes(model.rootGroup()):
        for each in model.layerLegendNodes(node):
            told = (
                each.evaluateLabel(sheet.createExpressionContext()) if hasattr(each, "evaluateLabel") else each.data(0)
            )
            found.append(str(told or "").replace("\n", ""))
    return found


def with_page(sheet: Any) -> QgsLayoutItemLabel:
    """A second page with a text at (20, 30)."""
    page = QgsLayoutItemPage(sheet)
    page.setPageSize("A4", QgsLayoutItemPage.Orientation.Landscape)
    sheet.pageCollection().addPage(page)
    text = QgsLayoutItemLabel(sheet)
    text.setText("second")
    text.setId("second")
    sheet.addLayoutItem(text)
    text.attemptMove(QgsLayoutPoint(20, 30, Qgis.LayoutUnit.Millimeters), True, False, 1)
    text.attemptResize(QgsLayoutSize(40, 10, Qgis.LayoutUnit.Millimeters))
    return text


@pytest.mark.parametrize("mark", ["\u202e", "\u200b", "\x07", "\u2066"])
def test_a_character_that_is_taken_out_does_not_make_an_expression(bench: Bench, mark: str) -> None:
    """Cleaning comes before the check: "[<invisible>% … %]" would else become one that QGIS evaluates."""
    assert unicodedata.category(mark)[0] == "C"
    with pytest.raises(ToolError):
        literal(f"a [{mark}% 1+1 %]", 100, "title")
    areas(bench)
    assert bench.code("create_layout", name="x", title=f"[{mark}% 40+2 %]") == "INVALID_PARAM"


def test_the_name_of_a_projects_crs_is_text(bench: Bench) -> None:
    """It comes from the project's file, and stands in the line of the sources."""
    areas(bench)
    made = QgsCoordinateReferenceSystem.fromWkt(
        'GEOGCRS["x [% 40+2 %]",DATUM["q",ELLIPSOID["e",6378137.1,298]],CS[ellipsoidal,2],AXIS["lat",north],'
        'AXIS["lon",east],ANGLEUNIT["degree",0.0174532925199433]]'
    )
    assert made.description() == "x [% 40+2 %]"
    bench.host.project.setCrs(made)
    bench.ok("create_layout", name="sheet", options={"bbox": [120, 30, 120.3, 30.1]})
    shown = by_id(layout("sheet"), "attribution").currentText()
    assert "x 42" not in shown and "40+2" in shown, shown


def test_a_legend_follows_the_style_that_the_map_has_when_it_is_written(bench: Bench) -> None:
    """Labels that were broken into lines stay those of their class: after another style no symbol has an old label."""
    long = [
        "一个非常长的分类名称用来检查图例换行以后的文字是否保持",
        "another very long name of a class that needs lines",
    ]
    rows = [(f"POINT({120 + n / 10} 30)", [long[n % 2], f"kurz{n % 2}"]) for n in range(6)]
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a:string(200)&field=b:string(80)", rows, "p"))
    bench.ok("zoom_to", layer_id="p")
    bench.ok("set_render_rule", layer_id="p", method="categorized", field="a")
    bench.ok("create_layout", name="sheet")
    first = labels(layout("sheet"))
    assert any(long[0] == each for each in first), first
    assert any(long[1].replace(" ", "") == each.replace(" ", "") for each in first), first
    bench.ok("set_render_rule", layer_id="p", method="categorized", field="b")
    agree(bench)
    bench.ok("prepare_export_layout", layout="sheet", path="m.png", format="png", dpi=60)
    now = labels(layout("sheet"))
    assert any("kurz0" in each for each in now) and not any("一个" in each or "another" in each for each in now), now


def test_a_class_label_that_became_an_expression_is_text_on_the_map(bench: Bench) -> None:
    """Values of the data written as expressions after the layout was made: shown, not evaluated, when it is exported."""
    layer = areas(bench)
    bench.ok("create_layout", name="sheet")
    layer.dataProvider().changeAttributeValues({1: {0: "[% 40+2 %]"}})
    bench.ok("set_render_rule", layer_id="streets", method="categorized", field="name")
    agree(bench)
    bench.ok("prepare_export_layout", layout="sheet", path="m.png", format="png", dpi=60)
    now = labels(layout("sheet"))
    assert "42" not in now and any("40+2" in each for each in now), now


def test_a_label_that_a_person_wrote_is_kept(bench: Bench) -> None:
    """In the layout's legend, by hand: an export leaves it."""
    areas(bench)
    bench.ok("create_layout", name="sheet")
    legend = by_id(layout("sheet"), "legend")
    node = layer_nodes(legend.model().rootGroup())[0]
    node.setCustomProperty("legend/label-0", "by hand")
    legend.model().refreshLayerLegend(node)
    agree(bench)
    bench.ok("prepare_export_layout", layout="sheet", path="m.png", format="png", dpi=60)
    assert node.customProperty("legend/label-0") == "by hand"


@pytest.mark.parametrize("form", ["png", "svg"])
def test_all_pages_are_written_and_said(bench: Bench, form: str) -> None:
    """Pictures have a page each: the second one gets its number, no draft is left, and the card names both."""
    areas(bench)
    bench.ok("create_layout", name="sheet")
    with_page(layout("sheet"))
    agree(bench)
    (bench.folder / f"_2.{form}").write_text("of the person", "ascii")
    data = bench.ok("prepare_export_layout", layout="sheet", path="m", format=form, dpi=60)
    assert (bench.folder / f"_2.{form}").read_text("ascii") == "of the person"
    (bench.folder / f"_2.{form}").unlink()
    assert sorted(each.name for each in bench.folder.iterdir()) == [f"m.{form}", f"m_2.{form}"]
    assert data["pages"] == 2 and [Path(each).name for each in data["files"]] == [f"m.{form}", f"m_2.{form}"]
    lines = dict(bench.approver.cards[-1]["lines"])
    assert str(bench.folder / f"m_2.{form}") in str(lines)
    (bench.folder / f"m.{form}").unlink()
    assert bench.call("prepare_export_layout", layout="sheet", path="m", format=form)["reason"] == "file_exists"
    assert [each.name for each in bench.folder.iterdir()] == [f"m_2.{form}"]


def test_brackets_in_the_name_of_a_file(bench: Bench) -> None:
    """As for layers."""
    areas(bench)
    bench.ok("create_layout", name="sheet")
    agree(bench)
    bench.ok("prepare_export_layout", layout="sheet", path="map [1].pdf", dpi=60)
    assert [each.name for each in bench.folder.iterdir()] == ["map [1].pdf"]


def test_a_map_inside_one_area_is_not_blank(bench: Bench) -> None:
    """Zoomed into a polygon all of the map has its colour: that is a map, only the background alone is none."""
    project = bench.host.project
    project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
    bench.add(memory_layer("Polygon?crs=EPSG:4326", [("POLYGON((0 0, 90 0, 90 60, 0 60, 0 0))", [])], "land"))
    bench.ok("create_layout", name="sheet", options={"bbox": [30, 30, 31, 31]})
    agree(bench)
    assert bench.ok("prepare_export_layout", layout="sheet", path="m.png", format="png", dpi=60)["written"]


def test_a_layout_without_a_map_is_exported(bench: Bench) -> None:
    """A title page of a person."""
    areas(bench)
    bench.ok("create_layout", name="sheet", title="T")
    sheet = layout("sheet")
    for ident in ("map", "legend", "scale_bar", "north_arrow"):
        sheet.removeLayoutItem(by_id(sheet, ident))
    agree(bench)
    for form in ("png", "pdf"):
        assert bench.ok("prepare_export_layout", layout="sheet", path="m." + form, format=form, dpi=60)["written"]


def test_a_layout_that_is_gone_before_the_commit(bench: Bench) -> None:
    """Removed by the person between preview and commit."""
    areas(bench)
    bench.ok("create_layout", name="sheet")
    token = bench.ok("prepare_export_layout", layout="sheet", path="m.pdf")["confirm_token"]
    bench.host.ledger.arm(token)
    manager = bench.host.project.layoutManager()
    manager.removeLayout(manager.layoutByName("sheet"))
    envelope = bench.call("commit_action", confirm_token=token)
    assert (envelope["code"], envelope["reason"]) == ("CONFIRM_REQUIRED", "state_changed"), envelope


def test_an_item_of_another_page_stays_there(bench: Bench) -> None:
    """Only its width is changed; and items of different pages do not overlap."""
    areas(bench)
    bench.ok("create_layout", name="sheet", title="T")
    text = with_page(layout("sheet"))
    changed = bench.ok("set_layout_item", layout="sheet", item_id="second", options={"width": 60})
    assert (text.page(), box_of(text)[:3], changed["page"]) == (1, (20, 30, 60), 2)
    assert bench.ok("describe_layout", layout="sheet")["warnings"] == []


def test_a_very_long_atlas_is_refused_and_its_pages_are_said(bench: Bench) -> None:
    """QGIS does not respond while it exports: 600 pages are too many; of a shorter one the card has the number."""
    areas(bench)
    rows = [(f"POINT({120 + n / 1000} 30)", []) for n in range(600)]
    bench.add(memory_layer("Point?crs=EPSG:4326", rows, "stops"))
    bench.ok("create_layout", name="long", options={"atlas_layer_id": "stops"})
    bench.ok("create_layout", name="short", options={"atlas_layer_id": "streets"})
    envelope = bench.call("prepare_export_layout", layout="long", path="a.pdf", atlas=True)
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "too_many_pages"), envelope
    bench.ok("prepare_export_layout", layout="short", path="b.pdf", atlas=True)
    assert "3" in dict(bench.approver.cards[-1]["lines"])["Atlas"]


@pytest.mark.parametrize("crs", ["EPSG:32650", "EPSG:3031", "EPSG:2163"])
def test_an_extent_where_the_crs_has_no_place(bench: Bench, crs: str) -> None:
    """Metres far outside of the projection: an answer in words, whatever QGIS can measure there."""
    areas(bench)
    bench.host.project.setCrs(QgsCoordinateReferenceSystem(crs))
    bench.host.view.set_extent(QgsRectangle(1e9, 1e9, 2e9, 1.5e9)) if hasattr(bench.host.view, "set_extent") else None
    envelope = bench.call("create_layout", name="far", options={"bbox": [-180, -90, 180, 90]})
    assert envelope["ok"] or envelope.get("reason") != "internal", envelope


def test_what_an_item_does_not_take_is_refused(bench: Bench) -> None:
    """Text for a scale bar, a layer for a text: not ignored."""
    areas(bench)
    bench.ok("create_layout", name="sheet")
    before = len(bench.ok("describe_layout", layout="sheet")["items"])
    assert bench.code("add_layout_item", layout="sheet", kind="scale_bar", text="x") == "INVALID_PARAM"
    assert bench.code("add_layout_item", layout="sheet", kind="text", text="x", layer_id="streets") == "INVALID_PARAM"
    assert len(bench.ok("describe_layout", layout="sheet")["items"]) == before


def test_texts_of_a_projects_own_layout_are_clean_and_their_ids_still_work(bench: Bench) -> None:
    """Names, ids and texts come from the project's file."""
    areas(bench)
    bench.ok("create_layout", name="sheet", title="T")
    sheet = layout("sheet")
    sheet.setName("she\u202eet")
    by_id(sheet, "title").setId("ti\u202etle")
    by_id(sheet, "ti\u202etle").setText("a\u202eb " * 100)
    data = bench.ok("describe_layout", layout="sheet")
    assert "\u202e" not in str(data) and data["layout"] == "sheet"
    assert bench.ok("set_layout_item", layout="sheet", item_id="title", text="new")["text"] == "new"
    assert "\u202e" not in str(bench.ok("describe_layout"))


def test_the_overview_shows_all_layers_also_filtered_ones(bench: Bench) -> None:
    """By what the filter leaves, read in a task: -10 to 20 and the layer at 120."""
    areas(bench)
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"), True)
    bench.ok("zoom_to", layer_id="streets")
    rows = [("POINT(-10 5)", [1]), ("POINT(170 80)", [2])]
    points = bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", rows, "points"))
    points.setSubsetString("n = 1")
    bench.ok("create_layout", name="sheet", options={"overview": True})
    extent = by_id(layout("sheet"), "overview").extent()
    assert extent.xMinimum() < -10 and 120.3 < extent.xMaximum() < 165


def test_a_title_that_looks_like_html_is_text_in_a_tooltip(qtbot: Any) -> None:
    """Of a chart's picture in the panel."""
    from qgis.PyQt.QtGui import QPixmap

    from qgis_agent.gui.dock.chart_view import Picture

    picture = Picture(QPixmap(10, 10), 'Chart: <img src="file:///etc/x"> & y')
    qtbot.addWidget(picture)
    assert "<img" not in picture.toolTip()
    assert Picture(QPixmap(10, 10), "A & B").toolTip() == "A & B"


def test_the_layout_is_turned_as_the_map_is(bench: Bench) -> None:
    """A view of 30 degrees makes a map of 30 degrees; a bbox is asked for with north up."""
    areas(bench)
    bench.ok("set_map_view", rotation=30)
    turned = bench.ok("create_layout", name="turned")
    assert next(each for each in turned["items"] if each["item_id"] == "map")["rotation"] == 30
    plain = bench.ok("create_layout", name="plain", options={"bbox": [120, 30, 120.3, 30.1]})
    assert "rotation" not in next(each for each in plain["items"] if each["item_id"] == "map")
    agree(bench)
    assert bench.ok("prepare_export_layout", layout="turned", path="t.png", format="png", dpi=60)["written"]
