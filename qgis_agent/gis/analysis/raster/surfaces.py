"""Surfaces from points: what is read of the points, sizes of cells, and the plans."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from qgis.core import QgsFeedback, QgsGeometry, QgsPointXY, QgsRectangle, QgsVectorLayer

from ...conditions import Where
from ...features import (
    FeatureReader,
    json_value,
)
from ...scope import seen_fields
from ..inputs.preflight import Survey
from ..run.plan import (
    INDEXED_FILE,
    RASTER_FILE,
    Plan,
    PlanStep,
    Ref,
)
from ..run.record import Joined
from ..run.steps import Builder
from .burn import (
    Cells,
    extent_of,
    has_value,
)
from .checks import (
    CREATE_OPTIONS,
    NODATA,
)

KERNELS = {
    "quartic": (0, "(1 - (d/r)²)²"),
    "triangular": (1, "1 - d/r"),
    "uniform": (2, "1"),
    "triweight": (3, "(1 - (d/r)²)³"),
    "epanechnikov": (4, "1 - (d/r)²"),
}
"""QGIS's number, and what a point adds to a cell whose centre is at a distance d within the radius r."""
CELLS_ACROSS = 250
"""Cells on the longer side when none is asked for."""


class Points(NamedTuple):
    """Measured points: how many are used, without a value, at a place that another has (and with another value there), the
    lowest and highest value, and the points' convex hull in the layer's CRS."""

    used: int
    places: int
    nulls: int
    duplicates: int
    conflicts: int
    low: float
    high: float
    hull: QgsGeometry


class PointReader:
    """Reads places and values. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, where: Where, field: str) -> None:
        self._reader = FeatureReader(layer, where)
        self._field = field

    def read(self, feedback: QgsFeedback) -> Points:
        """On a worker thread. ``used`` 0 when no point has a value."""
        position = self._reader.position(self._field)
        known: Dict[Tuple[float, float], float] = {}
        conflicting: Set[Tuple[float, float]] = set()
        used = nulls = duplicates = 0
        low, high = math.inf, -math.inf
        for feature in self._reader.read(feedback, fields=[self._field], geometry=True):
            if feature.geometry().isEmpty():  # also of none at all
                continue
            value = json_value(feature[position])
            if value is None:
                nulls += 1
                continue
            number = float(value)
            low, high = min(low, number), max(high, number)
            for vertex in feature.geometry().vertices():
                place = (vertex.x(), vertex.y())
                used += 1
                if place in known:
                    duplicates += 1
                    if known[place] != number:
                        conflicting.add(place)
                known[place] = number
        hull = (
            QgsGeometry.fromMultiPointXY([QgsPointXY(*each) for each in known]).convexHull() if known else QgsGeometry()
        )
        return Points(used, len(known), nulls, duplicates, len(conflicting), low, high, hull)


def fitting_cell(box_m: QgsRectangle) -> float:
    """A round number of metres: about 250 cells on the longer side of a box in metres."""
    longest = max(box_m.width(), box_m.height())
    return rounded(longest / CELLS_ACROSS) if longest > 0 else 1.0


def rounded(value: float) -> float:
    """1, 2 or 5 times a power of ten, not above ``value`` (but for rounding)."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(each for each in (1.0, 2.0, 5.0) if each * power <= value * (1 + 1e-9)) * power


def whole_corners(cells: Cells) -> Cells:
    """The box moved outwards to whole units: QGIS writes an interpolated grid's corner with eight digits."""
    step = 10.0 ** min(0, math.floor(math.log10(cells.side)))
    west = math.floor(cells.box.xMinimum() / step) * step
    south = math.floor(cells.box.yMinimum() / step) * step
    columns, rows = (
        max(1, math.ceil(each / cells.side - 1e-9))
        for each in (cells.box.xMaximum() - west, cells.box.yMaximum() - south)
    )
    return cells._replace(box=QgsRectangle(west, south, west + columns * cells.side, south + rows * cells.side))


def points_plan(
    layer: QgsVectorLayer, survey: Survey, expression: str, cells: Cells, field: Optional[str], nulls: int
) -> List[PlanStep]:
    """Matching points with a value, in the plane of the cells, with that one field; "points" is the last step's output."""
    builder = Builder("layer")
    builder.prepare(survey, expression)
    if field is not None and nulls:
        builder.add("native:extractbyexpression", {"EXPRESSION": has_value(field)})
    if cells.moved:
        builder.reproject(cells.crs)
    kept = [field] if field is not None else [each.name() for each in seen_fields(layer)][:1]
    if kept:
        builder.add("native:retainfields", {"FIELDS": kept}, key="points", destination=INDEXED_FILE)
    else:
        builder.add("native:reprojectlayer", {"TARGET_CRS": cells.crs}, key="points", destination=INDEXED_FILE)
    return builder.steps


def heat_step(radius: float, cells: Cells, kernel: str, weight: Optional[str]) -> PlanStep:
    """Kernel density of the points, raw: the sum of what the kernel gives for each point."""
    parameters: Dict[str, Any] = {
        "INPUT": Ref("points"),
        "RADIUS": radius,
        "PIXEL_SIZE": cells.side,
        "KERNEL": KERNELS[kernel][0],
        "OUTPUT_VALUE": 0,
    }
    if weight is not None:
        parameters["WEIGHT_FIELD"] = weight
    return PlanStep("result", "qgis:heatmapkerneldensityestimation", parameters, RASTER_FILE)


def surface_steps(source: str, position: int, method: str, cells: Cells, power: float) -> List[PlanStep]:
    """Interpolation of ``source`` (a text that names the points), then a GeoTIFF of it: QGIS writes a text grid."""
    columns, rows = cells.size
    parameters: Dict[str, Any] = {
        "INTERPOLATION_DATA": "{}::~::0::~::{}::~::0".format(source, position),
        "EXTENT": extent_of(cells.box) + (" [{}]".format(cells.crs.authid()) if cells.crs.authid() else ""),
        "PIXEL_SIZE": cells.side,
        "COLUMNS": columns,
        "ROWS": rows,
    }
    if method == "idw":
        algorithm, parameters["DISTANCE_COEFFICIENT"] = "qgis:idwinterpolation", power
    else:
        algorithm, parameters["METHOD"] = "qgis:tininterpolation", 0
    translate_parameters = {
        "INPUT": Ref("grid"),
        "TARGET_CRS": cells.crs,
        "NODATA": NODATA,
        "DATA_TYPE": 6,
        "OPTIONS": CREATE_OPTIONS,
    }
    return [
        PlanStep("grid", algorithm, parameters, RASTER_FILE),
        PlanStep("result", "gdal:translate", translate_parameters, RASTER_FILE),
    ]


def linked(plan: Plan) -> List[PlanStep]:
    """A plan with ``surface_steps`` whose text names the points by the step that made them, for the record."""
    found = []
    for step in plan:
        text = step.parameters.get("INTERPOLATION_DATA")
        if text is not None:
            rest = text[text.index("::~::") :]
            step = step._replace(parameters={**step.parameters, "INTERPOLATION_DATA": Joined((Ref("points"), rest))})
        found.append(step)
    return found
