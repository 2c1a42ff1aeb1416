"""Exports a layout and looks at what was written: it exists, has the right size and pages, and its map is not blank."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, List, NamedTuple

from qgis.core import QgsLayoutExporter, QgsLayoutItemMap, QgsPrintLayout
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QImageReader

from ..drafts import not_written
from ..i18n import translate
from .items import box_of, main_map

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


def export(layout: QgsPrintLayout, path: Path, wish: Wish) -> None:
    """Write the file. On the main thread: see ``gis/main_thread.py``. ToolError with QGIS's reason."""
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
        image.imageSize = pixel_size(layout, wish.dpi)
        result = exporter.exportToImage(str(path), image)
    else:
        svg = QgsLayoutExporter.SvgExportSettings()
        svg.dpi = wish.dpi
        result = exporter.exportToSvg(str(path), svg)
    if result != QgsLayoutExporter.ExportResult.Success:
        raise not_written(reason or exporter.errorMessage() or _RESULTS.get(result, str(result)))


def pixel_size(layout: QgsPrintLayout, dpi: int) -> QSize:
    """Width and height of the first page in pixels: millimetres times dots per inch, by 25.4."""
    page = layout.pageCollection().page(0).rect()
    return QSize(round(page.width() * dpi / MM_PER_INCH), round(page.height() * dpi / MM_PER_INCH))


def check(layout: QgsPrintLayout, path: Path, wish: Wish) -> Dict[str, Any]:
    """What was written, as data; ToolError when it is not what was asked for."""
    if not path.is_file() or not path.stat().st_size:
        raise not_written(translate("QgisAgent", "the file is empty"))
    pages = layout.atlas().count() if wish.atlas else layout.pageCollection().pageCount()
    found: Dict[str, Any] = {"bytes": path.stat().st_size, "pages": pages, "dpi": wish.dpi}
    content = path.read_bytes() if wish.format != "png" else b""
    if wish.format == "pdf":
        counted = max((int(each) for each in _PAGES.findall(content)), default=0)
        if not content.startswith(b"%PDF-") or counted != pages:
            raise not_written(translate("QgisAgent", "the PDF has {} pages, not {}").format(counted, pages))
    elif wish.format == "svg" and b"<svg" not in content[:2000]:
        raise not_written(translate("QgisAgent", "the file is no SVG"))
    elif wish.format == "png":
        found["pixels"] = _check_picture(layout, path, wish.dpi)
    return found


def _check_picture(layout: QgsPrintLayout, path: Path, dpi: int) -> List[int]:
    picture = QImageReader(str(path)).read()
    wanted = pixel_size(layout, dpi)
    if picture.isNull() or abs(picture.width() - wanted.width()) > 2 or abs(picture.height() - wanted.height()) > 2:
        raise not_written(
            translate("QgisAgent", "the picture is not {} by {} pixels").format(wanted.width(), wanted.height())
        )
    if isinstance(main_map(layout), QgsLayoutItemMap) and not _has_content(layout, picture, dpi):
        raise not_written(
            translate("QgisAgent", "the map on it is blank"),
            translate(
                "QgisAgent", "Zoom the layout's map to where the layers are (set_layout_item), then export again."
            ),
        )
    return [picture.width(), picture.height()]


def _has_content(layout: QgsPrintLayout, picture: Any, dpi: int) -> bool:
    """Whether the inner part of the map has more than one colour, looked at on a grid of 60 by 60 points."""
    box = box_of(main_map(layout))
    per_mm = dpi / MM_PER_INCH
    colours = set()
    for row in range(1, 60):
        for column in range(1, 60):
            x = round((box.x + box.width * column / 60) * per_mm)
            y = round((box.y + box.height * row / 60) * per_mm)
            if 0 <= x < picture.width() and 0 <= y < picture.height():
                colours.add(picture.pixel(x, y))
    return len(colours) > 1
