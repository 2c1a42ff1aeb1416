"""Handlers of the pack "overlay": overlays. The plan and its checks are in ``gis/analysis/vector/overlay.py``."""

from __future__ import annotations

import math
from typing import Any, Dict, Generator, List, Mapping, Optional, Sequence, Tuple

from qgis.core import Qgis, QgsProcessingContext, QgsVectorLayer

from ...analysis.inputs.pair import (
    matched,
    pair_remarks,
)
from ...analysis.inputs.preflight import (
    Survey,
    Surveyor,
    flattened,
    remarks,
    require_crs,
    require_features,
    require_kind,
)
from ...analysis.run.outcome import (
    add_result,
    joined_aliases,
    keep_aliases,
)
from ...analysis.run.plan import algorithms
from ...analysis.run.runner import (
    analysis_context,
    close_files,
    run_plan,
)
from ...analysis.vector import overlay as overlays
from ...call import Call
from ...conditions import Where
from ...i18n import translate
from ...layers import clean_text
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
Layers = Tuple[QgsVectorLayer, QgsVectorLayer]


@tool("overlay_layers", effect="create", runs="task")
def overlay_layers(
    call: Call,
    layer_id: str,
    overlay_layer_id: str,
    operation: str,
    where: Where = (),
    overlay_where: Where = (),
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """Overlay a layer with polygons, planar in the layer's CRS; the sum of areas is checked."""
    chosen = dict(options or {})
    layers = _checked(call, layer_id, overlay_layer_id, operation)
    fields = overlays.overlay_fields(*layers, operation, chosen)
    surveyors = (Surveyor(layers[0], where), Surveyor(layers[1], overlay_where))
    surveys = yield Work(
        translate("QgisAgent", "Looking at the features"),
        lambda feedback: [each.read(feedback) for each in surveyors],
    )
    layers = _checked(call, layer_id, overlay_layer_id, operation)
    for layer, survey, condition in zip(layers, surveys, (where, overlay_where)):
        require_features(layer, survey, bool(condition))
    made_of = overlays.overlay_plan(
        layers,
        surveys,
        [each.expression for each in surveyors],
        operation,
        fields,
        float(chosen.get("min_area_m2") or 0.0),
    )
    name = "{} {} {}".format(
        clean_text(layers[0].name(), 60), operation.replace("_", " "), clean_text(layers[1].name(), 60)
    )
    warnings = list(dict.fromkeys(note for each, survey in zip(layers, surveys) for note in remarks(each, survey)))
    warnings += pair_remarks(layers[0], surveys[0].box, layers[1], surveys[1].box)
    aliases = joined_aliases(*layers, fields.prefix)
    inputs = {"layer": layers[0], "overlay": layers[1]}
    context = analysis_context(call.host.project)
    by_algorithms: List[str] = []
    made = yield from run_plan(made_of.plan, inputs, context, by_algorithms)
    if operation != "clip":  # of a clip QGIS says that there is no index, which does not matter for one mask
        warnings += by_algorithms
    try:
        first, second = (made.get(ref.key) or inputs[ref.key] for ref in (made_of.layer, made_of.overlay))
        overlaid, result = made["overlaid"], made[made_of.result]
        measured, pieces, before = yield from _measured(overlaid, result, first)
        warnings += flattened(layers[0], surveys[0], result)
        surveys = yield from _repaired_areas(surveys, (first, second))
        check, doubled = yield from _check(context, operation, (first, second), measured, before, surveys)
    finally:
        close_files(made)
    warnings += doubled
    data = _facts(operation, layers, surveys, pieces, before, result)
    dropped = measured.count - pieces.count
    warnings += _said(operation, layers, measured, pieces, overlays.slivers(pieces, before), dropped)
    alias = ""
    if pieces.count:
        keep_aliases(result, aliases)
        alias = add_result(call, result, name, made_of.plan, {"layer": layer_id, "overlay": overlay_layer_id})
    data.update(
        {
            "layer_id": alias or None,
            "name": name if alias else None,
            "checked": check,
            "algorithm": algorithms(made_of.plan),
            "warnings": warnings,
        }
    )
    return Answer(data, " ".join(warnings))


def _checked(call: Call, layer_id: str, overlay_layer_id: str, operation: str) -> Layers:
    layer, overlay = call.vector_layer(layer_id), call.vector_layer(overlay_layer_id)
    kinds = ["polygon"] if operation in overlays.AREAS_ONLY else ["point", "line", "polygon"]
    require_kind(layer, kinds, operation)
    require_kind(overlay, ["polygon"], "overlay_layer_id")
    for each in (layer, overlay):
        require_crs(each)
    matched(layer, overlay)
    return layer, overlay


def _measured(
    overlaid: QgsVectorLayer, result: QgsVectorLayer, first: QgsVectorLayer
) -> Generator[Step, Any, Tuple[overlays.Measured, overlays.Measured, overlays.Measured]]:
    """The pieces before small ones were dropped, those that are left, and the layer that they are of."""
    meters = [overlays.Meter(result, True), overlays.Meter(first)]
    if overlaid is not result:
        meters.append(overlays.Meter(overlaid))
    found = yield Work(
        translate("QgisAgent", "Measuring the pieces"), lambda feedback: [each.read(feedback) for each in meters]
    )
    return found[-1] if overlaid is not result else found[0], found[0], found[1]


def _repaired_areas(surveys: Sequence[Survey], layers: Layers) -> Generator[Step, Any, List[Survey]]:
    """The surveys, with the areas after a repair: the two loops of a bow-tie have an area of 0 before it."""
    meters = {at: overlays.Meter(layers[at], True) for at, each in enumerate(surveys) if each.invalid}
    if not meters:
        return list(surveys)
    found = yield Work(
        translate("QgisAgent", "Measuring the pieces"),
        lambda feedback: {at: each.read(feedback).ground for at, each in meters.items()},
    )
    return [
        each._replace(area_m2=found[at]) if at in found and not math.isnan(found[at]) else each
        for at, each in enumerate(surveys)
    ]


def _check(
    context: QgsProcessingContext,
    operation: str,
    layers: Layers,
    result: overlays.Measured,
    before: overlays.Measured,
    surveys: Sequence[Survey],
) -> Generator[Step, Any, Tuple[str, List[str]]]:
    """What was checked, and what must be said of polygons that overlap each other. UPSTREAM_ERROR where areas do not agree."""
    areas = all(each.geometryType() == Qgis.GeometryType.Polygon for each in layers)
    if not areas or sum(each.usable for each in surveys) > overlays.MAX_CHECKED:
        return overlays.check_bounds(operation, result, before), []
    made = yield from run_plan(overlays.check_plan(), {"layer": layers[0], "overlay": layers[1]}, context, [])
    try:
        meters = [overlays.Meter(made[key]) for key in ("first", "second", "both")] + [overlays.Meter(layers[1])]
        found = yield Work(
            translate("QgisAgent", "Checking the areas"), lambda feedback: [each.read(feedback) for each in meters]
        )
    finally:
        close_files(made)
    first, second, both, summed = (each.planar for each in found)
    dissolved = overlays.Dissolved(first, second, both, before.planar, summed)
    names = ("layer_id", "overlay_layer_id")
    notes = [
        translate(
            "QgisAgent", "Polygons of {} overlap each other: their areas add up to {:.3g} % more than they cover."
        ).format(name, 100 * dissolved.overlaps(bool(number)))
        for number, name in enumerate(names)
        if dissolved.overlaps(bool(number)) > 0
    ]
    return overlays.check_areas(operation, result, dissolved), notes


def _facts(
    operation: str,
    layers: Layers,
    surveys: Sequence[Survey],
    pieces: overlays.Measured,
    before: overlays.Measured,
    result: QgsVectorLayer,
) -> Dict[str, Any]:
    data: Dict[str, Any] = {
        "feature_count": pieces.count,
        "operation": operation,
        "input_count": surveys[0].usable,
        "overlay_count": surveys[1].usable,
    }
    if layers[0].geometryType() == Qgis.GeometryType.Polygon:
        data.update(_size("area_km2", pieces.ground / 1e6))
        data["input_area_km2"] = round(surveys[0].area_m2 / 1e6, 6)
        data["overlay_area_km2"] = round(surveys[1].area_m2 / 1e6, 6)
    elif layers[0].geometryType() == Qgis.GeometryType.Line:
        data.update(_size("length_km", pieces.ground / 1e3))
    if before.planar > 0 and operation not in overlays.AREAS_ONLY:
        data["share_percent"] = round(100 * pieces.planar / before.planar, 4)
    data["crs"] = result.crs().authid()
    data["method"] = translate(
        "QgisAgent", "planar overlay in {} (straight edges there); sizes on the WGS 84 ellipsoid"
    ).format(result.crs().authid() or "the CRS of layer_id")
    data["fields"] = [clean_text(each.name(), 60) for each in result.fields()][:60]
    return data


def _size(name: str, value: float) -> Dict[str, float]:
    """{name: value}, or nothing where there were too many pieces to measure."""
    return {} if math.isnan(value) else {name: round(value, 6)}


def _said(
    operation: str,
    layers: Layers,
    measured: overlays.Measured,
    pieces: overlays.Measured,
    thin: int,
    dropped: int,
) -> List[str]:
    """What the person must know of the result."""
    names = [clean_text(each.name(), 60) for each in layers]
    found: List[str] = []
    if not measured.count and operation == "difference":
        found.append(translate("QgisAgent", "Nothing is left: '{}' covers all of '{}'.").format(names[1], names[0]))
    elif not measured.count:
        found.append(
            translate(
                "QgisAgent", "The result is empty, so no layer was added: '{}' and '{}' do not overlap (check CRSs)."
            ).format(*names)
        )
    if dropped:
        found.append(translate("QgisAgent", "{} pieces smaller than min_area_m2 were dropped.").format(dropped))
        if not pieces.count:
            found.append(translate("QgisAgent", "No piece is left, so no layer was added."))
    if thin:
        found.append(
            translate("QgisAgent", "{} pieces look like slivers (thin and tiny); min_area_m2 can drop them.").format(
                thin
            )
        )
    return found
