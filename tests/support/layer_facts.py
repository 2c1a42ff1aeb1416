"""Layers as plain data, read by GDAL and shapely, so that two of them can be compared whatever wrote them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from osgeo import gdal, ogr

Row = tuple[dict[str, Any], Any]


def rows_of_file(path: Path) -> list[Row]:
    """(attributes, geometry) of the features of a file's first layer."""
    source = ogr.Open(str(path))
    layer = source.GetLayer(0)
    names = [layer.GetLayerDefn().GetFieldDefn(at).GetName() for at in range(layer.GetLayerDefn().GetFieldCount())]
    rows = []
    for feature in layer:
        shape = feature.GetGeometryRef()
        values = {name: feature.GetField(name) for name in names}
        rows.append((values, shapely.from_wkb(bytes(shape.ExportToWkb())) if shape is not None else None))
    return rows


def rows_of_layer(layer: Any) -> list[Row]:
    """The same of a vector layer of QGIS."""
    names = [each.name() for each in layer.fields()]
    rows = []
    for feature in layer.getFeatures():
        values = {name: value if _is_there(value) else None for name, value in zip(names, feature.attributes())}
        for field in layer.fields():  # a file keeps no more digits than its field has
            if isinstance(values[field.name()], float) and field.precision() > 0:
                values[field.name()] = round(values[field.name()], field.precision())
        shape = shapely.from_wkb(bytes(feature.geometry().asWkb())) if feature.hasGeometry() else None
        rows.append((values, shape))
    return rows


def _is_there(value: Any) -> bool:
    return value is not None and not (hasattr(value, "isNull") and value.isNull())


def differences(expected: list[Row], found: list[Row], without: tuple[str, ...] = ("fid", "source_fid")) -> list[str]:
    """What differs between two layers, features in any order; [] where nothing does. Numbers to 9 digits."""
    if len(expected) != len(found):
        return [f"{len(expected)} features expected, {len(found)} found"]
    told = []
    for one, two in zip(sorted(map(_comparable(without), expected)), sorted(map(_comparable(without), found))):
        if one[0] != two[0]:
            told.append(f"{one[0]} expected, {two[0]} found")
        elif not _same_shape(one[2], two[2]):
            told.append(f"shape of {one[0]}: {one[1]} expected, {two[1]} found")
    return told


def _comparable(without: tuple[str, ...]) -> Any:
    def made(row: Row) -> tuple[Any, ...]:
        values = sorted((name, _text(value)) for name, value in row[0].items() if name not in without)
        shape = shapely.normalize(row[1]) if row[1] is not None else None
        place = () if shape is None else tuple(f"{each:.5g}" for each in (*shape.bounds, shape.area, shape.length))
        return (repr(values), place, _Any(shape))

    return made


class _Any:
    """Something that sorting does not look at."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape

    def __lt__(self, other: Any) -> bool:
        return False


def _text(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "" if isinstance(value, float) and math.isnan(value) else f"{value:.9g}"
    return "" if value is None else str(value)


def _same_shape(one: _Any, two: _Any) -> bool:
    if one.shape is None or two.shape is None:
        return one.shape is two.shape
    size = max([1e-9, *map(abs, one.shape.bounds or (0,))])
    parts = [shapely.get_parts(each.shape) for each in (one, two)]
    if len(parts[0]) != len(parts[1]):
        return False
    return bool(shapely.equals_exact(_multi(one.shape), _multi(two.shape), tolerance=1e-9 * size))


def _multi(shape: Any) -> Any:
    return shapely.normalize(shapely.geometrycollections(shapely.get_parts(shape)))


def cells_of(path: str) -> tuple[np.ndarray, tuple[float, ...]]:
    """The cells of a raster's first band, nodata as NaN, and its geotransform."""
    source = gdal.Open(path)
    band = source.GetRasterBand(1)
    cells = band.ReadAsArray().astype(float)
    if band.GetNoDataValue() is not None:
        cells[cells == band.GetNoDataValue()] = np.nan
    return cells, tuple(source.GetGeoTransform())
