"""Layouts through the tools: what is on them, where it stands, how long the bar is, and what is written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from pyproj import Geod
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsLayoutItemLegend,
    QgsLayoutItemMap,
    QgsLayoutItemScaleBar,
    QgsPrintLayout,
    QgsProject,
    QgsVectorLayer,
)
from qgis.PyQt.QtGui import QImage

from qgis_agent.bridge.text import wide
from qgis_agent.gis.layouts.items import box_of, items_of
from qgis_agent.gis.layouts.scale import nice, plan_bar
from qgis_agent.gis.layouts.sheets import TEMPLATES, Box, sheet_of
from qgis_agent.gis.layouts.words import wrapped

AREA = "POLYGON((120 30, 120.2 30, 120.2 30.1, 120 30.1, 120 30))"


def areas(bench: Bench, name: str = "streets", count: int = 3) -> QgsVectorLayer:
    """A polygon layer in a project in UTM; the map shows it."""
    project = bench.host.project
    project.setCrs(
        QgsCoordinateReferenceSystem("EPSG:32651"), True
    )  # where the scale of the plane is that of the ground
    rows = [
        (f"POLYGON(({120 + n / 10} 30, {120 + (n + 1) / 10} 30, {120 + (n + 1) / 10} 30.1, {120 + n / 10} 30.1,"
         f" {120 + n / 10} 30))", [f"街道{n}", n])
        for n in range(count)
    ]  # fmt: skip
    layer = bench.add(memory_layer("Polygon?crs=EPSG:4326&field=name:string&field=n:integer", rows, name))
    bench.ok("zoom_to", layer_id=bench.host.layers.alias(layer))
    return layer


def layout(name: str) -> QgsPrintLayout:
    found = QgsProject.instance().layoutManager().layoutByName(name)
    assert isinstance(found, QgsPrintLayout)
    return found


def by_id(sheet: QgsPrintLayout, ident: str) -> Any:
    return next(each for each in items_of(sheet) if each.id() == ident)


@pytest.mark.parametrize("template", sorted(TEMPLATES))
@pytest.mark.parametrize("full", [False, True])
def test_every_sheet_has_its_parts_on_the_page_and_apart(bench: Bench, template: str, full: bool) -> None:
    """ISO 216 sizes; nothing over the edge or over another; legend, bar and arrow belong to the map."""
    areas(bench)
    options = {"subtitle": "二级标题", "overview": True, "table_layer_id": "streets"} if full else {}
    data = bench.ok("create_layout", name="sheet", template=template, title="余杭区", options=options)
    short, long = {"a4": (210, 297), "a3": (297, 420)}[template[:2]]
    assert data["page_mm"] == ([long, short] if "landscape" in template else [short, long])
    assert data["warnings"] == []
    kinds = sorted(each["kind"] for each in data["items"])
    wanted = ["attribution", "legend", "map", "north_arrow", "scale_bar", "title"]
    assert kinds == sorted(wanted + (["overview", "subtitle", "table"] if full else []))
    sheet = layout("sheet")
    map_item = by_id(sheet, "map")
    assert by_id(sheet, "scale_bar").linkedMap() is map_item
    assert by_id(sheet, "legend").linkedMap() is map_item
    assert by_id(sheet, "north_arrow").linkedMap() is map_item


def test_boxes_of_all_sheets_do_not_touch() -> None:
    """By arithmetic, without QGIS drawing: every pair of boxes of every sheet."""
    for template in TEMPLATES:
        for flags in range(16):
            made = sheet_of(
                template,
                title=bool(flags & 1),
                subtitle=bool(flags & 2),
                overview=bool(flags & 4),
                table=40.0 * bool(flags & 8),
            )
            boxes = {
                key: value
                for key, value in made._asdict().items()
                if isinstance(value, Box) and key != "page" and (key != "title" or flags & 1)
            }
            for first in boxes:
                assert boxes[first].inside(made.page), (template, flags, first)
                assert min(boxes[first][2:]) >= 4, (template, flags, first)
                for second in boxes:
                    assert first >= second or boxes[first].overlap(boxes[second]) == 0, (template, flags, first, second)


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857", "EPSG:32651"])
def test_the_scale_bar_is_true_on_the_ground(bench: Bench, crs: str) -> None:
    """The ground width of the map by pyproj's geodesic, the bar's length by the item itself: its number is right to 1 %."""
    areas(bench)
    project = bench.host.project
    project.setCrs(QgsCoordinateReferenceSystem(crs), True)
    bench.ok("zoom_to", layer_id="streets")
    bench.ok("create_layout", name="sheet")
    sheet = layout("sheet")
    map_item, bar = by_id(sheet, "map"), by_id(sheet, "scale_bar")
    assert isinstance(map_item, QgsLayoutItemMap) and isinstance(bar, QgsLayoutItemScaleBar)
    west, south, east, north = next(
        each["bbox"] for each in bench.ok("describe_layout", layout="sheet")["items"] if each["item_id"] == "map"
    )
    _, _, ground = Geod(ellps="WGS84").inv(west, (south + north) / 2, east, (south + north) / 2)
    metres = bar.unitsPerSegment() * (1000 if bar.unitLabel() == "km" else 1)
    drawn = bar.segmentSizeMode(), bar.numberOfSegments()
    assert drawn[1] == 2
    # the bar's own width: segments, and half of the first and last number beside them
    segment_mm = metres / ground * map_item.rect().width()
    assert 2 * segment_mm <= bar.rect().width() <= 2 * segment_mm + 16
    assert metres == nice(metres)


@pytest.mark.parametrize(
    ("ground", "map_mm", "box", "expected"),
    [
        (10_000.0, 200.0, 58.0, (1.0, "km")),  # 45 mm are 2,262 m: two segments of 1,000 m
        (4_000.0, 200.0, 58.0, (200.0, "m")),  # 905 m: of 200 m
        (5_000_000.0, 200.0, 58.0, (500.0, "km")),
    ],
)
def test_round_lengths(ground: float, map_mm: float, box: float, expected: tuple[float, str]) -> None:
    """1, 2 and 5 times a power of ten."""
    made = plan_bar(ground, map_mm, box)
    assert (made.per_segment, made.sign) == expected


def test_a_map_without_ground_has_no_bar() -> None:
    """No division by nothing."""
    with pytest.raises(ValueError, match="no width"):
        plan_bar(0.0, 100.0, 50.0)


def test_the_scale_is_round_and_shows_all(bench: Bench) -> None:
    """The extent that was asked for is inside the map's."""
    areas(bench)
    data = bench.ok("create_layout", name="sheet", options={"bbox": [120.0, 30.0, 120.3, 30.1]})
    found = next(each for each in data["items"] if each["item_id"] == "map")
    assert found["scale"] in (150_000, 200_000)
    west, south, east, north = found["bbox"]
    assert west <= 120.0 and south <= 30.0 and east >= 120.3 and north >= 30.1
    exact = bench.ok("create_layout", name="exact", options={"scale": 123456})
    assert next(each for each in exact["items"] if each["item_id"] == "map")["scale"] == exact["scale"] == 123456


