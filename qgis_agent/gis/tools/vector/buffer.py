"""Handlers of the pack "vector": buffers. The plan is made in ``gis/analysis/vector/buffer.py``."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Mapping, Optional, Tuple

from qgis.core import QgsProcessingContext, QgsVectorLayer

from ...analysis.checks.verify import require_count
from ...analysis.ground.units import plane_for
from ...analysis.inputs.preflight import (
    Survey,
    Surveyor,
    flattened,
    remarks,
    require_crs,
    require_features,
    require_kind,
    require_places,
)
from ...analysis.run.outcome import (
    add_result,
    field_aliases,
    keep_aliases,
)
from ...analysis.run.plan import (
    Plan,
    algorithms,
)
from ...analysis.run.runner import (
    analysis_context,
    close_files,
    run_plan,
)
from ...analysis.vector import buffer as buffers
from ...analysis.vector.buffer_checks import (
    check_buffers,
    measured,
)
from ...call import Call
from ...conditions import Where
from ...errors import INVALID_PARAM, ToolError
from ...i18n import translate
from ...layers import clean_text
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("buffer_layer", effect="create", runs="task")
def buffer_layer(
    call: Call,
    layer_id: str,
    distance_m: float,
    where: Where = (),
    dissolve: bool = False,
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """Buffer by metres on the ground, in any CRS. The result has the layer's CRS and, unless dissolved, its attributes."""
    chosen = dict(options or {})
    layer = call.vector_layer(layer_id)
    require_kind(layer, ["point", "line", "polygon"], "buffer_layer")
    require_crs(layer)
    zone = buffers.zone_of(layer.geometryType(), distance_m, dissolve, chosen)
    context, warnings = analysis_context(call.host.project), []
    source, first = yield from _source(layer, context, bool(chosen.get("selected")))
    surveyor = Surveyor(source, where)
    survey = yield Work(translate("QgisAgent", "Looking at the features"), surveyor.read)
    layer = call.vector_layer(layer_id)
    require_features(layer, survey, bool(where))
    require_places(layer, survey)
    project, kind = call.host.project, layer.geometryType()
    plane = plane_for(survey.box, layer.crs(), abs(distance_m), project.transformContext())
    key = "selected" if first else "layer"
    plan = buffers.buffer_plan(source, survey, surveyor.expression, plane, zone, key)
    warnings += remarks(layer, survey, selection_used=bool(first))
    aliases = field_aliases(layer)
    name = _name(layer, zone)
    made = yield from run_plan(plan, {key: source if first else layer}, context, warnings)
    result = made[plan[-1].key]
    close_files(made)
    expected = buffers.expected_count(survey, zone)
    if expected is not None:
        require_count(plan[-1].algorithm, expected, result.featureCount())
    warnings += flattened(layer, survey, result) + _vanished(result, survey, zone)
    yield from check_buffers(kind, result, survey, zone)
    sizes = yield from measured(result)
    keep_aliases(result, aliases)
    whole: Plan = [*first, *plan]
    alias = add_result(call, result, name, whole, {"layer": layer_id})
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "feature_count": result.featureCount(),
        "input_count": survey.usable,
        "distance_m": distance_m,
        "dissolved": dissolve,
        "crs": result.crs().authid(),
        "crs_used": buffers.crs_used(kind, plane),
        "algorithm": algorithms(whole),
        "warnings": warnings,
    }
    data.update(_facts(zone))
    if sizes is not None:
        data["area_km2"] = round(sizes.ground / 1e6, 6)
    return Answer(data, " ".join(warnings))


def _source(
    layer: QgsVectorLayer, context: QgsProcessingContext, selected: bool
) -> Generator[Step, Any, Tuple[QgsVectorLayer, Plan]]:
    """What is buffered, and the steps before it: the layer, or a copy of its selected features. INVALID_PARAM for none."""
    if not selected:
        return layer, []
    if not layer.selectedFeatureCount():
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "No feature of '{}' is selected.").format(clean_text(layer.name(), 60)),
            hint=translate(
                "QgisAgent", "Ask the person to select features, use select_features, or leave selected out."
            ),
            reason="no_selection",
        )
    steps = [buffers.SELECTED]
    made = yield from run_plan(steps, {"layer": layer}, context, [])
    copy = made[buffers.SELECTED.key]
    copy.setName(layer.name())
    return copy, steps


def _name(layer: QgsVectorLayer, zone: buffers.Zone) -> str:
    name = clean_text(layer.name(), 60)
    distances = ", ".join("{:.15g}".format(each) for each in zone.distances)
    side = "" if zone.side == "both" else " {}".format(zone.side)
    return translate("QgisAgent", "{} buffer {} m{}").format(name, distances, side)


def _facts(zone: buffers.Zone) -> Dict[str, Any]:
    """What is only told where it was asked for."""
    data: Dict[str, Any] = {}
    if zone.ringed:
        data["rings"] = [{"from_m": inner, "to_m": outer} for inner, outer in zone.bands]
        data["fields"] = {"from_m": buffers.FROM, "to_m": buffers.TO}
    if zone.side != "both":
        data["side"] = zone.side
    if zone.end_cap != "round":
        data["end_cap"] = zone.end_cap
    return data


def _vanished(result: QgsVectorLayer, survey: Survey, zone: buffers.Zone) -> List[str]:
    """Polygons that are too narrow for a buffer inwards. INVALID_PARAM where none is left."""
    if zone.distance_m > 0:
        return []
    left = result.featureCount()
    if not left:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "Nothing is left of the {} polygons at {:.15g} m inwards.").format(
                survey.usable, -zone.distance_m
            ),
            hint=translate("QgisAgent", "Take a smaller distance."),
            reason="vanished",
        )
    if zone.separate or zone.dissolve or left == survey.usable:
        return []
    return [
        translate("QgisAgent", "{} of {} polygons are too narrow and vanished.").format(
            survey.usable - left, survey.usable
        )
    ]
