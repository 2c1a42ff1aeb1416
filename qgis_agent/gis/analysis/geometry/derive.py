"""The plans of derived geometries: which algorithm makes a kind, in which plane, and how many features it must give."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from qgis.core import (
    QgsCoordinateTransformContext,
    QgsExpression,
    QgsFields,
    QgsRectangle,
    QgsReferencedRectangle,
    QgsVectorLayer,
    QgsWkbTypes,
)

from ...errors import (
    INVALID_PARAM,
    UNSUPPORTED,
    ToolError,
)
from ...i18n import translate
from ...layers import clean_text
from ...scope import seen_fields
from ..ground.scale import ground_scale
from ..ground.units import (
    Plane,
    plane_for,
)
from ..ground.work_crs import plane_of_cells
from ..inputs.names import free_name
from ..inputs.preflight import Survey
from ..run.plan import (
    INDEXED_FILE,
    Plan,
    PlanStep,
)
from ..run.steps import (
    Builder,
    bulky,
)
from .calculate import field_entry
from .derive_facts import Shapes

ANY = ("point", "line", "polygon")
CIRCLE = "minimum_circle"
"""Two places have one, although they span no area."""
CIRCLE_SEGMENTS = 72
EVEN = 0.02
"""Scale differences within a layer that a tolerance may have."""
EXACT = 0.005
"""And that a distance along a line may have."""
EDGE_M = 50_000.0
EDGE_DEGREES = 0.5
"""Edges of large cells are divided into pieces of this length: a chord of 50 km lies 50 m off its arc at most."""


class Kind(NamedTuple):
    """What a kind of derived geometry takes and gives.

    ``layers``: kinds of layers; ``algorithm`` with ``parameters``, or ``expression`` for native:geometrybyexpression;
    ``makes``: point, line, polygon or same; ``grouped``: also for a layer or the values of a field; ``whole``: always for
    the layer; ``needs``: the option that must be given; ``repaired``: invalid polygons are repaired first; ``hull``: needs
    members that span an area; ``plane``: in a geographic CRS made in a local plane; ``own``: fields that the algorithm adds.
    """

    layers: Tuple[str, ...]
    algorithm: str
    makes: str
    expression: str = ""
    grouped: bool = False
    whole: bool = False
    needs: str = ""
    repaired: bool = False
    hull: bool = False
    plane: bool = False
    own: Tuple[str, ...] = ()


_BY_EXPRESSION = "native:geometrybyexpression"
_VERTEX_FIELDS = ("vertex_index", "vertex_part", "vertex_part_ring", "vertex_part_index", "distance", "angle")
KINDS: Dict[str, Kind] = {
    "centroid": Kind(ANY, "native:centroids", "point", grouped=True, repaired=True),
    "point_on_surface": Kind(ANY, "native:pointonsurface", "point", repaired=True),
    "convex_hull": Kind(ANY, _BY_EXPRESSION, "polygon", "convex_hull(@geometry)", grouped=True, hull=True),
    "concave_hull": Kind(ANY, _BY_EXPRESSION, "polygon", "concave_hull(@geometry, {ratio})", grouped=True, hull=True, plane=True),
    "bounding_box": Kind(ANY, _BY_EXPRESSION, "polygon", "bounds(@geometry)", grouped=True, hull=True),
    "oriented_box": Kind(ANY, _BY_EXPRESSION, "polygon", "oriented_bbox(@geometry)", grouped=True, hull=True, plane=True),
    "minimum_circle": Kind(
        ANY, _BY_EXPRESSION, "polygon", "minimal_circle(@geometry, {})".format(CIRCLE_SEGMENTS),
        grouped=True, hull=True, plane=True,
    ),
    "boundary": Kind(("line", "polygon"), "native:boundary", "same"),
    "voronoi": Kind(("point",), "native:voronoipolygons", "polygon", whole=True, plane=True),
    "delaunay": Kind(
        ("point",), "native:delaunaytriangulation", "polygon", whole=True, plane=True, own=("pointa", "pointb", "pointc")
    ),
    "lines_to_polygons": Kind(("line",), "qgis:linestopolygons", "polygon"),
    "polygonize": Kind(("line",), "native:polygonize", "polygon", whole=True),
    "polygons_to_lines": Kind(("polygon",), "native:polygonstolines", "line"),
    "vertices": Kind(ANY, "native:extractvertices", "point", own=_VERTEX_FIELDS),
    "simplify": Kind(("line", "polygon"), "native:simplifygeometries", "same", needs="tolerance_m"),
    "smooth": Kind(("line", "polygon"), "native:smoothgeometry", "same"),
    "densify": Kind(("line", "polygon"), "native:densifygeometriesgivenaninterval", "same", needs="distance_m"),
    "single_parts": Kind(ANY, "native:multiparttosingleparts", "same"),
    "multi_parts": Kind(ANY, "native:promotetomulti", "same", grouped=True),
    "points_along": Kind(
        ("line", "polygon"), "native:pointsalonglines", "point", needs="distance_m", own=("distance", "angle")
    ),
    "line_merge": Kind(("line",), "native:mergelines", "line"),
    "explode": Kind(("line",), "native:explodelines", "line"),
    "rings_ccw": Kind(("polygon",), _BY_EXPRESSION, "same", "force_polygon_ccw(@geometry)"),
    "rings_cw": Kind(("polygon",), _BY_EXPRESSION, "same", "force_polygon_cw(@geometry)"),
    "remove_holes": Kind(("polygon",), "native:deleteholes", "same"),
    "drop_z": Kind(ANY, "native:dropmzvalues", "same"),
}  # fmt: skip


class Metric(NamedTuple):
    """How metres were turned into units: the local plane, if any; the distance in the units of the CRS that is worked in;
    what is to be said of it."""

    plane: Optional[Plane]
    units: float
    words: str
    note: str = ""
    long: bool = False
    """Edges are so long that they are divided before they change the CRS or are measured."""


def metric(
    kind: str, layer: QgsVectorLayer, survey: Survey, options: Dict[str, Any], context: QgsCoordinateTransformContext
) -> Metric:
    """The plane and the distance of a kind. INVALID_PARAM without its distance, UNSUPPORTED where metres cannot be had."""
    made = KINDS[kind]
    distance = options.get(made.needs) if made.needs else 0.0
    if made.needs and not distance:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "{} needs a distance in metres.").format(kind),
            hint=translate("QgisAgent", "Give options.{}.").format(made.needs),
            reason="options",
        )
    own = translate("QgisAgent", "planar, in the layer's CRS {}").format(layer.crs().authid())
    if not made.needs:
        if not (made.plane and layer.crs().isGeographic()):
            return Metric(None, 0.0, own)
        return _of_degrees(kind, layer, survey, options, own, context)
    return _distance(kind, layer, survey, float(distance or 0.0), own, context)


def _of_degrees(
    kind: str,
    layer: QgsVectorLayer,
    survey: Survey,
    options: Dict[str, Any],
    own: str,
    context: QgsCoordinateTransformContext,
) -> Metric:
    """A local plane; for cells a larger one in which areas are right; else degrees, and that is said."""
    plane = plane_for(survey.box, layer.crs(), 0.0, context)
    if plane is not None:
        return Metric(plane, 0.0, plane.name)
    if KINDS[kind].whole:
        margin = float(options.get("margin_percent", 10)) / 100.0
        plane = plane_of_cells(survey.box, layer.crs(), margin, context)
    if plane is not None:
        text = translate(
            "QgisAgent", "The layer is large: in the plane that was taken distances are off by up to {:.1%}."
        )
        return Metric(plane, 0.0, plane.name, text.format(plane.error), long=True)
    note = translate("QgisAgent", "The layer is too large for a local plane, so degrees were taken as a plane.")
    if kind == "voronoi":
        note += " " + translate(
            "QgisAgent", "The borders are not halfway on the ground; cells end at ±180/±90 degrees."
        )
    return Metric(None, 0.0, own, note, long=KINDS[kind].whole)


def _distance(
    kind: str, layer: QgsVectorLayer, survey: Survey, metres: float, own: str, context: QgsCoordinateTransformContext
) -> Metric:
    scale = ground_scale(layer.crs(), survey.box, context)
    if scale is None:
        raise _no_metres(layer)
    low, high = scale
    if kind == "densify":  # in the layer's own plane, or the new vertices would not lie on its lines
        return Metric(None, metres / high, own, translate("QgisAgent", "No gap is longer than {:g} m.").format(metres))
    even = high / low - 1.0
    in_metres = kind != "points_along" or abs(high - 1.0) < EXACT  # its field of distances must be in metres
    if even <= (EXACT if kind == "points_along" else EVEN) and in_metres:
        return Metric(None, metres / ((low + high) / 2), own)
    plane = plane_for(survey.box, layer.crs(), 0.0, context)
    if plane is not None:
        return Metric(plane, metres, plane.name)
    if kind == "points_along":
        raise _no_metres(layer)
    note = translate(
        "QgisAgent",
        "The layer is too large for a local plane: nothing moved by more than {:g} m, in places by {:.0%} less.",
    ).format(metres, 1.0 - low / high)
    return Metric(None, metres / high, own, note)


def _no_metres(layer: QgsVectorLayer) -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "'{}' is too large, or lies at a pole or across 180°, for distances in metres.").format(
            clean_text(layer.name(), 60)
        ),
        hint=translate(
            "QgisAgent", "Take a smaller area (where), or reproject_layer to a metric CRS of the region first."
        ),
        reason="plane",
    )


def derive_plan(
    kind: str,
    layer: QgsVectorLayer,
    survey: Survey,
    shapes: Shapes,
    expression: str,
    how: Metric,
    options: Dict[str, Any],
) -> Plan:
    """Prepare, group, go into the plane, derive, come back, measure. The last step's output is the result."""
    made, builder = KINDS[kind], Builder("layer")
    builder.prepare(survey if made.repaired else survey._replace(invalid=0), expression)
    if made.repaired and survey.invalid:  # a repair leaves nothing of what had no area
        builder.add("native:removenullgeometries", {"REMOVE_EMPTY": True})
    _rename_clashes(builder, seen_fields(layer), made)
    grouping = _grouping(kind, options)
    if grouping is not None:
        builder.add("native:aggregate", _aggregate(layer, grouping))
    _leave_out(builder, kind, shapes, grouping is not None)
    if kind in ("voronoi", "delaunay") and survey.multipart:
        builder.add("native:multiparttosingleparts", {})
    if kind == "polygonize":  # QGIS closes faces only where lines end, not where they cross
        builder.add("native:splitwithlines", {"LINES": builder.last})
    if how.plane is not None:
        builder.reproject(how.plane.crs)
    if not (kind == "multi_parts" and grouping is not None):
        builder.add(made.algorithm, _parameters(kind, layer, how, options))
        if kind == "polygonize":  # it calls it an error that no lines close an area: told by the checks, with a way out
            builder.steps[-1] = builder.steps[-1]._replace(tolerant=True)
    if made.expression and made.makes == "same" and QgsWkbTypes.isMultiType(layer.wkbType()):
        builder.add("native:promotetomulti", {})  # the algorithm before declares single parts
    _way_back(builder, kind, layer, how)
    if made.makes == "polygon":
        fields = QgsFields() if made.whole and kind != "voronoi" else seen_fields(layer)
        builder.add("native:fieldcalculator", area_field(fields))
    return _stored(builder, layer, survey.usable)


