"""Handlers of the pack "raster": contours."""

from __future__ import annotations

import math
from typing import Any, Dict, Generator, List, Tuple

from qgis.core import QgsFeatureRequest, QgsFeedback

from ...analysis.checks.verify import broken
from ...analysis.inputs.preflight import ground_measure
from ...analysis.raster.checks import (
    Looked,
    cells_of,
    doubts,
    ignored_settings,
    look,
    raster_layer,
    require_raster_crs,
)
from ...analysis.run.outcome import add_result
from ...analysis.run.plan import (
    INDEXED_FILE,
    Plan,
    PlanStep,
    Ref,
    algorithms,
)
from ...analysis.run.runner import (
    analysis_context,
    close_files,
    run_plan,
)
from ...call import Call
from ...errors import INVALID_PARAM, NOT_FOUND, ToolError
from ...features import feature_source, read_features
from ...i18n import translate
from ...layers import clean_text
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
MOST_LEVELS = 1000
FIELD = "ELEV"


@tool("contour_raster", effect="create", runs="task")
def contour_raster(
    call: Call, layer_id: str, interval: float, base: float = 0.0, band: int = 1, min_length_m: float = 0.0
) -> Steps:
    """Lines of equal value at base + n × interval; short ones left out by their length on the ground."""
    layer = raster_layer(call, layer_id)
    reader = cells_of(layer, layer_id, band)
    if min_length_m:
        require_raster_crs(layer)
    looked = yield Work(translate("QgisAgent", "Reading cells"), lambda feedback: look(reader, band, feedback))
    layer = raster_layer(call, layer_id)
    levels = _levels(looked, interval, base)
    warnings = doubts(band, looked) + ignored_settings(layer, band)
    plan = _plan(interval, base, band, min_length_m)
    name = translate("QgisAgent", "{} contours {:.10g}").format(clean_text(layer.name(), 60), interval)
    made = yield from run_plan(plan, {"raster": layer}, analysis_context(call.host.project), warnings)
    result = made[plan[-1].key]
    source, measure = feature_source(result), ground_measure(result.crs())
    position = result.fields().lookupField(FIELD)
    located = result.crs().isValid()

    def read(feedback: QgsFeedback) -> Tuple[int, List[float], float]:
        values, length, count = set(), 0.0, 0
        for feature in read_features(source, QgsFeatureRequest(), feedback):
            count += 1
            values.add(float(feature[position]))
            length += measure.measureLength(feature.geometry()) if located else 0.0
        return count, sorted(values), length

    count, values, length = yield Work(translate("QgisAgent", "Reading the result"), read)
    close_files(made, keep=(plan[-1].key,))
    _check(values, looked, interval, base, count, min_length_m)
    alias = add_result(call, result, name, plan, {"raster": layer_id})
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "feature_count": count,
        "field": FIELD,
        "min": values[0],
        "max": values[-1],
        "levels": len(values),
        "levels_in_range": levels,
        "raster_min": looked.stats.low,
        "raster_max": looked.stats.high,
        "total_length_km": round(length / 1000, 3) if located else None,
        "length_method": translate("QgisAgent", "ellipsoidal, WGS 84"),
        "crs": result.crs().authid(),
        "algorithm": algorithms(plan),
        "warnings": warnings,
    }
    return Answer(data, " ".join(warnings))


def _levels(looked: Looked, interval: float, base: float) -> int:
    """How many lines' values lie within those of the raster. INVALID_PARAM for none, and for more than 1,000."""
    low, high = looked.stats.low, looked.stats.high
    first, last = math.ceil((low - base) / interval - 1e-9), math.floor((high - base) / interval + 1e-9)
    count = max(0, last - first + 1)
    if not count:
        raise ToolError(
            INVALID_PARAM,
            translate(
                "QgisAgent", "The values go from {:.10g} to {:.10g}: no line of interval {:.10g} lies between."
            ).format(low, high, interval),
            hint=translate("QgisAgent", "Choose a smaller interval, such as {:.2g}, or another base.").format(
                (high - low) / 10 or 1.0
            ),
            reason="interval",
        )
    if count > MOST_LEVELS:
        raise ToolError(
            INVALID_PARAM,
            translate(
                "QgisAgent", "The values go from {:.10g} to {:.10g}: that would be {} levels, at most {} are drawn."
            ).format(low, high, count, MOST_LEVELS),
            hint=translate(
                "QgisAgent", "Choose an interval of at least {:.3g}; an undeclared nodata value may be the reason."
            ).format((high - low) / MOST_LEVELS),
            reason="interval",
        )
    return count


def _plan(interval: float, base: float, band: int, min_length_m: float) -> Plan:
    parameters = {
        "INPUT": Ref("raster"),
        "BAND": band,
        "INTERVAL": interval,
        "OFFSET": math.fmod(base, interval),
        "FIELD_NAME": FIELD,
    }
    steps = [PlanStep("lines", "gdal:contour", parameters, INDEXED_FILE)]
    if min_length_m:
        wish = {"INPUT": Ref("lines"), "EXPRESSION": "$length >= {:.15g}".format(min_length_m)}
        steps.append(PlanStep("result", "native:extractbyexpression", wish, INDEXED_FILE))
    return steps


def _check(values: List[float], looked: Looked, interval: float, base: float, count: int, min_length_m: float) -> None:
    """Every line must have a value of the ladder, within the raster's values."""
    if not count:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "There is no line (of at least {:.10g} m).").format(min_length_m),
            hint=translate("QgisAgent", "Choose a smaller interval or min_length_m."),
            reason="no_lines",
        )
    slack = 1e-6 * max(interval, abs(values[0]), abs(values[-1]))
    for value in values:
        steps = (value - base) / interval
        outside = looked.stats.exact and not looked.stats.low - slack <= value <= looked.stats.high + slack
        if abs(steps - round(steps)) * interval > slack or outside:
            raise broken(translate("QgisAgent", "a line has the value {:.10g}").format(value))
