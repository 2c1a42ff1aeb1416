"""Handlers of the pack "raster": clipping. The plans are made in ``gis/analysis/raster/clip.py``."""

from __future__ import annotations

from typing import Any, Generator, List, Optional, Sequence, Tuple

from qgis.core import QgsFeedback, QgsRasterLayer, QgsRectangle

from ...analysis.checks.verify import broken
from ...analysis.inputs.preflight import (
    Survey,
    Surveyor,
    remarks,
    require_crs,
    require_features,
    require_kind,
)
from ...analysis.raster.checks import (
    box_in,
    cells_of,
    doubts,
    look,
    raster_layer,
    require_raster_crs,
    round_the_world,
    round_the_world_said,
    snapped,
)
from ...analysis.raster.clip import (
    Nodata,
    box_plan,
    mask_plan,
    nodata_for,
)
from ...analysis.raster.results import (
    Look,
    add_raster,
    read_result,
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
from ...call import Call
from ...conditions import Where
from ...errors import INVALID_PARAM, NOT_FOUND, ToolError
from ...extents import checked_box, transformed
from ...i18n import translate
from ...layers import clean_text
from ...raster_about import MOST_BANDS
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("clip_raster", effect="create", runs="task")
def clip_raster(
    call: Call,
    layer_id: str,
    mask_layer_id: Optional[str] = None,
    where: Where = (),
    bbox: Optional[Sequence[float]] = None,
) -> Steps:
    """The raster's own cells whose centres are inside the polygons, or all that a box touches; nodata elsewhere."""
    layer = raster_layer(call, layer_id)
    if (mask_layer_id is None) == (bbox is None):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "One of mask_layer_id and bbox is needed, not both."),
            hint=translate("QgisAgent", "Give a polygon layer as mask_layer_id, or bbox [west, south, east, north]."),
            reason="mask",
        )
    require_raster_crs(layer)
    reader = cells_of(layer, layer_id)
    surveyor = _mask_surveyor(call, mask_layer_id, where)
    bands = list(range(1, min(reader.bands, MOST_BANDS) + 1))

    def survey(feedback: QgsFeedback) -> Tuple[List[Any], Optional[Survey]]:
        seen = surveyor.read(feedback) if surveyor is not None else None
        return [look(reader, each, feedback) for each in bands], seen

    looked, seen = yield Work(translate("QgisAgent", "Reading cells"), survey)
    layer = raster_layer(call, layer_id)
    project = call.host.project
    warnings = [text for band, each in zip(bands, looked) for text in doubts(band, each)][:3]
    inputs, layers = {"raster": layer_id}, {"raster": layer}
    nodata: Optional[Nodata] = None
    if mask_layer_id is not None and surveyor is not None:
        mask = call.vector_layer(mask_layer_id)
        require_features(mask, seen, bool(where))
        reach = transformed(seen.box, mask.crs(), layer.crs(), project)
        part = _part(layer, reach, mask_layer_id)
        warnings += round_the_world_said(layer, reach)
        nodata = nodata_for(layer, [each.stats for each in looked])
        plan: Plan = mask_plan(layer, mask, seen, surveyor.expression, part, nodata)
        inputs["mask"], layers["mask"] = mask_layer_id, mask
        warnings += remarks(mask, seen)
    else:
        part = _part(layer, _whole(layer, box_in(layer, QgsRectangle(*checked_box(bbox or ())), project)), "bbox")
        plan = box_plan(layer, part)
    name = translate("QgisAgent", "{} clipped").format(clean_text(layer.name(), 60))
    made = yield from run_plan(plan, layers, analysis_context(project), warnings)
    result = made["result"]
    close_files(made, keep=("result",))
    found = yield from read_result(
        result,
        translate(
            "QgisAgent",
            "No cell with a value has its centre inside: the mask lies on nodata or is smaller than a cell.",
        ),
    )
    if found.bands[0].valid > looked[0].stats.valid and looked[0].stats.exact:
        raise broken(translate("QgisAgent", "more cells have a value than before"))
    data = add_raster(
        call, result, name, plan, inputs, found, Look("multiband" if result.bandCount() >= 3 else "pseudocolor")
    )
    data.update(input_valid_cells=looked[0].stats.valid, algorithm=algorithms(plan))
    if nodata is not None:
        data["nodata"] = nodata.value
        data["rule"] = translate("QgisAgent", "cells whose centre is inside the polygons")
        if nodata.widened:
            warnings.append(
                translate(
                    "QgisAgent",
                    "All values of the type are in use, so the result has a larger type and nodata {:.10g}.",
                ).format(nodata.value)
            )
    data["warnings"] = warnings
    return Answer(data, " ".join(warnings))


def _mask_surveyor(call: Call, mask_layer_id: Optional[str], where: Where) -> Optional[Surveyor]:
    if mask_layer_id is None:
        if where:
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "where chooses polygons of mask_layer_id, and there is none."),
                hint=translate("QgisAgent", "Leave where out, or give mask_layer_id."),
                reason="where",
            )
        return None
    mask = call.vector_layer(mask_layer_id)
    require_kind(mask, ["polygon"], "mask_layer_id")
    require_crs(mask)
    return Surveyor(mask, where)


def _whole(layer: QgsRasterLayer, box: QgsRectangle) -> QgsRectangle:
    """The box. INVALID_PARAM when a half of it lies on the raster's other side: that half would be missing."""
    if not round_the_world(layer, box):
        return box
    raise ToolError(
        INVALID_PARAM,
        translate(
            "QgisAgent", "bbox goes on past the raster's edge; its two sides are not side by side in the raster."
        ),
        hint=translate("QgisAgent", "Clip each side by itself, as [170, …, 180, …] and [-180, …, -170, …]."),
        reason="antimeridian",
    )


def _part(layer: QgsRasterLayer, box: QgsRectangle, what: str) -> QgsRectangle:
    """The cells that the box touches. NOT_FOUND before anything is written when there are none."""
    part = snapped(layer, box)
    if part.isEmpty():
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "{} does not touch the raster, so nothing was clipped.").format(what),
            hint=translate("QgisAgent", "get_raster_info tells where the raster lies; check the CRS of both."),
            reason="no_overlap",
        )
    return part