def _way_back(builder: Builder, kind: str, layer: QgsVectorLayer, how: Metric) -> None:
    """Into the layer's CRS; of cells in degrees, what lies on the earth."""
    if how.long and how.plane is None and kind == "voronoi":
        world = QgsReferencedRectangle(QgsRectangle(-180.0, -90.0, 180.0, 90.0), layer.crs())
        builder.add("native:extractbyextent", {"EXTENT": world, "CLIP": True})
    if how.long:
        interval = EDGE_DEGREES if how.plane is None else EDGE_M
        builder.add("native:densifygeometriesgivenaninterval", {"INTERVAL": interval})
    if how.plane is not None:
        builder.reproject(layer.crs())


def area_field(fields: QgsFields) -> Dict[str, Any]:
    """Parameters of native:fieldcalculator: area_m2 on the ellipsoid, with a number where the name is taken."""
    name = free_name("area_m2", {each.name().casefold() for each in fields})
    return {"FIELD_NAME": name, "FIELD_TYPE": 0, "FIELD_LENGTH": 0, "FIELD_PRECISION": 0, "FORMULA": "$area"}


def _stored(builder: Builder, layer: QgsVectorLayer, count: int) -> List[PlanStep]:
    """Bulky steps between hand on through files; the result itself stays in memory."""
    if not bulky(layer, count):
        return builder.steps
    return [each._replace(destination=INDEXED_FILE) for each in builder.steps[:-1]] + builder.steps[-1:]


