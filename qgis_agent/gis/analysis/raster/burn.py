"""Plans that make a raster of features: rasterising, on cells in metres."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsExpression,
    QgsFeedback,
    QgsProject,
    QgsRectangle,
    QgsVectorLayer,
)

from ...conditions import Where
from ...extents import transformed
from ...features import (
    FeatureReader,
    json_value,
)
from ...i18n import translate
from ..ground.scale import (
    local_scale,
    metres_of_unit,
)
from ..ground.units import metres_in_units
from ..inputs.preflight import Survey
from ..run.plan import (
    RASTER_FILE,
    PlanStep,
)
from ..run.steps import Builder
from .checks import (
    CREATE_OPTIONS,
    NODATA,
    check_size,
    plane_around,
    true_to_ground,
)


class Cells(NamedTuple):
    """The cells of a result: CRS and its name, side in the CRS's units, and the box as whole cells."""

    crs: QgsCoordinateReferenceSystem
    name: str
    side: float
    box: QgsRectangle
    moved: bool

    @property
    def size(self) -> Tuple[int, int]:
        """Columns and rows."""
        return round(self.box.width() / self.side), round(self.box.height() / self.side)


def plane_of(
    layer: QgsVectorLayer, box: QgsRectangle, project: QgsProject
) -> Tuple[QgsCoordinateReferenceSystem, str, bool]:
    """A CRS in which cells of metres are metres on the ground: the layer's own where it is, else a local one; and its name."""
    crs, centre = layer.crs(), box.center()
    if not crs.isGeographic():
        told, found = metres_of_unit(crs), local_scale(crs, centre, project.transformContext())
        if found is not None and true_to_ground(crs, (told, told), (found.x, found.y)):
            return crs, crs.authid() or crs.description(), False
    plane, name = plane_around(box, crs, project)
    return plane, name, True


def cells_around(
    layer: QgsVectorLayer,
    box: QgsRectangle,
    margin_m: float,
    cell_m: float,
    project: QgsProject,
    edges: bool = False,
) -> Cells:
    """Cells of ``cell_m`` around a box of the layer and ``margin_m`` more. INVALID_PARAM when they are over 1e8.

    ``edges``: points on the box's lower and right side are in a cell, too (a cell does not hold these sides of its own).
    """
    crs, name, moved = plane_of(layer, box, project)
    inner = transformed(box, layer.crs(), crs, project) if moved else QgsRectangle(box)
    unit = metres_in_units(crs, 1.0)
    side, margin = cell_m * unit, margin_m * unit
    inner.grow(margin)
    columns, rows = max(1, math.ceil(inner.width() / side - 1e-9)), max(1, math.ceil(inner.height() / side - 1e-9))
    if edges:
        columns, rows = (math.floor(each / side + 1e-9) + 1 for each in (inner.width(), inner.height()))
    check_size(columns, rows, "cell_size_m")
    west, north = inner.xMinimum(), inner.yMaximum()
    return Cells(crs, name, side, QgsRectangle(west, north - rows * side, west + columns * side, north), moved)


def burn_plan(survey: Survey, expression: str, cells: Cells, field: Optional[str], nulls: int) -> List[PlanStep]:
    """Matching features with a value, in the plane, then one value for each cell (the last feature wins)."""
    builder = Builder("features")
    builder.prepare(survey, expression)
    if field is not None and nulls:
        builder.add("native:extractbyexpression", {"EXPRESSION": has_value(field)})
    if cells.moved:
        builder.reproject(cells.crs)
    box = cells.box
    parameters: Dict[str, Any] = {
        "INPUT": builder.last,
        "UNITS": 1,
        "WIDTH": cells.side,
        "HEIGHT": cells.side,
        "EXTENT": extent_of(box),
        "NODATA": NODATA,
        "INIT": NODATA,
        "DATA_TYPE": 6 if field is not None else 5,
        "OPTIONS": CREATE_OPTIONS,
    }
    parameters.update({"FIELD": field} if field is not None else {"BURN": 1.0})
    return [*builder.steps, PlanStep("result", "gdal:rasterize", parameters, RASTER_FILE)]


def has_value(field: str) -> str:
    """An expression that is true where the field has a value."""
    return "{} IS NOT NULL".format(QgsExpression.quotedColumnRef(field))


class FieldValues(NamedTuple):
    """Of the matching features with a geometry: how many have no value, and the lowest and highest value (None: none)."""

    nulls: int
    low: Optional[float]
    high: Optional[float]


class FieldReader:
    """Looks at a number field. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, where: Where, field: str) -> None:
        self._reader = FeatureReader(layer, where)
        self._field = field

    def read(self, feedback: QgsFeedback) -> FieldValues:
        """On a worker thread."""
        position, nulls = self._reader.position(self._field), 0
        low = high = None
        for feature in self._reader.read(feedback, fields=[self._field], geometry=True):
            if feature.geometry().isEmpty():  # also of none at all
                continue
            value = json_value(feature[position])
            if value is None:
                nulls += 1
                continue
            low = float(value) if low is None else min(low, float(value))
            high = float(value) if high is None else max(high, float(value))
        return FieldValues(nulls, low, high)


def nulls_said(field: str, found: FieldValues) -> List[str]:
    """That features are left out."""
    if not found.nulls:
        return []
    return [translate("QgisAgent", "{} features have no value in '{}' and are left out.").format(found.nulls, field)]


def extent_of(box: QgsRectangle) -> str:
    """In the CRS of the algorithm's input."""
    return "{:.17g},{:.17g},{:.17g},{:.17g}".format(box.xMinimum(), box.xMaximum(), box.yMinimum(), box.yMaximum())
