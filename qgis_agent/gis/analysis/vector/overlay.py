"""The plan of an overlay, and the arithmetic of areas that its result must satisfy."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Sequence

from qgis.core import Qgis, QgsFeatureRequest, QgsFeedback, QgsGeometry, QgsVectorLayer, QgsWkbTypes

from ...conditions import require_field
from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...features import (
    feature_source,
    read_features,
)
from ...i18n import translate
from ..checks.verify import broken
from ..inputs.pair import matched
from ..inputs.preflight import (
    Survey,
    ground_measure,
)
from ..run.plan import (
    MEMORY,
    Plan,
    PlanStep,
    Ref,
)
from ..run.steps import (
    Builder,
    bulky,
)

OPERATIONS = {
    "clip": "native:clip",
    "intersection": "native:intersection",
    "difference": "native:difference",
    "union": "native:union",
    "symmetrical_difference": "native:symmetricaldifference",
}
AREAS_ONLY = ("union", "symmetrical_difference")
KEEPS_FIELDS = ("clip", "difference")
MAX_CHECKED = 2_000
"""Polygons of both layers up to which the sum of areas is checked against their dissolved areas."""
MAX_GROUND = 50_000
"""Features up to which sizes are measured on the ellipsoid: of 100,000 pieces that takes as long as the overlay."""
TOLERANCE = 1e-6
_THIN = 0.01
"""4π area / perimeter² of a shape that is more than about 300 times as long as it is wide; a circle has 1."""
_SMALL = 1e-3
"""A piece that is thin and smaller than this share of an average input polygon is a sliver."""


class Fields(NamedTuple):
    """Which fields the result gets. Empty lists mean all."""

    kept: List[str]
    overlay: List[str]
    prefix: str


class Overlay(NamedTuple):
    """A plan and the keys of its prepared inputs and of the overlay itself."""

    plan: Plan
    layer: Ref
    overlay: Ref
    result: str


class Measured(NamedTuple):
    """A layer's features: how many, without geometry; the sum of their planar sizes in CRS units (area, length or number of
    points), on the ellipsoid in m² or m (NaN where it was not measured); the planar areas of the thin ones."""

    count: int
    without_geometry: int
    planar: float
    ground: float
    thin: List[float]


def overlay_fields(layer: QgsVectorLayer, overlay: QgsVectorLayer, operation: str, options: Dict[str, Any]) -> Fields:
    """The chosen fields. NOT_FOUND for one that does not exist, INVALID_PARAM where the operation gives the overlay's none."""
    kept = [require_field(layer, each).name() for each in options.get("fields") or ()]
    taken = [require_field(overlay, each).name() for each in options.get("overlay_fields") or ()]
    prefix = str(options.get("prefix") or "")
    if operation in KEEPS_FIELDS and (taken or prefix):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "{} gives no fields of the overlay layer.").format(operation),
            hint=translate("QgisAgent", "Leave overlay_fields and prefix out, or use intersection."),
            reason="overlay_fields",
        )
    return Fields(kept, taken, prefix)


def overlay_plan(
    layers: Sequence[QgsVectorLayer],
    surveys: Sequence[Survey],
    expressions: Sequence[str],
    operation: str,
    fields: Fields,
    min_area_m2: float = 0.0,
) -> Overlay:
    """Prepare both, bring the overlay into the layer's CRS, overlay; then drop small pieces where that is asked for.

    A mask of several polygons is dissolved before a clip: QGIS would look through the layer once for each.
    """
    first, second = Builder("layer"), Builder("overlay")
    first.prepare(surveys[0], expressions[0])
    if fields.kept:
        first.add("native:retainfields", {"FIELDS": fields.kept})
    second.prepare(surveys[1], expressions[1])
    if fields.overlay:
        second.add("native:retainfields", {"FIELDS": fields.overlay})
    target = matched(*layers)
    if target is not None:
        second.reproject(target)
    if operation == "clip" and surveys[1].usable > 1:
        second.add("native:dissolve", {"FIELD": [], "SEPARATE_DISJOINT": False})
    for builder, layer, survey in zip((first, second), layers, surveys):
        if bulky(layer, survey.usable):
            builder.keep_in_files()
    parameters: Dict[str, Any] = {"INPUT": first.last, "OVERLAY": second.last}
    if operation not in KEEPS_FIELDS and fields.prefix:
        parameters["OVERLAY_FIELDS_PREFIX"] = fields.prefix
    steps = [*first.steps, *second.steps, PlanStep("overlaid", OPERATIONS[operation], parameters, MEMORY)]
    if min_area_m2:
        condition = {"INPUT": Ref("overlaid"), "EXPRESSION": "$area >= {:.12g}".format(min_area_m2)}
        steps.append(PlanStep("result", "native:extractbyexpression", condition))
    return Overlay(steps, first.last, second.last, steps[-1].key)


