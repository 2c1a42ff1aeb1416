"""Sixty styled layers for the round trip of style documents, drawn up before the document could write anything.

32 of QGIS's library symbols, picked by a fixed seed from the sorted names (12 of them with several symbol layers), and 28
layers for the renderers, data-defined properties, labels and rasters. Every layer lies in a square of 120 x 90 m (EPSG:3857).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import styled_layers_looks as looks
from osgeo import gdal, osr
from qgis.core import (
    QgsFeature,
    QgsFillSymbol,
    QgsGeometry,
    QgsLineSymbol,
    QgsMapLayer,
    QgsMarkerSymbol,
    QgsRasterLayer,
    QgsSingleSymbolRenderer,
    QgsStyle,
    QgsSymbol,
    QgsVectorLayer,
)

SEED = 20260806
SYMBOLS = 32
MULTI = 12
FIELDS = "field=name:string(40)&field=kind:string(20)&field=n:integer&field=x:double"
KINDS: tuple[str | None, ...] = ("school", "shop", None, "bank", "", "school", "shop", "farm")


class Styled(NamedTuple):
    """One layer of the list: a name, the data that it has, and what gives the data its look."""

    name: str
    data: str
    style: Callable[[Any], None]

    def make(self, folder: Path) -> QgsMapLayer:
        """The layer with its look."""
        layer = bare(self.data, folder)
        self.style(layer)
        return layer


def bare(data: str, folder: Path) -> QgsMapLayer:
    """The data in a plain look that no layer of the list has."""
    if data in ("gray", "bands", "classes"):
        layer: QgsMapLayer = QgsRasterLayer(str(_raster(data, folder)), data)
    else:
        layer = _vector(data)
        plain = {"point": QgsMarkerSymbol, "line": QgsLineSymbol, "polygon": QgsFillSymbol}[data.split("_")[0]]
        layer.setRenderer(QgsSingleSymbolRenderer(plain.createSimple({"color": "#777777", "line_color": "#777777"})))
    assert layer.isValid()
    return layer


def styled_layers() -> list[Styled]:
    """The list, in its fixed order."""
    return [_library(name) for name in library_names()] + [Styled(*each) for each in looks.LOOKS]


def library_names() -> list[str]:
    """32 of the 116 symbols that QGIS ships: 12 with several layers, 20 others."""
    style = QgsStyle.defaultStyle()
    names = sorted(style.symbolNames())
    multi = [each for each in names if style.symbol(each).symbolLayerCount() > 1]
    simple = [each for each in names if each not in multi]
    chosen = random.Random(SEED)
    return sorted(chosen.sample(multi, MULTI)) + sorted(chosen.sample(simple, SYMBOLS - MULTI))


def _library(name: str) -> Styled:
    kinds = {QgsSymbol.SymbolType.Marker: "point", QgsSymbol.SymbolType.Line: "line"}
    kind = kinds.get(QgsStyle.defaultStyle().symbol(name).type(), "polygon")

    def style(layer: QgsVectorLayer) -> None:
        layer.setRenderer(QgsSingleSymbolRenderer(QgsStyle.defaultStyle().symbol(name)))

    return Styled(f"library: {name}", kind, style)


def _vector(data: str) -> QgsVectorLayer:
    geometry = {"point": "Point", "line": "LineString", "polygon": "Polygon"}[data.split("_")[0]]
    layer = QgsVectorLayer(f"{geometry}?crs=EPSG:3857&{FIELDS}", data, "memory")
    features = []
    for number in range(12 if data.startswith("point") else 8):
        feature = QgsFeature(layer.fields())
        kind = KINDS[number % len(KINDS)]
        feature.setAttributes([f"Place {number + 1}", kind, number, None if number == 5 else number * 2.5])
        feature.setGeometry(QgsGeometry.fromWkt(_wkt(data, number)))
        features.append(feature)
    assert layer.dataProvider().addFeatures(features)[0]
    layer.updateExtents()
    return layer


def _wkt(data: str, number: int) -> str:
    if data == "point_close":  # three places with four points each, for clusters
        return f"POINT({20 + 38 * (number % 3) + number // 3} {25 + 15 * (number % 3) + number // 3})"
    column, row = number % 4, number // 4
    if data == "point":
        return f"POINT({15 + 30 * column} {15 + 30 * row})"
    if data == "line":
        left, low = 5 + 29 * column, 12 + 40 * row
        return f"LINESTRING({left} {low}, {left + 12} {low + 24}, {left + 24} {low + 4})"
    left, low = 4 + 29 * column, 6 + 42 * row
    right, high = left + 25, low + 36
    return f"POLYGON(({left} {low}, {right} {low + 4}, {right} {high}, {left + 6} {high - 3}, {left} {low}))"


def _raster(data: str, folder: Path) -> Path:
    """40 x 30 pixels of 3 m: a hill with a nodata corner, three bands of bytes, or four classes."""
    path = folder / f"{data}.tif"
    if path.exists():
        return path
    rows, columns = np.mgrid[0:30, 0:40]
    hill = 200 * np.exp(-((rows - 12) ** 2 + (columns - 22) ** 2) / 120) + columns
    hill[:5, :5] = -9999
    content = {
        "gray": [hill.astype(np.float32)],
        "bands": [np.clip(hill, 0, 250), rows * 8, columns * 6],
        "classes": [(rows // 10 + columns // 20) + 1],
    }[data]
    kind = gdal.GDT_Float32 if data == "gray" else gdal.GDT_Byte
    made = gdal.GetDriverByName("GTiff").Create(str(path), 40, 30, len(content), kind)
    made.SetGeoTransform((0, 3, 0, 90, 0, -3))
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(3857)
    made.SetProjection(reference.ExportToWkt())
    for number, band in enumerate(content, 1):
        made.GetRasterBand(number).WriteArray(np.asarray(band))
    if data == "gray":
        made.GetRasterBand(1).SetNoDataValue(-9999)
    made.FlushCache()
    del made
    return path
