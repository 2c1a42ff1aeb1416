"""Layers, pictures and contact sheets of the gallery of styles: each way of drawing on each kind of geometry."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from qgis.core import (
    QgsFeature,
    QgsGeometry,
    QgsMapRendererSequentialJob,
    QgsMapSettings,
    QgsPointXY,
    QgsRectangle,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QPointF, QRectF, QSize, Qt
from qgis.PyQt.QtGui import QColor, QFont, QImage, QPainter

LIGHT, DARK = "#ffffff", "#202428"
BACKGROUNDS = {"light": LIGHT, "dark": DARK}
SIZE = QSize(420, 300)
DPI = 96
EXTENT = QgsRectangle(-0.5, -0.5, 8.5, 6.5)
FIELDS = "field=name:string(40)&field=kind:string(20)&field=pop:double&field=jobs:integer"
KINDS = ("école", "hospital", "市场", "park", "port")
NAMES = ("北京路", "Zürich", "上城区", "Łódź", "余杭", "Graz", "杭州湾", "Oslo")


def rows() -> list[list[Any]]:
    """48 rows: skewed numbers, five kinds, some NULL in every field that is drawn."""
    generator = np.random.default_rng(11)
    found: list[list[Any]] = []
    for number in range(48):
        pop = float(np.round(generator.lognormal(3, 1.1), 1))
        kind = KINDS[int(generator.integers(0, len(KINDS)))]
        found.append(
            [
                NAMES[number % len(NAMES)],
                None if number % 16 == 5 else kind,
                None if number % 12 == 7 else pop,
                int(generator.integers(1, 900)),
            ]
        )
    return found


def layer_of(geometry: str) -> QgsVectorLayer:
    """8 × 6 points, lines or polygons without a gap, in EPSG:3857."""
    layer = QgsVectorLayer(f"{geometry}?crs=EPSG:3857&{FIELDS}", geometry.lower(), "memory")
    features = []
    for number, attributes in enumerate(rows()):
        x, y = number % 8 + 0.5, number // 8 + 0.5
        feature = QgsFeature(layer.fields())
        feature.setAttributes(attributes)
        feature.setGeometry(_shape(geometry, x, y, number))
        features.append(feature)
    added, _ = layer.dataProvider().addFeatures(features)
    assert added
    layer.updateExtents()
    return layer


def _shape(geometry: str, x: float, y: float, number: int) -> QgsGeometry:
    wave = 0.25 * math.sin(number * 1.7)
    if geometry == "Point":
        return QgsGeometry.fromPointXY(QgsPointXY(x + wave, y + 0.25 * math.cos(number * 2.3)))
    if geometry == "LineString":
        return QgsGeometry.fromPolylineXY(
            [QgsPointXY(x - 0.45, y - wave), QgsPointXY(x, y + wave), QgsPointXY(x + 0.45, y - wave / 2)]
        )
    return QgsGeometry.fromRect(QgsRectangle(x - 0.5, y - 0.5, x + 0.5, y + 0.5))


def render(layer: QgsVectorLayer, background: str) -> QImage:
    """The layer alone on a background, as the canvas draws it (labels too)."""
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(layer.crs())
    settings.setExtent(EXTENT)
    settings.setOutputSize(SIZE)
    settings.setOutputDpi(DPI)
    settings.setBackgroundColor(QColor(background))
    job = QgsMapRendererSequentialJob(settings)
    job.start()
    job.waitForFinished()
    return job.renderedImage()


def pixels(image: QImage) -> Any:
    """The picture as an array of rows × columns × (red, green, blue)."""
    picture = image.convertToFormat(QImage.Format.Format_RGB888)
    data = picture.constBits()
    data.setsize(picture.sizeInBytes())
    flat = np.frombuffer(bytes(data), dtype=np.uint8).reshape(picture.height(), picture.bytesPerLine())
    return flat[:, : picture.width() * 3].reshape(picture.height(), picture.width(), 3)


def count_near(picture: Any, color: str, tolerance: int = 6) -> int:
    """Pixels that have this colour, give or take."""
    wanted = np.array([int(color[index : index + 2], 16) for index in (1, 3, 5)])
    return int((np.abs(picture.astype(int) - wanted).max(axis=2) <= tolerance).sum())


def drawn_share(picture: Any, background: str) -> float:
    """The share of pixels that are not the background."""
    return 1 - count_near(picture, background, 2) / (picture.shape[0] * picture.shape[1])


def luminance(color: str) -> float:
    """Relative luminance of a colour (WCAG 2)."""
    parts = [int(color[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast of two colours from 1 to 21 (WCAG 2)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def with_caption(image: QImage, title: str, entries: list[dict[str, Any]], background: str) -> QImage:
    """The picture with its title above and its legend at the right, as a person would see them together."""
    width, height = SIZE.width() + 190, SIZE.height() + 26
    page = QImage(width, height, QImage.Format.Format_RGB32)
    page.fill(QColor(background))
    painter = QPainter(page)
    ink = QColor("#111111" if background == LIGHT else "#eeeeee")
    painter.setPen(ink)
    painter.setFont(QFont("sans-serif", 9))
    painter.drawText(QPointF(6, 17), title)
    painter.drawImage(QPointF(0, 26), image)
    for number, entry in enumerate(entries[:14]):
        top = 34 + number * 18
        painter.fillRect(QRectF(SIZE.width() + 8, top, 14, 12), QColor(entry["color"]))
        painter.drawRect(QRectF(SIZE.width() + 8, top, 14, 12))
        painter.drawText(QPointF(SIZE.width() + 28, top + 11), str(entry["label"])[:24])
    painter.end()
    return page


def contact_sheet(pages: list[QImage], columns: int, path: Path) -> None:
    """All pictures on one sheet."""
    width, height = pages[0].width(), pages[0].height()
    sheet = QImage(columns * width, math.ceil(len(pages) / columns) * height, QImage.Format.Format_RGB32)
    sheet.fill(Qt.GlobalColor.gray)
    painter = QPainter(sheet)
    for number, page in enumerate(pages):
        painter.drawImage(QPointF(number % columns * width, number // columns * height), page)
    painter.end()
    sheet.save(str(path))