@pytest.mark.parametrize("field", ["title", "subtitle", "attribution", "name", "text", "item"])
def test_text_is_never_evaluated(bench: Bench, field: str) -> None:
    """ "[% %]" of a model is refused, and nothing is added."""
    areas(bench)
    evil = "[% env('HOME') %]"
    bench.ok("create_layout", name="there", title="T")
    before = len(bench.host.project.layoutManager().layouts()), len(items_of(layout("there")))
    if field == "text":
        code = bench.code("add_layout_item", layout="there", kind="text", text=evil)
    elif field == "item":
        code = bench.code("set_layout_item", layout="there", item_id="title", text=evil)
    elif field in ("title", "name"):
        code = bench.code("create_layout", **{"name": "new", field: evil})
    else:
        code = bench.code("create_layout", name="new", options={field: evil})
    assert code == "INVALID_PARAM"
    assert (len(bench.host.project.layoutManager().layouts()), len(items_of(layout("there")))) == before
    assert by_id(layout("there"), "title").currentText() == "T"


def test_names_of_layers_are_text(bench: Bench) -> None:
    """A layer that is called like an expression, and labels of classes too."""
    areas(bench, "a [% 1+1 %] b")
    bench.ok("create_layout", name="sheet")
    legend = by_id(layout("sheet"), "legend")
    node = legend.model().rootGroup().findLayers()[0]
    assert "[%" not in node.customProperty("legend/title-label")


def test_long_names_stay_in_their_column(bench: Bench) -> None:
    """Chinese without blanks and English with: the legend is no wider than its place."""
    areas(bench, "很长的图层名称" * 6)
    areas(bench, "a very long name of a layer that would not fit into the column at all")
    data = bench.ok("create_layout", name="sheet")
    assert data["warnings"] == []
    legend = next(each for each in data["items"] if each["kind"] == "legend")
    assert legend["width"] <= 58.5


def test_thirty_classes_fit_or_are_said(bench: Bench) -> None:
    """30 categories beside an A4 map; 64 are too many and that is said."""
    areas(bench, "many", 30)
    bench.ok("set_render_rule", layer_id="many", method="categorized", field="name")
    envelope = bench.call("create_layout", name="sheet")
    assert envelope["ok"] and envelope["data"]["warnings"] == [] and "longer" not in envelope["message"]
    areas(bench, "more", 60)
    bench.ok("set_render_rule", layer_id="more", method="categorized", field="name")
    assert "longer than its place" in bench.call("create_layout", name="sheet 2")["message"]