def _grouping(kind: str, options: Dict[str, Any]) -> Optional[str]:
    """GROUP_BY of native:aggregate; None where each feature stands for itself."""
    per = options.get("per", "feature")
    if not KINDS[kind].grouped or per == "feature":
        return None
    return "NULL" if per == "layer" else QgsExpression.quotedColumnRef(str(options["field"]))


def _aggregate(layer: QgsVectorLayer, grouping: str) -> Dict[str, Any]:
    kept: List[Dict[str, Any]] = []
    names = {"features"}
    if grouping != "NULL":
        field = layer.fields().field(layer.fields().lookupField(grouping.strip('"').replace('""', '"')))
        kept.append(
            {"input": grouping, "aggregate": "first_value", "delimiter": ",", "name": field.name(), "type": int(field.type()),
             "length": field.length(), "precision": field.precision()}
        )  # fmt: skip
        names = {"features", "feature_count"} - {field.name().lower()}
    count = {"input": "1", "aggregate": "count", "delimiter": ",", "name": max(names), "type": 4}
    return {"GROUP_BY": grouping, "AGGREGATES": [*kept, {**count, "length": 0, "precision": 0}]}


def _leave_out(builder: Builder, kind: str, shapes: Shapes, grouped: bool) -> None:
    """What cannot become the kind is left out beforehand, and counted: QGIS would end with an error."""
    if KINDS[kind].hull and (shapes.flat or grouped):
        spans = "<> 'Point'" if kind == CIRCLE else "= 'Polygon'"
        builder.add("native:extractbyexpression", {"EXPRESSION": "geometry_type(convex_hull(@geometry)) " + spans})
    if kind == "boundary" and shapes.closed:
        builder.add("native:extractbyexpression", {"EXPRESSION": "NOT is_empty_or_null(boundary(@geometry))"})
    if kind == "lines_to_polygons" and shapes.short:
        least = (
            "array_min(array_foreach(generate_series(1, coalesce(num_geometries(@geometry), 1)), "
            "num_points(coalesce(geometry_n(@geometry, @element), @geometry)))) >= 3"
        )
        builder.add("native:extractbyexpression", {"EXPRESSION": least})


