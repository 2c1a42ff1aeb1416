"""Builds a whole layout from a template, and finds layouts by name."""

from __future__ import annotations

import datetime
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from qgis.core import (
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
from . import items
from .legend import make_legend
from .sheets import Sheet, sheet_of
from .words import MUTED, defused

SCALES = (
    100, 200, 250, 500, 1000, 2000, 2500, 5000, 7500, 10_000, 15_000, 20_000, 25_000, 50_000, 75_000, 100_000, 150_000,
    200_000, 250_000, 500_000, 750_000, 1_000_000, 1_500_000, 2_000_000, 2_500_000, 5_000_000, 10_000_000, 20_000_000,
    50_000_000, 100_000_000,
)  # fmt: skip
"""Scale denominators that maps are printed at."""


class Wanted(NamedTuple):
    """What a layout is to have. ``extent`` is in the project's CRS; ``scale`` a denominator or None; texts are literal.

    ``rotation`` is that of the map in degrees clockwise.
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
        subtitle=bool(wanted.subtitle),
        overview=wanted.overview is not None,
        table=wanted.table is not None,
    )
    orientation = QgsLayoutItemPage.Orientation.Landscape if sheet.landscape else QgsLayoutItemPage.Orientation.Portrait
    layout.pageCollection().page(0).setPageSize(sheet.size, orientation)
    notes: List[str] = []
    _texts(layout, sheet, wanted)
    item = items.make_map(layout, sheet.map, wanted.extent, wanted.layers)
    item.setScale(wanted.scale or round_scale(item.scale()))
    if wanted.rotation:
        item.setMapRotation(wanted.rotation)
    if wanted.overview is not None and sheet.overview is not None:
        items.make_overview(layout, sheet.overview, wanted.overview, item)
    legend = make_legend(layout, sheet.legend, item, wanted.layers)
    if not legend.fits:
        notes.append(
            translate(
                "QgisAgent",
                "The legend has {} entries and is longer than its place: hide layers or use a larger sheet.",
            ).format(legend.entries)
        )
    items.make_north_arrow(layout, sheet.north_arrow, item)
    items.make_scale_bar(layout, sheet.scale_bar, item)
    if project.ellipsoid() in ("", "NONE"):
        notes.append(
            translate("QgisAgent", "The project measures without an ellipsoid, so the scale bar is that of the plane.")
        )
    if wanted.table is not None and sheet.table is not None:
        items.make_table(layout, sheet.table, wanted.table, 8.0 * sheet.enlarged)
    return Built(layout, notes)


def _texts(layout: QgsPrintLayout, sheet: Sheet, wanted: Wanted) -> None:
    if wanted.title:
        items.make_text(layout, "title", sheet.title, wanted.title, 18.0 * sheet.enlarged, bold=True)
    if wanted.subtitle and sheet.subtitle is not None:
        items.make_text(layout, "subtitle", sheet.subtitle, wanted.subtitle, 10.5 * sheet.enlarged, color=MUTED)
    items.make_text(layout, "attribution", sheet.attribution, wanted.attribution, 7.0, color=MUTED)


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
    for index, first in enumerate(shown):
        for second in shown[index + 1 :]:
            common = items.box_of(first).overlap(items.box_of(second)) if first.page() == second.page() else 0.0
            smaller = min(_area(first), _area(second))
            if smaller and common > 0.05 * smaller and not _meant(first, second):
                found.append(
                    translate("QgisAgent", "'{}' and '{}' overlap.").format(*map(items.shown_id, (first, second)))
                )
    return found


def _area(item: Any) -> float:
    box = items.box_of(item)
    return box.width * box.height


def _meant(first: Any, second: Any) -> bool:
    """A small item on a map (arrow, bar, inset) is a way to lay out; two maps, or a text on anything else, are not."""
    for large, small in ((first, second), (second, first)):
        if isinstance(large, QgsLayoutItemMap) and items.box_of(small).inside(items.box_of(large)):
            return True
    return False


def summary(layout: QgsPrintLayout, degrees: Any) -> Dict[str, Any]:
    """A layout as data."""
    page = layout.pageCollection().page(0)
    atlas = layout.atlas()
    found: Dict[str, Any] = {
        "layout": clean_text(layout.name(), 80),
        "pages": layout.pageCollection().pageCount(),
        "page_mm": [round(page.rect().width(), 1), round(page.rect().height(), 1)],
        "items": [items.describe(each, degrees) for each in items.items_of(layout)],
        "warnings": warnings_of(layout),
    }
    if atlas.enabled() and atlas.coverageLayer() is not None:
        found["atlas"] = {
            "page_name": clean_text(atlas.pageNameExpression(), 120),
            "coverage_layer": clean_text(atlas.coverageLayer().name(), 120),
        }
    return found
