"""Handlers of the pack "vector": buffers. The plan is made in ``gis/analysis/buffer.py``."""

from __future__ import annotations

from typing import Any, Generator

from qgis.core import Qgis, QgsVectorLayer

from ...analysis import buffer as buffers
from ...analysis.outcome import add_result, field_aliases, keep_aliases
from ...analysis.plan import algorithms
from ...analysis.preflight import Survey, Surveyor, remarks, require_crs, require_features, require_kind
from ...analysis.runner import analysis_context, close_files, run_plan
from ...analysis.units import plane_for
from ...analysis.verify import check_circles, check_grown, require_count
from ...call import Call
from ...conditions import Where
from ...features import feature_source
from ...i18n import translate
from ...layers import clean_text
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("buffer_layer", effect="create", runs="task")
def buffer_layer(call: Call, layer_id: str, distance_m: float, where: Where = (), dissolve: bool = False) -> Steps:
    """Buffer by metres on the ground, in any CRS. The result has the layer's CRS and attributes."""
    layer = call.vector_layer(layer_id)
    require_kind(layer, ["point", "line", "polygon"], "buffer_layer")
    require_crs(layer)
    surveyor = Surveyor(layer, where)
    survey = yield Work(translate("QgisAgent", "Looking at the features"), surveyor.read)
    layer = call.vector_layer(layer_id)
    require_features(layer, survey, bool(where))
    plane = plane_for(survey.box, layer.crs(), distance_m, call.host.project.transformContext())
    plan = buffers.buffer_plan(layer, survey, surveyor.expression, plane, distance_m, dissolve)
    kind, name = layer.geometryType(), "{} buffer {:.15g} m".format(clean_text(layer.name(), 60), distance_m)
    warnings, aliases = remarks(layer, survey), field_aliases(layer)
    made = yield from run_plan(plan, {"layer": layer}, analysis_context(call.host.project), warnings)
    result = made[plan[-1].key]
    close_files(made)
    require_count(plan[-1].algorithm, buffers.expected_count(survey, dissolve), result.featureCount())
    if not dissolve:
        yield from _check_buffers(kind, result, survey, distance_m)
    keep_aliases(result, aliases)
    alias = add_result(call, result, name, plan, {"layer": layer_id})
    data = {
        "layer_id": alias,
        "name": name,
        "feature_count": result.featureCount(),
        "input_count": survey.usable,
        "distance_m": distance_m,
        "dissolved": dissolve,
        "crs": result.crs().authid(),
        "crs_used": buffers.crs_used(plane),
        "algorithm": algorithms(plan),
        "warnings": warnings,
    }
    return Answer(data, " ".join(warnings))


def _check_buffers(
    kind: Qgis.GeometryType, result: QgsVectorLayer, survey: Survey, distance_m: float
) -> Generator[Step, Any, None]:
    """Measure the result where it is known what it must be: circles around points, more area around polygons."""
    source, crs = feature_source(result), result.crs()
    title = translate("QgisAgent", "Checking the buffers")
    if kind == Qgis.GeometryType.Point and not survey.multipart:
        yield Work(title, lambda feedback: check_circles(source, crs, survey.usable, distance_m, feedback))
    elif kind == Qgis.GeometryType.Polygon and not survey.invalid:
        yield Work(title, lambda feedback: check_grown(source, crs, survey.area_m2, feedback))
