"""Builds a whole layout from a template, and finds layouts by name."""

from __future__ import annotations

import datetime
import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from qgis.core import (
    QgsCsException,
    QgsLayoutItemLabel,
    QgsLayoutItemMap,
    QgsLayoutItemPage,
    QgsMapLayer,
    QgsPrintLayout,
    QgsProject,
    QgsRectangle,
    QgsVectorLayer,
)

from ..errors import NOT_FOUND, ToolError, hint_for_name
from ..i18n import translate
from ..layers import clean_text
from ..scope import hides_layer, leaves_out, seen_fields
from ..scope_looks import outside
from . import items
from .legend import make_legend
from .scale import ground_width_m
from .sheets import GAP, Box, Sheet, sheet_of
from .words import INK, MUTED, defused, fit_text

SCALES = (
    100, 200, 250, 500, 1000, 2000, 2500, 5000, 7500, 10_000, 15_000, 20_000, 25_000, 50_000, 75_000, 100_000, 150_000,
    200_000, 250_000, 500_000, 750_000, 1_000_000, 1_500_000, 2_000_000, 2_500_000, 5_000_000, 10_000_000, 20_000_000,
    50_000_000, 100_000_000,
)  # fmt: skip
"""Scale denominators that maps are printed at."""
LEAST_OVERVIEW_MM = 22.0
SCALE_TOLERANCE = 0.02


class Wanted(NamedTuple):
    """What a layout is to have. ``extent`` is in the project's CRS; ``scale`` a denominator or None; texts are literal.

    ``rotation`` is that of the map in degrees clockwise, ``table_rows`` the number of all rows of the table's layer, and
    ``whole`` says that all of ``extent`` was asked for.
    """

    template: str
    title: str
    subtitle: str
    attribution: str
    extent: QgsRectangle
    scale: Optional[float]
    layers: Sequence[QgsMapLayer]
    overview: Optional[QgsRectangle]
    table: Optional[QgsVectorLayer]
    rotation: float = 0.0
    table_rows: int = 0
    whole: bool = False
    atlas: bool = False


class Built(NamedTuple):
    """The layout, and what there is to say about it."""

    layout: QgsPrintLayout
    notes: List[str]


def build(project: QgsProject, name: str, wanted: Wanted) -> Built:
    """A layout that is not yet in the project."""
    layout = QgsPrintLayout(project)
    layout.initializeDefaults()
    layout.setName(name)
    sheet = sheet_of(
        wanted.template,
        title=bool(wanted.title),
        subtitle=bool(wanted.subtitle) or wanted.atlas,
        overview=wanted.overview is not None,
        table=_table_mm(wanted),
    )
    orientation = QgsLayoutItemPage.Orientation.Landscape if sheet.landscape else QgsLayoutItemPage.Orientation.Portrait
    layout.pageCollection().page(0).setPageSize(sheet.size, orientation)
    notes: List[str] = []
    _texts(layout, sheet, wanted, notes)
    item = items.make_map(layout, sheet.map, wanted.extent, wanted.layers)
    item.setScale(wanted.scale or round_scale(item.scale()))
    if wanted.rotation:
        item.setMapRotation(wanted.rotation)
    if wanted.whole and not item.extent().contains(wanted.extent):
        notes.append(translate("QgisAgent", "At this scale the map does not show all of the box that was asked for."))
    _side(layout, sheet, wanted, item, notes)
    items.make_north_arrow(layout, sheet.north_arrow, item)
    bar = items.make_scale_bar(layout, sheet.scale_bar, item)
    if wanted.atlas:
        items.fit_width_bar(bar, sheet.scale_bar.width)
    if project.ellipsoid() in ("", "NONE"):
        notes.append(
            translate("QgisAgent", "The project measures without an ellipsoid, so the scale bar is that of the plane.")
        )
    if wanted.table is not None and sheet.table is not None:
        size = _table_pt(wanted)
        items.make_table(layout, sheet.table, wanted.table, size)
        notes += table_notes(wanted.table, wanted.table_rows, items.table_rows(sheet.table.height, size))
    return Built(layout, notes)


