"""How much an algorithm would make, from its parameters: refused before it fills the memory or the disk.

QGIS bounds few numbers (a cell may be 1e-9 wide, a buffer may have 2e9 segments), and some algorithms look at Stop too late.
What cannot be told from the parameters is watched while it runs (``room.py``). On the main thread; no layer is read: extents
are those that are known.
"""

from __future__ import annotations

import math
import re
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingUtils,
    QgsRasterLayer,
    QgsRectangle,
    QgsVectorLayer,
)

from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...i18n import translate
from ..raster.checks import MAX_CELLS

MAX_FEATURES = 2_000_000
"""Features that an algorithm may make of nothing."""
MAX_TILES = 20_000
MAX_SEGMENTS = 1_000
"""Of a quarter circle."""
MAX_STEPS = 10_000_000
"""Pieces of the given length on the way along the sides of the input's extent."""
_WORLD_M = 40_075_016.68
"""The side of the square of Web Mercator, in its metres (2 pi 6378137): tile 0/0/0."""
_PIXEL, _CELL = "PIXEL_SIZE", "CELL_SIZE"


class _Grid(NamedTuple):
    """Parameters with the width and height of a cell; the most cells."""

    width: str
    height: str
    most: int = MAX_CELLS


_GRIDS: Dict[str, _Grid] = {
    **{
        "native:createrandom{}rasterlayer".format(each): _Grid(_PIXEL, _PIXEL)
        for each in "binomial exponential gamma geometric negativebinomial normal poisson uniform".split()
    },
    "native:createconstantrasterlayer": _Grid(_PIXEL, _PIXEL),
    "native:linedensity": _Grid(_PIXEL, _PIXEL),
    "native:meshrasterize": _Grid(_PIXEL, _PIXEL),
    "native:rasterize": _Grid("MAP_UNITS_PER_PIXEL", "MAP_UNITS_PER_PIXEL"),
    "native:rastercalc": _Grid(_CELL, _CELL),
    "native:modelerrastercalc": _Grid(_CELL, _CELL),
    "native:alignrasters": _Grid("CELL_SIZE_X", "CELL_SIZE_Y"),
    "native:alignsingleraster": _Grid("CELL_SIZE_X", "CELL_SIZE_Y"),
    "native:exportmeshongrid": _Grid("GRID_SPACING", "GRID_SPACING", MAX_FEATURES),
    "native:creategrid": _Grid("HSPACING", "VSPACING", MAX_FEATURES),
    "qgis:rastercalculator": _Grid("CELLSIZE", "CELLSIZE"),
    "qgis:heatmapkerneldensityestimation": _Grid(_PIXEL, _PIXEL),
    "qgis:idwinterpolation": _Grid(_PIXEL, _PIXEL),
    "qgis:tininterpolation": _Grid(_PIXEL, _PIXEL),
    "gdal:warpreproject": _Grid("TARGET_RESOLUTION", "TARGET_RESOLUTION"),
    "gdal:cliprasterbymasklayer": _Grid("X_RESOLUTION", "Y_RESOLUTION"),
    "gdal:rasterize": _Grid("WIDTH", "HEIGHT"),
}
_STEPS = {
    "native:densifygeometriesgivenaninterval": "INTERVAL",
    "native:pointsalonglines": "DISTANCE",
    "native:splitlinesbylength": "LENGTH",
    "native:segmentizebymaxdistance": "DISTANCE",
}
_COUNTS: Dict[Tuple[str, str], int] = {
    ("native:densifygeometries", "VERTICES"): 10_000,
    ("native:randompointsinextent", "MAX_ATTEMPTS"): 100_000,
    ("native:randompointsinpolygons", "MAX_TRIES_PER_POINT"): 100_000,
    ("native:randompointsonlines", "MAX_TRIES_PER_POINT"): 100_000,
    ("gdal:retile", "LEVELS"): 30,
    ("gdal:fillnodata", "ITERATIONS"): 10_000,
}
_ALONE = ("native:randompointsinextent", "qgis:randompointsalongline", "qgis:randompointsinlayerbounds")
"""Their number of points is that of the result."""
_MANY = ("POINTS_NUMBER", "COUNT", "RINGS")
"""Numbers of features that are made of each of the input."""