def test_a_map_of_nothing_is_refused(bench: Bench) -> None:
    """No layer, or none that is visible."""
    assert bench.code("create_layout", name="sheet") == "UNSUPPORTED"
    areas(bench)
    bench.ok("toggle_layer", layer_id="streets", visible=False)
    assert bench.code("create_layout", name="sheet") == "UNSUPPORTED"
    assert not bench.host.project.layoutManager().layouts()


def test_a_taken_name_gets_a_number(bench: Bench) -> None:
    """The earlier layout is left alone, and the name is said."""
    areas(bench)
    bench.ok("create_layout", name="sheet")
    again = bench.call("create_layout", name="Sheet")
    assert again["data"]["layout"] == "Sheet (2)" and "Sheet (2)" in again["message"]
    assert {each["layout"] for each in bench.ok("describe_layout")["layouts"]} == {"sheet", "Sheet (2)"}
    assert bench.code("describe_layout", layout="shet") == "NOT_FOUND"


def test_items_are_added_and_changed(bench: Bench) -> None:
    """In millimetres; read back; what does not go with an item is refused and nothing changes."""
    areas(bench)
    bench.ok("create_layout", name="sheet")
    added = bench.ok(
        "add_layout_item",
        layout="sheet",
        kind="text",
        text="说明",
        options={"x": 20, "y": 150, "width": 40, "height": 8},
    )
    assert (added["x"], added["y"], added["width"], added["height"], added["text"]) == (20, 150, 40, 8, "说明")
    moved = bench.ok(
        "set_layout_item", layout="sheet", item_id=added["item_id"], text="新", options={"x": 30, "font_size": 14}
    )
    assert (moved["x"], moved["y"], moved["text"], moved["font_size"]) == (30, 150, "新", 14)
    hidden = bench.ok("set_layout_item", layout="sheet", item_id=added["item_id"], options={"visible": False})
    assert hidden["visible"] is False
    before = box_of(by_id(layout("sheet"), "legend"))
    for arguments in (
        {"item_id": "legend", "options": {"scale": 1000, "x": 1}},
        {"item_id": "map", "text": "x", "options": {"x": 1}},
        {"item_id": "nothing", "options": {"x": 1}},
        {"item_id": "legend"},
        {"item_id": "legend", "options": {"font_size": 9, "x": 1}},
    ):
        assert bench.code("set_layout_item", layout="sheet", **arguments) in ("INVALID_PARAM", "NOT_FOUND")
    assert box_of(by_id(layout("sheet"), "legend")) == before
    off = bench.ok("set_layout_item", layout="sheet", item_id="legend", options={"x": 294})
    assert any("not wholly on the page" in each for each in off["warnings"])


@pytest.mark.parametrize("kind", ["map", "legend", "scale_bar", "north_arrow", "attribution", "overview", "table"])
def test_every_kind_can_be_added(bench: Bench, kind: str) -> None:
    """A second one gets an id of its own."""
    areas(bench)
    bench.ok("create_layout", name="sheet", options={"overview": True, "table_layer_id": "streets"})
    more = {"layer_id": "streets"} if kind == "table" else {}
    added = bench.ok("add_layout_item", layout="sheet", kind=kind, **more)
    assert (added["kind"], added["item_id"]) == (kind, f"{kind}-2")
    assert bench.code("add_layout_item", layout="sheet", kind="text") == "INVALID_PARAM"


def test_a_map_is_fitted_to_a_layer(bench: Bench) -> None:
    """Its whole extent, and the scale bar follows."""
    areas(bench)
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(100 20)", []), ("POINT(110 25)", [])], "far"))
    bench.ok("create_layout", name="sheet")
    bar = by_id(layout("sheet"), "scale_bar")
    before = bar.unitsPerSegment(), bar.unitLabel()
    west, south, east, north = bench.ok(
        "set_layout_item", layout="sheet", item_id="map", options={"fit_layer_id": "far"}
    )["bbox"]
    assert west < 100 and south < 20 and east > 110 and north > 25 and east - west < 30
    assert (bar.unitsPerSegment(), bar.unitLabel()) != before


def test_the_legend_has_what_the_map_draws(bench: Bench) -> None:
    """Hidden layers are not in it; the order is that of the tree."""
    for name in ("c", "b", "a"):
        areas(bench, name)
    bench.ok("toggle_layer", layer_id="b", visible=False)
    bench.ok("create_layout", name="sheet")
    legend = by_id(layout("sheet"), "legend")
    assert isinstance(legend, QgsLayoutItemLegend)
    assert [each.name() for each in legend.model().rootGroup().findLayers()] == [
        each.name() for each in bench.host.layers.visible_layers()
    ]


# export


