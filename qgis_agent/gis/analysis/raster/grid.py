"""Grids of rasters: the union on the cells of the first one, and how others lie on it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Sequence

import numpy as np
from qgis.core import Qgis, QgsRasterLayer, QgsRectangle

from .checks import cell_size

_SAME = 1e-4
"""Part of a cell by which two grids may differ and still be one."""


class OutputGrid(NamedTuple):
    """Upper left corner and cells, in units of the CRS."""

    west: float
    north: float
    width: float
    height: float
    columns: int
    rows: int
    wkt: str


def union_grid(layer: QgsRasterLayer, boxes: Sequence[QgsRectangle]) -> OutputGrid:
    """The cells of a raster, extended until they hold all boxes (in its CRS)."""
    first, (width, height) = layer.extent(), cell_size(layer)
    whole = QgsRectangle(first)
    for each in boxes:
        whole.combineExtentWith(each)
    left = math.ceil((first.xMinimum() - whole.xMinimum()) / width - _SAME)
    right = math.ceil((whole.xMaximum() - first.xMinimum()) / width - _SAME)
    above = math.ceil((whole.yMaximum() - first.yMaximum()) / height - _SAME)
    below = math.ceil((first.yMaximum() - whole.yMinimum()) / height - _SAME)
    wkt = layer.crs().toWkt(Qgis.CrsWktVariant.PreferredGdal) if layer.crs().isValid() else ""
    return OutputGrid(
        first.xMinimum() - left * width,
        first.yMaximum() + above * height,
        width,
        height,
        left + right,
        above + below,
        wkt,
    )


def overlap(boxes: Sequence[QgsRectangle]) -> QgsRectangle:
    """Where all of them are; empty when there is no such place."""
    common = QgsRectangle(boxes[0])
    for each in boxes[1:]:
        common = common.intersect(each)
    return common


def aligned(one: QgsRasterLayer, other: QgsRasterLayer) -> bool:
    """Whether two rasters of one CRS have cells of the same size and corners."""
    size, theirs = cell_size(one), cell_size(other)
    if any(abs(mine - each) > _SAME * mine / max(1, one.width(), one.height()) for mine, each in zip(size, theirs)):
        return False
    shift = (
        (other.extent().xMinimum() - one.extent().xMinimum()) / size[0],
        (other.extent().yMaximum() - one.extent().yMaximum()) / size[1],
    )
    return all(abs(each - round(each)) <= _SAME for each in shift)


def positions(start: float, step: float, numbers: Any, low: float, high: float, count: int) -> Any:
    """For the centres of cells (``start`` + (n + 0.5) ``step``) the cell of ``count`` between ``low`` and ``high``; -1 outside."""
    centres = start + (np.asarray(numbers) + 0.5) * step
    found = np.floor((centres - low) / (high - low) * count + 1e-9).astype(np.int64)
    return np.where((found >= 0) & (found < count), found, -1)