def _side(layout: QgsPrintLayout, sheet: Sheet, wanted: Wanted, item: QgsLayoutItemMap, notes: List[str]) -> None:
    """Legend and overview. Beside a map the legend comes first, and the overview takes what it leaves."""
    room, small = sheet.legend, sheet.overview
    if small is not None and sheet.landscape:
        room = Box(room.x, room.y, room.width, small.y + small.height - room.y)
    legend = make_legend(layout, room, item, wanted.layers)
    if not legend.fits:
        notes.append(
            translate(
                "QgisAgent",
                "The legend has {} entries and is longer than its place: hide layers or use a larger sheet.",
            ).format(legend.entries)
        )
    if wanted.overview is None or small is None:
        return
    if sheet.landscape:
        used = items.box_of(legend.item)
        free = small.y + small.height - (used.y + used.height) - GAP
        height = min(small.height, free)
        if height < LEAST_OVERVIEW_MM:
            notes.append(translate("QgisAgent", "The legend leaves no room for an overview."))
            return
        small = Box(small.x, small.y + small.height - height, small.width, height)
    items.make_overview(layout, small, wanted.overview, item)


def _table_pt(wanted: Wanted) -> float:
    return 8.0 if wanted.template.startswith("a4") else 10.0


def _table_mm(wanted: Wanted) -> float:
    """The height of the table: a head and a line for each row, at most 12, 0 without a table."""
    if wanted.table is None:
        return 0.0
    rows = max(1, min(items.MAX_TABLE_ROWS, wanted.table_rows))
    return (rows + 1) * items.row_mm(_table_pt(wanted)) + 0.5


def table_notes(layer: QgsVectorLayer, total: int, shown: int) -> List[str]:
    """What a table on a sheet does not show."""
    notes = []
    if total > shown:
        notes.append(translate("QgisAgent", "The table shows the first {} of {} rows.").format(shown, total))
    fields = len(seen_fields(layer))
    if fields > items.MAX_TABLE_COLUMNS:
        notes.append(
            translate("QgisAgent", "The table shows the first {} of {} fields.").format(items.MAX_TABLE_COLUMNS, fields)
        )
    return notes


def _texts(layout: QgsPrintLayout, sheet: Sheet, wanted: Wanted, notes: List[str]) -> None:
    """Title, subtitle (of an atlas the name of the page behind it) and sources, each as large as its place lets it be."""
    texts = [("attribution", sheet.attribution, wanted.attribution, 7.0, 5.0, False)]
    if wanted.title:
        texts.append(("title", sheet.title, wanted.title, 18.0 * sheet.enlarged, 9.0 * sheet.enlarged, True))
    under = sheet.subtitle
    if under is not None and wanted.atlas:
        share = 0.5 if wanted.subtitle else 0.0
        items.make_page_name(
            layout,
            Box(under.x + under.width * share, under.y, under.width * (1 - share), under.height),
            12.0 * sheet.enlarged,
        )
        under = Box(under.x, under.y, under.width * share - GAP, under.height)
    if wanted.subtitle and under is not None:
        texts.append(("subtitle", under, wanted.subtitle, 10.5 * sheet.enlarged, 6.0 * sheet.enlarged, False))
    for kind, box, text, size, least, bold in texts:
        fitted = fit_text(text, box.width, box.height, size, least, bold)
        items.make_text(layout, kind, box, fitted.text, fitted.size_pt, bold, INK if kind == "title" else MUTED)
        if not fitted.fits:
            notes.append(translate("QgisAgent", "The text '{}' is too long for its place and is cut.").format(kind))


def round_scale(scale: float) -> float:
    """The next scale that maps are printed at, so that everything asked for is still on the map."""
    return float(next((each for each in SCALES if each >= scale * 0.999), scale))


def sources_text(project: QgsProject, layers: Sequence[QgsMapLayer], now: datetime.datetime) -> str:
    """Who the data are by, as the layers' metadata say it, the CRS and the date."""
    found: List[str] = []
    for layer in layers:
        metadata = layer.metadata()
        said = [str(each) for each in metadata.rights()] + [layer.serverProperties().attribution()]
        if layer.providerType() == "wms" and "openstreetmap" in layer.source().lower():
            said.append("© OpenStreetMap contributors")
        found += [defused(each, 100) for each in said if each.strip()]
    sources = "; ".join(dict.fromkeys(found))
    parts = [translate("QgisAgent", "Sources: {}").format(sources)] if sources else []
    parts += [
        "{} ({})".format(defused(project.crs().description(), 60), defused(project.crs().authid(), 60)),
        now.strftime("%Y-%m-%d"),
    ]
    return "   ·   ".join(parts)


def free_name(project: QgsProject, name: str) -> str:
    """The name, with a number where it is taken."""
    taken = {each.name().casefold() for each in project.layoutManager().layouts()}
    candidate, number = name, 1
    while candidate.casefold() in taken:
        number += 1
        candidate = "{} ({})".format(name, number)
    return candidate