def test_png_and_pdf_are_written_and_looked_at(bench: Bench) -> None:
    """Pixels = millimetres * dpi / 25.4; nothing is overwritten; no draft is left."""
    areas(bench)
    bench.ok("create_layout", name="sheet", title="余杭区")
    bench.approver = bench.calls.approver = Answering("once")
    made = bench.ok("prepare_export_layout", layout="sheet", path=str(bench.folder / "m.png"), format="png", dpi=96)
    assert made["pixels"] == [round(297 * 96 / 25.4), round(210 * 96 / 25.4)]
    picture = QImage(str(bench.folder / "m.png"))
    assert [picture.width(), picture.height()] == made["pixels"]
    pdf = bench.ok("prepare_export_layout", layout="sheet", path=str(bench.folder / "m"), format="pdf")
    content = Path(pdf["path"]).read_bytes()
    assert content.startswith(b"%PDF") and pdf["pages"] == 1 and pdf["path"].endswith("m.pdf")
    svg = bench.ok("prepare_export_layout", layout="sheet", path=str(bench.folder / "m.svg"), format="svg", dpi=96)
    assert "<svg" in Path(svg["path"]).read_text(encoding="utf-8")
    assert bench.code("prepare_export_layout", layout="sheet", path=str(bench.folder / "m.pdf")) == "INVALID_PARAM"
    assert bench.code("prepare_export_layout", layout="sheet", path=str(bench.folder / "x.png")) == "INVALID_PARAM"
    assert sorted(each.name for each in bench.folder.iterdir()) == ["m.pdf", "m.png", "m.svg"]


def test_nothing_is_written_without_a_yes(bench: Bench) -> None:
    """A no is PERMISSION_DENIED; the card names the file, the page and the pixels."""
    areas(bench)
    bench.ok("create_layout", name="sheet")
    bench.approver = bench.calls.approver = Answering("deny")
    target = bench.folder / "m.png"
    assert bench.code("prepare_export_layout", layout="sheet", path=str(target), format="png") == "PERMISSION_DENIED"
    lines = dict(bench.approver.cards[-1]["lines"])
    assert lines["New file"] == str(target) and "3508 × 2480 px" in lines["Resolution"]
    assert not list(bench.folder.iterdir())


def test_a_layout_that_changed_since_the_preview_is_not_exported(bench: Bench) -> None:
    """The token is for what was shown."""
    areas(bench)
    bench.ok("create_layout", name="sheet", title="one")
    prepared = bench.ok("prepare_export_layout", layout="sheet", path=str(bench.folder / "m.pdf"))
    bench.host.ledger.arm(prepared["confirm_token"])
    bench.ok("set_layout_item", layout="sheet", item_id="title", text="two")
    envelope = bench.call("commit_action", confirm_token=prepared["confirm_token"])
    assert (envelope["code"], envelope["reason"]) == ("CONFIRM_REQUIRED", "state_changed")
    assert not list(bench.folder.iterdir())


def test_a_blank_map_is_no_success(bench: Bench) -> None:
    """The map is zoomed to where nothing is: said, and no file is left."""
    areas(bench)
    bench.ok("create_layout", name="sheet")
    far = areas(bench, "far")
    bench.ok("create_layout", name="away", options={"bbox": [-60.0, -40.0, -59.0, -39.0]})
    assert far.isValid()
    bench.approver = bench.calls.approver = Answering("once")
    envelope = bench.call(
        "prepare_export_layout", layout="away", path=str(bench.folder / "m.png"), format="png", dpi=60
    )
    assert envelope["code"] == "UPSTREAM_ERROR" and "blank" in envelope["message"]
    assert not list(bench.folder.iterdir())


def test_an_atlas_has_a_page_for_each_feature(bench: Bench) -> None:
    """Three features, three pages; without an atlas layer it is refused."""
    areas(bench)
    bench.ok("create_layout", name="atlas", options={"atlas_layer_id": "streets"})
    bench.ok("create_layout", name="plain")
    assert layout("atlas").atlas().pageNameExpression() == '"name"'
    bench.approver = bench.calls.approver = Answering("once")
    made = bench.ok("prepare_export_layout", layout="atlas", path=str(bench.folder / "a.pdf"), dpi=60, atlas=True)
    assert made["pages"] == 3
    counts = re.findall(rb"/Count (\d+)", Path(made["path"]).read_bytes())
    assert b"3" in counts
    arguments: dict[str, Any] = {"path": str(bench.folder / "b.pdf"), "atlas": True}
    assert bench.code("prepare_export_layout", layout="plain", **arguments) == "INVALID_PARAM"


def test_words() -> None:
    """Chinese counts twice; words are kept whole where they fit."""
    assert wide("ab学校") == 6
    assert wrapped("a long name of a layer", 8).split("\n") == ["a long", "name of", "a layer"]
    assert all(wide(each) <= 10 for each in wrapped("很长的图层名称" * 3, 10).split("\n"))
