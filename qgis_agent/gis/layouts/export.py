"""Exports a layout and looks at what was written: it exists, has the right size and pages, and its map is not blank."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from osgeo import gdal
from qgis.core import QgsLayoutExporter, QgsLayoutItemMap, QgsPrintLayout
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor, QImageReader

from ..drafts import family, not_written
from ..i18n import translate
from .items import box_of, items_of, kind_of, largest_map, page_box
from .sheets import Box

MM_PER_INCH = 25.4
_PAGES = re.compile(rb"/Type\s*/Pages\b(?:(?!endobj).)*?/Count\s+(\d+)", re.DOTALL)
"""The page tree of a PDF (ISO 32000-1, 7.7.3.2); the root has the number of all pages."""
_RESULTS = {
    QgsLayoutExporter.ExportResult.Canceled: "it was stopped",
    QgsLayoutExporter.ExportResult.MemoryError: "the picture does not fit in memory",
    QgsLayoutExporter.ExportResult.FileError: "the file could not be opened",
    QgsLayoutExporter.ExportResult.PrintError: "the printer engine failed",
    QgsLayoutExporter.ExportResult.SvgLayerError: "a layer could not be written as SVG",
    QgsLayoutExporter.ExportResult.IteratorError: "the atlas has no page",
}


class Wish(NamedTuple):
    """How to export: "pdf", "png" or "svg"; dots per inch; all pages of the atlas."""

    format: str
    dpi: int
    atlas: bool


class Promise(NamedTuple):
    """What the files will be, told by the layout before it is exported, so that a worker thread can check them.

    ``pages`` are pages of a PDF, or (number, width and height in pixels) of the pictures, one file each; ``map_box`` is the
    largest map's, in millimetres on page ``map_page``, and ``background`` its colour as QImage gives it.
    """

    wish: Wish
    pages: int
    pictures: List[Tuple[int, int, int]]
    map_page: int
    map_box: Optional[Box]
    background: int


def exported_pages(layout: QgsPrintLayout) -> List[int]:
    """The pages that QGIS exports, counted from 1: a page can be left out in its properties."""
    pages = layout.pageCollection()
    return [number + 1 for number in range(pages.pageCount()) if pages.shouldExportPage(number)]


def files_of(layout: QgsPrintLayout, target: Path, wish: Wish) -> List[Path]:
    """The files that an export writes: pictures have a page each, and QGIS puts the number behind the name from the second on."""
    if wish.format == "pdf":
        return [target]
    numbers = [each for each in exported_pages(layout) if each > 1]
    return [target] + [target.with_name("{}_{}{}".format(target.stem, each, target.suffix)) for each in numbers]


def promise(layout: QgsPrintLayout, wish: Wish) -> Promise:
    """On the main thread, before the export."""
    numbers = exported_pages(layout)
    pages = len(numbers) * (layout.atlas().count() if wish.atlas else 1)
    pictures = []
    for number in numbers:
        size = pixel_size(page_box(layout, number - 1), wish.dpi)
        pictures.append((number, size.width(), size.height()))
    item = largest_map(layout)
    colour = item.backgroundColor() if item is not None and item.hasBackground() else QColor("white")
    box, page = (None, 0) if item is None else (box_of(item), max(0, item.page()) + 1)
    return Promise(wish, pages, pictures, page, box, QColor(colour).rgb())


def export(layout: QgsPrintLayout, path: Path, wish: Wish) -> None:
    """Write the file. On the main thread: see ``gis/main_thread.py``. ToolError with QGIS's reason.

    The maps show afterwards what they showed before: an atlas would leave them at its last feature.
    """
    maps = [each for each in items_of(layout) if isinstance(each, QgsLayoutItemMap) and each.atlasDriven()]
    shown = [each.extent() for each in maps]
    # Without the atlas there is no page to name: QGIS would write that of the last export.
    names = (
        [] if wish.atlas else [each for each in items_of(layout) if kind_of(each) == "page_name" and each.isVisible()]
    )
    for item in names:
        item.setVisibility(False)
    gdal.PushErrorHandler(
        "CPLQuietErrorHandler"
    )  # QGIS tries to georeference a PNG, which GDAL cannot, and says so on stderr
    try:
        _export(layout, path, wish)
    finally:
        gdal.PopErrorHandler()
        for item in names:
            item.setVisibility(True)
        if wish.atlas:
            for item, extent in zip(maps, shown):
                item.setExtent(extent)


def _export(layout: QgsPrintLayout, path: Path, wish: Wish) -> None:
    exporter = QgsLayoutExporter(layout)
    reason = ""
    if wish.format == "pdf":
        pdf = QgsLayoutExporter.PdfExportSettings()
        pdf.dpi = wish.dpi
        if wish.atlas:
            result, reason = QgsLayoutExporter.exportToPdf(layout.atlas(), str(path), pdf)
        else:
            result = exporter.exportToPdf(str(path), pdf)
    elif wish.format == "png":
        image = QgsLayoutExporter.ImageExportSettings()
        image.dpi = wish.dpi
        image.generateWorldFile = False
        if layout.pageCollection().pageCount() == 1:  # one size for all would distort the others
            image.imageSize = pixel_size(page_box(layout, 0), wish.dpi)
        result = exporter.exportToImage(str(path), image)
    else:
        svg = QgsLayoutExporter.SvgExportSettings()
        svg.dpi = wish.dpi
        result = exporter.exportToSvg(str(path), svg)
    if result != QgsLayoutExporter.ExportResult.Success:
        raise not_written(reason or exporter.errorMessage() or _RESULTS.get(result, str(result)))


def pixel_size(page: Box, dpi: int) -> QSize:
    """Width and height of a page in pixels: millimetres times dots per inch, by 25.4."""
    return QSize(round(page.width * dpi / MM_PER_INCH), round(page.height * dpi / MM_PER_INCH))


def check(draft: Path, promised: Promise) -> Dict[str, Any]:
    """What was written, as data; ToolError when it is not what was promised. On a worker thread."""
    wish = promised.wish
    files = {each.name[len(draft.stem) :]: each for each in family(draft)}
    if not draft.is_file() or not all(each.stat().st_size for each in files.values()):
        raise not_written(translate("QgisAgent", "the file is empty"))
    size = sum(each.stat().st_size for each in files.values())
    found: Dict[str, Any] = {"bytes": size, "pages": promised.pages, "dpi": wish.dpi}
    if wish.format == "pdf":
        content = draft.read_bytes()
        counted = max((int(each) for each in _PAGES.findall(content)), default=0)
        if not content.startswith(b"%PDF-") or counted != promised.pages:
            raise not_written(translate("QgisAgent", "the PDF has {} pages, not {}").format(counted, promised.pages))
        return found
    for number, width, height in promised.pictures:
        path = files.get("{}{}".format("" if number == 1 else "_{}".format(number), draft.suffix))
        if path is None:
            raise not_written(translate("QgisAgent", "page {} is missing").format(number))
        if wish.format == "svg" and b"<svg" not in path.read_bytes()[:2000]:
            raise not_written(translate("QgisAgent", "the file is no SVG"))
        if wish.format == "png":
            _check_picture(path, number, QSize(width, height), promised)
            found.setdefault("pixels", [width, height])
    return found


def _check_picture(path: Path, number: int, wanted: QSize, promised: Promise) -> None:
    picture = QImageReader(str(path)).read()
    if picture.isNull() or abs(picture.width() - wanted.width()) > 2 or abs(picture.height() - wanted.height()) > 2:
        raise not_written(
            translate("QgisAgent", "the picture is not {} by {} pixels").format(wanted.width(), wanted.height())
        )
    if promised.map_box is not None and number == promised.map_page and _is_blank(promised, picture):
        raise not_written(
            translate("QgisAgent", "the map on it is blank"),
            translate(
                "QgisAgent", "Zoom the layout's map to where the layers are (set_layout_item), then export again."
            ),
        )


def _is_blank(promised: Promise, picture: Any) -> bool:
    """Whether the inner part of the map is all of its background's colour, looked at on a grid of 60 by 60 points."""
    box = promised.map_box or Box(0.0, 0.0, 0.0, 0.0)
    per_mm = promised.wish.dpi / MM_PER_INCH
    for row in range(1, 60):
        for column in range(1, 60):
            x = round((box.x + box.width * column / 60) * per_mm)
            y = round((box.y + box.height * row / 60) * per_mm)
            if 0 <= x < picture.width() and 0 <= y < picture.height() and picture.pixel(x, y) != promised.background:
                return False
    return True