def _rename_clashes(builder: Builder, fields: QgsFields, made: Kind) -> None:
    """QGIS mixes values up where the layer has a field with the name of one that an algorithm adds."""
    clashing = clashes(fields, made)
    if clashing:
        taken = {each.name().lower() for each in fields} | set(made.own)
        builder.add("native:refactorfields", {"FIELDS_MAPPING": mapping_of(fields, _free_names(clashing, taken))})


def clashes(fields: QgsFields, made: Kind) -> List[str]:
    """Names of fields that the algorithm of a kind would add once more."""
    return [
        each.name()
        for each in fields
        if each.name().lower() in made.own and made.algorithm != "native:delaunaytriangulation"
    ]


def _free_names(names: List[str], taken: set[str]) -> Dict[str, str]:
    found: Dict[str, str] = {}
    for name in names:
        free = "{}_source".format(name)
        while free.lower() in taken:
            free += "_"
        taken.add(free.lower())
        found[name] = free
    return found


def mapping_of(fields: QgsFields, renamed: Dict[str, str]) -> List[Dict[str, Any]]:
    """FIELDS_MAPPING of native:refactorfields that keeps all fields, some under another name."""
    return [field_entry(each, renamed.get(each.name(), "")) for each in fields]


def _parameters(kind: str, layer: QgsVectorLayer, how: Metric, options: Dict[str, Any]) -> Dict[str, Any]:
    made = KINDS[kind]
    if made.expression:
        # Literals for the kinds of geometry: Polygon 0. Z is kept where the shape itself is kept.
        z = made.makes == "same" and QgsWkbTypes.hasZ(layer.wkbType())
        m = made.makes == "same" and QgsWkbTypes.hasM(layer.wkbType())
        text = made.expression.replace("{ratio}", "{:.6g}".format(options.get("ratio", 0.3)))
        return {"OUTPUT_GEOMETRY": 0, "WITH_Z": z, "WITH_M": m, "EXPRESSION": text}
    if kind in ("centroid", "point_on_surface"):
        return {"ALL_PARTS": bool(options.get("all_parts", False))}
    return {
        "voronoi": {"BUFFER": options.get("margin_percent", 10), "TOLERANCE": 0, "COPY_ATTRIBUTES": True},
        "delaunay": {"TOLERANCE": 0, "ADD_ATTRIBUTES": True},
        "polygonize": {"KEEP_FIELDS": False},
        "simplify": {"METHOD": 0, "TOLERANCE": how.units},
        "smooth": {"ITERATIONS": options.get("iterations", 1), "OFFSET": 0.25, "MAX_ANGLE": 180.0},
        "densify": {"INTERVAL": how.units},
        "points_along": {"DISTANCE": how.units, "START_OFFSET": 0, "END_OFFSET": 0},
        "remove_holes": {"MIN_AREA": 0.0},
        "drop_z": {"DROP_Z_VALUES": True, "DROP_M_VALUES": True},
    }.get(kind, {})


def expected_count(kind: str, survey: Survey, shapes: Shapes, options: Dict[str, Any]) -> Optional[int]:
    """Features that the result must have; None where that is not known beforehand."""
    if _grouping(kind, options) is not None:
        return shapes.groups if not KINDS[kind].hull else None
    if kind in ("single_parts", "vertices", "explode"):
        counts = {"single_parts": shapes.parts, "vertices": shapes.vertices, "explode": shapes.segments}
        return counts[kind] if not survey.curved else None
    if kind in ("delaunay", "polygonize", "points_along", "voronoi") or (KINDS[kind].repaired and survey.invalid):
        return None
    if kind in ("centroid", "point_on_surface") and options.get("all_parts"):
        return shapes.parts
    left_out = {"lines_to_polygons": shapes.short, "boundary": shapes.closed}.get(kind, 0)
    return survey.usable - (shapes.flat if KINDS[kind].hull else left_out)
