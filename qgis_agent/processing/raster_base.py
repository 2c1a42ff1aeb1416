"""What the algorithms on cells have in common: the input with its grid, strips with a rim, metres of a row, and writing."""

from __future__ import annotations

from typing import Any, Dict, Iterator, NamedTuple, Optional, Tuple

import numpy as np
from osgeo import gdal
from qgis.core import (
    QgsCoordinateTransform,
    QgsCsException,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingParameterBand,
    QgsProcessingParameterRasterLayer,
    QgsRasterLayer,
)

from ..gis.analysis.ground.circles import transformed
from ..gis.analysis.ground.units import (
    degrees_crs,
    metres_in_units,
)
from ..gis.analysis.joins.near_points import through_earth
from ..gis.analysis.raster.checks import true_to_ground
from ..gis.analysis.raster.grid import (
    OutputGrid,
    union_grid,
)
from ..gis.errors import ToolError
from ..gis.gdal_calls import attempt
from ..gis.i18n import translate
from ..gis.raster_cells import CellReader
from .tags import Tagged

NODATA = -3.4028234663852886e38
"""Nodata of the results: the lowest 32-bit number, as QGIS's calculator has it."""
TYPES = {"Float32": (gdal.GDT_Float32, np.float32, 3.4e38), "Float64": (gdal.GDT_Float64, np.float64, np.inf)}
"""GDAL's and numpy's type, and the limit of what it holds."""
MOST_CELLS = 100_000_000


class Strip(NamedTuple):
    """Rows from ``top`` on, with a rim of cells on all sides: values as float64, NaN without a value and outside."""

    top: int
    rows: int
    values: Any


class Metres(NamedTuple):
    """Width and height of a cell in each row, in metres; whether they are the CRS's own."""

    width: Any
    height: Any
    own: bool


