"""Handlers of the pack "geometry": reprojection."""

from __future__ import annotations

from typing import Any, Dict, Generator

from qgis.core import QgsWkbTypes

from ...analysis.checks.verify import broken
from ...analysis.checks.verify_places import check_reprojected
from ...analysis.geometry import reproject
from ...analysis.inputs.preflight import (
    Surveyor,
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
from ...conditions import Where
from ...errors import INVALID_PARAM, ToolError
from ...features import feature_source
from ...i18n import translate
from ...layers import clean_text
from ...sources.coordinates import crs_name, known_crs
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("reproject_layer", effect="create", runs="task")
def reproject_layer(call: Call, layer_id: str, crs: str, where: Where = ()) -> Steps:
    """Coordinates into another CRS; attributes and the type of the geometry stay, places are brought back and compared."""
    layer, target = call.vector_layer(layer_id), known_crs(crs)
    require_kind(layer, ["point", "line", "polygon"], "reproject_layer")
    require_crs(layer)
    source_crs, context = layer.crs(), call.host.project.transformContext()
    if source_crs == target:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "'{}' is in {} already.").format(clean_text(layer.name(), 60), target.authid()),
            hint=translate("QgisAgent", "Use the layer as it is."),
            reason="same_crs",
        )
    surveyor = Surveyor(layer, where)
    survey = yield Work(translate("QgisAgent", "Looking at the features"), surveyor.read)
    layer = call.vector_layer(layer_id)
    require_features(layer, survey, bool(where))
    found = reproject.transformation(source_crs, target, context)
    notes = remarks(layer, survey._replace(invalid=0, without_geometry=0))
    notes += reproject.doubts(survey, source_crs, target, found, context)
    if survey.without_geometry:
        notes.append(
            translate("QgisAgent", "{} features have no geometry; they are kept without.").format(
                survey.without_geometry
            )
        )
    plan = reproject.reproject_plan(surveyor.expression, target)
    aliases, wkb_type = field_aliases(layer), layer.wkbType()
    name = "{} {}".format(clean_text(layer.name(), 60), target.authid())
    before = feature_source(layer)
    made = yield from run_plan(plan, {"layer": layer}, analysis_context(call.host.project), notes)
    result = made[plan[-1].key]
    close_files(made)
    if result.wkbType() != wkb_type:
        raise broken(
            translate("QgisAgent", "{} became {}").format(
                QgsWkbTypes.displayString(wkb_type), QgsWkbTypes.displayString(result.wkbType())
            )
        )
    after = feature_source(result)
    compared = yield Work(
        translate("QgisAgent", "Checking the places"),
        lambda feedback: check_reprojected(before, after, (source_crs, target), context, feedback, surveyor.expression),
    )
    keep_aliases(result, aliases)
    alias = add_result(call, result, name, plan, {"layer": layer_id})
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "feature_count": survey.count,
        "geometry_type": QgsWkbTypes.displayString(wkb_type),
        "crs": target.authid(),
        "crs_name": crs_name(target),
        "crs_before": source_crs.authid(),
        "operation": found["operation"],
        "accuracy_m": found["accuracy_m"],
        "compared": compared,
        "algorithm": algorithms(plan),
        "warnings": notes,
    }
    return Answer(data, " ".join(notes))