class Meter:
    """Measures the features of a layer. Made on the main thread; ``ground`` adds the sizes on the WGS 84 ellipsoid."""

    def __init__(self, layer: QgsVectorLayer, ground: bool = False) -> None:
        self._source = feature_source(layer)
        self._kind = layer.geometryType()
        self._ground = ground_measure(layer.crs()) if ground and layer.featureCount() <= MAX_GROUND else None

    def read(self, feedback: QgsFeedback) -> Measured:
        """On a worker thread."""
        areas, lines = self._kind == Qgis.GeometryType.Polygon, self._kind == Qgis.GeometryType.Line
        count = without = 0
        planar: List[float] = []
        ground: List[float] = []
        thin: List[float] = []
        for feature in read_features(self._source, QgsFeatureRequest().setSubsetOfAttributes([]), feedback):
            count += 1
            geometry = feature.geometry()
            if geometry.isNull() or geometry.isEmpty():
                without += 1
                continue
            size = planar_size(geometry) if areas or lines else 1.0
            planar.append(size)
            if areas and 4 * math.pi * size < _THIN * geometry.length() ** 2:
                thin.append(size)
            if self._ground is not None and (areas or lines):
                ground.append(self._ground.measureArea(geometry) if areas else self._ground.measureLength(geometry))
        return Measured(count, without, math.fsum(planar), math.fsum(ground) if self._ground else math.nan, thin)


def planar_size(geometry: QgsGeometry) -> float:
    """Area of a polygon, length of a line, in CRS units; of a curve as GEOS takes it, in straight segments, so that a result
    without curves can be compared."""
    shape = geometry.constGet()
    if QgsWkbTypes.isCurvedType(geometry.wkbType()):
        shape = shape.segmentize()
    return float(shape.area() if geometry.type() == Qgis.GeometryType.Polygon else shape.length())


def slivers(result: Measured, layer: Measured) -> int:
    """How many pieces are thin, and tiny against an average polygon of the layer."""
    typical = layer.planar / max(1, layer.count - layer.without_geometry)
    return sum(each < typical * _SMALL for each in result.thin)


def check_plan() -> Plan:
    """Dissolves each input and both together: what the areas of the overlay are checked against.

    Inputs "layer" and "overlay"; outputs "first", "second", "both". Without fields: a field of one layer may not take the
    values of a field of that name in the other (of 6 characters and of 9), and the merge would lose the row.
    """
    whole, bare = {"FIELD": [], "SEPARATE_DISJOINT": False}, {"FIELDS_MAPPING": []}
    return [
        PlanStep("layer_shapes", "native:refactorfields", {"INPUT": Ref("layer"), **bare}),
        PlanStep("overlay_shapes", "native:refactorfields", {"INPUT": Ref("overlay"), **bare}),
        PlanStep("first", "native:dissolve", {"INPUT": Ref("layer_shapes"), **whole}),
        PlanStep("second", "native:dissolve", {"INPUT": Ref("overlay_shapes"), **whole}),
        PlanStep("merged", "native:mergevectorlayers", {"LAYERS": [Ref("first"), Ref("second")]}),
        PlanStep("both", "native:dissolve", {"INPUT": Ref("merged"), **whole}),
    ]


class Dissolved(NamedTuple):
    """Planar areas of the first layer, the second and both together, dissolved; of the features of each, summed up."""

    first: float
    second: float
    both: float
    first_sum: float
    second_sum: float

    def overlaps(self, second: bool) -> float:
        """By what share the sum of one layer's areas is larger than the area that they cover; 0 for what is rounding."""
        total, covered = (self.second_sum, self.second) if second else (self.first_sum, self.first)
        share = (total - covered) / covered if covered > 0 else 0.0
        return share if share > 10 * TOLERANCE else 0.0


def check_areas(operation: str, result: Measured, areas: Dissolved) -> str:
    """The areas must be those of inclusion and exclusion, A∩B = A + B - A∪B. Says what was checked; UPSTREAM_ERROR if not.

    Where polygons of a layer overlap each other pieces are counted twice, and the sum can only be larger.
    """
    shared = areas.first + areas.second - areas.both
    expected = {
        "clip": shared,
        "intersection": shared,
        "difference": areas.both - areas.second,
        "union": areas.both,
        "symmetrical_difference": areas.both - shared,
    }[operation]
    allowed = TOLERANCE * max(areas.both, areas.first_sum, areas.second_sum)
    more = areas.overlaps(False) > 0 or areas.overlaps(True) > 0
    if result.planar < expected - allowed or (result.planar > expected + allowed and not more):
        raise broken(
            translate("QgisAgent", "the pieces of {} have the area {:.8g} instead of {:.8g} (CRS units).").format(
                operation, result.planar, expected
            )
        )
    return translate("QgisAgent", "areas agree with the dissolved areas of both layers")


def check_bounds(operation: str, result: Measured, layer: Measured) -> str:
    """Pieces of a layer cannot be more than the layer. Says what was checked; UPSTREAM_ERROR if they are."""
    if operation in KEEPS_FIELDS and result.planar > layer.planar * (1 + TOLERANCE):
        raise broken(
            translate("QgisAgent", "the pieces of {} are larger ({:.8g}) than the layer ({:.8g}, CRS units).").format(
                operation, result.planar, layer.planar
            )
        )
    if operation in KEEPS_FIELDS:
        return translate("QgisAgent", "the pieces are not larger than the layer")
    return translate("QgisAgent", "counts")
