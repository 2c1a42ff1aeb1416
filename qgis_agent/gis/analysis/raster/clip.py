"""Plans of clip_raster: the raster's own cells are kept, and what is outside is nodata."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

from qgis.core import Qgis, QgsRasterLayer, QgsRectangle, QgsVectorLayer

from ...raster_stats import BandStats
from ..inputs.pair import same_crs
from ..inputs.preflight import Survey
from ..run.plan import (
    RASTER_FILE,
    PlanStep,
    Ref,
)
from ..run.steps import Builder
from .checks import CREATE_OPTIONS

_TYPES = (
    (Qgis.DataType.Byte, 1, 0, 255),
    (Qgis.DataType.Int16, 2, -32768, 32767),
    (Qgis.DataType.UInt16, 3, 0, 65535),
    (Qgis.DataType.UInt32, 4, 0, 4294967295),
    (Qgis.DataType.Int32, 5, -2147483648, 2147483647),
)
"""QGIS's type, its number in GDAL's algorithms, lowest and highest value."""
_FLOATS = {Qgis.DataType.Float32: (6, -3.0e38), Qgis.DataType.Float64: (7, -3.0e38)}


class Nodata(NamedTuple):
    """The value outside, the result's type as GDAL's algorithms number it (0: as the raster), and whether it is new."""

    value: float
    code: int
    widened: bool


def nodata_for(layer: QgsRasterLayer, stats: Sequence[BandStats]) -> Nodata:
    """The file's own nodata value; else one of the type that no cell has; else one of a larger type."""
    provider = layer.dataProvider()
    if provider.sourceHasNoDataValue(1) and provider.useSourceNoDataValue(1):
        return Nodata(float(provider.sourceNoDataValue(1)), 0, False)
    kind = provider.sourceDataType(1)
    low = min(each.low for each in stats)
    high = max(each.high for each in stats)
    if kind in _FLOATS:
        value = -9999.0 if low > -9999.0 else _FLOATS[kind][1]
        return Nodata(value, 0, False)
    exact = all(each.exact for each in stats)
    for each, _, lowest, highest in _TYPES:
        if each == kind and exact:
            if low > lowest:
                return Nodata(float(lowest), 0, False)
            if high < highest:
                return Nodata(float(highest), 0, False)
    return (
        Nodata(-9999.0, 6, True)
        if kind in (Qgis.DataType.Byte, Qgis.DataType.Int16, Qgis.DataType.UInt16)
        else Nodata(-1e300, 7, True)
    )


def mask_plan(
    layer: QgsRasterLayer, mask: QgsVectorLayer, survey: Survey, expression: str, part: QgsRectangle, nodata: Nodata
) -> List[PlanStep]:
    """The chosen polygons as one, in the raster's CRS, then the cells whose centres are inside."""
    builder = Builder("mask")
    builder.prepare(survey, expression)
    if not same_crs(mask.crs(), layer.crs()):
        builder.reproject(layer.crs())
        builder.add("native:fixgeometries", {"METHOD": 1})
    builder.add("native:dissolve", {"FIELD": []})
    parameters = {
        "INPUT": Ref("raster"),
        "MASK": builder.last,
        "SOURCE_CRS": layer.crs(),
        "TARGET_CRS": layer.crs(),
        "TARGET_EXTENT": extent_text(part, layer),
        "NODATA": nodata.value,
        "CROP_TO_CUTLINE": False,
        "KEEP_RESOLUTION": True,
        "DATA_TYPE": nodata.code,
        "OPTIONS": CREATE_OPTIONS,
    }
    return [*builder.steps, PlanStep("result", "gdal:cliprasterbymasklayer", parameters, RASTER_FILE)]


def box_plan(layer: QgsRasterLayer, part: QgsRectangle) -> List[PlanStep]:
    """The cells of a box, as they are."""
    parameters = {"INPUT": Ref("raster"), "PROJWIN": extent_text(part, layer), "OPTIONS": CREATE_OPTIONS}
    return [PlanStep("result", "gdal:cliprasterbyextent", parameters, RASTER_FILE)]


def extent_text(box: QgsRectangle, layer: Any) -> str:
    """As Processing takes an extent: with the CRS where it has a name, else in the layer's."""
    numbers = "{:.17g},{:.17g},{:.17g},{:.17g}".format(box.xMinimum(), box.xMaximum(), box.yMinimum(), box.yMaximum())
    authority: Optional[str] = layer.crs().authid()
    return "{} [{}]".format(numbers, authority) if authority else numbers
