"""Handlers of the pack "geometry": checks and repairs."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Sequence

from qgis.core import QgsFeatureRequest, QgsFeedback, QgsVectorLayer, QgsVectorLayerFeatureSource, QgsWkbTypes

from ...analysis.geometry import repair
from ...analysis.geometry.problems import (
    CHECKS,
    counted,
)
from ...analysis.inputs.preflight import (
    Surveyor,
    remarks,
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
from ...analysis.run.steps import Builder
from ...call import Call
from ...conditions import Where
from ...errors import UNSUPPORTED, ToolError
from ...features import FeatureReader, feature_source, json_value, read_features
from ...i18n import translate
from ...layers import clean_text, layer_kind
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
_POLYGON_CHECKS = ("slivers", "overlaps", "gaps", "ring_direction")
MAX_TOLD = 2_000
"""Problems that are told one by one; all of them are counted, and are in the layer."""


@tool("fix_geometries", effect="create", runs="task")
def fix_geometries(call: Call, layer_id: str, where: Where = (), method: str = "structure") -> Steps:
    """Repair on a copy, with what every invalid feature was and is."""
    layer = call.vector_layer(layer_id)
    require_kind(layer, ["line", "polygon"], "fix_geometries")
    reader, surveyor = repair.RepairReader(layer, where), Surveyor(layer, where, placed=False)
    survey, found = yield Work(
        translate("QgisAgent", "Looking at the features"),
        lambda feedback: (surveyor.read(feedback), reader.read(feedback)),
    )
    layer = call.vector_layer(layer_id)
    require_features(layer, survey, bool(where))
    if not found.invalid:
        return _nothing_to_repair(layer_id, found)
    notes = remarks(layer, survey._replace(invalid=0, without_geometry=0))
    aliases, multi = field_aliases(layer), QgsWkbTypes.isMultiType(layer.wkbType())
    name = translate("QgisAgent", "{} repaired").format(clean_text(layer.name(), 60))
    context = analysis_context(call.host.project)
    plan = repair.repair_plan(reader.expression, method, False)
    made = yield from run_plan(plan, {"layer": layer}, context, notes)
    result = made["fixed"]
    close_files(made, keep=["fixed"])
    source, crs = feature_source(result), result.crs()
    after: repair.After = yield Work(
        translate("QgisAgent", "Checking the result"),
        lambda feedback: repair.read_repaired(source, crs, found, feedback),
    )
    if not multi and after.most_parts <= 1:  # QGIS makes the layer a multi-part one, though nothing in it is
        whole = repair.repair_plan(reader.expression, method, True)
        singled = yield from run_plan(whole[-1:], {"fixed": result}, context, notes)
        plan, result = whole, singled["single"]
    keep_aliases(result, aliases)
    alias = add_result(call, result, name, plan, {"layer": layer_id})
    notes += _repair_notes(found, after, layer_id)
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "feature_count": found.count,
        "invalid_before": len(found.invalid),
        "invalid": 0,
        "without_geometry_before": found.empty,
        "without_geometry": found.empty + after.lost,
        "parts_before": found.parts,
        "parts": after.parts,
        "area_m2_before": round(found.area_m2, 2),
        "area_m2": round(after.area_m2, 2),
        "geometry_type": QgsWkbTypes.displayString(result.wkbType()),
        "method": "{}; ellipsoidal areas, EPSG:7030".format(method),
        "crs": crs.authid(),
        "algorithm": algorithms(plan),
        "warnings": notes,
        "repaired": after.rows,
    }
    return Answer(data, " ".join(notes), rows_key="repaired")


def _nothing_to_repair(layer_id: str, found: repair.Found) -> Answer:
    """No layer is made: the one that is there is as good."""
    message = translate("QgisAgent", "All {} geometries are valid: nothing was repaired, no layer was added.").format(
        found.count - found.empty
    )
    if found.empty:
        message += " " + translate("QgisAgent", "{} features have no geometry.").format(found.empty)
    data = {"layer_id": layer_id, "feature_count": found.count, "invalid_before": 0, "created": False}
    return Answer({**data, "without_geometry": found.empty, "warnings": []}, message)


def _repair_notes(found: repair.Found, after: repair.After, layer_id: str) -> List[str]:
    notes = [
        translate(
            "QgisAgent", "{} of {} features were invalid and are repaired in the new layer; '{}' is unchanged."
        ).format(len(found.invalid), found.count, layer_id)
    ]
    if after.lost:
        notes.append(
            translate("QgisAgent", "{} geometries had no area or length left and are empty.").format(after.lost)
        )
    if abs(after.area_m2 - found.area_m2) > 1e-6 * max(after.area_m2, 1.0):
        notes.append(
            translate("QgisAgent", "The area changes from {:.6g} to {:.6g} m².").format(found.area_m2, after.area_m2)
        )
    if after.parts != found.parts:
        notes.append(translate("QgisAgent", "Parts change from {} to {}.").format(found.parts, after.parts))
    return notes


@tool("check_geometries", effect="create", runs="task")
def check_geometries(
    call: Call,
    layer_id: str,
    checks: Sequence[str] = ("validity", "duplicates"),
    where: Where = (),
    sliver_width_m: float = 1.0,
    add_layer: bool = False,
) -> Steps:
    """Look for problems, count and tell them; the layer of problems is added when it is asked for."""
    layer = call.vector_layer(layer_id)
    require_kind(layer, ["point", "line", "polygon"], "check_geometries")
    chosen = [each for each in CHECKS if each in checks]
    _require_polygons(layer, chosen)
    surveyor, reader = Surveyor(layer, where, placed=False), FeatureReader(layer, where)
    survey, ids = yield Work(
        translate("QgisAgent", "Looking at the features"),
        lambda feedback: (surveyor.read(feedback), _ids(reader, feedback) if where else []),
    )
    layer = call.vector_layer(layer_id)
    require_features(layer, survey._replace(without_geometry=0), bool(where))
    notes = remarks(layer, survey._replace(invalid=0, without_geometry=0))
    builder = Builder("layer")
    if surveyor.expression:
        builder.add("native:extractbyexpression", {"EXPRESSION": surveyor.expression})
    numbers = {"CHECKS": [CHECKS.index(each) for each in chosen], "SLIVER_WIDTH": sliver_width_m}
    builder.add("qgisagent:checkgeometries", numbers, key="problems")
    name = translate("QgisAgent", "{} problems").format(clean_text(layer.name(), 60))
    made = yield from run_plan(builder.steps, {"layer": layer}, analysis_context(call.host.project), notes)
    result = made["problems"]
    source = feature_source(result)
    rows: List[Dict[str, Any]] = yield Work(
        translate("QgisAgent", "Reading the result"), lambda feedback: _read_rows(source, ids, feedback)
    )
    counts = counted(chosen, rows)
    data: Dict[str, Any] = {
        "checked": survey.count,
        "without_geometry": survey.without_geometry,
        "problems": len(rows),
        "counts": counts,
        "rows": rows[:MAX_TOLD],
        "method": "GEOS; ellipsoidal sizes, EPSG:7030",
        "crs": result.crs().authid(),
        "algorithm": algorithms(builder.steps),
    }
    said = ", ".join("{} {}".format(each, number) for each, number in counts.items())
    notes.insert(0, translate("QgisAgent", "{} features checked: {}.").format(survey.count, said))
    if add_layer and rows:
        alias = add_result(call, result, name, builder.steps, {"layer": layer_id})
        data = {"layer_id": alias, "name": name, "feature_count": len(rows), **data}
    elif add_layer:
        notes.append(translate("QgisAgent", "No problem was found, so no layer was added."))
    return Answer(data, " ".join(notes), rows_key="rows")


def _require_polygons(layer: QgsVectorLayer, checks: Sequence[str]) -> None:
    wrong = [each for each in checks if each in _POLYGON_CHECKS]
    if wrong and layer_kind(layer) != "polygon":
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "{} are for polygons; '{}' is a {} layer.").format(
                ", ".join(wrong), clean_text(layer.name(), 60), layer_kind(layer)
            ),
            hint=translate("QgisAgent", "Use the checks validity, duplicates and multipart for other layers."),
            reason="layer_kind",
        )


def _ids(reader: FeatureReader, feedback: QgsFeedback) -> List[int]:
    """Ids of the chosen features in order: the copy that is checked numbers them anew."""
    return [feature.id() for feature in reader.read(feedback, fields=())]


def _read_rows(source: QgsVectorLayerFeatureSource, ids: Sequence[int], feedback: QgsFeedback) -> List[Dict[str, Any]]:
    """The problems as rows, with places in the layer's coordinates; on a worker thread."""
    rows: List[Dict[str, Any]] = []
    for feature in read_features(source, QgsFeatureRequest(), feedback):
        row = {each.name(): json_value(feature[each.name()], 120) for each in source.fields()}
        if feature.hasGeometry():
            place = feature.geometry().asPoint()
            row["place"] = [float("{:.9g}".format(place.x())), float("{:.9g}".format(place.y()))]
        if ids:
            row.update({key: ids[row[key] - 1] for key in ("feature", "other") if row.get(key) is not None})
        rows.append({key: value for key, value in row.items() if value is not None})
    return rows
