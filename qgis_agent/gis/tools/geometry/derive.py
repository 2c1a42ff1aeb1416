"""Handlers of the pack "geometry": new geometries. The plans are made in ``gis/analysis/geometry/derive.py``."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Mapping, Optional

from qgis.core import Qgis, QgsVectorLayer

from ...analysis.checks.verify import (
    broken,
    require_count,
)
from ...analysis.geometry import derive as plans
from ...analysis.geometry.derive_facts import (
    Outcome,
    ShapeReader,
    Shapes,
    check_pairs,
    read_outcome,
)
from ...analysis.inputs.preflight import (
    Survey,
    Surveyor,
    flattened,
    ground_measure,
    remarks,
    require_crs,
    require_features,
    require_kind,
)
from ...analysis.run.outcome import (
    add_result,
    field_aliases,
    keep_aliases,
)
from ...analysis.run.plan import algorithms
from ...analysis.run.runner import (
    analysis_context,
    close_files,
    run_plan,
)
from ...call import Call
from ...conditions import Where, require_field
from ...errors import INVALID_PARAM, NOT_FOUND, UNSUPPORTED, ToolError
from ...features import feature_source
from ...i18n import translate
from ...layers import clean_text
from ...scope import seen_fields
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
_RULES = {
    "centroid": "in_box",
    "point_on_surface": "on",
    "convex_hull": "holds",
    "bounding_box": "box",
    "oriented_box": "holds",
    "minimum_circle": "holds",
}


@tool("derive_geometry", effect="create", runs="task")
def derive_geometry(
    call: Call, layer_id: str, kind: str, where: Where = (), options: Optional[Mapping[str, Any]] = None
) -> Steps:
    """Centroids, hulls, parts, lines and the like, one kind at a time, each checked against what it was made of."""
    layer, wanted = call.vector_layer(layer_id), {k: v for k, v in (options or {}).items() if v is not None}
    made_of = plans.KINDS[kind]
    require_kind(layer, list(made_of.layers), kind)
    require_crs(layer)
    field = _grouping_field(layer, kind, wanted)
    surveyor = Surveyor(layer, where)
    reader = ShapeReader(layer, surveyor.expression, hull=made_of.hull, circle=kind == plans.CIRCLE, field=field)
    survey, shapes = yield Work(
        translate("QgisAgent", "Looking at the features"),
        lambda feedback: (surveyor.read(feedback), reader.read(feedback)),
    )
    layer = call.vector_layer(layer_id)
    require_features(layer, survey, bool(where))
    _require_possible(layer, kind, survey, shapes, wanted)
    how = plans.metric(kind, layer, survey, wanted, call.host.project.transformContext())
    plan = plans.derive_plan(kind, layer, survey, shapes, surveyor.expression, how, wanted)
    notes = _notes(layer, kind, survey, shapes, wanted)
    notes += [how.note] if how.note else []
    clashing, aliases = plans.clashes(seen_fields(layer), made_of), field_aliases(layer)
    name = "{} {}".format(clean_text(layer.name(), 60), kind.replace("_", " "))
    context = analysis_context(call.host.project)
    made = yield from run_plan(plan, {"layer": layer}, context, notes)
    result = made[plan[-1].key]
    close_files(made)
    outcome = yield from _checked(result, reader, kind, survey, shapes, wanted)
    keep_aliases(result, aliases)
    if clashing:
        notes.append(translate("QgisAgent", "Renamed with _source: {}.").format(", ".join(clashing)))
    lost = _lost(kind, survey, shapes, outcome, wanted)
    if lost:
        notes.append(translate("QgisAgent", "{} of them made nothing and are left out.").format(lost))
    if outcome.wide:
        notes.append(
            translate("QgisAgent", "{} results reach around more than half of the earth: look at them at 180°.").format(
                outcome.wide
            )
        )
    if outcome.unmeasured:
        text = translate("QgisAgent", "{} results reach over a pole, in degrees: they are in no sum of areas.")
        notes.append(text.format(outcome.unmeasured))
    if outcome.invalid and not survey.invalid:
        text = translate("QgisAgent", "{} results are invalid (fix_geometries repairs).")
        notes.append(text.format(outcome.invalid))
    if kind != "drop_z":
        notes += flattened(layer, survey, result)
    alias = add_result(call, result, name, plan, {"layer": layer_id})
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "kind": kind,
        "feature_count": outcome.count,
        "input_count": survey.usable,
        "crs": result.crs().authid(),
        "computed": how.words,
        **_measured(result, survey, shapes, outcome),
        "algorithm": algorithms(plan),
        "warnings": notes,
    }
    return Answer(data, " ".join(notes))


def _grouping_field(layer: QgsVectorLayer, kind: str, options: Dict[str, Any]) -> int:
    """Position of the field whose values make groups; -1 for none. INVALID_PARAM for a grouping that has no sense."""
    per = options.get("per", "feature")
    if per != "feature" and not plans.KINDS[kind].grouped and not (plans.KINDS[kind].whole and per == "layer"):
        grouped = [each for each, made in plans.KINDS.items() if made.grouped]
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "{} cannot be made per {}.").format(kind, per),
            hint=translate("QgisAgent", "Leave options.per out; it is for: {}.").format(", ".join(grouped)),
            reason="options",
        )
    if per != "field":
        return -1
    if not options.get("field"):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "per 'field' needs the field."),
            hint=translate("QgisAgent", "Give options.field."),
            reason="options",
        )
    return int(layer.fields().lookupField(require_field(layer, options["field"]).name()))


def _require_possible(
    layer: QgsVectorLayer, kind: str, survey: Survey, shapes: Shapes, options: Dict[str, Any]
) -> None:
    """Refuse what could only give nothing, or something wrong."""
    made, single = plans.KINDS[kind], options.get("per", "feature") == "feature"
    if kind == "densify" and survey.long_way:
        raise ToolError(
            UNSUPPORTED,
            translate(
                "QgisAgent", "{} features jump across 180°: new vertices would run the long way round the earth."
            ).format(survey.long_way),
            hint=translate("QgisAgent", "Split them at 180° first, or leave them out (where)."),
            reason="antimeridian",
        )
    if (made.whole or not single) and shapes.across:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The features lie on both sides of 180°, where '{}' has its ends.").format(
                layer.crs().authid()
            ),
            hint=translate(
                "QgisAgent",
                "First reproject_layer to a CRS that goes on there, such as EPSG:3832, then use that layer.",
            ),
            reason="antimeridian",
        )
    nothing = ""
    if kind == plans.CIRCLE and single and shapes.flat >= survey.usable:
        nothing = translate("QgisAgent", "No feature has two different places.")
    elif made.hull and single and shapes.flat >= survey.usable:
        nothing = translate("QgisAgent", "No feature has three places that are not in one line, so none has an area.")
    elif kind == "lines_to_polygons" and shapes.short >= survey.usable:
        nothing = translate("QgisAgent", "No line has three vertices, so none makes a polygon.")
    elif kind == "boundary" and shapes.closed >= survey.usable:
        nothing = translate("QgisAgent", "All lines are closed: they have no ends.")
    elif kind in ("voronoi", "delaunay") and shapes.places < 3:
        nothing = translate("QgisAgent", "{} needs three different places; there are {}.").format(kind, shapes.places)
    if nothing:
        raise ToolError(
            NOT_FOUND,
            nothing,
            hint=translate("QgisAgent", "For one shape around many features give options.per (layer or field)."),
            reason="nothing_made",
        )


def _notes(layer: QgsVectorLayer, kind: str, survey: Survey, shapes: Shapes, options: Dict[str, Any]) -> List[str]:
    """What the person should know of the input."""
    made, name = plans.KINDS[kind], clean_text(layer.name(), 60)
    single = options.get("per", "feature") == "feature"
    notes = remarks(layer, survey if made.repaired else survey._replace(invalid=0, faults=()))
    if survey.invalid and not made.repaired:
        notes.append(
            translate(
                "QgisAgent", "{} invalid geometries of '{}' were taken as they are (fix_geometries repairs)."
            ).format(survey.invalid, name)
        )
    if made.hull and single and shapes.flat:
        text = translate("QgisAgent", "{} features have no three places that are not in one line and are left out.")
        if kind == plans.CIRCLE:
            text = translate("QgisAgent", "{} features have no two different places and are left out.")
        notes.append(text.format(shapes.flat))
    if kind == "lines_to_polygons" and shapes.short:
        notes.append(
            translate("QgisAgent", "{} lines with fewer than three vertices are left out.").format(shapes.short)
        )
    if kind == "boundary" and shapes.closed:
        notes.append(translate("QgisAgent", "{} closed lines have no ends and are left out.").format(shapes.closed))
    if kind == "voronoi" and shapes.places < shapes.parts:
        notes.append(
            translate("QgisAgent", "{} points lie on another one and get no polygon.").format(
                shapes.parts - shapes.places
            )
        )
    if shapes.wide and (made.hull or kind == "centroid"):
        notes.append(
            translate(
                "QgisAgent", "{} features lie on both sides of 180°: in degrees their {} is far from them."
            ).format(shapes.wide, kind)
        )
    if kind == "simplify" and layer.geometryType() == Qgis.GeometryType.Polygon:
        notes.append(translate("QgisAgent", "Borders that polygons share may come apart: each is simplified alone."))
    return notes


def _checked(
    result: QgsVectorLayer,
    reader: ShapeReader,
    kind: str,
    survey: Survey,
    shapes: Shapes,
    options: Dict[str, Any],
) -> Generator[Step, Any, Outcome]:
    """Counts and places of the result, and what is left of the features."""
    source, measure, geometry = feature_source(result), ground_measure(result.crs()), result.geometryType()
    geographic = result.crs().isGeographic()
    rule = _RULES.get(kind, "") if options.get("per", "feature") == "feature" and not options.get("all_parts") else ""
    title = translate("QgisAgent", "Checking the result")
    outcome: Outcome = yield Work(title, lambda feedback: read_outcome(source, measure, geometry, geographic, feedback))
    expected = plans.expected_count(kind, survey, shapes, options)
    if expected is not None:
        require_count(kind, expected, outcome.count)
    if outcome.count == 0:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "{} made nothing of the {} features.").format(kind, survey.usable),
            hint=translate("QgisAgent", "Check the features: lines must close areas, groups must span one."),
            reason="nothing_made",
        )
    if outcome.empty:
        raise broken(translate("QgisAgent", "{} results have no geometry").format(outcome.empty))
    wrong = {"rings_ccw": outcome.not_ccw, "rings_cw": outcome.not_cw}.get(kind, 0)
    if wrong:
        raise broken(translate("QgisAgent", "{} polygons still have rings in the other direction").format(wrong))
    if kind in ("rings_ccw", "rings_cw", "densify", "single_parts", "drop_z") and geometry == Qgis.GeometryType.Polygon:
        _require_same(survey.area_m2, outcome.area_m2)
    if rule and (outcome.count == survey.usable - (shapes.flat if plans.KINDS[kind].hull else 0)):
        yield Work(title, lambda feedback: check_pairs(reader, source, rule, feedback))
    return outcome


def _lost(kind: str, survey: Survey, shapes: Shapes, outcome: Outcome, options: Dict[str, Any]) -> int:
    """Groups without an area, features that a repair left nothing of, places too close for a cell: what was not foreseen."""
    made, single = plans.KINDS[kind], options.get("per", "feature") == "feature"
    if kind == "voronoi":
        return shapes.places - outcome.count
    if made.hull and not single:
        return shapes.groups - outcome.count
    if made.repaired and survey.invalid and single and not options.get("all_parts"):
        return survey.usable - outcome.count
    return 0


def _require_same(before: float, after: float) -> None:
    if abs(before - after) > 1e-6 * max(before, after, 1.0):
        raise broken(translate("QgisAgent", "the area has changed from {:.9g} to {:.9g} m²").format(before, after))


def _measured(result: QgsVectorLayer, survey: Survey, shapes: Shapes, outcome: Outcome) -> Dict[str, Any]:
    """Areas, lengths and vertices before and after, on the ellipsoid."""
    found: Dict[str, Any] = {"method": "ellipsoidal, EPSG:7030"}
    if survey.area_m2:
        found["area_m2_before"] = round(survey.area_m2, 2)
    if result.geometryType() == Qgis.GeometryType.Polygon:
        found["area_m2"] = round(outcome.area_m2, 2)
        if outcome.invalid:
            found["invalid"] = outcome.invalid
    if result.geometryType() == Qgis.GeometryType.Line:
        found["length_m"] = round(outcome.length_m, 2)
    if shapes.length_m:
        found["length_m_before"] = round(shapes.length_m, 2)
    found["vertices_before"], found["vertices"] = shapes.vertices, outcome.vertices
    return found
