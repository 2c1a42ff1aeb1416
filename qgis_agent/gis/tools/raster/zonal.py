"""Handlers of the pack "raster": zonal statistics. The plan is made in ``gis/analysis/raster/zonal.py``."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Sequence, Tuple

from qgis.core import QgsFeedback, QgsRasterLayer, QgsVectorLayer

from ...analysis.checks.verify import require_count
from ...analysis.inputs.preflight import (
    Survey,
    Surveyor,
    remarks,
    require_crs,
    require_features,
    require_kind,
)
from ...analysis.raster import zonal
from ...analysis.raster.checks import (
    cells_of,
    doubts,
    look,
    raster_layer,
    require_raster_crs,
    round_the_world_said,
    snapped,
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
from ...analysis.vector.polygons import label_fields
from ...call import Call
from ...conditions import Where
from ...errors import NOT_FOUND, ToolError
from ...extents import transformed
from ...features import feature_source
from ...i18n import translate
from ...layers import clean_text
from ...raster_cells import require_band
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("zonal_statistics", effect="create", runs="task")
def zonal_statistics(
    call: Call,
    polygon_layer_id: str,
    layer_id: str,
    bands: Sequence[int] = (1,),
    statistics: Sequence[str] = ("count", "mean"),
    where: Where = (),
) -> Steps:
    """Statistics of cells by zone on a copy of the zones; the zones' own file is never written to."""
    zones, raster = _checked_layers(call, polygon_layer_id, layer_id)
    reader = cells_of(raster, layer_id)
    chosen = list(dict.fromkeys(require_band(int(each), reader.bands) for each in bands))
    surveyor = Surveyor(zones, where)

    def survey(feedback: QgsFeedback) -> Tuple[Survey, List[Any]]:
        return surveyor.read(feedback), [look(reader, each, feedback) for each in chosen]

    seen, looked = yield Work(translate("QgisAgent", "Looking at zones and cells"), survey)
    zones, raster = _checked_layers(call, polygon_layer_id, layer_id)
    require_features(zones, seen, bool(where))
    _require_overlap(call, zones, raster, seen)
    warnings = _remarks(zones, seen) + [text for band, each in zip(chosen, looked) for text in doubts(band, each)]
    warnings += ignored_settings_said(raster, chosen)
    warnings += round_the_world_said(raster, transformed(seen.box, zones.crs(), raster.crs(), call.host.project))
    names = zonal.names_for(zones, chosen, statistics)
    plan = zonal.zonal_plan(seen, surveyor.expression, names, statistics)
    labels, aliases = label_fields(zones), field_aliases(zones)
    name = translate("QgisAgent", "{} per {}").format(clean_text(raster.name(), 60), clean_text(zones.name(), 60))
    layers = {"zones": zones, "raster": raster}
    made = yield from run_plan(plan, layers, analysis_context(call.host.project), warnings)
    result = made[plan[-1].key]
    source = feature_source(result)
    stats = {band: each.stats for band, each in zip(chosen, looked)}
    totals = yield Work(
        translate("QgisAgent", "Reading the result"),
        lambda feedback: zonal.read_zones(source, labels, names, stats, feedback),
    )
    close_files(made, keep=(plan[-1].key,))
    require_count("native:zonalstatisticsfb", seen.count, totals.zones)
    if totals.empty == totals.zones:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "None of the {} zones holds a cell with a value: nothing was added.").format(
                totals.zones
            ),
            hint=translate(
                "QgisAgent", "Check with get_raster_info where the raster lies and has values, and both CRSs."
            ),
            reason="no_values",
        )
    keep_aliases(result, aliases)
    inputs = {"zones": polygon_layer_id, "raster": layer_id}
    alias = add_result(call, result, name, plan, inputs)
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "rows": totals.rows,
        "feature_count": totals.zones,
        "zones_without_cell": totals.empty,
        "zones_weighted": totals.weighted,
        "fields": {each.key: each.name for each in names.fields},
        "rule": zonal.rule(),
        "crs": result.crs().authid(),
        "crs_used": zonal.raster_part_of(raster),
        "algorithm": algorithms(plan),
        "warnings": warnings,
    }
    warnings.extend(_said(totals))
    return Answer(data, " ".join(warnings), rows_key="rows")


def ignored_settings_said(raster: QgsRasterLayer, bands: Sequence[int]) -> List[str]:
    """QGIS reads cells as the layer shows them, so that its nodata settings and scale hold; only this is to be said."""
    return [
        translate("QgisAgent", "Scale {:.10g} and offset {:.10g} of band {} are applied.").format(
            raster.dataProvider().bandScale(band), raster.dataProvider().bandOffset(band), band
        )
        for band in bands
        if raster.dataProvider().bandScale(band) != 1.0 or raster.dataProvider().bandOffset(band) != 0.0
    ]


def _remarks(zones: QgsVectorLayer, seen: Survey) -> List[str]:
    """Zones without a geometry stay in the result, with a count of nothing."""
    found = remarks(zones, seen._replace(without_geometry=0))
    if seen.without_geometry:
        found.append(
            translate("QgisAgent", "{} zones have no geometry: they are in the result without numbers.").format(
                seen.without_geometry
            )
        )
    return found


def _checked_layers(call: Call, polygon_layer_id: str, layer_id: str) -> Tuple[QgsVectorLayer, QgsRasterLayer]:
    zones, raster = call.vector_layer(polygon_layer_id), raster_layer(call, layer_id)
    require_kind(zones, ["polygon"], "polygon_layer_id")
    require_crs(zones)
    require_raster_crs(raster)
    return zones, raster


def _require_overlap(call: Call, zones: QgsVectorLayer, raster: QgsRasterLayer, seen: Survey) -> None:
    """NOT_FOUND when the zones do not touch the raster: statistics from nothing."""
    box = transformed(seen.box, zones.crs(), raster.crs(), call.host.project)
    if snapped(raster, box).isEmpty():
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "The zones do not touch the raster."),
            hint=translate("QgisAgent", "get_raster_info tells where the raster lies; check the CRS of both."),
            reason="no_overlap",
        )


def _said(totals: zonal.Totals) -> List[str]:
    said = []
    if totals.empty:
        said.append(
            translate("QgisAgent", "{} of {} zones hold no cell with a value; they have no statistics.").format(
                totals.empty, totals.zones
            )
        )
    if totals.weighted:
        said.append(
            translate(
                "QgisAgent", "{} zones are about as small as a cell: their cells count by the share inside."
            ).format(totals.weighted)
        )
    return said