class RasterAlgorithm(Tagged, QgsProcessingAlgorithm):
    """Base of algorithms that read one band cell by cell."""

    INPUT, BAND, OUTPUT = "INPUT", "BAND", "OUTPUT"
    most_cells = MOST_CELLS
    needs_metres = True

    def __init__(self) -> None:
        super().__init__()
        self._reader: Optional[CellReader] = None
        self._grid: Optional[OutputGrid] = None
        self._metres: Optional[Metres] = None

    def group(self) -> str:
        """Group in the toolbox."""
        return translate("QgisAgent", "Raster")

    def groupId(self) -> str:  # noqa: N802
        """Stable id of the group."""
        return "raster"

    def add_raster(self, said: str) -> None:
        """The raster and its band."""
        self.addParameter(QgsProcessingParameterRasterLayer(self.INPUT, said))
        self.addParameter(QgsProcessingParameterBand(self.BAND, translate("QgisAgent", "Band"), 1, self.INPUT))

    def checkParameterValues(self, parameters: Dict[str, Any], context: QgsProcessingContext) -> Tuple[bool, str]:  # noqa: N802
        """Besides QGIS's own checks: number of cells, and a CRS where metres are needed."""
        layer = self.parameterAsRasterLayer(parameters, self.INPUT, context)
        if layer is not None and layer.width() * layer.height() > self.most_cells:
            return False, translate(
                "QgisAgent",
                "The raster has {:.3g} cells; at most {:.3g} are worked on. Clip it, or make its cells larger.",
            ).format(layer.width() * layer.height(), self.most_cells)
        if layer is not None and self.needs_metres and not layer.crs().isValid():
            return False, translate("QgisAgent", "The raster has no CRS, so metres are unknown. Give it its CRS first.")
        good, message = super().checkParameterValues(parameters, context)
        return bool(good), str(message)

    def prepareAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> bool:
        """Reader and grid, on the main thread. QgsProcessingException for a raster that has no cells to read."""
        layer = self.parameterAsRasterLayer(parameters, self.INPUT, context)
        if layer is None:
            raise QgsProcessingException(self.invalidRasterError(parameters, self.INPUT))
        try:
            self._reader = CellReader(layer, layer.name())
        except ToolError as error:
            raise QgsProcessingException(str(error)) from None
        self._grid = union_grid(layer, [layer.extent()])
        self._metres = metres_of(layer, self._grid, context) if self.needs_metres else None
        return True

    def opened(self) -> Tuple[CellReader, OutputGrid]:
        """The reader, open on this thread. QgsProcessingException for a turned raster."""
        if self._reader is None or self._grid is None:
            raise QgsProcessingException(translate("QgisAgent", "The algorithm was not prepared."))
        self._reader.open()
        if self._reader.resampled:
            raise QgsProcessingException(translate("QgisAgent", "The grid of a raster is turned against its CRS."))
        return self._reader, self._grid

    def metres(self, feedback: QgsProcessingFeedback) -> Metres:
        """Size of the cells in metres; how it was found is told."""
        if self._metres is None:
            raise QgsProcessingException(
                translate("QgisAgent", "The raster has no place on earth, so metres are unknown.")
            )
        if not self._metres.own:
            feedback.pushInfo(
                translate(
                    "QgisAgent",
                    "Cells are measured on the WGS 84 ellipsoid, row by row: {:.6g} × {:.6g} m in the middle.",
                ).format(
                    float(self._metres.width[len(self._metres.width) // 2]),
                    float(self._metres.height[len(self._metres.height) // 2]),
                )
            )
        return self._metres


def metres_of(layer: QgsRasterLayer, grid: OutputGrid, context: QgsProcessingContext) -> Optional[Metres]:
    """The CRS's own metres where they are true to 1 % in the middle; else those on the ellipsoid, row by row along the
    middle column. None for a place that is not on earth."""
    rows = np.arange(grid.rows)
    x = grid.west + grid.columns / 2 * grid.width
    y = grid.north - (rows + 0.5) * grid.height
    ends = np.stack(
        [
            np.stack([np.full(grid.rows, x - grid.width / 2), y], 1),
            np.stack([np.full(grid.rows, x + grid.width / 2), y], 1),
            np.stack([np.full(grid.rows, x), y + grid.height / 2], 1),
            np.stack([np.full(grid.rows, x), y - grid.height / 2], 1),
        ]
    )
    transform = QgsCoordinateTransform(layer.crs(), degrees_crs(), context.transformContext())
    transform.setBallparkTransformsAreAppropriate(True)
    try:
        lonlat = transformed(ends, transform) if transform.isValid() else ends
    except QgsCsException:
        return None
    if not np.isfinite(lonlat).all():
        return None
    west, east, north, south = (through_earth(each[:, 0], each[:, 1]) for each in lonlat)
    width, height = np.sqrt(((east - west) ** 2).sum(1)), np.sqrt(((south - north) ** 2).sum(1))
    unit = 1.0 / metres_in_units(layer.crs(), 1.0)
    told = (grid.width * unit, grid.height * unit)
    middle = grid.rows // 2
    if true_to_ground(layer.crs(), told, (float(width[middle]), float(height[middle]))):
        return Metres(np.full(grid.rows, told[0]), np.full(grid.rows, told[1]), True)
    return Metres(width, height, False)


def strips(
    reader: CellReader, band: int, grid: OutputGrid, rim: int, height: int, feedback: QgsProcessingFeedback
) -> Iterator[Strip]:
    """The band from top to bottom, ``height`` rows at a time, with ``rim`` cells around. Ends early after a stop."""
    for top in range(0, grid.rows, height):
        if feedback.isCanceled():
            return
        rows = min(height, grid.rows - top)
        first, end = max(0, top - rim), min(grid.rows, top + rows + rim)
        values = np.full((rows + 2 * rim, grid.columns + 2 * rim), np.nan)
        place = first - (top - rim)
        values[place : place + end - first, rim : rim + grid.columns] = read_rows(
            reader, band, grid, first, end - first
        )
        yield Strip(top, rows, values)
        feedback.setProgress(100.0 * (top + rows) / grid.rows)


def read_rows(reader: CellReader, band: int, grid: OutputGrid, top: int, rows: int) -> Any:
    """Some rows, NaN without a value. QgsProcessingException when they cannot be read."""
    try:
        cells = reader.window(band, 0, top, grid.columns, rows)
    except ToolError as error:
        raise QgsProcessingException(str(error)) from None
    return np.where(cells.valid, cells.values, np.nan)


def created(path: str, grid: OutputGrid, kind: str = "Float32") -> Any:
    """A new GeoTIFF of numbers of a kind on the grid. QgsProcessingException when it cannot be made."""
    options = ["COMPRESS=DEFLATE", "TILED=YES", "BIGTIFF=IF_SAFER", "PREDICTOR=3"]
    create = gdal.GetDriverByName("GTiff").Create
    target, reason = attempt(create, path, grid.columns, grid.rows, 1, TYPES[kind][0], options=options)
    if target is None:
        raise _unwritten(reason)
    place = (grid.west, grid.width, 0.0, grid.north, 0.0, -grid.height)
    for call, value in (
        (target.SetGeoTransform, place),
        (target.SetProjection, grid.wkt),
        (target.GetRasterBand(1).SetNoDataValue, NODATA),
    ):
        _, reason = attempt(call, value)
        if reason:
            raise _unwritten(reason)
    return target


def write(target: Any, top: int, values: Any, kind: str = "Float32") -> Any:
    """Some rows; NaN and what the kind cannot hold become nodata. Gives which cells have a value. QgsProcessingException
    when they cannot be written."""
    rows, columns = values.shape
    code, numbers, limit = TYPES[kind]
    with np.errstate(invalid="ignore"):
        there = np.abs(values) < limit
    kept = np.where(there, values, NODATA).astype(numbers)
    band = target.GetRasterBand(1)
    failed, reason = attempt(band.WriteRaster, 0, top, columns, rows, kept.tobytes(), buf_type=code)
    if failed != 0:  # None where it raised
        raise _unwritten(reason)
    return there


def close(target: Any) -> None:
    """Write what is left. QgsProcessingException when it does not fit on the disk."""
    _, reason = attempt(target.FlushCache)
    if reason:
        raise _unwritten(reason)


def _unwritten(reason: str) -> QgsProcessingException:
    return QgsProcessingException(translate("QgisAgent", "The result cannot be written: {}").format(reason))
