"""Handlers of the pack "raster": raster to vector and back."""

from __future__ import annotations

from typing import Any, Dict, Generator, Optional

from qgis.core import Qgis, QgsFeatureRequest, QgsFeedback, QgsRasterLayer

from ...analysis.checks.verify import (
    broken,
    require_count,
    require_values,
)
from ...analysis.inputs.preflight import (
    Surveyor,
    remarks,
    require_crs,
    require_features,
    require_kind,
    require_number_field,
)
from ...analysis.raster.burn import (
    FieldReader,
    FieldValues,
    burn_plan,
    cells_around,
    nulls_said,
)
from ...analysis.raster.checks import (
    Looked,
    cell_size,
    cells_of,
    doubts,
    ignored_settings,
    look,
    raster_layer,
)
from ...analysis.raster.results import (
    Look,
    add_raster,
    read_result,
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
from ...conditions import Where
from ...errors import INVALID_PARAM, ToolError
from ...features import feature_source, read_features
from ...i18n import translate
from ...layers import clean_text
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
MOST_POINTS = 5_000_000
MOST_CELLS = 50_000_000
FIELD = "VALUE"
_INTEGERS = ("Byte", "Int8", "UInt16", "Int16", "UInt32", "Int32")


@tool("convert_raster_vector", effect="create", runs="task")
def convert_raster_vector(
    call: Call,
    layer_id: str,
    method: str,
    band: int = 1,
    field: Optional[str] = None,
    cell_size_m: Optional[float] = None,
    where: Where = (),
) -> Steps:
    """Polygons of equal cells, a point for each cell, or features as cells."""
    if method == "raster":
        if cell_size_m is None:
            raise _unfit(
                translate("QgisAgent", "cell_size_m is needed to make a raster."),
                translate("QgisAgent", "Give the side of a cell in metres, e.g. a hundredth of the layer's width."),
            )
        return (yield from _rasterized(call, layer_id, field, cell_size_m, where))
    if field is not None or cell_size_m is not None or where:
        raise _unfit(
            translate("QgisAgent", "field, cell_size_m and where go with method raster only."),
            translate("QgisAgent", "Leave them out."),
        )
    return (yield from _vectorized(call, layer_id, method, band))


def _vectorized(call: Call, layer_id: str, method: str, band: int) -> Steps:
    layer = raster_layer(call, layer_id)
    reader = cells_of(layer, layer_id, band)
    looked = yield Work(translate("QgisAgent", "Reading cells"), lambda feedback: look(reader, band, feedback))
    layer = raster_layer(call, layer_id)
    _check_amount(layer, looked, method, band)
    if method == "polygons":
        step = PlanStep(
            "result", "gdal:polygonize", {"INPUT": Ref("raster"), "BAND": band, "FIELD": FIELD}, INDEXED_FILE
        )
    else:
        wish = {"INPUT_RASTER": Ref("raster"), "RASTER_BAND": band, "FIELD_NAME": FIELD}
        step = PlanStep("result", "native:pixelstopoints", wish, INDEXED_FILE)
    plan: Plan = [step]
    warnings = doubts(band, looked) + (ignored_settings(layer, band) if method == "polygons" else [])
    sure = looked.stats.exact and not warnings
    name = "{} {}".format(clean_text(layer.name(), 60), method)
    width, height = cell_size(layer)
    made = yield from run_plan(plan, {"raster": layer}, analysis_context(call.host.project), warnings)
    result = made["result"]
    data: Dict[str, Any] = {"input_valid_cells": looked.stats.valid, "field": FIELD}
    if method == "polygons":
        source = feature_source(result)
        found = yield Work(
            translate("QgisAgent", "Checking the polygons"), lambda feedback: _plane_area(source, feedback)
        )
        expected = looked.stats.valid * width * height
        if sure and abs(found - expected) > 1e-6 * expected:
            raise broken(
                translate("QgisAgent", "the polygons have an area of {:.8g}, the cells of {:.8g}").format(
                    found, expected
                )
            )
        data["rule"] = translate("QgisAgent", "cells of equal value that share a side are one polygon")
    elif looked.stats.exact:
        require_count("native:pixelstopoints", looked.stats.valid, result.featureCount())
    alias = add_result(call, result, name, plan, {"raster": layer_id})
    data = {
        "layer_id": alias,
        "name": name,
        "feature_count": result.featureCount(),
        "crs": result.crs().authid(),
        **data,
        "algorithm": algorithms(plan),
        "warnings": warnings,
    }
    return Answer(data, " ".join(warnings))


def _rasterized(call: Call, layer_id: str, field: Optional[str], cell_size_m: float, where: Where) -> Steps:
    layer = call.vector_layer(layer_id)
    require_kind(layer, ["point", "line", "polygon"], "convert_raster_vector")
    require_crs(layer)
    surveyor = Surveyor(layer, where)
    values = FieldReader(layer, where, require_number_field(layer, field)) if field is not None else None
    survey, known = yield Work(
        translate("QgisAgent", "Looking at the features"),
        lambda feedback: (surveyor.read(feedback), values.read(feedback) if values is not None else None),
    )
    layer = call.vector_layer(layer_id)
    require_features(layer, survey, bool(where))
    warnings = remarks(layer, survey)
    if field is not None and known is not None:
        require_values(field, survey.usable - known.nulls, survey.usable)
        warnings += nulls_said(field, known)
    thin = layer.geometryType() != Qgis.GeometryType.Polygon
    cells = cells_around(layer, survey.box, 0.0, cell_size_m, call.host.project, edges=thin)
    plan = burn_plan(survey, surveyor.expression, cells, field, known.nulls if known is not None else 0)
    name = translate("QgisAgent", "{} raster {:.10g} m").format(clean_text(layer.name(), 60), cell_size_m)
    made = yield from run_plan(plan, {"features": layer}, analysis_context(call.host.project), warnings)
    result = made["result"]
    close_files(made, keep=("result",))
    found = yield from read_result(
        result,
        translate("QgisAgent", "No cell got a value: the features are smaller than a cell of {:.10g} m.").format(
            cell_size_m
        ),
    )
    _check_burnt(found.bands[0], known)
    data = add_raster(call, result, name, plan, {"features": layer_id}, found, Look())
    data.update(
        input_count=survey.usable - (known.nulls if known is not None else 0),
        cell_size_m=cell_size_m,
        crs_used=cells.name,
        rule=translate(
            "QgisAgent",
            "polygons: cells whose centre is inside; lines: the cells along them; where features overlap, the last one",
        ),
        algorithm=algorithms(plan),
    )
    if cells.moved:
        warnings.append(
            translate("QgisAgent", "The layer's CRS is not true to metres; the raster is in {}.").format(cells.name)
        )
    data["warnings"] = warnings
    return Answer(data, " ".join(warnings))


def _check_amount(layer: QgsRasterLayer, looked: Looked, method: str, band: int) -> None:
    """INVALID_PARAM before anything is made: too many cells, or measured values that GDAL would cut to whole numbers."""
    most = MOST_POINTS if method == "points" else MOST_CELLS
    valid = looked.stats.valid if looked.stats.exact else layer.width() * layer.height()
    if valid > most:
        raise _unfit(
            translate("QgisAgent", "The raster has {:,} cells with a value; {} are made of at most {:,}.").format(
                valid, method, most
            ),
            translate(
                "QgisAgent", "Clip the raster first (clip_raster), or resample it to larger cells (gdal:warpreproject)."
            ),
        )
    if method == "points":
        return
    kinds = [getattr(Qgis.DataType, each) for each in _INTEGERS if hasattr(Qgis.DataType, each)]
    distinct = looked.stats.distinct
    whole = layer.dataProvider().sourceDataType(band) in kinds or (
        distinct is not None and all(value == int(value) for value in distinct)
    )
    if not whole:
        raise _unfit(
            translate(
                "QgisAgent", "The raster holds measured values, which would be cut to whole numbers in polygons."
            ),
            translate("QgisAgent", "Make classes first with reclassify_raster, or lines with contour_raster."),
        )


def _plane_area(source: Any, feedback: QgsFeedback) -> float:
    """Sum of the areas in the units of the CRS. On a worker thread."""
    request = QgsFeatureRequest().setSubsetOfAttributes([])
    return float(sum(feature.geometry().area() for feature in read_features(source, request, feedback)))


def _check_burnt(stats: Any, known: Optional[FieldValues]) -> None:
    """Cells hold values of the field, and no others."""
    if known is None or known.low is None or known.high is None:
        low = high = 1.0
    else:
        low, high = known.low, known.high
    slack = 1e-6 * max(abs(low), abs(high))
    if stats.low < low - slack or stats.high > high + slack:
        raise broken(translate("QgisAgent", "cells from {:.6g} to {:.6g}").format(stats.low, stats.high))


def _unfit(message: str, hint: str) -> ToolError:
    return ToolError(INVALID_PARAM, message, hint=hint, reason="options")