def layout_of(project: QgsProject, name: str) -> QgsPrintLayout:
    """The print layout of a name, whatever its case. NOT_FOUND with the names that there are."""
    prints = [each for each in project.layoutManager().layouts() if isinstance(each, QgsPrintLayout)]
    found = [each for each in prints if each.name() == name] or [
        each for each in prints if clean_text(each.name(), 80).casefold() == name.casefold()
    ]
    if not found:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "There is no print layout '{}'.").format(clean_text(name, 80)),
            hint=hint_for_name(name, [clean_text(each.name(), 80) for each in prints], "layout")
            if prints
            else translate("QgisAgent", "The project has no layout; make one with create_layout."),
            reason="layout",
        )
    return found[0]


def warnings_of(layout: QgsPrintLayout) -> List[str]:
    """What is wrong with the arrangement: items off their page, and texts or maps that lie over one another."""
    shown = [each for each in items.items_of(layout) if each.isVisible()]
    found = [
        translate("QgisAgent", "'{}' is not wholly on the page.").format(items.shown_id(each))
        for each in shown
        if not items.box_of(each).inside(items.page_box(layout, each.page()))
    ]
    found += [
        translate("QgisAgent", "The text of '{}' needs {:.0f} × {:.0f} mm and is cut.").format(
            items.shown_id(each), each.sizeForText().width(), each.sizeForText().height()
        )
        for each in shown
        if isinstance(each, QgsLayoutItemLabel) and items.kind_of(each) != "page_name" and _is_cut(each)
    ]
    for index, first in enumerate(shown):
        for second in shown[index + 1 :]:
            common = items.box_of(first).overlap(items.box_of(second)) if first.page() == second.page() else 0.0
            smaller = min(_area(first), _area(second))
            if smaller and common > 0.05 * smaller and not _meant(first, second):
                found.append(
                    translate("QgisAgent", "'{}' and '{}' overlap.").format(*map(items.shown_id, (first, second)))
                )
    return found


def _is_cut(item: QgsLayoutItemLabel) -> bool:
    """Whether a text is larger than its box: a line over its width goes on below where there are blanks."""
    needed, box = item.sizeForText(), items.box_of(item)
    over = max(1.0, math.ceil(needed.width() / (box.width + 0.5) - 1e-6)) if box.width > 0 else 1.0
    can_break = " " in item.text()
    return (over > 1 and not can_break) or needed.height() * over > box.height + 0.5


def scale_note(item: QgsLayoutItemMap, project: QgsProject) -> str:
    """Where the scale of the map's plane is not that of the ground (web mercator away from the equator, degrees): the true one."""
    try:
        ground = ground_width_m(item, project)
    except QgsCsException:
        return ""
    width_mm = item.rect().width()
    if not (ground > 0 and width_mm > 0 and math.isfinite(item.scale())):
        return ""
    true = ground * 1000 / width_mm
    if abs(true / item.scale() - 1) <= SCALE_TOLERANCE:
        return ""
    return translate(
        "QgisAgent",
        "The scale 1:{:,} is that of the map's plane ({}); on the ground, along its middle, it is about 1:{:,}.",
    ).format(round(item.scale()), clean_text(item.crs().authid(), 40), _three_digits(true))


def _three_digits(value: float) -> int:
    return int(float("{:.3g}".format(value)))


def _area(item: Any) -> float:
    box = items.box_of(item)
    return box.width * box.height


def _meant(first: Any, second: Any) -> bool:
    """A small item on a map (arrow, bar, inset) is a way to lay out; two maps, or a text on anything else, are not."""
    for large, small in ((first, second), (second, first)):
        if isinstance(large, QgsLayoutItemMap) and items.box_of(small).inside(items.box_of(large)):
            return True
    return False


def summary(layout: QgsPrintLayout) -> Dict[str, Any]:
    """A layout as data."""
    page = layout.pageCollection().page(0)
    atlas = layout.atlas()
    found: Dict[str, Any] = {
        "layout": clean_text(layout.name(), 80),
        "pages": layout.pageCollection().pageCount(),
        "page_mm": [round(page.rect().width(), 1), round(page.rect().height(), 1)],
        "items": [items.describe(each) for each in items.items_of(layout)],
        "warnings": warnings_of(layout),
    }
    item = items.largest_map(layout)
    said = scale_note(item, layout.project()) if item is not None else ""
    if said:
        found["warnings"].append(said)
    covered = atlas.coverageLayer() if atlas.enabled() else None
    if covered is not None and not hides_layer(covered):
        name = atlas.pageNameExpression().strip('"')
        found["atlas"] = {
            "name_field": outside() if leaves_out(covered, [name]) else clean_text(name, 120),
            "coverage_layer": clean_text(covered.name(), 120),
        }
    return found