def require_size(
    algorithm: QgsProcessingAlgorithm,
    values: Dict[str, Any],
    layers: Sequence[QgsMapLayer],
    context: QgsProcessingContext,
) -> None:
    """INVALID_PARAM, reason ``too_large``, with what would fit."""
    _check_counts(algorithm.id(), values, layers)
    _check_steps(algorithm.id(), values, layers)
    _check_tiles(algorithm, values, layers, context)
    grid = _GRIDS.get(algorithm.id())
    if grid is not None:
        _check_grid(algorithm, values, layers, context, grid)


def _check_counts(ident: str, values: Dict[str, Any], layers: Sequence[QgsMapLayer]) -> None:
    if _number(values.get("SEGMENTS")) > MAX_SEGMENTS:
        raise _too_large("SEGMENTS", values["SEGMENTS"], MAX_SEGMENTS)
    for (each, name), most in _COUNTS.items():
        if each == ident and _number(values.get(name)) > most:
            raise _too_large(name, values[name], most)
    counted = [each for each in layers if isinstance(each, QgsVectorLayer)]
    # Only a bound, so an estimate will do; a provider that does not know says -1.
    inputs = 1 if ident in _ALONE else max([1, *(each.featureCount() for each in counted)])
    for name in _MANY:
        if _number(values.get(name)) * inputs > MAX_FEATURES:
            raise _too_large(name, values[name], MAX_FEATURES // inputs)


def _check_steps(ident: str, values: Dict[str, Any], layers: Sequence[QgsMapLayer]) -> None:
    name = _STEPS.get(ident, "")
    step = values.get(name)
    if not isinstance(step, (int, float)):
        return
    sides = max([_sides(each) for each in layers], default=0.0)
    if step <= 0 or sides / step > MAX_STEPS:
        raise _too_small(name, float(step), sides / MAX_STEPS)


def _check_grid(
    algorithm: QgsProcessingAlgorithm,
    values: Dict[str, Any],
    layers: Sequence[QgsMapLayer],
    context: QgsProcessingContext,
    grid: _Grid,
) -> None:
    width, height = _number(values.get(grid.width)), _number(values.get(grid.height))
    if algorithm.id() == "gdal:rasterize" and values.get("UNITS", 1) == 0:
        if width * height > grid.most:
            raise _too_large(grid.width, width, int(math.sqrt(grid.most)))
        return
    if width <= 0 and height <= 0:
        return  # the algorithm's own: cells of the inputs
    box = _box(algorithm, values, layers, context)
    if box is None:
        return
    width, height = width or height, height or width
    if (box.width() / width + 1.0) * (box.height() / height + 1.0) > grid.most:
        fitting = max(math.sqrt(box.width() * box.height() / grid.most), (box.width() + box.height()) / grid.most)
        raise _too_small(grid.width, width, fitting * 1.01)


def _check_tiles(
    algorithm: QgsProcessingAlgorithm,
    values: Dict[str, Any],
    layers: Sequence[QgsMapLayer],
    context: QgsProcessingContext,
) -> None:
    """Tiles of Web Mercator, and the files into which a raster is cut."""
    if algorithm.id() == "gdal:retile":
        cells = sum(float(each.width()) * each.height() for each in layers if isinstance(each, QgsRasterLayer))
        size = max(1.0, _number(values.get("TILE_SIZE_X", 256))) * max(1.0, _number(values.get("TILE_SIZE_Y", 256)))
        if cells / size > MAX_TILES:
            raise _too_small("TILE_SIZE_X", _number(values.get("TILE_SIZE_X")), math.sqrt(cells / MAX_TILES))
        return
    zoom = _zoom(algorithm.id(), values)
    if zoom is None:
        return
    box = _box(algorithm, values, layers, context, QgsCoordinateReferenceSystem("EPSG:3857"))
    side = _WORLD_M / 2.0 ** zoom[1]
    tiles = 4.0 ** zoom[1] if box is None else (box.width() / side + 1.0) * (box.height() / side + 1.0)
    if tiles > MAX_TILES:
        fewer = max(0, math.floor(zoom[1] - math.log(tiles / MAX_TILES, 4)))
        raise _too_large(zoom[0], zoom[1], fewer)


def _zoom(ident: str, values: Dict[str, Any]) -> Optional[Tuple[str, int]]:
    """The parameter of the deepest zoom, and that zoom; None for an algorithm that makes no tiles or chooses them itself."""
    if ident in ("native:tilesxyzdirectory", "native:tilesxyzmbtiles"):
        return "ZOOM_MAX", int(values.get("ZOOM_MAX", 12))
    if ident in ("native:writevectortiles_mbtiles", "native:writevectortiles_xyz"):
        return "MAX_ZOOM", int(values.get("MAX_ZOOM", 3))
    levels = re.findall(r"\d+", str(values.get("ZOOM") or "")) if ident == "gdal:gdal2tiles" else []
    return ("ZOOM", min(int(max(levels, key=int)), 60)) if levels else None


def _box(
    algorithm: QgsProcessingAlgorithm,
    values: Dict[str, Any],
    layers: Sequence[QgsMapLayer],
    context: QgsProcessingContext,
    crs: Optional[QgsCoordinateReferenceSystem] = None,
) -> Optional[QgsRectangle]:
    """Where the result lies, in ``crs`` or that of the cells; None where that is not known."""
    extents = [each.name() for each in algorithm.parameterDefinitions() if each.type() == "extent"]
    crs = crs or _crs(algorithm, values, layers, context)
    given = [each for each in extents if values.get(each) is not None]
    if given:
        box = algorithm.parameterAsExtent(values, given[0], context, crs)
        return None if box.isNull() else box
    known = [each for each in layers if knows_extent(each)]
    if not known:
        return None
    box = QgsProcessingUtils.combineLayerExtents(known, crs, context)
    return None if box.isNull() or not box.isFinite() else box


def _crs(
    algorithm: QgsProcessingAlgorithm,
    values: Dict[str, Any],
    layers: Sequence[QgsMapLayer],
    context: QgsProcessingContext,
) -> QgsCoordinateReferenceSystem:
    """The CRS in whose units the cells are: the target's where one is given, else that of the first layer or extent."""
    for name in ("TARGET_CRS", "CRS", "CRS_OUTPUT"):
        found = algorithm.parameterAsCrs(values, name, context) if values.get(name) is not None else None
        if found is not None and found.isValid():
            return found
    for each in layers:
        if each.crs().isValid():
            return each.crs()
    project = context.project()
    return project.crs() if project is not None else QgsCoordinateReferenceSystem()


def knows_extent(layer: QgsMapLayer) -> bool:
    """Whether the extent is known without reading the features."""
    if not isinstance(layer, QgsVectorLayer):
        return True
    return layer.providerType() in ("memory", "ogr") and not layer.subsetString() and not layer.isEditable()


def _sides(layer: QgsMapLayer) -> float:
    box = layer.extent() if knows_extent(layer) else QgsRectangle()
    return box.width() + box.height() if box.isFinite() and not box.isNull() else 0.0


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0


def _too_large(name: str, value: Any, most: int) -> ToolError:
    return _refused(name, float(value), translate("QgisAgent", "At most {:.6g}.").format(most))


def _too_small(name: str, value: float, least: float) -> ToolError:
    return _refused(name, value, translate("QgisAgent", "At least {:.4g}, or a smaller area.").format(least))


def _refused(name: str, value: float, hint: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "{} of {:.6g} would make too much for the memory or the disk.").format(name, value),
        hint=hint,
        reason="too_large",
    )
